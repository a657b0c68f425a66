//! The shop's pages, with a Parlor that only writes down what it is asked.

use crate::pages;
use crate::parlor::Parlor;
use crate::stock::Stock;
use crate::{App, Shop, keep_rows, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tower_service::Service;

/// What Parlor was asked: method, path, who, with which key, and the body.
type Asked = Arc<Mutex<Vec<String>>>;

async fn note(State(asked): State<Asked>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, 10_000).await.expect("a body");
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
    let (visit, shop, admin) = (header("parlor-visit"), header("parlor-shop-key"), header("parlor-admin-key"));
    let said = format!("{} {} {visit} {shop} {admin} {}", head.method, head.uri.path(), String::from_utf8_lossy(&body));
    asked.lock().expect("nobody panics here").push(said);
    match head.uri.path() {
        "/v1/shop/cart" => {
            let lines = json!([{ "item": "1", "quantity": 2 }, { "item": "<b>", "quantity": 1 }]);
            axum::Json(json!({ "lines": lines, "items": 2, "count": 3, "expires_at": null })).into_response()
        }
        "/v1/shop/visit/login" => ([("set-cookie", "parlor_visit=new; HttpOnly")], axum::Json(json!({}))).into_response(),
        _ => axum::Json(json!({})).into_response(),
    }
}

struct Stand {
    router: Router,
    shop: App,
    asked: Asked,
    _folder: tempfile::TempDir,
}

impl Stand {
    async fn new() -> Stand {
        let asked = Asked::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let parlor = Router::new().fallback(note).with_state(asked.clone());
        tokio::spawn(async move { axum::serve(listener, parlor).await });
        let folder = tempfile::tempdir().expect("a temporary folder");
        let stock = Stock::open(&folder.path().join("shop.db")).await.expect("a new database");
        let shop = Arc::new(Shop { stock, parlor: Parlor::new(&url, "shop", "admin"), helper: None });
        Stand { router: router(shop.clone()), shop, asked, _folder: folder }
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (StatusCode, HeaderMap, String) {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let answer = self.router.clone().call(request).await.expect("pages never fail");
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, 1_000_000).await.expect("a body");
        (head.status, head.headers, String::from_utf8(body.to_vec()).expect("text"))
    }

    async fn get(&self, path: &str) -> (StatusCode, HeaderMap, String) {
        self.ask("GET", path, &[], "").await
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("nobody panics here"))
    }
}

const ANA: (&str, &str) = ("cookie", "a=b; parlor_visit=tok; c=d");
const OURS: (&str, &str) = ("sec-fetch-site", "same-origin");

#[tokio::test]
async fn the_shop_is_filled_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("shop.db");
    for _ in 0..2 {
        let all = Stock::open(&path).await.expect("a database").all().await.expect("readable");
        assert_eq!(all.len(), 60);
        assert_eq!((&*all[0].name, &*all[0].price, all[0].cents), ("Harbour Lantern", "69.00", 6900));
    }
}

