//! The edge of a real server in front of a real origin.

use super::origin::{Asked, Origin};
use super::shopper::{ADMIN_KEY, KEYS, Shopper, asks};
use crate::doors::http::Answer;
use crate::support::dice::Dice;
use crate::support::house::{House, until};
use parlor_testbed::Redis;
use serde_json::json;
use std::net::SocketAddr;

const ITEM: &[&str] = &["--item-path", "/product/{item}"];
const PAGE: &str = "content-type: text/html; charset=utf-8";

pub(super) fn edge_of(house: &House) -> SocketAddr {
    let logs = house.logs();
    let line =
        logs.lines().find_map(|line| line.rsplit_once("on http://").filter(|(before, _)| before.contains("edge"))).unwrap();
    line.1.trim().parse().unwrap()
}

pub(super) fn shop(origin: &Origin, flags: &[&str]) -> House {
    let origin = format!("http://{}", origin.at);
    House::start(&[KEYS, ITEM, &["--edge", "127.0.0.1:0", "--origin", &origin], flags].concat())
}

fn get(at: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Answer {
    asks(at, "GET", path, headers, None)
}

fn visit_in(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {answer:?}"));
    cookie.strip_prefix("parlor_visit=").unwrap().split(';').next().unwrap().to_owned()
}

/// Looks at a page until it is served from memory.
fn until_kept(at: SocketAddr, path: &str, cookie: &str) -> Answer {
    let mut last = None;
    until("the page is kept", || {
        let answer = get(at, path, &[("cookie", cookie)]);
        let hit = answer.header("cache-status").is_some_and(|status| status.contains("hit"));
        last = Some(answer);
        hit
    });
    last.unwrap()
}

#[test]
fn a_visit_begins_at_a_page_views_count_and_popular_pages_are_kept() {
    let origin = Origin::start(|_, number| (PAGE.into(), format!("<p>made {number}</p>")));
    let house = shop(&origin, &[]);
    let at = edge_of(&house);
    let first = get(at, "/product/7", &[("accept", "text/html"), ("sec-fetch-mode", "navigate")]);
    assert_eq!(first.header("cache-control"), Some("private, no-cache"), "the answer with the cookie is one's own");
    let cookie = format!("theme=dark; parlor_visit={}", visit_in(&first));
    let kept = until_kept(at, "/product/7?utm_source=mail", &cookie);
    assert!(kept.header("set-cookie").is_none());
    let asked = origin.asked().len();
    for _ in 0..20 {
        let answer = get(at, "/product/7", &[]);
        assert_eq!(answer.body, kept.body);
    }
    assert_eq!(origin.asked().len(), asked, "from memory");
    let last = origin.asked().pop().unwrap();
    assert_eq!(
        (last.path.as_str(), last.headers.get("cookie")),
        ("/product/7", None),
        "what everybody gets is asked for by nobody"
    );
    // A page of no item, and one that nobody looked at, are not kept.
    for path in ["/about", "/product/8"] {
        let (one, other) = (get(at, path, &[]), get(at, path, &[]));
        assert_ne!(one.body, other.body, "{path}");
    }
    let popular = get(at, "/v1/shop/popular", &[]).json();
    assert_eq!(popular["items"], json!([{ "item": "7", "views": 1.0 }]), "however often it was reloaded");
}

#[test]
fn pages_stay_kept_for_shoppers_with_full_carts() {
    let body = "<header><parlor-slot name=\"cart-count\">0</parlor-slot></header><main>tea</main><parlor-slot name='viewed'></parlor-slot>";
    let origin =
        Origin::start(move |_, _| (format!("{PAGE}\ncache-control: public, max-age=600\nparlor-slots: on"), body.into()));
    let house = shop(&origin, &[]);
    let at = edge_of(&house);
    let (ana, bo) = (Shopper::new(&house), Shopper::new(&house));
    let seen = |shopper: &Shopper| get(at, "/product/tea", &[("cookie", &format!("parlor_visit={}", shopper.token))]);
    ana.add("tea", 3, "c1");
    assert!(seen(&ana).body.starts_with("<header>3</header>"), "{:?}", seen(&ana));
    assert!(seen(&bo).body.starts_with("<header>0</header>"));
    bo.at(&house).add("jam", 1, "c1");
    assert!(seen(&bo).body.starts_with("<header>1</header>"), "at once");
    let by_header = get(at, "/product/tea", &[("parlor-visit", &ana.token), ("cookie", "parlor_visit=x")]);
    assert!(by_header.body.starts_with("<header>3</header>"), "the header says it too: {by_header:?}");
    let answer = seen(&ana);
    assert!(answer.body.contains("<a href=\"/product/tea\">tea</a>"), "{answer:?}");
    assert!(answer.header("cache-control").is_some_and(|said| said.contains("private")), "{answer:?}");
    assert_eq!(answer.header("etag"), None);
    assert_eq!(origin.asked().len(), 1, "one page for everybody");
    assert!(get(at, "/product/tea", &[]).body.starts_with("<header>0</header>"), "nobody in particular has nothing");
}

#[test]
fn an_operator_asks_why_and_purges() {
    let origin = Origin::start(|asked, number| {
        (
            format!("{PAGE}\ncache-control: max-age=600\nsurrogate-key: all shelf\ncache-groups: \"tea\""),
            format!("{} {number}", asked.path),
        )
    });
    let house = shop(&origin, &[]);
    let at = edge_of(&house);
    let admin = [("parlor-admin-key", ADMIN_KEY)];
    let why = |path: &str| get(house.address(), &format!("/v1/shop/why?url=http://{at}{path}"), &admin).json();
    assert_eq!(why("/a")["decision"], "miss");
    get(at, "/a", &[]);
    let told = why("/a?utm_medium=x");
    assert_eq!((&told["decision"], &told["rule"]), (&json!("hit"), &json!("explicit")), "{told}");
    assert_eq!(told["surrogate_keys"], json!(["all", "shelf"]));
    let purge =
        |what: serde_json::Value| asks(house.address(), "POST", "/v1/shop/purge", &admin, Some(&what)).json()["purged"].clone();
    assert_eq!(purge(json!({ "surrogate_key": "shelf", "soft": true })), 1);
    assert_eq!(why("/a")["decision"], "stale");
    assert_eq!(purge(json!({ "url": format!("http://{at}/a") })), 1);
    assert_eq!(why("/a")["decision"], "miss");
    get(at, "/a", &[]);
    get(at, "/b", &[]);
    assert_eq!(purge(json!({ "group": "tea" })), 2);
    get(at, "/a", &[]);
    assert_eq!(purge(json!({ "url": "/a?utm_medium=x" })), 1, "a path alone, on whichever host");
    assert_eq!(why("/a")["decision"], "miss");
    // The port was found at the start, so the settings do not say whose page this path is.
    let unknown = get(house.address(), "/v1/shop/why?url=/a", &admin);
    assert_eq!(unknown.code(), "bad_request", "{unknown:?}");
    let refused = asks(house.address(), "POST", "/v1/shop/purge", &admin, Some(&json!({})));
    assert_eq!(refused.code(), "bad_request");
    assert_eq!(asks(house.address(), "POST", "/v1/shop/purge", &[], Some(&json!({ "all": true }))).code(), "bad_key");
}

#[test]
fn a_purge_at_one_node_reaches_the_others() {
    let redis = Redis::start();
    let url = redis.url();
    let origin = Origin::start(|_, number| {
        (format!("{PAGE}\ncache-control: max-age=600\nsurrogate-key: shelf"), format!("<p>made {number}</p>"))
    });
    let (one, other) = (shop(&origin, &["--store", &url]), shop(&origin, &["--store", &url]));
    let at = edge_of(&other);
    let first = get(at, "/a", &[]).body;
    assert_eq!(get(at, "/a", &[]).body, first);
    asks(one.address(), "POST", "/v1/shop/purge", &[("parlor-admin-key", ADMIN_KEY)], Some(&json!({ "surrogate_key": "shelf" })));
    until("the other node has heard", || get(at, "/a", &[]).body != first);
}

/// `cache:{html_page_hash}` as document 004 has it, looked at with a client that knows nothing of Parlor; and a restart is warm.
#[test]
fn a_page_rests_in_the_store_and_outlives_the_server() {
    let redis = Redis::start();
    let url = redis.url();
    let origin = Origin::start(|_, number| (format!("{PAGE}\ncache-control: max-age=600"), format!("<p>made {number}</p>")));
    let mut house = shop(&origin, &["--store", &url]);
    let at = edge_of(&house);
    get(at, "/a", &[]);
    until("the page rests", || !redis.ask(&["KEYS", "cache:*"]).many().is_empty());
    let key = redis.ask(&["KEYS", "cache:*"]).many()[0].text();
    assert_eq!(redis.ask(&["GET", &key]).text(), "<p>made 1</p>");
    let left: i64 = redis.ask(&["PTTL", &key]).text().parse().unwrap();
    assert!(left > 0, "it has a deadline: {left}");
    for key in redis.ask(&["KEYS", "*"]).many().iter().map(|key| key.text()) {
        let rows = parlor_layout::schema::SHOP.iter().filter(|row| row.is_for(&key)).count();
        assert!(rows == 1 || key.starts_with("once:"), "{key} is not in docs/schema.md");
    }
    // At the same address: it is part of the page's key.
    for flag in &mut house.plan().flags {
        if flag == "127.0.0.1:0" {
            *flag = at.to_string();
        }
    }
    house.restart();
    let answer = get(edge_of(&house), "/a", &[]);
    assert_eq!(answer.body, "<p>made 1</p>");
    assert_eq!(origin.asked().len(), 1);
}

#[test]
fn h167_what_was_purged_before_memory_had_seen_it_stays_purged() {
    let redis = Redis::start();
    let url = redis.url();
    let origin = Origin::start(|_, number| (format!("{PAGE}\ncache-control: max-age=600"), format!("<p>made {number}</p>")));
    let mut house = shop(&origin, &["--store", &url]);
    let at = edge_of(&house);
    get(at, "/a", &[]);
    until("the page rests", || !redis.ask(&["KEYS", "cache:*"]).many().is_empty());
    for flag in &mut house.plan().flags {
        if flag == "127.0.0.1:0" {
            *flag = at.to_string();
        }
    }
    house.restart();
    let admin = [("parlor-admin-key", ADMIN_KEY)];
    let purged = asks(house.address(), "POST", "/v1/shop/purge", &admin, Some(&json!({ "all": true })));
    assert_eq!(purged.json()["purged"], 0, "memory has none, the store has one");
    house.restart();
    assert_eq!(get(edge_of(&house), "/a", &[]).body, "<p>made 2</p>");
}

/// An origin that personalises in every way there is; two shoppers who ask for everything with all kinds of headers.
#[test]
fn h161_no_byte_of_one_shopper_reaches_the_other() {
    let says = |asked: &Asked, _: usize| {
        let who = asked.headers.get("cookie").map_or("nobody", |cookie| {
            if cookie.contains("ana") {
                "ana"
            } else if cookie.contains("bo") {
                "bo"
            } else {
                "nobody"
            }
        });
        let how = match asked.path.split('/').nth(1).unwrap_or_default() {
            "private" => "cache-control: private, max-age=60",
            "nostore" => "cache-control: no-store",
            "vary" => "cache-control: public, max-age=60\nvary: cookie",
            "cookie" => "cache-control: public, max-age=60\nset-cookie: session=secret",
            "silent" => "last-modified: Mon, 01 Jan 2024 00:00:00 GMT",
            "max-age" => "cache-control: max-age=60",
            _ => "x: y",
        };
        (format!("{PAGE}\n{how}"), format!("<p>for {who}</p>"))
    };
    let origin = Origin::start(says);
    let house = shop(&origin, &[]);
    let at = edge_of(&house);
    let shoppers = [("ana", Shopper::new(&house)), ("bo", Shopper::new(&house))];
    let mut dice = Dice::new("two shoppers");
    let kinds = ["private", "nostore", "vary", "cookie", "silent", "max-age", "product", "none"];
    for _ in 0..2000 {
        let (name, shopper) = &shoppers[dice.below(2) as usize];
        let kind = kinds[dice.below(kinds.len() as u64) as usize];
        let path = format!("/{kind}/{}{}", dice.below(3), ["", "?utm_source=x", "?a=1", "/style.css"][dice.below(4) as usize]);
        let cookie = format!("login={name}; parlor_visit={}", shopper.token);
        let mut headers = vec![("cookie", cookie.as_str())];
        let more = [
            ("accept", "text/html"),
            ("cache-control", "max-stale=9999"),
            ("x-forwarded-host", "evil"),
            ("accept-encoding", "gzip"),
            ("if-none-match", "\"x\""),
        ];
        headers.extend((0..dice.below(3)).map(|_| more[dice.below(more.len() as u64) as usize]));
        let answer = get(at, &path, &headers);
        let other = if *name == "ana" { "for bo" } else { "for ana" };
        assert!(!answer.body.contains(other), "{path} {headers:?} {answer:?}");
    }
}
