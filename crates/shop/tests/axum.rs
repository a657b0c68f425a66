//! The example's router, asked as a browser would: the layer caches in a real axum application, and the extractor knows who asks.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "../examples/little_shop.rs"]
#[allow(dead_code, reason = "its `main` is for people")]
mod little_shop;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use axum::{Extension, Router};
use http_body_util::BodyExt;
use parlor_edge::{Edge, NoShop, Options};
use parlor_rules::{Millis, SecretHash};
use parlor_shop::{Shop, Terms};
use parlor_store::Memory;
use std::sync::Arc;
use tower::{Layer, ServiceExt};

async fn open() -> (Router, Arc<Shop>, Edge) {
    let now = || Millis(1_700_000_000_000);
    let records = Arc::new(Memory::new(Arc::new(now)));
    let shop = Arc::new(Shop::open(records, Arc::new(now), true, Terms::default()).await.unwrap());
    let edge = Edge::new(Options::default(), Arc::new(NoShop));
    (little_shop::router(shop.clone(), &edge), shop, edge)
}

async fn ask(router: &Router, method: &str, path: &str, headers: &[(&str, &str)]) -> (Response<()>, String) {
    let mut request = Request::builder().method(method).uri(path).header("host", "shop.example");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, body) = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    (Response::from_parts(parts, ()), text)
}

fn header<'a>(answer: &'a Response<()>, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_layer_keeps_a_routers_pages_and_leaves_the_rest_alone() {
    let (router, _, edge) = open().await;
    let (first, text) = ask(&router, "GET", "/product/tea", &[]).await;
    assert!(header(&first, "cache-status").contains("fwd=uri-miss"), "{first:?}");
    let (second, again) = ask(&router, "GET", "/product/tea", &[]).await;
    assert!(header(&second, "cache-status").contains("hit"), "{second:?}");
    assert_eq!((text.as_str(), again.as_str()), ("<h1>tea</h1>", "<h1>tea</h1>"));
    let (cart, _) = ask(&router, "GET", "/cart", &[]).await;
    assert_eq!(header(&cart, "cache-status"), "", "not behind the cache");
    assert_eq!((edge.counts().hits, edge.counts().misses), (1, 1));
}

/// Somebody's name, found out by a layer further out, must not get into a page that others are shown too.
#[tokio::test]
async fn h161_what_is_known_of_the_asker_outside_does_not_reach_a_shared_page() {
    #[derive(Clone)]
    struct Name(String);
    async fn greet(name: Option<Extension<Name>>) -> impl axum::response::IntoResponse {
        ([("cache-control", "public, max-age=60")], format!("hello {}", name.map_or_else(String::new, |Extension(name)| name.0)))
    }
    let edge = Edge::new(Options::default(), Arc::new(NoShop));
    let cached = edge.layer().layer(Router::new().route("/", axum::routing::get(greet)));
    for name in ["ana", "bo"] {
        let router = Router::new().fallback_service(cached.clone()).layer(Extension(Name(name.into())));
        assert_eq!(ask(&router, "GET", "/", &[]).await.1, "hello ");
    }
    assert_eq!(edge.counts().hits, 1, "and it is shared");
}

#[tokio::test]
async fn the_extractor_knows_whose_visit_it_is() {
    let (router, shop, _) = open().await;
    let (begun, _) = ask(&router, "POST", "/visit", &[]).await;
    let cookie = header(&begun, "set-cookie").split(';').next().unwrap().to_owned();
    let token = cookie.strip_prefix("parlor_visit=").unwrap().to_owned();
    let (secure, planted) = (format!("a=b; {}", cookie.replacen("parlor", "__Host-parlor", 1)), "x".repeat(64));
    let both = format!("parlor_visit={planted}; __Host-{cookie}");
    let ways: [(&str, &str); 4] = [("cookie", &cookie), ("parlor-visit", &token), ("cookie", &secure), ("cookie", &both)];
    for (number, way) in ways.into_iter().enumerate() {
        let (added, text) = ask(&router, "POST", "/cart/tea", &[way]).await;
        assert_eq!((added.status(), text), (StatusCode::OK, format!("{} in your cart\n", number + 1)), "{way:?}");
    }
    let (odd, sentence) = ask(&router, "POST", "/cart/%20", &[("cookie", &cookie)]).await;
    assert!(odd.status() == StatusCode::BAD_REQUEST && sentence.contains("this is no item"), "{sentence}");
    assert_eq!(ask(&router, "GET", "/cart", &[("cookie", &cookie)]).await.1, "tea 4\n");
    shop.end(&SecretHash::of(token.as_bytes())).await.unwrap();
    let none = ["", "parlor_visit", "parlor_visit=", &cookie, "other=1"];
    for cookie in none {
        let (answer, text) = ask(&router, "POST", "/cart/tea", &[("cookie", cookie)]).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{cookie}");
        assert!(text.contains("begin a new one") && header(&answer, "cache-control") == "no-store", "{text}");
        assert_eq!(ask(&router, "GET", "/cart", &[("cookie", cookie)]).await.1, "nobody has a cart here\n");
    }
}
