//! What was answered is there after a kill.

use super::shopper::{KEYS, Shopper};
use crate::support::dice::Dice;
use crate::support::house::House;
use parlor_testbed::Redis;
use serde_json::json;

#[test]
fn an_answered_change_of_a_cart_survives_a_kill_and_counts_once() {
    let mut dice = Dice::new("killed carts");
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::start_in(folder.path(), KEYS);
        let guest = Shopper::new(&house);
        let mut expected = 0;
        for n in 0..12 {
            let by = dice.below(5) as i64 + 1;
            assert_eq!(guest.add("tea", by, &format!("c{n}")).status, 200);
            expected += by;
            if dice.below(4) == 0 {
                house.kill9();
                house.restart();
                // The client does not know whether it arrived, and sends it again.
                let again = guest.at(&house).add("tea", by, &format!("c{n}"));
                assert_eq!(again.json()["again"], true, "{again:?}");
            }
        }
        assert_eq!(guest.at(&house).cart(), format!("tea={expected}"));
        let ana = guest.at(&house).logs_in("ana", "sum");
        house.kill9();
        house.restart();
        assert_eq!(ana.at(&house).cart(), format!("tea={expected}"), "a login is kept before it is answered");
        assert_eq!(guest.at(&house).get("/v1/shop/visit").code(), "unauthenticated", "the old token stays closed");
    }
}

#[test]
fn a_server_that_goes_in_order_keeps_even_the_last_views() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start_in(folder.path(), KEYS);
    let guest = Shopper::new(&house);
    guest.post("/v1/shop/visit/touch", json!({ "item": "tea" }));
    house.restart();
    assert_eq!(guest.at(&house).get("/v1/shop/visit/viewed").json()["items"], json!(["tea"]));
}

/// Nothing is claimed while the store is away, and nothing is forgotten when it is back.
#[test]
fn x46_a_store_that_stalls_is_waited_for_or_said() {
    let redis = Redis::start();
    let house = House::start(&[KEYS, &["--store", &redis.url()]].concat());
    let guest = Shopper::new(&house);
    guest.add("tea", 1, "c1");
    redis.kill();
    let refused = guest.add("tea", 1, "c2");
    assert_eq!(refused.code(), "unavailable", "{refused:?}");
    assert_eq!(guest.post("/v1/shop/cart/add", json!({})).code(), "bad_request", "what needs no store is answered");
}
