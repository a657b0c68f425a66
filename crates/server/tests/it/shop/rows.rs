//! Rows of a real SQLite database behind a real server: kept, changed, shown in pages, and gone.

use super::edge::{edge_of, shop};
use super::origin::Origin;
use super::shopper::{ADMIN_KEY, asks};
use crate::doors::http::Answer;
use crate::support::house::{House, until};
use parlor_testbed::Redis;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// By the program that comes with Python, which knows nothing of Parlor.
fn sql(database: &Path, statement: &str) {
    let script = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
    let done = Command::new("python3").args(["-c", script]).arg(database).arg(statement).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn admin(house: &House, method: &str, path: &str, body: Option<Value>) -> Answer {
    asks(house.address(), method, path, &[("parlor-admin-key", ADMIN_KEY)], body.as_ref())
}

#[test]
fn a_row_is_kept_fresh_and_pages_that_use_it_follow() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("shop.db");
    sql(
        &database,
        "create table inventory (id text primary key, qty integer, price real); insert into inventory values ('237', 629, 9.5);",
    );
    let page = "<b><parlor-slot name=\"row\" row=\"237\" field=\"price\">?</parlor-slot></b>";
    let origin = Origin::start(move |_, _| {
        ("content-type: text/html\ncache-control: public, max-age=600\nparlor-slots: on".into(), page.into())
    });
    let redis = Redis::start();
    let (store, source) = (redis.url(), format!("sqlite:{}", database.display()));
    let house = shop(&origin, &["--store", &store, "--rows-source", &source]);
    let at = edge_of(&house);
    assert_eq!(admin(&house, "GET", "/v1/shop/rows/237", None).code(), "not_found");
    assert_eq!(admin(&house, "PUT", "/v1/shop/rows/237", Some(json!({ "delay": 1.0 }))).status, 200);
    until("the row is kept", || redis.ask(&["EXISTS", "inv:237"]).text() == "1");
    let kept: Value = serde_json::from_str(&redis.ask(&["GET", "inv:237"]).text()).unwrap();
    assert_eq!(kept, json!({ "id": "237", "qty": 629, "price": 9.5 }));
    assert_eq!(redis.ask(&["ZSCORE", "delay:", "237"]).text(), "1");
    until("the page shows it", || asks(at, "GET", "/product/237", &[], None).body == "<b>9.5</b>");
    let asked = origin.asked().len();
    // By schedule alone.
    sql(&database, "update inventory set price = 8.25");
    until("the page shows the new price", || asks(at, "GET", "/product/237", &[], None).body == "<b>8.25</b>");
    // By a push.
    sql(&database, "update inventory set price = 7");
    let pushed = admin(&house, "POST", "/v1/shop/rows/237/refresh", None);
    assert_eq!(pushed.json()["value"]["price"], 7.0, "{pushed:?}");
    assert!(asks(at, "GET", "/product/237", &[], None).body.starts_with("<b>7"), "at once");
    assert!(origin.asked().len() <= asked + 2, "a page is fetched anew when its row changed, not whenever it was read");
    let listed = admin(&house, "GET", "/v1/shop/rows", None).json();
    assert_eq!(listed["rows"][0]["row"], "237");
    assert_eq!(admin(&house, "PUT", "/v1/shop/rows/237", Some(json!({ "delay": -1 }))).status, 200);
    for (key, member) in [("schedule:", "237"), ("delay:", "237")] {
        assert_eq!(redis.ask(&["ZSCORE", key, member]).text(), "", "{key}");
    }
    assert_eq!(redis.ask(&["EXISTS", "inv:237"]).text(), "0");
    let refused = admin(&house, "PUT", "/v1/shop/rows/237", Some(json!({ "delay": "soon" })));
    assert_eq!(refused.code(), "bad_request");
}

#[test]
fn a_server_without_a_database_says_so() {
    let house = House::start(super::shopper::KEYS);
    let answer = admin(&house, "GET", "/v1/shop/rows", None);
    assert!(answer.code() == "unsupported" && answer.body.contains("rows-source"), "{answer:?}");
}
