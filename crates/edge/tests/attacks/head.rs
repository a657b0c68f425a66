//! HEAD: an answer without a body is never the page, and a body that should not be there is nobody's next answer.

use super::house::House;
use super::origin::{Answer, Origin, Then};

const FRESH: &str = "Cache-Control: max-age=60\r\n";

#[tokio::test]
async fn h166_a_head_that_came_first_is_not_an_empty_page() {
    let origin = Origin::says(|request| match request.method.as_str() {
        "HEAD" => Answer::raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\n", Then::Stay),
        _ => Answer::ok(FRESH, "page"),
    })
    .await;
    let house = House::open(origin).await;
    for _ in 0..2 {
        assert_eq!(house.ask("HEAD", "/page", &[]).await.status, 200);
    }
    for _ in 0..2 {
        let page = house.get("/page", &[]).await;
        assert_eq!((page.status, page.text().as_str(), page.whole), (200, "page", true));
    }
    let head = house.ask("HEAD", "/page", &[]).await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("4")));
}

#[tokio::test]
async fn h162_what_an_origin_sends_after_a_head_is_nobodys_next_answer() {
    let origin = Origin::says(|request| match request.method.as_str() {
        "HEAD" => Answer::raw(
            "HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\nHTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nevil",
            Then::Stay,
        ),
        _ => Answer::ok("Cache-Control: no-store\r\n", format!("page {}", request.target)),
    })
    .await;
    let house = House::open(origin).await;
    for number in 0..50 {
        house.ask("HEAD", "/head", &[]).await;
        let page = format!("/{number}");
        let seen = house.get(&page, &[]).await;
        assert!(seen.status >= 500 || seen.text() == format!("page {page}"), "{seen:?}");
    }
}

#[tokio::test]
async fn h162_an_attackers_head_cannot_change_what_others_are_shown() {
    // The HEAD has other headers than the page: at most it may make the page be asked for again.
    let origin = Origin::says(|request| match request.method.as_str() {
        "HEAD" => Answer::raw(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nX-Evil: evil\r\nContent-Type: text/evil\r\nContent-Length: 999\r\nETag: \"2\"\r\n\r\n",
            Then::Stay,
        ),
        _ => Answer::ok("Cache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Type: text/html\r\n", "page"),
    })
    .await;
    let house = House::open(origin).await;
    house.get("/page", &[]).await;
    house.ask("HEAD", "/page", &[("Cache-Control", "no-cache")]).await;
    let seen = house.get("/page", &[]).await;
    assert_eq!((seen.status, seen.text().as_str(), seen.whole), (200, "page", true));
    assert_eq!(seen.header("content-type"), Some("text/html"), "{seen:?}");
    assert_eq!(seen.header("content-length"), Some("4"), "{seen:?}");
}

#[tokio::test]
async fn h161_methods_that_change_something_are_never_answered_from_what_is_kept() {
    let origin = Origin::says(|request| Answer::ok(FRESH, &request.method)).await;
    let house = House::open(origin).await;
    house.get("/page", &[]).await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "BAN", "M-SEARCH", "get"] {
        let mut client = house.client().await;
        client.send(super::client::request(method, "/page", &[("Content-Length", "0")])).await;
        let seen = client.hear(method).await.expect("an answer");
        assert!(seen.status >= 400 || seen.text() == method, "{method}: {seen:?}");
    }
    // Nor is what they were answered ever the page.
    assert_eq!(house.get("/page", &[]).await.text(), "GET");
}
