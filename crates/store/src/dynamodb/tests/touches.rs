//! Items that a form touches without knowing whether they are there, and those it has no use for any more.

use super::super::action::{Action, Id};
use super::super::form::{Before, Change, Form, Item, Laid};
use super::super::{Attribute, Attributes, DynamoDb};
use super::faults::{Faults, Harm};
use super::stand::{Bench, clock, options};
use crate::conformance::{commit, room, set};
use crate::error::StoreError;
use crate::rooms::{RoomKey, Rooms};
use crate::shapes::{Key, Value, Write};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A field is an attribute, and an item says when it was first touched.
struct Touching;

impl Form for Touching {
    fn partition(&self, room: &RoomKey) -> String {
        format!("T:{}", room.spine)
    }

    fn spine(&self, partition: &str, _head: &Attributes) -> Option<Key> {
        partition.strip_prefix("T:").map(Into::into)
    }

    fn changes(&self, _room: &RoomKey, before: &Before<'_>, writes: &[Write]) -> Result<Laid, StoreError> {
        let once = vec![(vec!["first".to_owned()], Attribute::number(before.now.0))];
        let mut changes = Vec::new();
        if before.head.is_empty() {
            changes.push(Change::Put(Item { sk: "ROOM".into(), attributes: [("is".to_owned(), Attribute::Null)].into() }));
        }
        for write in writes {
            let sk = format!("I:{}", write.key());
            let path = |field: &str| vec![format!("f:{field}")];
            changes.push(match write {
                Write::SetField { field, value, .. } => {
                    let set = vec![(path(field), Attribute::of_bytes(value))];
                    Change::Update { sk, set, once: once.clone(), remove: vec![] }
                }
                Write::DropField { field, .. } => {
                    Change::Update { sk, set: vec![], once: once.clone(), remove: vec![path(field)] }
                }
                _ => return Err(StoreError::Damaged("fields alone".into())),
            });
        }
        Ok(Laid::Changes(changes))
    }

    fn records(&self, _room: &RoomKey, _head: Attributes, items: Vec<Item>) -> Result<Vec<(Key, Value)>, StoreError> {
        let record = |item: Item| {
            let fields = item
                .attributes
                .iter()
                .filter_map(|(name, value)| Some((name.strip_prefix("f:")?.into(), value.as_bytes()?.to_vec().into())));
            let fields: BTreeMap<_, _> = fields.collect();
            (!fields.is_empty()).then(|| (item.sk.trim_start_matches("I:").into(), Value::Hash(fields)))
        };
        Ok(items.into_iter().filter_map(record).collect())
    }

    fn litter(&self, _room: &RoomKey, _head: &Attributes, items: &[Item]) -> Vec<String> {
        let is_empty = |item: &&Item| !item.attributes.keys().any(|name| name.starts_with("f:"));
        items.iter().filter(is_empty).map(|item| item.sk.clone()).collect()
    }
}

async fn store(bench: &Bench) -> (DynamoDb, crate::conformance::SteppedClock) {
    let (clock, table) = (clock(), bench.table().await);
    let faults = Faults::new(super::super::opening::http(), Harm::None);
    let client = bench.client(faults.client());
    (DynamoDb::with(client, &table, Arc::new(Touching), clock.shared(), options()), clock)
}

fn hash(fields: &[(&str, &str)]) -> Value {
    Value::Hash(fields.iter().map(|(field, value)| ((*field).into(), value.as_bytes().to_vec().into())).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_item_is_made_by_its_first_touch_and_remembers_it() {
    let bench = Bench::start();
    let (store, clock) = store(&bench).await;
    let at = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    let first = clock.now().0;
    let at = store.append(&room("r"), Some(at), commit(2, "b", vec![set("k", "x", "1")])).await.expect("follows");
    clock.advance(parlor_rules::time::Span(5_000));
    store.append(&room("r"), Some(at), commit(3, "c", vec![set("k", "y", "2")])).await.expect("follows");
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!(loaded.records, vec![("k".into(), hash(&[("x", "1"), ("y", "2")]))]);
    let item = store.link.get(&Id::new("T:r", "I:k")).await.expect("readable").expect("there");
    assert_eq!(item.get("first").and_then(Attribute::as_u64), Some(first));
}

/// What another life left under the same name is not added to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h43_what_an_earlier_room_left_is_not_touched_into_a_new_one() {
    let bench = Bench::start();
    let (store, _) = store(&bench).await;
    let at = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    let pk = store.partition(&room("r")).expect("a name");
    for name in ["I:k", "I:l"] {
        let left =
            Attributes::from([("life".to_owned(), Attribute::text("another")), ("f:old".to_owned(), Attribute::text("1"))]);
        store.link.alone(Action::put(Id::new(&*pk, name), left)).await.expect("put");
    }
    let writes = vec![set("k", "new", "2"), set("l", "new", "3"), set("m", "new", "4")];
    let place = store.append(&room("r"), Some(at), commit(2, "b", writes)).await.expect("follows");
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!(loaded.place, place);
    let new = |value| hash(&[("new", value)]);
    assert_eq!(loaded.records, vec![("k".into(), new("2")), ("l".into(), new("3")), ("m".into(), new("4"))]);
}

/// A room that is bookmarked is made again and again under one name; the service deletes the old one days later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h67_a_room_is_made_anew_over_items_that_are_not_deleted_yet() {
    let bench = Bench::start();
    let (store, clock) = store(&bench).await;
    let lives = |mark, writes| crate::Commit {
        deadline: Some(clock.now() + parlor_rules::time::Span::minutes(60)),
        ..commit(mark, "x", writes)
    };
    for round in 0..3 {
        let (one, two) = (round.to_string(), (round + 1).to_string());
        let writes = vec![set("k", &one, "1")];
        let at = store.append(&room("r"), None, lives(1, writes)).await.expect("nothing lives here");
        store.append(&room("r"), Some(at), lives(2, vec![set("k", &two, "2")])).await.expect("follows");
        let loaded = store.load(&room("r")).await.expect("readable").expect("there");
        assert_eq!(loaded.records, vec![("k".into(), hash(&[(&one, "1"), (&two, "2")]))], "round {round}");
        clock.advance(parlor_rules::time::Span::minutes(61));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_holds_nothing_is_swept_away_and_the_room_stays_readable() {
    let bench = Bench::start();
    let (store, _) = store(&bench).await;
    let mut at = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    let there = async |sk: &str| store.link.get(&Id::new("T:r", sk)).await.expect("readable").is_some();
    let drop_field = Write::DropField { key: "k".into(), field: "x".into() };
    for (mark, writes) in (2..).zip([vec![set("k", "x", "1"), set("l", "x", "1")], vec![drop_field]]) {
        at = store.append(&room("r"), Some(at), commit(mark, "b", writes)).await.expect("follows");
    }
    // As long as the head names it, it stays, for whoever reads what the head says.
    store.load(&room("r")).await.expect("readable").expect("there");
    store.settled().await;
    assert!(there("I:k").await);
    for mark in 10..40 {
        at = store.append(&room("r"), Some(at), commit(mark, "c", vec![set("l", "y", "2")])).await.expect("follows");
    }
    store.load(&room("r")).await.expect("readable").expect("there");
    store.settled().await;
    assert!(!there("I:k").await && there("I:l").await);
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!(loaded.records, vec![("l".into(), hash(&[("x", "1"), ("y", "2")]))]);
}
