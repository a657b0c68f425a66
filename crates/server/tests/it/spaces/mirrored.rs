//! What people show of themselves, as document 001's `PRESENCE#` item: there for whoever looks into the table, at most once a second.

use super::copy::{Copy, space};
use crate::doors::inside::{Inside, PATIENCE, Store};
use crate::support::table::{self, Item, Table};
use serde_json::json;
use std::time::{Duration, Instant};

const SK: &str = "PRESENCE#cursors";

async fn mirrored(url: &str) -> Option<Item> {
    let is_it = |item: &Item| item["sk"].as_s().is_ok_and(|sk| sk == SK);
    table::items(url).await.into_iter().find(is_it)
}

/// Looks until it is so; each look is a second later for the server.
async fn until(what: &str, server: &Inside, url: &str, holds: impl Fn(Option<&Item>) -> bool) {
    let begun = Instant::now();
    loop {
        let item = mirrored(url).await;
        if holds(item.as_ref()) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}: {item:?}");
        server.step(1000);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn x_of(item: &Item, user: &str) -> Option<String> {
    item["data"].as_m().ok()?.get(user)?.as_m().ok()?["x"].as_n().ok().cloned()
}

#[tokio::test]
async fn h48_what_people_show_is_mirrored_once_a_second_and_never_in_a_commit() {
    let tables = Table::start();
    let url = &*tables.fresh().await.leak();
    let server = Inside::start(Store::DynamoDb(url), &[]).await;
    let (room, _) = space(&server, "mirrored").await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    let mut bo = Copy::enter(&server, &room, "bo").await;
    let (ana_id, bo_id) = (ana.user_id.clone(), bo.user_id.clone());
    ana.does("presence_create", json!({ "presence": "cursors", "seconds": 600 })).await;
    ana.does("presence_set", json!({ "presence": "cursors", "value": { "x": 1, "y": "" } })).await;
    until("it is there", &server, url, |item| item.is_some_and(|item| x_of(item, &ana_id).as_deref() == Some("1"))).await;

    let before = server.table().counts().now();
    for x in 2..200 {
        ana.does("presence_set", json!({ "presence": "cursors", "value": { "x": x, "y": "" } })).await;
    }
    let counted = server.table().counts().now().since(&before);
    // Its clock stands still: whatever is tried in that second is refused by the item itself.
    assert!(!counted.requests.contains_key("TransactWriteItems"), "a cursor is no commit: {counted:?}");
    bo.does("presence_set", json!({ "presence": "cursors", "value": { "x": 7.5 } })).await;
    until("the last of it is there", &server, url, |item| {
        item.is_some_and(|item| x_of(item, &ana_id).as_deref() == Some("199") && x_of(item, &bo_id).as_deref() == Some("7.5"))
    })
    .await;
    let item = mirrored(url).await.unwrap();
    assert_eq!(item["pk"].as_s().unwrap(), room.rsplit_once('/').unwrap().1);
    assert!(item.contains_key("ttl"), "{item:?}");

    drop(bo);
    until("who has gone is gone there", &server, url, |item| item.is_some_and(|item| x_of(item, &bo_id).is_none())).await;
    drop(ana);
    until("nobody shows anything", &server, url, |item| item.is_none()).await;
}
