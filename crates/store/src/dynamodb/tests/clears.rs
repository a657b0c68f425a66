//! What is over: nobody meets it again, and in the end nothing of it is left.

use super::super::action::Id;
use super::super::names;
use super::faults::{Fault, Harm};
use super::stand::{Bench, clock};
use crate::conformance::{commit, conflict, put, room, set};
use crate::rooms::{Commit, NodeId, Rooms, Since};
use crate::shapes::{Key, Value};
use crate::{Carry, Records};
use parlor_rules::time::Span;

/// Everything that lies in a room's two partitions.
async fn everything(store: &super::super::DynamoDb, name: &str) -> usize {
    let pk = store.partition(&room(name)).expect("a name");
    let mut count = 0;
    for partition in [names::events(&pk), pk] {
        let mut expression = super::super::expression::Expression::default();
        let value = expression.value(super::super::Attribute::Text(partition));
        let keys = format!("{} = {value}", expression.name("pk"));
        let of = super::super::link::Of { keys: Some(&keys), expression, consistent: true, ..Default::default() };
        count += store.all_pages(&of).await.expect("readable").len();
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h45_a_closed_room_is_cleared_away_whenever_who_clears_dies() {
    let bench = Bench::start();
    let (store, _, faults) = bench.store().await;
    let writes: Vec<_> = (0..12).map(|n| put(&format!("k{n}"), "v")).collect();
    for fails in 0..16 {
        let name = format!("r{fails}");
        let mut at = store.append(&room(&name), None, commit(1, "a", writes.clone())).await.expect("created");
        for mark in 2..5 {
            at = store.append(&room(&name), Some(at), commit(mark, "b", vec![])).await.expect("follows");
        }
        // Clearing gets so far and not further: the next delete is never answered.
        let before = faults.met().len();
        let operation = if fails % 2 == 0 { "DeleteItem" } else { "BatchWriteItem" };
        for _ in 0..fails / 2 {
            faults.plan(operation, if operation == "BatchWriteItem" { Fault::Unprocessed } else { Fault::LostReply });
        }
        store.close(&room(&name), at, NodeId(1)).await.expect("closed");
        assert_eq!(store.load(&room(&name)).await, Ok(None), "at once");
        assert_eq!(store.append(&room(&name), Some(at), commit(9, "late", vec![put("k1", "w")])).await, conflict());
        store.settled().await;
        assert_eq!(everything(&store, &name).await, 0, "after {fails} faults");
        assert!(faults.met().len() >= before + (fails / 2).min(1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h45_a_room_made_anew_while_the_old_one_is_cleared_keeps_its_own() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (store, _) = bench.node(&table, &clock, Harm::None);
    let (other, _) = bench.node(&table, &clock, Harm::None);
    let writes = |said: &str| -> Vec<_> { (0..20).map(|n| put(&format!("k{n}"), said)).collect() };
    for round in 0..20u64 {
        let at = store.append(&room("r"), None, commit(round, "old", writes("old"))).await.expect("created");
        store.close(&room("r"), at, NodeId(1)).await.expect("closed");
        // The same names, while what bore them is being deleted.
        let new = other.append(&room("r"), None, commit(100 + round, "new", writes("new"))).await.expect("created at once");
        store.settled().await;
        let loaded = other.load(&room("r")).await.expect("readable").expect("there");
        assert_eq!((loaded.place, loaded.records.len()), (new, 20));
        assert!(loaded.records.iter().all(|(_, value)| *value == Value::Text("new".into())));
        other.close(&room("r"), new, NodeId(2)).await.expect("closed");
        other.settled().await;
    }
    assert_eq!(everything(&store, "r").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h67_what_is_past_its_deadline_is_not_there_although_it_lies_there() {
    let bench = Bench::start();
    let (store, clock, _) = bench.store().await;
    let deadline = Some(clock.now() + Span::minutes(60));
    let lives = |mark, writes| Commit { deadline, ..commit(mark, "x", writes) };
    let old = store.append(&room("r"), None, lives(1, vec![put("k", "old"), set("h", "f", "1")])).await.expect("created");
    clock.advance(Span::minutes(60));
    assert_eq!(everything(&store, "r").await, 4, "nobody has deleted it: head, commit and two records");
    assert_eq!(store.load(&room("r")).await, Ok(None));
    assert_eq!(store.since(&room("r"), old).await, Ok(Since::Absent));
    assert_eq!(store.take_room(&room("r")).await, Ok(None));
    assert_eq!(store.append(&room("r"), Some(old), lives(2, vec![])).await, conflict());
    assert_eq!(store.close(&room("r"), old, NodeId(1)).await, conflict());
    assert_eq!(store.announce(&room("r"), NodeId(1), vec![]).await.expect("heard").place, None);
    // A node that has never seen it judges the same.
    let (fresh, _) = bench.node(&store.link.table, &clock, Harm::None);
    assert_eq!(fresh.append(&room("r"), Some(old), lives(2, vec![])).await, conflict());
    let new = fresh.append(&room("r"), None, commit(3, "new", vec![set("h", "g", "2")])).await.expect("created again");
    let loaded = fresh.load(&room("r")).await.expect("readable").expect("there");
    let hash = Value::Hash([("g".into(), "2".into())].into());
    assert_eq!((loaded.place, loaded.records), (new, vec![(Key::from("h"), hash)]), "and nothing of what lies there");
    fresh.settled().await;
    assert_eq!(everything(&store, "r").await, 3, "which is cleared away when it is noticed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_that_are_not_written_for_days_outlive_the_service_s_deleting() {
    let bench = Bench::start();
    let (store, clock, _) = bench.store().await;
    let pk = store.partition(&room("r")).expect("a name");
    let lives = |clock: &crate::conformance::SteppedClock, mark, writes| Commit {
        deadline: Some(clock.now() + Span::minutes(60)),
        ..commit(mark, "x", writes)
    };
    let mut at = store.append(&room("r"), None, lives(&clock, 1, vec![put("old", "v")])).await.expect("created");
    for mark in 2..200 {
        clock.advance(Span::minutes(50));
        at = store.append(&room("r"), Some(at), lives(&clock, mark, vec![put("new", "v")])).await.expect("follows");
        store.settled().await;
        let item = store.link.get(&Id::new(&*pk, "VALUE#old")).await.expect("readable").expect("there");
        let ttl = item.get("ttl").and_then(super::super::Attribute::as_u64).expect("it goes some day");
        assert!(
            ttl * 1000 > (clock.now() + Span::minutes(60)).0,
            "the service may delete it at commit {mark}, while the room lives"
        );
        assert!(ttl * 1000 < (clock.now() + Span::minutes(20 * 24 * 60)).0, "it would stay for ever");
    }
    let forever = Commit { deadline: None, ..commit(200, "x", vec![]) };
    let at = store.append(&room("r"), Some(at), forever).await.expect("follows");
    store.settled().await;
    let item = store.link.get(&Id::new(&*pk, "VALUE#old")).await.expect("readable").expect("there");
    assert_eq!(item.get("ttl"), None, "a room without an end has no items with one");
    store.append(&room("r"), Some(at), lives(&clock, 201, vec![])).await.expect("follows");
    store.settled().await;
    let item = store.link.get(&Id::new(&*pk, "VALUE#old")).await.expect("readable").expect("there");
    assert!(item.contains_key("ttl"), "and now it has one again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tail_is_trimmed() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    crate::conformance::history(&store, &room("r"), 640).await;
    store.settled().await;
    let left = everything(&store, "r").await;
    assert!((257..=257 + 64).contains(&left), "{left} items of 640 commits");
    assert_eq!(store.read("t", vec![]).await, Ok(vec![]));
}
