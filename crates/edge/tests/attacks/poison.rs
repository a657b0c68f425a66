//! Poisoned headers: what one client says in a header must not come back to another who asks for the same page.

use super::house::House;
use super::origin::{Answer, Origin, Request};

/// Headers by which frameworks let a request say where it came from, where it goes or what it does. None is in any key.
const ROUTING: &[&str] = &[
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Scheme",
    "X-Forwarded-Port",
    "X-Forwarded-Prefix",
    "X-Forwarded-Path",
    "X-Forwarded-Server",
    "X-Forwarded-Ssl",
    "X-Forwarded-For",
    "X-Forwarded",
    "Forwarded",
    "X-Host",
    "X-Original-Host",
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-HTTP-Method-Override",
    "X-HTTP-Method",
    "X-Method-Override",
    "X-Real-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "X-Url-Scheme",
    "Front-End-Https",
    "Base-Url",
    "Request-Uri",
    "Destination",
    "Proxy",
    "Proxy-Host",
    "X-ProxyUser-Ip",
    "X-Wap-Profile",
    "X-Custom-IP-Authorization",
    "Surrogate-Capability",
];

/// Every header that reached the origin, so that what the edge lets through can be seen.
fn echo(request: &Request) -> String {
    request.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

async fn echoing() -> House {
    House::open(Origin::says(|request| Answer::ok("Cache-Control: max-age=60\r\n", echo(request))).await).await
}

#[tokio::test]
async fn h162_a_header_that_says_where_a_request_goes_comes_back_to_nobody_else() {
    let house = echoing().await;
    let mut poisoned = Vec::new();
    for (number, name) in ROUTING.iter().enumerate() {
        let page = format!("/page/{number}");
        house.get(&page, &[(name, "evil.example")]).await;
        if house.get(&page, &[]).await.holds("evil.example") {
            poisoned.push(*name);
        }
    }
    assert!(poisoned.is_empty(), "these came back to somebody else: {poisoned:?}");
}

#[tokio::test]
async fn h162_the_same_by_names_that_some_servers_take_for_them() {
    let house = echoing().await;
    let mut poisoned = Vec::new();
    let names = ["X_Forwarded_Host", "x_original_url", "X_HTTP_Method_Override", "x-FORWARDED-host"];
    for (number, name) in names.iter().enumerate() {
        let page = format!("/underscore/{number}");
        house.get(&page, &[(name, "evil.example")]).await;
        if house.get(&page, &[]).await.holds("evil.example") {
            poisoned.push(*name);
        }
    }
    assert!(poisoned.is_empty(), "these came back to somebody else: {poisoned:?}");
}

#[tokio::test]
async fn h162_pages_of_one_host_are_never_those_of_another() {
    let house = echoing().await;
    house.get("/", &[("Host", "evil.example")]).await;
    assert!(!house.get("/", &[("Host", "shop.test")]).await.holds("evil.example"));
    for host in [
        "shop.test:80@evil.example",
        "evil.example#shop.test",
        "shop.test, evil.example",
        "shop.test/evil.example",
        "evil.example?shop.test",
    ] {
        house.get("/odd", &[("Host", host)]).await;
    }
    assert!(!house.get("/odd", &[("Host", "shop.test")]).await.holds("evil.example"));
}

#[tokio::test]
async fn h162_two_hosts_in_one_request_are_refused_or_agree() {
    let house = echoing().await;
    house.raw("GET /two HTTP/1.1\r\nHost: evil.example\r\nHost: shop.test\r\n\r\n").await;
    house.raw("GET /two HTTP/1.1\r\nHost: shop.test\r\nHost: evil.example\r\n\r\n").await;
    assert!(!house.get("/two", &[]).await.holds("evil.example"));
}

#[tokio::test]
async fn h162_a_target_that_names_another_host_is_that_host() {
    let house = echoing().await;
    house.raw("GET http://shop.test/absolute HTTP/1.1\r\nHost: evil.example\r\n\r\n").await;
    assert!(!house.get("/absolute", &[]).await.holds("evil.example"));
    house.raw("GET http://evil.example/other HTTP/1.1\r\nHost: shop.test\r\n\r\n").await;
    assert!(!house.get("/other", &[]).await.holds("evil.example"));
}

#[tokio::test]
async fn h162_a_request_that_the_origin_refuses_is_not_everybodys_answer() {
    let origin = Origin::says(|request| {
        let refused = request.headers.iter().any(|(name, value)| name == "x-odd" || value.len() > 4000);
        if refused {
            Answer::whole("400 Bad Request", "", "refused")
        } else {
            Answer::ok("Cache-Control: max-age=60\r\n", "page")
        }
    })
    .await;
    let house = House::open(origin).await;
    let long = "x".repeat(5000);
    for (page, name, value) in [("/odd", "X-Odd", "1"), ("/long", "X-Long", long.as_str())] {
        house.get(page, &[(name, value)]).await;
        let seen = house.get(page, &[]).await;
        assert_eq!((seen.status, seen.text().as_str()), (200, "page"), "{name}");
    }
}

#[tokio::test]
async fn h162_a_method_in_a_header_changes_no_page() {
    let origin = Origin::says(|request| {
        let wished =
            ["x-http-method-override", "x-http-method", "x-method-override"].iter().find_map(|name| request.header(name));
        Answer::ok("Cache-Control: max-age=60\r\n", wished.unwrap_or(&request.method))
    })
    .await;
    let house = House::open(origin).await;
    for (number, name) in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].iter().enumerate() {
        let page = format!("/{number}");
        house.get(&page, &[(name, "DELETE")]).await;
        assert_eq!(house.get(&page, &[]).await.text(), "GET", "{name}");
    }
}

