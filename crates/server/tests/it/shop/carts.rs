//! A cart in several tabs, on several devices, at several nodes.

use super::shopper::{ADMIN_KEY, KEYS, Shopper, asks};
use crate::support::house::House;
use parlor_testbed::Redis;
use serde_json::json;

#[test]
fn every_tab_hears_of_every_change() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    let (mut one, mut other) = (guest.listens(), guest.listens());
    one.hears_cart("");
    other.hears_cart("");
    guest.add("tea", 2, "c1");
    one.hears_cart("tea=2");
    other.hears_cart("tea=2");
    let stranger = Shopper::new(&house);
    stranger.add("jam", 9, "c1");
    guest.post("/v1/shop/cart/clear", json!({}));
    one.hears_cart("");
    guest.post("/v1/shop/visit/logout", json!({}));
    other.hears_cart("");
    assert_eq!(other.hears().0, "ended");
}

#[test]
fn a_cart_is_live_across_nodes_and_a_visit_that_ends_at_one_ends_at_all() {
    let redis = Redis::start();
    let url = redis.url();
    let flags = [KEYS, &["--store", &url]].concat();
    let (one, other) = (House::start(&flags), House::start(&flags));
    let ana = Shopper::new(&one).logs_in("ana", "sum");
    let mut tab = ana.at(&other).listens();
    tab.hears_cart("");
    ana.add("tea", 2, "c1");
    tab.hears_cart("tea=2");
    assert_eq!(ana.at(&other).add("tea", 2, "c1").json()["again"], true, "the same change through another node");
    assert_eq!(ana.at(&other).cart(), "tea=2");
    let ended = asks(one.address(), "DELETE", "/v1/shop/users/ana/visits", &[("parlor-admin-key", ADMIN_KEY)], None);
    assert_eq!(ended.json()["ended"], 1);
    assert_eq!(tab.hears().0, "ended");
    assert_eq!(ana.at(&other).get("/v1/shop/visit").code(), "unauthenticated");
}

/// As document 004 says, looked at with a client that knows nothing of Parlor.
#[test]
fn the_keys_are_the_documents() {
    let redis = Redis::start();
    let house = House::start(&[KEYS, &["--store", &redis.url()]].concat());
    let guest = Shopper::new(&house);
    guest.add("item2", 10, "c1");
    let ana = guest.logs_in("goodboy1", "sum");
    for item in ["item1", "item2"] {
        ana.post("/v1/shop/visit/touch", json!({ "item": item }));
    }
    ana.get("/v1/shop/visit/viewed");
    let hash = ana.hash();
    let ask = |words: &[&str]| redis.ask(words).text();
    assert_eq!(ask(&["HGET", "login:", &hash]), "goodboy1");
    assert_eq!(ask(&["HGET", &format!("cart:{hash}"), "item2"]), "10");
    assert_eq!(redis.ask(&["LRANGE", &format!("viewed:{hash}"), "-1", "-1"]).many()[0].text(), "item2");
    let used: f64 = ask(&["ZSCORE", "recent:", &hash]).parse().unwrap();
    assert!(used > 1.7e9 && used < 1e11, "seconds: {used}");
    crate::support::house::until("the views are counted", || ask(&["ZSCORE", "viewed:", "item2"]) == "-1");
    for key in redis.ask(&["KEYS", "*"]).many().iter().map(|key| key.text()) {
        let rows = parlor_layout::schema::SHOP.iter().filter(|row| row.is_for(&key)).count();
        assert!(rows == 1 || key.starts_with("once:"), "{key} is not in docs/schema.md");
    }
}
