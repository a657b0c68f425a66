//! Fresh, stale, confirmed, and what is shown when the origin is in trouble.

use crate::house::{House, reply};
use parlor_edge::Decision;

#[tokio::test]
async fn a_stale_page_is_shown_while_one_request_fetches_the_new_one() {
    let house =
        House::new(|number, _| reply(200, &[("cache-control", "max-age=10, stale-while-revalidate=30")], number.to_string()));
    assert_eq!(house.get("/a", &[]).await.text(), "1");
    house.clock.forward(11_000);
    for _ in 0..5 {
        let shown = house.get("/a", &[]).await;
        assert_eq!((shown.text(), shown.header("age")), ("1", "11"));
    }
    house.settle().await;
    assert_eq!(house.asked(), 2, "five saw the stale page, one asked");
    assert_eq!(house.get("/a", &[]).await.text(), "2");
    assert_eq!(house.edge.counts().stale_hits, 5);
}

#[tokio::test]
async fn a_confirmation_renews_the_page_for_all() {
    let house = House::new(|_, headers| match headers.get("if-none-match") {
        Some(tag) if tag == "\"a\"" => reply(304, &[("cache-control", "max-age=10"), ("x-new", "yes"), ("etag", "\"a\"")], ""),
        _ => reply(200, &[("cache-control", "max-age=10"), ("etag", "\"a\"")], "page"),
    });
    house.get("/a", &[]).await;
    house.clock.forward(11_000);
    let shown = house.get("/a", &[]).await;
    assert_eq!((shown.status.as_u16(), shown.text(), shown.header("x-new")), (200, "page", "yes"));
    assert!(shown.header("cache-status").contains("fwd=stale; fwd-status=304"));
    assert!(house.get("/a", &[]).await.is_hit());
    assert_eq!((house.asked(), house.edge.counts().revalidated), (2, 1));
}

#[tokio::test]
async fn h166_a_failing_origin_is_covered_only_where_it_said_so_and_its_failure_is_not_kept() {
    let house = House::new(|number, _| match number {
        1 => reply(200, &[("cache-control", "max-age=10, stale-if-error=60")], "page"),
        2 => reply(503, &[], "sorry"),
        3 => reply(503, &[], "sorry"),
        _ => reply(200, &[("cache-control", "max-age=10")], "new"),
    });
    house.get("/a", &[]).await;
    house.clock.forward(30_000);
    assert_eq!(house.get("/a", &[]).await.text(), "page");
    house.clock.forward(60_000);
    assert_eq!(house.get("/a", &[]).await.status, 503);
    assert_eq!(house.get("/a", &[]).await.text(), "new");
}

#[tokio::test]
async fn request_directives_are_obeyed_unless_the_house_forbids() {
    let script = |number: usize, _| reply(200, &[("cache-control", "max-age=60")], number.to_string());
    let house = House::new(script);
    let nothing = house.get("/a", &[("cache-control", "only-if-cached")]).await;
    assert_eq!((nothing.status.as_u16(), house.asked()), (504, 0));
    assert_eq!(house.get("/a", &[]).await.text(), "1");
    assert_eq!(house.get("/a", &[("cache-control", "no-cache")]).await.text(), "2");
    assert_eq!(house.get("/a", &[("pragma", "no-cache")]).await.text(), "3");
    assert_eq!(house.get("/a", &[("cache-control", "only-if-cached")]).await.text(), "3");
    assert_eq!(house.get("/b", &[("cache-control", "no-store")]).await.text(), "4");
    assert_eq!(house.get("/b", &[]).await.text(), "5");
    let deaf = House::with(parlor_edge::Options { obeys_client: false, ..Default::default() }, script);
    deaf.get("/a", &[]).await;
    assert_eq!(deaf.get("/a", &[("cache-control", "no-cache")]).await.text(), "1");
}

#[tokio::test]
async fn every_answer_is_signed_and_why_says_the_same() {
    let house = House::new(|_, _| reply(200, &[("cache-control", "max-age=60"), ("surrogate-key", "a b")], "page"));
    let why = |house: &House| {
        let (parts, ()) = http::Request::builder().uri("/a?utm_source=x").header("host", "Shop").body(()).unwrap().into_parts();
        house.edge.why(&parts)
    };
    assert_eq!(why(&house).decision, Decision::Miss);
    let miss = house.get("/a", &[]).await;
    assert_eq!(miss.header("cache-status"), "parlor; fwd=uri-miss; fwd-status=200; stored");
    let hit = house.get("/a", &[]).await;
    assert_eq!(hit.header("cache-status"), "parlor; hit; ttl=60");
    assert_eq!(hit.header("surrogate-key"), "", "our own words stay in the house");
    house.clock.forward(7_000);
    let known = why(&house);
    assert_eq!((known.decision, known.age_s, known.fresh_for_s, known.stored_bytes), (Decision::Hit, Some(7), Some(60), Some(4)));
    assert_eq!((known.key.host.as_str(), known.key.path.as_str(), known.key.query), ("shop", "/a", None));
    assert_eq!(known.surrogate_keys, ["a", "b"]);
    assert_eq!(known.hash.len(), 64);
    let passed = house.send("POST", "/b", &[]).await;
    assert_eq!(passed.header("cache-status"), "parlor; fwd=method; fwd-status=200");
}
