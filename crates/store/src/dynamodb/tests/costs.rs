//! What each act costs, in requests and in the service's units, as the service itself counts them.

use super::super::{Counted, DynamoDb};
use super::stand::Bench;
use crate::conformance::{commit, put, room, set};
use crate::records::{Batch, Condition, Operation, Query};
use crate::rooms::{NodeId, Rooms, Since};
use crate::shapes::{Field, Key, Value};
use crate::{Carry, Records};

/// What happens meanwhile costs this many requests.
async fn cost<T>(store: &DynamoDb, act: impl Future<Output = T>) -> (T, Counted) {
    store.settled().await;
    let before = store.counts().now();
    let done = act.await;
    (done, store.counts().now().since(&before))
}

fn requests(counted: &Counted) -> Vec<(&'static str, u64)> {
    counted.requests.iter().map(|(name, count)| (*name, *count)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_act_costs_what_it_must_and_no_more() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    let (table, _) = (store.link.table.clone(), ());
    let (first, counted) = cost(&store, store.append(&room("r"), None, commit(1, "a", vec![put("k", "v")]))).await;
    let first = first.expect("created");
    assert_eq!(requests(&counted), [("TransactWriteItems", 1)], "a creation");
    assert_eq!((counted.read_units, counted.write_units), (0.0, 6.0), "head, commit and record, twice a unit each");

    // A node that has never seen the room: one query to come in, one write to act.
    let clock = super::stand::clock();
    let (fresh, _) = bench.node(&table, &clock, super::faults::Harm::None);
    let (loaded, counted) = cost(&fresh, fresh.load(&room("r"))).await;
    assert_eq!(loaded.expect("readable").expect("there").place, first);
    assert_eq!(requests(&counted), [("Query", 1)], "coming in");
    assert!(counted.read_units <= 1.0, "{counted:?}");
    let second = commit(2, "b", vec![]);
    let (second, counted) = cost(&fresh, fresh.append(&room("r"), Some(first), second)).await;
    let second = second.expect("follows");
    assert_eq!(requests(&counted), [("TransactWriteItems", 1)], "acting");
    assert_eq!(counted.write_units, 4.0, "head and commit");

    // The other node has not: it is refused by the write, reads the head and what it missed, and writes.
    let (refused, counted) = cost(&store, store.append(&room("r"), Some(first), commit(3, "c", vec![]))).await;
    assert_eq!(refused, crate::conformance::conflict());
    assert_eq!(requests(&counted), [("TransactWriteItems", 1)], "a conflict comes with what stands in the way");
    let (since, counted) = cost(&store, store.since(&room("r"), first)).await;
    assert!(matches!(since, Ok(Since::Entries(entries)) if entries.len() == 1));
    assert_eq!(requests(&counted), [("GetItem", 1), ("Query", 1)], "catching up");
    let (third, counted) = cost(&store, store.append(&room("r"), Some(second), commit(3, "c", vec![]))).await;
    let third = third.expect("follows");
    assert_eq!(requests(&counted), [("TransactWriteItems", 1)], "acting again");
    let (since, counted) = cost(&store, store.since(&room("r"), third)).await;
    assert_eq!(since, Ok(Since::Entries(vec![])));
    assert_eq!(requests(&counted), [("GetItem", 1)], "looking whether anything was missed");

    let here = vec![Field::from("ana")];
    let (announced, counted) = cost(&store, store.announce(&room("r"), NodeId(1), here)).await;
    assert_eq!(announced.expect("heard").place, Some(third));
    assert_eq!(requests(&counted), [("PutItem", 1), ("Query", 1)], "announcing");
    assert_eq!(counted.write_units, 1.0);

    let (closed, counted) = cost(&store, store.close(&room("r"), third, NodeId(1))).await;
    assert_eq!(closed, Ok(()));
    assert_eq!(counted.requests.get("UpdateItem"), Some(&1), "closing is one write; clearing away is nobody's to wait for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_cost_one_read_and_one_write() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    let key = Key::from("pass:1");
    let put = Operation::Put { key: key.clone(), value: Value::Text("x".into()), deadline: None };
    let batch = |conditions, operations| Batch { tag: "t".into(), conditions, operations, may_repeat: false };
    let (_, counted) = cost(&store, store.apply(batch(vec![Condition::Absent(key.clone())], vec![put.clone()]))).await;
    assert_eq!(requests(&counted), [("GetItem", 1), ("PutItem", 1)]);
    assert_eq!(counted.write_units, 1.0, "no transaction for one record");
    let (_, counted) = cost(&store, store.apply(batch(vec![Condition::Absent(key.clone())], vec![put.clone()]))).await;
    assert_eq!(requests(&counted), [("GetItem", 1)], "what is refused writes nothing");
    let other = Operation::Put { key: "name:1".into(), value: Value::Text("y".into()), deadline: None };
    let (_, counted) = cost(&store, store.apply(batch(vec![Condition::Present(key.clone())], vec![other]))).await;
    assert_eq!(requests(&counted), [("TransactGetItems", 1), ("TransactWriteItems", 1)], "two records, one moment");
    let (_, counted) = cost(&store, store.read("t", vec![Query::Whole(key.clone()), Query::Deadline(key)])).await;
    assert_eq!(requests(&counted), [("GetItem", 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h66_whatever_is_read_is_read_as_it_was_last_written() {
    let bench = Bench::start();
    let (store, _, faults) = bench.store().await;
    let first = store.append(&room("r"), None, commit(1, "a", vec![put("k", "v"), set("h", "f", "1")])).await.expect("created");
    let second = store.append(&room("r"), Some(first), commit(2, "b", vec![set("h", "g", "2")])).await.expect("follows");
    store.load(&room("r")).await.expect("readable");
    store.since(&room("r"), first).await.expect("readable");
    store.take_room(&room("r")).await.expect("readable");
    store.announce(&room("r"), NodeId(1), vec![Field::from("ana")]).await.expect("heard");
    store.read("t", vec![Query::Whole(Key::from("a")), Query::Whole(Key::from("b"))]).await.expect("readable");
    store.close(&room("r"), second, NodeId(1)).await.expect("closed");
    store.settled().await;
    let mut reads = 0;
    for (operation, body) in faults.seen() {
        let consistent = match &*operation {
            "GetItem" | "Query" | "Scan" => &body["ConsistentRead"],
            "BatchGetItem" => &body["RequestItems"][&store.link.table]["ConsistentRead"],
            _ => continue,
        };
        reads += 1;
        assert_eq!(consistent, true, "{operation}: {body}");
    }
    assert!(reads > 5);
}
