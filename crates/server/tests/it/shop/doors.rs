//! Who may do what, with which proof.

use super::shopper::{ADMIN_KEY, KEYS, SHOP_KEY, Shopper, asks};
use crate::support::house::{House, parlor};
use serde_json::json;

#[test]
fn a_guest_browses_fills_a_cart_and_logs_in() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    assert_eq!(guest.add("tea", 2, "c1").status, 200);
    for item in ["tea", "jam", "tea"] {
        assert_eq!(guest.post("/v1/shop/visit/touch", json!({ "item": item })).status, 200);
    }
    let seen = guest.get("/v1/shop/visit").json();
    assert_eq!(seen["viewed"], json!(["tea", "jam"]));
    assert_eq!(seen["cart"]["count"], 2);
    assert_eq!(seen["visit"]["user"], json!(null));
    let ana = guest.logs_in("ana", "sum");
    assert_eq!(ana.get("/v1/shop/visit").json()["visit"]["user"], "ana");
    assert_eq!(ana.get("/v1/shop/visit/viewed").json()["items"], json!(["tea", "jam"]));
    assert_eq!(guest.get("/v1/shop/visit").code(), "unauthenticated");
    assert_eq!(ana.post("/v1/shop/visit/logout", json!({})).status, 200);
    assert_eq!(ana.get("/v1/shop/cart").code(), "unauthenticated");
}

#[test]
fn h140_h139_a_token_has_256_random_bits_and_is_never_in_the_log() {
    let mut house = House::start(&[KEYS, &["--log", "trace"]].concat());
    let shoppers: Vec<Shopper> = (0..20).map(|_| Shopper::new(&house)).collect();
    for shopper in &shoppers {
        assert_eq!(shopper.token.len(), "vt_".len() + 64);
        shopper.add("tea", 1, "c1");
        shopper.get("/v1/shop/visit");
    }
    let mut tokens: Vec<&str> = shoppers.iter().map(|shopper| shopper.token.as_str()).collect();
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), 20);
    house.terminate();
    for shopper in &shoppers {
        assert!(!house.logs().contains(&shopper.token[3..]), "a token was logged");
    }
}

#[test]
fn keys_are_needed_where_they_are_needed() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    let visit = ("parlor-visit", guest.token.as_str());
    let login = |headers: &[(&str, &str)]| {
        asks(house.address(), "POST", "/v1/shop/visit/login", headers, Some(&json!({ "user": "ana" })))
    };
    assert_eq!(login(&[visit]).code(), "bad_key");
    assert_eq!(login(&[visit, ("parlor-shop-key", ADMIN_KEY)]).code(), "bad_key");
    assert_eq!(login(&[("parlor-shop-key", SHOP_KEY)]).code(), "unauthenticated");
    let paths = [
        ("GET", "/v1/shop/users/ana/visits"),
        ("DELETE", "/v1/shop/users/ana/visits"),
        ("DELETE", "/v1/shop/users/ana/visits/0"),
        ("GET", "/v1/shop/stats"),
    ];
    for (method, path) in paths {
        assert_eq!(asks(house.address(), method, path, &[visit], None).code(), "bad_key", "{path}");
        assert_eq!(asks(house.address(), method, path, &[("parlor-admin-key", SHOP_KEY)], None).code(), "bad_key", "{path}");
        assert_eq!(asks(house.address(), method, path, &[("parlor-admin-key", ADMIN_KEY)], None).status, 200, "{path}");
    }
    let open = House::start(&[]);
    let answer = asks(open.address(), "GET", "/v1/shop/stats", &[("parlor-admin-key", "")], None);
    assert_eq!(answer.code(), "forbidden");
    assert!(answer.body.contains("set admin-key"), "{answer:?}");
}

#[test]
fn every_described_route_is_there() {
    let house = House::start(KEYS);
    let page = asks(house.address(), "GET", "/openapi.json", &[], None).json();
    let mut met = 0;
    for (path, methods) in page["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/v1/shop/")) {
        for method in methods.as_object().unwrap().keys() {
            let filled = path.replace(['{', '}'], "");
            let answer = asks(house.address(), &method.to_uppercase(), &filled, &[], None);
            assert!(answer.status != 405 && answer.code() != "unsupported", "{method} {path}: {answer:?}");
            met += 1;
        }
    }
    assert!(met >= 20, "only {met} routes are described");
}

#[test]
fn x26_wrong_admin_keys_are_counted() {
    let house = House::start(&[KEYS, &["--bad-keys-per-minute-max", "3"]].concat());
    let tries: Vec<String> = (0..6)
        .map(|n| asks(house.address(), "GET", "/v1/shop/stats", &[("parlor-admin-key", &format!("wrong-{n}"))], None).code())
        .collect();
    assert_eq!(tries[..3], ["bad_key", "bad_key", "bad_key"]);
    assert!(tries[4..].iter().all(|code| code == "too_fast"), "{tries:?}");
}