#[tokio::test]
async fn h162_hop_by_hop_headers_take_nothing_away_that_is_needed() {
    // `Connection: Cookie` asks a proxy to drop the visitor's cookie, so that the page of nobody is stored for everybody
    // or an authorised answer looks like an open one.
    let origin = Origin::says(|request| {
        let who = request.header("authorization").or(request.header("cookie")).unwrap_or("nobody").to_owned();
        Answer::ok("Cache-Control: max-age=60\r\nVary: Cookie, Authorization\r\n", who)
    })
    .await;
    let house = House::open(origin).await;
    house
        .get("/me", &[("Connection", "Authorization, Cookie, close"), ("Authorization", "Bearer ana"), ("Cookie", "s=ana")])
        .await;
    assert_eq!(house.get("/me", &[]).await.text(), "nobody");
    let seen = house.get("/me", &[("Authorization", "Bearer bo")]).await;
    assert!(!seen.holds("ana"), "{}", seen.text());
}

#[tokio::test]
async fn h162_a_header_that_connection_takes_away_chooses_no_page_for_others() {
    // The origin is asked without the language and answers in its own; that must not be what readers of German are shown.
    let origin = Origin::says(|request| {
        let language = request.header("accept-language").unwrap_or("none").to_owned();
        Answer::ok("Cache-Control: max-age=60\r\nVary: Accept-Language\r\n", language)
    })
    .await;
    let house = House::open(origin).await;
    let ways = [
        "Accept-Language",
        "ACCEPT-LANGUAGE",
        "close, accept-language",
        "keep-alive,,\tAccept-Language",
        "te, x, Accept-Language",
    ];
    for (number, way) in ways.iter().enumerate() {
        let page = format!("/{number}");
        house.get(&page, &[("Connection", way), ("Accept-Language", "de")]).await;
        house.get(&page, &[("Connection", "close"), ("Connection", way), ("Accept-Language", "de")]).await;
        assert_eq!(house.get(&page, &[("Accept-Language", "de")]).await.text(), "de", "{way}");
    }
    // What says something of the connection alone keeps nobody from what is kept.
    let asked = house.origin.count();
    for plain in ["close", "Keep-Alive", "TE, close", "Upgrade", "keep-alive, ,"] {
        assert_eq!(house.get("/0", &[("Connection", plain), ("Accept-Language", "de")]).await.text(), "de", "{plain}");
    }
    assert_eq!(house.origin.count(), asked);
}
