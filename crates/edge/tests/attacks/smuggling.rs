//! Request smuggling: the edge and the origin never disagree about where a request ends. Many shapes are refused by the
//! library that reads requests; this shows which, and that the rest is passed on as one clear request.

use super::client::Client;
use super::house::House;
use super::origin::{Answer, Origin};

const HOST: &str = "Host: shop.test\r\n";
const HIDDEN: &str = "GET /smuggled HTTP/1.1\r\nHost: shop.test\r\n\r\n";

async fn house() -> House {
    House::open(Origin::says(|request| Answer::ok("Cache-Control: no-store\r\n", &request.target)).await).await
}

/// Each with what is sent, and whether a server may only refuse it.
fn shapes() -> Vec<(&'static str, String, bool)> {
    let post = |framing: &str, rest: &str| format!("POST /a HTTP/1.1\r\n{HOST}{framing}\r\n{rest}");
    let chunked = format!("0\r\n\r\n{HIDDEN}");
    let length = chunked.len();
    vec![
        ("a length and chunks", post(&format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"), &chunked), false),
        ("chunks and a length", post(&format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"), &chunked), false),
        ("two lengths", post(&format!("Content-Length: 0\r\nContent-Length: {}\r\n", HIDDEN.len()), HIDDEN), true),
        ("two lengths in one line", post(&format!("Content-Length: 0, {}\r\n", HIDDEN.len()), HIDDEN), true),
        ("a length with a sign", post("Content-Length: +0\r\n", HIDDEN), true),
        ("a length below nothing", post("Content-Length: -1\r\n", HIDDEN), true),
        ("a length in hex", post("Content-Length: 0x0\r\n", HIDDEN), true),
        ("a length past all numbers", post("Content-Length: 18446744073709551616\r\n", HIDDEN), true),
        ("chunks by another name", post("Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n", &chunked), true),
        ("chunks, then something", post("Transfer-Encoding: chunked, identity\r\n", &chunked), true),
        ("two codings on two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", &chunked), true),
        ("a coding in quotes", post("Transfer-Encoding: \"chunked\"\r\nContent-Length: 5\r\n", &chunked), true),
        ("a coding after a space", post("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", &chunked), true),
        ("a coding after a tab", post("Transfer-Encoding:\tchunked\r\n", &chunked), false),
        ("a coding after a bell", post("Transfer-Encoding: \x0bchunked\r\nContent-Length: 5\r\n", &chunked), true),
        ("a folded coding", post("Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n", &chunked), true),
        ("a folded header", post("X-A: 1\r\n Content-Length: 50\r\nContent-Length: 0\r\n", ""), true),
        ("a line that begins with a space", format!("POST /a HTTP/1.1\r\n {HOST}{HOST}Content-Length: 0\r\n\r\n"), true),
        ("a bare line feed in a value", post(&format!("X-A: 1\nContent-Length: {}\r\n", HIDDEN.len()), HIDDEN), false),
        ("a bare carriage return in a value", post(&format!("X-A: 1\rContent-Length: {}\r\n", HIDDEN.len()), HIDDEN), true),
        ("bare line feeds all through", format!("POST /a HTTP/1.1\nHost: shop.test\nContent-Length: 0\n\n{HIDDEN}"), false),
        ("a nought in a name", post("Content\0-Length: 5\r\n", "hello"), true),
        ("a nought in a value", post("X-A: \0\r\n", ""), true),
        ("a chunk with a long tail", post("Transfer-Encoding: chunked\r\n", &format!("0;{}\r\n\r\n", "a".repeat(40_000))), false),
        (
            "a chunk whose tail hides a line",
            post("Transfer-Encoding: chunked\r\n", &format!("2;\nxx\r\n4c\r\n0\r\n\r\n{HIDDEN}0\r\n\r\n")),
            false,
        ),
        ("a chunk with a sign", post("Transfer-Encoding: chunked\r\n", "+0\r\n\r\n"), true),
        ("a chunk in 0x", post("Transfer-Encoding: chunked\r\n", &format!("0x0\r\n\r\n{HIDDEN}")), true),
        ("a chunk past all numbers", post("Transfer-Encoding: chunked\r\n", "10000000000000000\r\nhello\r\n0\r\n\r\n"), true),
        ("a chunk that ends by a line feed", post("Transfer-Encoding: chunked\r\n", &format!("5\nhello\n0\n\n{HIDDEN}")), false),
        (
            "a trailer that is a framing",
            post("Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n", "5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n"),
            false,
        ),
        (
            "chunks in the old version",
            format!("POST /a HTTP/1.0\r\n{HOST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n{chunked}"),
            false,
        ),
        ("a space in the target", format!("GET /a /b HTTP/1.1\r\n{HOST}\r\n"), true),
        ("a line feed in the target", format!("GET /a\n/b HTTP/1.1\r\n{HOST}\r\n"), true),
        ("a coded line end in the target", format!("GET /a%0d%0aX-Evil:1 HTTP/1.1\r\n{HOST}\r\n"), false),
        ("no version", "GET /a\r\n\r\n".to_owned(), true),
        ("a version of its own", format!("GET /a HTTP/1.2\r\n{HOST}\r\n"), false),
        (
            "an expectation with a body that comes anyway",
            post(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n", HIDDEN.len()), HIDDEN),
            false,
        ),
        (
            "an upgrade that nobody offered",
            format!(
                "GET /a HTTP/1.1\r\n{HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n{HIDDEN}"
            ),
            false,
        ),
        (
            "a socket that the origin refuses",
            format!(
                "GET /a HTTP/1.1\r\n{HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 777\r\n\r\n{HIDDEN}"
            ),
            false,
        ),
        ("a tunnel", "CONNECT shop.test:80 HTTP/1.1\r\nHost: shop.test:80\r\n\r\n".to_owned(), false),
        (
            "lengths in the connection's own list",
            post(&format!("Connection: Content-Length\r\nContent-Length: {}\r\n", HIDDEN.len()), HIDDEN),
            false,
        ),
        (
            "codings in the connection's own list",
            post("Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n", &chunked),
            false,
        ),
    ]
}

#[tokio::test]
async fn x13_edge_and_origin_agree_where_every_request_ends() {
    for (shape, bytes, must_refuse) in shapes() {
        let house = house().await;
        let mut client = Client::open(house.address).await;
        client.send(&bytes).await;
        let answers = client.hear_all().await;
        let (passed, faults) = (house.origin.seen(), house.origin.faults());
        let clean: Vec<&String> = faults.iter().filter(|fault| !fault.starts_with("half")).collect();
        assert!(clean.is_empty(), "{shape}: the origin was sent {clean:?}");
        // Whatever the origin saw as a request, the client was answered for: nothing hides between two answers.
        let good = answers.iter().filter(|answer| answer.status < 400).count();
        assert!(passed.len() <= answers.len(), "{shape}: {} requests at the origin, {} answers", passed.len(), answers.len());
        assert_eq!(passed.len(), good, "{shape}: {passed:?} {answers:?}");
        for (request, answer) in passed.iter().zip(answers.iter().filter(|answer| answer.status < 400)) {
            assert_eq!(answer.text(), request.target, "{shape}: an answer to something else");
        }
        if must_refuse {
            assert!(passed.is_empty(), "{shape} was passed on: {passed:?}");
        }
    }
}

#[tokio::test]
async fn x13_after_every_shape_the_next_visitor_gets_their_own_page() {
    // One house for all: what one leaves behind on a connection to the origin would be the next one's answer.
    let house = house().await;
    for (number, (shape, bytes, _)) in shapes().into_iter().enumerate() {
        let mut client = Client::open(house.address).await;
        client.send(&bytes).await;
        client.hear_all().await;
        let page = format!("/victim-{number}");
        let seen = house.get(&page, &[]).await;
        assert_eq!((seen.status, seen.text()), (200, page), "after {shape}");
    }
}

#[tokio::test]
async fn h162_nothing_in_the_path_becomes_a_line_of_the_request() {
    let house = house().await;
    for path in ["/%0d%0aX-Evil:%201", "/%0aX-Evil: 1", "/a%20HTTP/1.1%0d%0aX-Evil: 1", "/?q=%0d%0a%0d%0aGET%20/smuggled"] {
        house.raw(format!("GET {path} HTTP/1.1\r\n{HOST}\r\n")).await;
    }
    for request in house.origin.seen() {
        assert!(request.header("x-evil").is_none() && request.target != "/smuggled", "{request:?}");
    }
    assert!(house.origin.faults().is_empty(), "{:?}", house.origin.faults());
}