#[test]
fn x20_a_cookie_alone_changes_nothing_for_another_sites_page() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    let cookie = format!("theme=dark; parlor_visit={}", guest.token);
    let own = format!("http://{}", house.address());
    let add = |origin: Option<&str>| {
        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(origin.map(|origin| ("origin", origin)));
        asks(house.address(), "POST", "/v1/shop/cart/add", &headers, Some(&json!({ "item": "tea", "quantity": 1 })))
    };
    assert_eq!(add(None).code(), "forbidden");
    assert_eq!(add(Some("https://evil.example")).code(), "forbidden");
    assert_eq!(add(Some(&own)).status, 200);
    assert_eq!(asks(house.address(), "GET", "/v1/shop/cart", &[("cookie", &cookie)], None).json()["count"], 1);
}

#[test]
fn bad_input_gets_a_sentence_and_changes_nothing() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    guest.add("tea", 2, "c1");
    for (path, body) in [
        ("/v1/shop/cart/add", json!({ "item": "tea" })),
        ("/v1/shop/cart/add", json!({ "item": "tea", "quantity": "2" })),
        ("/v1/shop/cart/add", json!({ "item": "tea", "quantity": 1.5 })),
        ("/v1/shop/cart/add", json!({ "item": "a\nb", "quantity": 1 })),
        ("/v1/shop/cart/set", json!({ "item": "x".repeat(200), "quantity": 1 })),
        ("/v1/shop/cart/steal", json!({})),
        ("/v1/shop/cart/add", json!([1])),
        ("/v1/shop/visit/touch", json!({ "item": "" })),
    ] {
        let answer = guest.post(path, body.clone());
        assert_eq!(answer.code(), "bad_request", "{path} {body}");
    }
    for token in ["", "short", "with space in it and long enough"] {
        assert_eq!(asks(house.address(), "GET", "/v1/shop/cart", &[("parlor-visit", token)], None).code(), "unauthenticated");
    }
    assert_eq!(guest.cart(), "tea=2");
    let short = parlor(&["serve", "--admin-key", "short"]);
    assert!(short.one_sentence().contains("admin-key") && !short.stderr.contains("\"short\""), "{short:?}");
}

#[test]
fn a_session_of_rooms_and_a_visit_are_two_things() {
    let house = House::start(KEYS);
    let guest = Shopper::new(&house);
    let login = asks(house.address(), "POST", "/v1/login", &[], Some(&json!({ "user_name": "Ana" })));
    let session = login.json()["token"].as_str().unwrap().to_owned();
    // A visit that is over takes back no session's cookie.
    let cookies = format!("parlor_session={session}; parlor_visit=vt_{}", "0".repeat(64));
    let answer = asks(house.address(), "GET", "/v1/shop/cart", &[("cookie", &cookies)], None);
    assert_eq!((answer.status, answer.header("set-cookie")), (401, None));
    let visit = ("authorization", format!("Bearer {}", guest.token));
    assert_eq!(asks(house.address(), "GET", "/v1/session", &[(visit.0, &visit.1)], None).code(), "unauthenticated");
    assert_eq!(asks(house.address(), "GET", "/v1/shop/visit", &[("parlor-visit", &session)], None).code(), "unauthenticated");
}

#[test]
fn an_operator_lists_and_ends_the_visits_of_a_user() {
    let house = House::start(KEYS);
    let (phone, desk) = (Shopper::new(&house).logs_in("ana", "sum"), Shopper::new(&house).logs_in("ana", "sum"));
    let admin = |method: &str, path: &str| asks(house.address(), method, path, &[("parlor-admin-key", ADMIN_KEY)], None).json();
    let listed = admin("GET", "/v1/shop/users/ana/visits");
    let ids: Vec<&str> = listed["visits"].as_array().unwrap().iter().map(|visit| visit["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&&phone.hash()[..16]));
    let one = format!("/v1/shop/users/ana/visits/{}", &phone.hash()[..16]);
    assert_eq!(admin("DELETE", &one)["ended"], 1);
    assert_eq!(phone.get("/v1/shop/visit").code(), "unauthenticated");
    assert_eq!(desk.get("/v1/shop/visit").status, 200);
    assert_eq!(admin("DELETE", "/v1/shop/users/ana/visits")["ended"], 1);
    assert_eq!(desk.get("/v1/shop/visit").code(), "unauthenticated");
}
