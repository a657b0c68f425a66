//! Pages of a query that are of no one moment: what is loaded stands where it says all the same.

use super::faults::{Fault, Harm};
use super::stand::{Bench, clock};
use crate::Carry;
use crate::conformance::{commit, put, room};
use crate::error::StoreError;
use crate::rooms::Rooms;
use crate::shapes::{Key, Value, Write};

const KEYS: u64 = 8;

/// The commit with this number leaves all keys, or some of them, with its number; others are dropped.
fn writes(n: u64) -> Vec<Write> {
    let key = |k: u64| format!("k{}", k % KEYS);
    match n % 4 {
        0 => (0..KEYS).map(|k| put(&key(k), &n.to_string())).collect(),
        1 => vec![put(&key(n), &n.to_string()), put(&key(n + 3), &n.to_string())],
        2 => vec![Write::Drop { key: Key::from(key(n)) }, put(&key(n + 1), &n.to_string())],
        _ => vec![put(&key(n), &n.to_string())],
    }
}

/// What the room must hold after so many commits.
fn model(seq: u64) -> Vec<(Key, Value)> {
    let mut records = std::collections::BTreeMap::new();
    for write in (1..=seq).flat_map(writes) {
        match write {
            Write::Put { key, value } => drop(records.insert(key, value)),
            Write::Drop { key } => drop(records.remove(&key)),
            other => panic!("{other:?}"),
        }
    }
    records.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h123_a_torn_page_is_never_taken_for_the_room() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (writer, _) = bench.node(&table, &clock, Harm::None);
    let (reader, faults) = bench.node(&table, &clock, Harm::None);
    let mut at = writer.append(&room("r"), None, commit(1, "1", writes(1))).await.expect("created");
    let writing = tokio::spawn(async move {
        for n in 2..=300 {
            at = writer.append(&room("r"), Some(at), commit(n, &n.to_string(), writes(n))).await.expect("nobody else writes");
        }
    });
    let (mut loads, mut busy) = (0, 0);
    while !writing.is_finished() {
        faults.plan("Query", Fault::Torn);
        match reader.load(&room("r")).await {
            Ok(loaded) => {
                let loaded = loaded.expect("there");
                assert_eq!(loaded.records, model(loaded.place.position.seq), "at {}", loaded.place.position);
                loads += 1;
            }
            // It moved faster than it could be read.
            Err(StoreError::Busy) => busy += 1,
            Err(other) => panic!("{other}"),
        }
        if let Ok(Some(carried)) = reader.take_room(&room("r")).await {
            assert_eq!(carried.records, model(carried.place.position.seq));
        }
    }
    writing.await.expect("it went well");
    assert!(loads > busy, "{loads} loads, {busy} too busy");
    assert!(faults.met().len() > 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h131_a_room_of_several_pages_is_read_as_one() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (writer, _) = bench.node(&table, &clock, Harm::None);
    let (reader, _) = bench.node(&table, &clock, Harm::None);
    let wide = |n: u64| put(&format!("wide{n:02}"), &"x".repeat(200_000));
    let mut at = writer.append(&room("r"), None, commit(1, "1", (0..8).map(wide).collect())).await.expect("created");
    let keys = |n: u64| ["wide00", "wide07", "a", "z"].map(|key| put(key, &n.to_string())).to_vec();
    for n in 2..=3 {
        at = writer.append(&room("r"), Some(at), commit(n, "x", keys(n))).await.expect("follows");
    }
    let writing = tokio::spawn(async move {
        for n in 4..=60 {
            at = writer.append(&room("r"), Some(at), commit(n, "x", keys(n))).await.expect("nobody else writes");
        }
        at
    });
    let mut loads = 0;
    while !writing.is_finished() {
        match reader.load(&room("r")).await {
            Ok(loaded) => {
                let loaded = loaded.expect("there");
                let number = Value::Text(loaded.place.position.seq.to_string().into());
                let small: Vec<&Value> =
                    loaded.records.iter().map(|(_, value)| value).filter(|value| value.bytes() < 100).collect();
                assert_eq!(small, [&number; 4], "all of one commit");
                assert_eq!(loaded.records.len(), 10);
                loads += 1;
            }
            Err(StoreError::Busy) => {}
            Err(other) => panic!("{other}"),
        }
    }
    let last = writing.await.expect("it went well");
    assert_eq!(reader.load(&room("r")).await.expect("readable").expect("there").place, last);
    assert!(loads > 0);
}
