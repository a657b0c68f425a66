//! Rooms that are larger than a transaction: laid down piece by piece, seen whole or not at all.

use super::super::names;
use super::faults::{Fault, Harm};
use super::stand::{Bench, clock};
use crate::conformance::{commit, conflict, put, room, set};
use crate::error::StoreError;
use crate::rooms::{NodeId, Rooms};
use crate::shapes::Write;
use parlor_rules::time::Span;

fn many(count: usize, said: &str) -> Vec<Write> {
    (0..count).map(|n| put(&format!("k{n:04}"), said)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_of_many_records_is_created_whole() {
    let bench = Bench::start();
    let (store, _, faults) = bench.store().await;
    let place = store.append(&room("r"), None, commit(1, "a", many(450, "v"))).await.expect("created");
    let largest = faults.seen().iter().filter_map(|(_, body)| body["TransactItems"].as_array().map(Vec::len)).max();
    assert!(largest <= Some(100), "the service takes no more: {largest:?}");
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!((loaded.place, loaded.records.len()), (place, 450));
    assert_eq!(store.append(&room("r"), None, commit(2, "b", many(450, "w"))).await, conflict());
    let wide = commit(2, "b", many(450, "w"));
    assert!(matches!(store.append(&room("r"), Some(place), wide).await, Err(StoreError::TooLarge { writes: 452, .. })));
    let next = store.append(&room("r"), Some(place), commit(2, "b", many(90, "w"))).await.expect("follows");
    store.close(&room("r"), next, NodeId(1)).await.expect("closed");
    assert_eq!(store.load(&room("r")).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h45_whoever_dies_while_laying_a_room_down_leaves_nothing_to_trip_over() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    for after in 0..5 {
        let room = room(&format!("r{after}"));
        let (dying, faults) = bench.node(&table, &clock, Harm::None);
        let task = tokio::spawn({
            let room = room.clone();
            async move { dying.append(&room, None, commit(1, "a", many(350, "dead"))).await }
        });
        // Its claim and so many pieces are written; what it sends after that is held up, and then it is gone.
        while faults.seen().len() < after + 2 && !task.is_finished() {
            tokio::task::yield_now().await;
        }
        task.abort();
        let died = task.await.is_err();
        let (store, _) = bench.node(&table, &clock, Harm::None);
        let seen = store.load(&room).await.expect("readable");
        assert!(seen.is_none_or(|room| room.records.len() == 350), "half a room was seen");
        let next = commit(2, "b", vec![put("k0001", "alive"), put("other", "alive")]);
        match store.append(&room, None, next.clone()).await {
            // Whoever lays it down may still be at it, for all that anybody knows.
            Err(StoreError::Busy) => {
                clock.advance(Span::minutes(2));
                store.append(&room, None, next).await.expect("nobody holds the place any more");
            }
            Ok(_) => {}
            Err(StoreError::Conflict) => {
                assert!(store.load(&room).await.expect("readable").is_some(), "it was quicker than its end");
                continue;
            }
            Err(other) => panic!("{other}"),
        }
        assert!(died, "it was to die");
        let loaded = store.load(&room).await.expect("readable").expect("there");
        assert_eq!(loaded.records.len(), 2, "nothing of the dead one");
        store.settled().await;
        let left = store.keys_with_lives(&store.partition(&room).expect("a name")).await.expect("readable");
        assert_eq!(left.len(), 2, "and what it left is cleared away");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_one_that_was_overtaken_writes_nothing_more() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (slow, _) = bench.node(&table, &clock, Harm::None);
    let (fast, _) = bench.node(&table, &clock, Harm::None);
    let pk = fast.partition(&room("r")).expect("a name");
    // The slow one's claim, as it would have made it.
    let changes = slow.changes(&room("r"), &pk, None, &many(350, "slow")).await.expect("laid");
    let place = parlor_rules::position::Place {
        position: parlor_rules::position::Position::first(clock.now()),
        mark: parlor_rules::position::Mark(1),
    };
    let head = slow.new_head(place, None, &changes).expect("a head");
    let laying = super::super::staging::Laying { head, tail: vec![], changes };
    let over = super::super::staging::Over::Nothing;
    assert!(slow.claim(&pk, &laying.head, over, clock.now()).await.expect("asked").is_ok());
    assert_eq!(fast.append(&room("r"), None, commit(2, "b", vec![put("k", "fast")])).await, Err(StoreError::Busy));
    clock.advance(Span::minutes(2));
    let kept = fast.append(&room("r"), None, commit(2, "b", vec![put("k", "fast")])).await.expect("the claim is over");
    assert!(matches!(slow.lay_pieces(&pk, &laying).await, Err(StoreError::Busy)), "its pieces are refused");
    let loaded = fast.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!((loaded.place, loaded.records.len()), (kept, 1));
    assert_eq!(slow.read_head(&pk).await.expect("readable").expect("there").live(clock.now()).map(|head| head.place), Some(kept));
    assert!(names::is_short(&pk));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_to_the_last_write_of_a_large_room_is_made_out() {
    let bench = Bench::start();
    let (store, _, faults) = bench.store().await;
    for (n, operation) in ["PutItem", "TransactWriteItems"].into_iter().enumerate() {
        let room = room(&format!("r{n}"));
        faults.plan(operation, Fault::LostReplyAndToken);
        let place = store.append(&room, None, commit(1, "a", many(250, "v"))).await.expect("created");
        let loaded = store.load(&room).await.expect("readable").expect("there");
        assert_eq!((loaded.place, loaded.records.len()), (place, 250));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_of_many_fields_are_one_commit() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    let first = store.append(&room("r"), None, commit(1, "a", vec![set("h", "f", "1")])).await.expect("created");
    let writes = (0..3000).map(|n| set("h", &format!("f{n}"), "2")).collect();
    store.append(&room("r"), Some(first), commit(2, "b", writes)).await.expect("follows");
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert!(matches!(&loaded.records[0].1, crate::Value::Hash(fields) if fields.len() == 3001));
}