#[tokio::test]
async fn a_products_page_is_the_same_for_everybody() {
    let stand = Stand::new().await;
    let (status, headers, page) = stand.get("/product/7").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!((headers["parlor-slots"].as_bytes(), headers["parlor-rows"].as_bytes()), (&b"on"[..], &b"7"[..]));
    assert!(!headers.contains_key("cache-control"), "whether it is kept is decided by how popular it is");
    for slot in ["name=\"cart-count\"", "name=\"viewed\"", "row=\"7\" field=\"price\">119.00<", "row=\"7\" field=\"stock\">6<"] {
        assert!(page.contains(slot), "{slot}");
    }
    assert_eq!(stand.ask("GET", "/product/7", &[ANA], "").await.2, page);
    assert!(stand.asked().is_empty(), "and Parlor is not asked for it");
    for path in ["/product/61", "/product/x", "/product/7%20OR%201", "/nowhere", "/category/none"] {
        assert_eq!(stand.get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn every_page_opens_and_none_repeats_what_it_was_told_as_markup() {
    let stand = Stand::new().await;
    for path in [
        "/",
        "/category/tea",
        "/search?q=lamp",
        "/search",
        "/cart",
        "/login",
        "/admin",
        "/cards?ids=1,2",
        "/style.css",
        "/page.js",
    ] {
        assert_eq!(stand.get(path).await.0, StatusCode::OK, "{path}");
    }
    assert_eq!(stand.get("/names?ids=1,x,2").await.2, r#"{"1":"Harbour Lantern","2":"Paper Moon"}"#);
    assert_eq!(stand.get("/parlor-shop.js").await.0, StatusCode::NOT_FOUND);
    assert!(stand.get("/search?q=kettle").await.2.contains("Copper Kettle"));
    assert!(stand.get("/search?q=%25").await.2.contains("0 found"), "a percent sign is a percent sign");
    let page = stand.get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E").await.2;
    assert!(page.contains("&lt;script&gt;alert") && !page.contains("<script>alert"));
    let cart = stand.ask("GET", "/cart", &[ANA], "").await.2;
    assert!(cart.contains("Harbour Lantern") && cart.contains("€ 138.00") && !cart.contains("<b>"));
}

#[tokio::test]
async fn a_form_changes_the_cart_of_its_visitor() {
    let stand = Stand::new().await;
    let (status, headers, _) = stand.ask("POST", "/cart/add", &[ANA, OURS], "item=7&quantity=2").await;
    assert_eq!((status, headers["location"].as_bytes()), (StatusCode::SEE_OTHER, &b"/cart"[..]));
    stand.ask("POST", "/cart/clear", &[ANA, OURS], "").await;
    let asked = stand.asked();
    assert_eq!(asked[0], r#"POST /v1/shop/cart/add tok - - {"item":"7","quantity":2}"#);
    assert!(asked[1].starts_with("POST /v1/shop/cart/clear tok"));
    assert_eq!(stand.ask("POST", "/cart/add", &[OURS], "item=7&quantity=2").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(stand.ask("POST", "/cart/steal", &[ANA, OURS], "item=7").await.0, StatusCode::NOT_FOUND);
    for (path, body) in
        [("/cart/add", "item=7&quantity=2"), ("/login", "name=eve"), ("/logout", ""), ("/admin", "id=1&price=0&stock=0")]
    {
        let (status, ..) = stand.ask("POST", path, &[ANA, ("sec-fetch-site", "cross-site")], body).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
    }
    assert!(stand.asked().is_empty());
}

#[tokio::test]
async fn logging_in_gives_the_browser_parlors_cookie() {
    let stand = Stand::new().await;
    let (status, headers, _) = stand.ask("POST", "/login", &[ANA, OURS], "name=+Ana+&merge=max").await;
    assert_eq!((status, headers["set-cookie"].as_bytes()), (StatusCode::SEE_OTHER, &b"parlor_visit=new; HttpOnly"[..]));
    assert_eq!(stand.asked(), [r#"POST /v1/shop/visit/login tok shop - {"merge":"max","user":"Ana"}"#]);
    assert_eq!(stand.ask("POST", "/login", &[ANA, OURS], "name=++").await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_back_office_writes_to_the_database_and_tells_when_told() {
    let stand = Stand::new().await;
    stand.ask("POST", "/admin", &[OURS], "id=7&price=99.5&stock=3").await;
    let lamp = stand.shop.stock.find(7).await.expect("readable").expect("a lamp");
    assert_eq!((&*lamp.price, lamp.stock), ("99.50", 3));
    assert!(stand.asked().is_empty(), "Parlor finds out by itself");
    stand.ask("POST", "/admin", &[OURS], "id=7&price=98&stock=3&push=yes").await;
    assert_eq!(stand.asked(), ["POST /v1/shop/rows/7/refresh - - admin {}"]);
    for body in [
        "id=7&price=-1&stock=1",
        "id=7&price=1.234&stock=1",
        "id=7&price=x&stock=1",
        "id=7&price=1&stock=-1",
        "id=7&price=&stock=1",
    ] {
        assert_eq!(stand.ask("POST", "/admin", &[OURS], body).await.0, StatusCode::BAD_REQUEST, "{body}");
    }
    assert_eq!(stand.ask("POST", "/admin", &[OURS], "id=99&price=1&stock=1").await.0, StatusCode::NOT_FOUND);
    assert_eq!(["19", "19.9", "19.90", "0"].map(pages::admin::cents), [Some(1900), Some(1990), Some(1990), Some(0)]);
}

#[tokio::test]
async fn every_row_is_given_to_the_schedule() {
    let stand = Stand::new().await;
    keep_rows(stand.shop.clone()).await;
    let asked = stand.asked();
    assert_eq!(asked.len(), 60);
    assert_eq!(asked[0], r#"PUT /v1/shop/rows/1 - - admin {"delay":5.0}"#);
}
