//! Parameter cloaking: what the key leaves out must not reach the origin of a page that others will be shown.

use super::house::House;
use super::origin::{Answer, Origin, Request};

/// An origin that shows all of the query it was sent, and any parameters in a body.
fn shows(request: &Request) -> Answer {
    Answer::ok("Cache-Control: max-age=60\r\n", format!("{} {}", request.target, String::from_utf8_lossy(&request.body)))
}

/// What the victim asks for, and what somebody asked before.
const CASES: &[(&str, &str)] = &[
    ("/p?q=safe", "/p?q=safe&utm_source=evil"),
    ("/p?q=safe", "/p?utm_source=evil&q=safe"),
    ("/p?q=safe", "/p?q=safe&utm_content=1;q=evil"),
    ("/p?q=safe", "/p?q=safe;q=evil"),
    ("/p?q=safe", "/p?q=safe&q=evil"),
    ("/p?q=safe", "/p?q=evil&q=safe"),
    ("/p?q=safe", "/p?q=safe&utm_source=x%26q=evil"),
    ("/p?q=safe", "/p?q=safe&utm_source=x%26q%3Devil"),
    ("/p?q=safe", "/p?q=safe&utm_source=1?q=evil"),
    ("/p?q=safe", "/p?q=safe?utm_source=1&q=evil"),
    ("/p?q=safe", "/p?q=safe&%75tm_source=evil"),
    ("/p?q=safe", "/p?q=safe&utm_source%00=evil"),
    ("/p?q=safe", "/p?q=safe&UTM_SOURCE=evil"),
    ("/p?q=safe", "/p?q=safe&utm_source[]=evil"),
    ("/p?q=safe", "/p?q=safe&utm_source=1%0d%0aq:evil"),
    ("/p?q=safe", "/p?q=safe&gclid=evil"),
    ("/p?q=safe", "/p?q=safe&fbclid=evil&msclkid=evil"),
    ("/p?q=safe", "/p?q=safe&utm_=evil"),
    ("/p?q=safe", "/p?q=safe&utm_source=evil#x"),
    ("/p?q=safe", "/p?q=safe%26utm_source=evil"),
    ("/p?q=safe", "/p?q=safe&;utm_source=evil"),
    ("/p?q=safe", "/p?q=safe+utm_source=evil"),
    ("/p", "/p?utm_source=evil"),
    ("/p", "/p?utm_source=evil&utm_medium=evil"),
    ("/p", "/p?&utm_source=evil&"),
    ("/p", "/p?gclid=1;q=evil"),
    ("/p?q=safe&r=2", "/p?q=safe&utm_source=1;r=evil&r=2"),
    ("/p?q=safe&r=2", "/p?r=2&q=safe&utm_term=evil"),
];

#[tokio::test]
async fn h162_a_parameter_that_the_key_leaves_out_comes_back_to_nobody_else() {
    let mut poisoned = Vec::new();
    for (victim, attacker) in CASES {
        let house = House::open(Origin::says(shows).await).await;
        house.get(attacker, &[]).await;
        if house.get(victim, &[]).await.holds("evil") {
            poisoned.push(*attacker);
        }
    }
    assert!(poisoned.is_empty(), "these came back to somebody else: {poisoned:#?}");
}

#[tokio::test]
async fn h162_a_used_cache_answers_a_query_as_an_empty_one_would() {
    let queries = [
        "?a=1&b=2",
        "?b=2&a=1",
        "?a=1&b=2&",
        "?a=1&&b=2",
        "?a=1&b=2&utm_source=x",
        "?a=1&b",
        "?a=1&b=",
        "?a=1;b=2",
        "?a=1&A=1",
        "?",
        "",
        "?a",
        "?a=",
        "?=1",
        "?a=%31",
        "?a=1%20",
        "?a=1+",
    ];
    for first in queries {
        let used = House::open(Origin::says(shows).await).await;
        used.get(&format!("/p{first}"), &[]).await;
        for second in queries {
            let empty = House::open(Origin::says(shows).await).await;
            let page = format!("/p{second}");
            let (seen, expected) = (used.get(&page, &[]).await, empty.get(&page, &[]).await);
            assert_eq!(seen.text(), expected.text(), "{second:?} after {first:?}");
        }
    }
}

#[tokio::test]
async fn h162_a_get_with_a_body_is_not_the_page_of_those_without() {
    let origin = Origin::says(shows).await;
    let house = House::open(origin).await;
    house.raw("GET /fat?q=safe HTTP/1.1\r\nHost: shop.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\nq=evil").await;
    assert!(!house.get("/fat?q=safe", &[]).await.holds("evil"));
    house.raw("GET /fat?q=2 HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nq=evil\r\n0\r\n\r\n").await;
    assert!(!house.get("/fat?q=2", &[]).await.holds("evil"));
}
