//! What has ended leaves nothing behind, a bounded piece at a time, and nothing that lives is touched.

use super::super::*;
use super::conforms::on_model;
use crate::conformance::{SteppedClock, commit, history, room, set};
use crate::records::{Operation, Query};
use crate::shapes::{Key, Value};
use parlor_rules::time::Span;

async fn sweep_all(store: &Embedded, now: Millis) -> Swept {
    let mut total = Swept::default();
    loop {
        let swept = store.sweep(now, 7).await.expect("sweeps");
        assert!(swept.keys <= 7 + 1, "bounded: {swept:?}");
        total.rooms += swept.rooms;
        total.records += swept.records;
        if !swept.more {
            return total;
        }
    }
}

#[tokio::test]
async fn a_sweep_removes_what_has_ended_and_nothing_else() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let store = on_model(&disk, &clock);
    for n in 0..30u64 {
        let writes = (0..n).map(|field| set("h", &field.to_string(), "v")).collect();
        let mut commit = commit(1, "x", writes);
        commit.deadline = Some(clock.now() + Span(1 + n * 10));
        store.append(&room(&n.to_string()), None, commit).await.expect("kept");
        let value = Value::Hash((0..n + 1).map(|field| (Key::from(field.to_string()), "v".into())).collect());
        let put = Operation::Put { key: Key::from(n.to_string()), value, deadline: Some(clock.now() + Span(1 + n * 10)) };
        store.apply(Batch { operations: vec![put], ..Batch::default() }).await.expect("kept");
    }
    clock.advance(Span(101));
    let swept = sweep_all(&store, clock.now()).await;
    assert_eq!((swept.rooms, swept.records), (11, 11));
    for n in 0..30u64 {
        assert_eq!(store.load(&room(&n.to_string())).await.expect("readable").is_some(), n > 10);
    }
    clock.advance(Span(1000));
    let swept = sweep_all(&store, clock.now()).await;
    assert_eq!((swept.rooms, swept.records), (19, 19));
    assert_eq!(disk.len(), 1, "nothing is left but the counter");
}

#[tokio::test]
async fn what_was_renewed_is_filed_anew_and_ends_later() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let store = on_model(&disk, &clock);
    let mut at = None;
    for mark in 0..20 {
        let mut commit = commit(mark, "x", vec![]);
        commit.deadline = Some(clock.now() + Span(100));
        at = Some(store.append(&room("r"), at, commit).await.expect("follows"));
        let renew = Operation::Renew { key: Key::from("k"), deadline: Some(clock.now() + Span(100)) };
        let put = Operation::Put { key: Key::from("k"), value: Value::Text("v".into()), deadline: Some(clock.now() + Span(100)) };
        store.apply(Batch { operations: vec![if mark == 0 { put } else { renew }], ..Batch::default() }).await.expect("kept");
        clock.advance(Span(50));
        let swept = sweep_all(&store, clock.now()).await;
        assert_eq!((swept.rooms, swept.records), (0, 0));
    }
    assert!(store.load(&room("r")).await.expect("readable").is_some());
    assert_eq!(store.read("", vec![Query::Count("k".into())]).await, Err(StoreError::Shape("k".into())), "the text lives");
    clock.advance(Span(100));
    let swept = sweep_all(&store, clock.now()).await;
    assert_eq!((swept.rooms, swept.records), (1, 1));
    assert_eq!(disk.len(), 1);
}

#[tokio::test]
async fn a_late_sweep_does_not_touch_the_next_room_of_that_name() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let store = on_model(&disk, &clock);
    for mark in 0..5 {
        let mut ends = commit(mark, "x", vec![set("h", &mark.to_string(), "v")]);
        ends.deadline = Some(clock.now() + Span(10));
        store.append(&room("r"), None, ends).await.expect("created over what has ended");
        clock.advance(Span(11));
    }
    let place = store.append(&room("r"), None, commit(9, "x", vec![set("h", "f", "new")])).await.expect("created");
    sweep_all(&store, clock.now() + Span::minutes(60)).await;
    let loaded = store.load(&room("r")).await.expect("readable").expect("it has no deadline");
    assert_eq!((loaded.place, loaded.records.len()), (place, 1));
    store.close(&room("r"), place, NodeId(1)).await.expect("closed");
    sweep_all(&store, clock.now()).await;
    assert_eq!(disk.len(), 1);
}

#[tokio::test]
async fn h10_a_long_room_stays_small_on_the_disk() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let store = on_model(&disk, &clock);
    history(&store, &room("r"), 100_000).await;
    assert_eq!(disk.len(), crate::limits::TAIL_COUNT_MAX + 2, "the tail, the head and the counter");
}

#[test]
fn a_store_that_nobody_asks_anything_sweeps_by_itself() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let options = super::conforms::no_reserve();
    let (store, commits) = Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), options).expect("it opens");
    let committer = std::thread::spawn(move || commits.run_blocking());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut ends = commit(1, "x", vec![set("h", "f", "v")]);
    ends.deadline = Some(clock.now() + Span(10));
    runtime.block_on(store.append(&room("r"), None, ends)).expect("kept");
    assert!(disk.len() > 1);
    clock.advance(Span(11));
    while disk.len() > 1 {
        std::thread::yield_now();
    }
    drop(store);
    committer.join().expect("no panic");
}
