//! An origin that lies about its answers: cut short, too long, framed twice. What is not whole is kept for nobody, and what
//! hangs over is nobody's next answer.

use super::house::House;
use super::origin::{Answer, Origin, Then};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The first answer is the lie, every later one the truth.
async fn once(lie: impl Into<Vec<u8>>, then: Then) -> House {
    let (lie, asked) = (lie.into(), AtomicUsize::new(0));
    let origin = Origin::says(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Answer::raw(lie.clone(), then),
        _ => Answer::ok("Cache-Control: max-age=60\r\n", "the whole truth"),
    })
    .await;
    House::open(origin).await
}

const FRESH: &str = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n";

#[tokio::test]
async fn h166_a_body_that_was_cut_is_not_kept_and_not_called_whole() {
    let cuts = [
        format!("{FRESH}Content-Length: 1000\r\n\r\nonly this"),
        format!("{FRESH}Content-Length: 1000\r\n\r\n"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\nhel"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\nnonsense\r\nhello\r\n0\r\n\r\n"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        format!("{FRESH}Content-Length: 1000\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    ];
    for cut in cuts {
        let house = once(cut.as_str(), Then::Close).await;
        let mut client = house.client().await;
        client.send(super::client::request("GET", "/page", &[])).await;
        if let Some(first) = client.hear("GET").await {
            assert!(first.status >= 500 || !first.whole || first.text() == "the whole truth", "{cut:?} was answered {first:?}");
        }
        let second = house.get("/page", &[]).await;
        assert_eq!((second.status, second.text().as_str(), second.whole), (200, "the whole truth", true), "after {cut:?}");
    }
}

#[tokio::test]
async fn h166_an_answer_that_cannot_be_framed_is_not_kept() {
    let lies = [
        format!("{FRESH}Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello"),
        format!("{FRESH}Content-Length: -5\r\n\r\nhello"),
        format!("{FRESH}Content-Length: 5, 6\r\n\r\nhello"),
        format!("{FRESH}Content-Length: 99999999999999999999999\r\n\r\nhello"),
        format!("{FRESH}Content-Length: 0x5\r\n\r\nhello"),
        format!("{FRESH}Transfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        "HTTP/1.1 200 OK\r\nCache-Control : max-age=60\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
        "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
        "HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
        "\r\n\r\n".to_owned(),
        String::new(),
        format!("HTTP/1.1 200 OK\r\n{}\r\n\r\nhello", (0..5000).map(|n| format!("x-{n}: 1\r\n")).collect::<String>()),
    ];
    for lie in lies {
        let house = once(lie.as_str(), Then::Close).await;
        let mut client = house.client().await;
        client.send(super::client::request("GET", "/page", &[])).await;
        client.hear("GET").await; // Whatever it says to the one who asked.
        let second = house.get("/page", &[]).await;
        assert_eq!((second.status, second.text().as_str()), (200, "the whole truth"), "after {lie:.200?}");
    }
}

#[tokio::test]
async fn h162_what_hangs_over_after_an_answer_is_nobodys_next_answer() {
    let evil = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nevil";
    let lies = [
        format!("{FRESH}Content-Length: 5\r\n\r\nhello{evil}"),
        format!("{FRESH}Content-Length: 0\r\n\r\n{evil}"),
        format!("{FRESH}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n{evil}"),
        format!("HTTP/1.1 204 No Content\r\n\r\n{evil}"),
        format!("HTTP/1.1 304 Not Modified\r\n\r\n{evil}"),
        format!("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello{evil}"),
    ];
    for lie in lies {
        // Every answer has something behind it, so that each connection of the edge's is one that lies.
        let said = lie.clone();
        let origin = Origin::says(move |request| match request.target.as_str() {
            "/lie" => Answer::raw(said.as_str(), Then::Stay),
            target => Answer::ok("Cache-Control: no-store\r\n", format!("page {target}")),
        })
        .await;
        let house = House::open(origin).await;
        for number in 0..50 {
            let mut client = house.client().await;
            client.send(super::client::request("GET", "/lie", &[])).await;
            client.hear("GET").await;
            let page = format!("/{number}");
            // A connection that lied may be noticed while it is used: an error is honest, another's answer is not.
            let seen = house.get(&page, &[]).await;
            assert!(seen.status >= 500 || seen.text() == format!("page {page}"), "after {lie:?}: {seen:?}");
        }
        let seen = house.get("/page", &[]).await;
        assert!(!seen.holds("evil"), "after {lie:?}: {seen:?}");
    }
}

#[tokio::test]
async fn h166_errors_are_not_kept_unless_the_origin_says_so() {
    for status in ["500 Oops", "502 Bad", "503 Busy", "504 Late", "400 Bad Request", "401 Who", "403 No", "429 Many", "520 Odd"] {
        let house = once(format!("HTTP/1.1 {status}\r\nContent-Length: 6\r\n\r\nbroken"), Then::Stay).await;
        house.get("/page", &[]).await;
        assert_eq!(house.get("/page", &[]).await.text(), "the whole truth", "{status}");
    }
}

#[tokio::test]
async fn a_304_that_nobody_asked_for_is_no_page() {
    let house = once("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\nETag: \"1\"\r\n\r\n", Then::Stay).await;
    house.raw("GET /page HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n").await;
    let second = house.get("/page", &[]).await;
    assert_eq!((second.status, second.text().as_str()), (200, "the whole truth"));
}

#[tokio::test]
async fn x22_an_error_of_the_edges_own_says_nothing_of_its_inside() {
    let house = once("", Then::Close).await;
    let mut client = house.client().await;
    client.send(super::client::request("GET", "/page", &[])).await;
    if let Some(seen) = client.hear("GET").await {
        for word in ["127.0.0.1", "panicked", "hyper", ".rs", "os error", &house.origin.address.port().to_string()] {
            assert!(!seen.holds(word), "{seen:?}");
        }
    }
}

#[tokio::test]
async fn a_header_that_would_split_an_answer_does_not() {
    // A bare line end in a value is either refused or taken out, never passed on.
    for split in
        ["X-A: 1\nSet-Cookie: evil=1\r\n", "X-A: 1\rSet-Cookie: evil=1\r\n", "X-A: 1\r\n Set-Cookie: evil=1\r\n", "X-A: \0\r\n"]
    {
        let house = once(format!("{FRESH}{split}Content-Length: 5\r\n\r\nhello"), Then::Close).await;
        for _ in 0..2 {
            let mut client = house.client().await;
            client.send(super::client::request("GET", "/page", &[])).await;
            if let Some(seen) = client.hear("GET").await {
                assert!(seen.header("x-a").is_none_or(|value| !value.contains(['\r', '\n', '\0'])), "{split:?}: {seen:?}");
            }
        }
    }
}
