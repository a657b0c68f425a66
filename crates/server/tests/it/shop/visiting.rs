//! What looking at pages does to a visit.

use super::edge::{edge_of, shop};
use super::origin::Origin;
use super::shopper::{Shopper, asks};
use crate::doors::http::Answer;
use crate::support::house::{House, until};
use parlor_testbed::Redis;
use std::time::Duration;

fn origin() -> Origin {
    Origin::start(|_, _| ("content-type: text/html".into(), "<p>about us</p>".into()))
}

/// As a browser goes to a page.
fn goes_to(house: &House, path: &str, shopper: &Shopper) -> Answer {
    let cookie = format!("parlor_visit={}", shopper.token);
    let headers = [("accept", "text/html"), ("sec-fetch-mode", "navigate"), ("cookie", cookie.as_str())];
    asks(edge_of(house), "GET", path, &headers, None)
}

/// Document 004: a visit is used when it performs requests, whichever page they are for.
#[test]
fn h145_a_page_of_no_item_uses_the_visit_too() {
    let origin = origin();
    let house = shop(&origin, &[]);
    let guest = Shopper::new(&house);
    let used = || guest.get("/v1/shop/visit").json()["visit"]["last_used"].as_u64().unwrap();
    let before = used();
    until("the visit was used", || {
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(goes_to(&house, "/about", &guest).status, 200);
        used() > before
    });
}

/// A store that does not answer is not the same as no visit: the cookie may open a full cart.
#[test]
fn x46_a_shopper_keeps_the_cookie_while_the_store_is_away() {
    let redis = Redis::start();
    let origin = origin();
    let house = shop(&origin, &["--store", &redis.url()]);
    let guest = Shopper::new(&house);
    guest.add("tea", 1, "c1");
    let nobody = Shopper { at: guest.at, token: format!("vt_{}", "0".repeat(64)) };
    assert!(goes_to(&house, "/about", &nobody).header("set-cookie").is_some(), "a token that opens nothing is replaced");
    redis.kill();
    // Longer than a visit is trusted that another node may have ended.
    std::thread::sleep(Duration::from_millis(1500));
    let page = goes_to(&house, "/about", &guest);
    assert_eq!((page.status, page.header("set-cookie")), (200, None), "{page:?}");
}
