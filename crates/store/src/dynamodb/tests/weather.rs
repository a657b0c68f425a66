//! Bad weather for several nodes at once: nothing that was acknowledged is lost, and nothing is done twice.

use super::super::opening::http;
use super::super::{DynamoDb, Options, Plain};
use super::faults::{Fault, Faults, Harm};
use super::stand::{Bench, clock, options};
use crate::conformance::{commit, put, room};
use crate::error::StoreError;
use crate::records::{Applied, Batch, Operation, Query, Reply};
use crate::rooms::{NodeId, Rooms, Since};
use crate::shapes::{Key, Value};
use crate::{Answer, Records};
use parlor_rules::position::Place;
use std::sync::Arc;

const NODES: u64 = 4;
const EACH: u64 = 15;

/// Adds one to the sum until that is kept, however often the room moves and whatever is not answered.
async fn adds(store: &DynamoDb, mark: u64) -> Place {
    loop {
        let loaded = match store.load(&room("r")).await {
            Ok(loaded) => loaded.expect("there"),
            Err(StoreError::Busy | StoreError::Unavailable(_)) => continue,
            Err(other) => panic!("{other}"),
        };
        let Value::Text(sum) = &loaded.records[0].1 else { panic!("{loaded:?}") };
        let sum = String::from_utf8_lossy(sum).parse::<u64>().expect("a number") + 1;
        let commit = commit(mark, &mark.to_string(), vec![put("sum", &sum.to_string())]);
        match store.append(&room("r"), Some(loaded.place), commit).await {
            Ok(place) => return place,
            Err(StoreError::Conflict | StoreError::Busy) => {}
            Err(other) => panic!("the weather is not that bad: {other}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h68_in_bad_weather_nothing_is_lost_and_nothing_is_done_twice() {
    let bench = Bench::start();
    for seed in 0..3 {
        let (clock, table) = (clock(), bench.table().await);
        let (calm, _) = bench.node(&table, &clock, Harm::None);
        let first = calm.append(&room("r"), None, commit(0, "0", vec![put("sum", "0")])).await.expect("created");
        let (nodes, faults): (Vec<_>, Vec<_>) =
            (0..NODES).map(|n| bench.node(&table, &clock, Harm::OneIn(4, 10 * seed + n))).unzip();
        let tasks: Vec<_> = nodes
            .into_iter()
            .enumerate()
            .map(|(node, store)| {
                tokio::spawn(async move {
                    let mut places = Vec::new();
                    for n in 0..EACH {
                        places.push(adds(&store, 1 + node as u64 * EACH + n).await);
                    }
                    places
                })
            })
            .collect();
        let mut acknowledged = Vec::new();
        for task in tasks {
            acknowledged.extend(task.await.expect("no panic"));
        }
        let loaded = calm.load(&room("r")).await.expect("readable").expect("there");
        assert_eq!(loaded.records[0].1, Value::Text((NODES * EACH).to_string().into()), "each counted once");
        let Ok(Since::Entries(entries)) = calm.since(&room("r"), first).await else { panic!("kept") };
        acknowledged.sort_by_key(|place| place.position);
        let kept: Vec<Place> = entries.iter().map(|entry| entry.place).collect();
        assert_eq!(kept, acknowledged, "what was acknowledged is what is kept, each once");
        let met: usize = faults.iter().map(|faults| faults.met().len()).sum();
        assert!(met > 20, "the weather was good");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_answer_is_lost_is_known_again_even_when_the_room_moved_on() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (store, faults) = bench.node(&table, &clock, Harm::None);
    let first = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    for (mark, fault) in
        [(2, Fault::LostReply), (3, Fault::LostReplyAndToken), (4, Fault::DoneButBroken), (5, Fault::LostRequest)]
    {
        let at = store.load(&room("r")).await.expect("readable").expect("there").place;
        faults.plan("TransactWriteItems", fault);
        let place = store.append(&room("r"), Some(at), commit(mark, "x", vec![])).await.expect("kept once");
        assert_eq!(place, Place { position: at.position.next(), mark: parlor_rules::position::Mark(mark) }, "{fault:?}");
    }
    // Created, unheard, forgotten: known by its life.
    faults.plan("TransactWriteItems", Fault::LostReplyAndToken);
    store.append(&room("s"), None, commit(1, "a", vec![])).await.expect("created once");
    // Closed, unheard: gone as was wished.
    let last = store.load(&room("r")).await.expect("readable").expect("there").place;
    faults.plan("UpdateItem", Fault::LostReply);
    assert_eq!(store.close(&room("r"), last, NodeId(1)).await, Ok(()));
    assert_ne!(last, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_stays_too_busy_says_so_within_a_bound() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let tries = 5;
    let faults = Faults::new(http(), Harm::None);
    let options = Options { tries_max: tries, ..options() };
    let store = DynamoDb::with(bench.client(faults.client()), &table, Arc::new(Plain), clock.shared(), options);
    let first = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    for (fault, unknown) in
        [(Fault::Throttled, false), (Fault::Conflict, false), (Fault::LostRequest, true), (Fault::Broken, true)]
    {
        let before = faults.met().len();
        (0..tries).for_each(|_| faults.plan("TransactWriteItems", fault));
        let refused = store.append(&room("r"), Some(first), commit(2, "b", vec![])).await;
        match refused {
            Err(StoreError::Unavailable(_)) if unknown => {}
            Err(StoreError::Busy) if !unknown => {}
            other => panic!("{fault:?}: {other:?}"),
        }
        assert_eq!(faults.met().len() - before, tries, "tried so often and not more");
    }
    assert_eq!(store.since(&room("r"), first).await, Ok(Since::Entries(vec![])), "nothing of it happened");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h46_first_writes_of_many_at_once_are_all_kept() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let tasks: Vec<_> = (0..4u64)
        .flat_map(|node| {
            let (store, _) = bench.node(&table, &clock, Harm::OneIn(6, node));
            (0..10u64).map(move |n| (store.clone(), node * 10 + n))
        })
        .map(|(store, n)| {
            tokio::spawn(async move {
                let field = crate::Field::from(format!("f{n}"));
                let set = Operation::SetField { key: Key::from("h"), field, value: "1".into() };
                let add = Operation::AddField { key: Key::from("n"), field: "n".into(), by: 1, min: 0, max: 1000, drop_at: None };
                loop {
                    let batch = Batch { tag: "t".into(), operations: vec![set.clone(), add.clone()], ..Batch::default() };
                    match store.apply(batch).await {
                        Ok(Applied::Done(replies)) => return replies,
                        Err(StoreError::Busy) => {}
                        other => panic!("{other:?}"),
                    }
                }
            })
        })
        .collect();
    let mut counted = Vec::new();
    for task in tasks {
        let replies = task.await.expect("no panic");
        assert_eq!(replies[0], Reply::Was(false));
        counted.push(replies[1].clone());
    }
    counted.sort_by_key(|reply| if let Reply::Number(n) = reply { *n } else { 0 });
    assert_eq!(counted, (1..=40).map(Reply::Number).collect::<Vec<_>>(), "each add had a turn of its own");
    let (calm, _) = bench.node(&table, &clock, Harm::None);
    let read = calm.read("t", vec![Query::Count(Key::from("h")), Query::Field(Key::from("n"), "n".into())]).await;
    assert_eq!(read, Ok(vec![Answer::Count(40), Answer::Bytes("40".into())]));
}
