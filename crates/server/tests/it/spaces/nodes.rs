//! A space through several servers on one store: the same order everywhere, and everybody is seen wherever they are.

use super::copy::{Copy, space, truth};
use super::people::People;
use crate::doors::inside::{Inside, Store};
use serde_json::json;

#[tokio::test]
async fn h54_two_nodes_that_write_to_one_space_tell_the_same_order() {
    let a = Inside::start(Store::Shared, &[]).await;
    let b = a.beside().await;
    let (room, _) = space(&a, "two-nodes").await;
    let mut ana = Copy::enter(&a, &room, "ana").await;
    let mut bo = Copy::enter(&b, &room, "bo").await;
    for n in 0..40u64 {
        let with = |who: &str| json!({ "map": "m", "key": format!("k{}", n % 3), "value": format!("{who}{n}") });
        let (mine, yours) = (ana.sends("map_set", with("ana"), None).await, bo.sends("map_set", with("bo"), None).await);
        while ana.hear().await["id"] != mine {}
        while bo.hear().await["id"] != yours {}
        let (mine, yours) = (
            ana.sends("list_insert", json!({ "list": "l", "value": n, "after": null }), None).await,
            bo.sends("list_insert", json!({ "list": "l", "value": n }), None).await,
        );
        while ana.hear().await["id"] != mine {}
        while bo.hear().await["id"] != yours {}
    }
    let last = bo.does("map_set", json!({ "map": "end", "key": "k", "value": 1 })).await["at"].as_str().unwrap().to_owned();
    ana.stands_at(&last).await;
    assert_eq!(ana.held, bo.held);
    assert_eq!(truth(&a, &room).await, ana.held);
    assert_eq!(ana.held.in_order("l").len(), 80);
}

#[tokio::test]
async fn whoever_is_at_one_node_is_seen_at_the_other_with_what_they_show() {
    let a = Inside::start(Store::Shared, &[]).await;
    let b = a.beside().await;
    let (room, _) = space(&a, "seen").await;
    let mut ana = Copy::enter(&a, &room, "ana").await;
    ana.does("presence_set", json!({ "presence": "cursors", "value": { "x": 1 } })).await;
    // The node that comes later asks who is there.
    let mut bo = Copy::enter(&b, &room, "bo").await;
    let (ana_id, bo_id) = (ana.user_id.clone(), bo.user_id.clone());
    bo.hears_until(|copy| People::of(copy).value("cursors", &ana_id) == Some(&json!({ "x": 1 }))).await;
    bo.does("presence_set", json!({ "presence": "cursors", "value": { "x": 2 } })).await;
    ana.hears_until(|copy| People::of(copy).value("cursors", &bo_id) == Some(&json!({ "x": 2 }))).await;
    bo.flashes("say", json!({ "hello": 1 })).await;
    ana.hears_until(|copy| copy.heard("now").iter().any(|push| push["messages"][0]["data"] == json!({ "hello": 1 }))).await;
    bo.does("presence_remove", json!({ "presence": "cursors" })).await;
    ana.hears_until(|copy| People::of(copy).value("cursors", &bo_id).is_none()).await;
    drop(bo);
    ana.hears_until(|copy| !People::of(copy).is_here(&bo_id)).await;
}
