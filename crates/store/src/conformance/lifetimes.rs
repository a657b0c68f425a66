//! Cases about deadlines: what is past its own is not there, whether or not anyone has removed it yet.

use super::*;
use crate::Answer;
use crate::records::{Applied, Batch, Condition, Operation, Query, Reply};
use crate::rooms::Since;

/// Long enough that a store on a real clock answers in time, short enough to wait for.
const LIFE: Span = Span(400);

fn lives(mark: u64, deadline: Millis, writes: Vec<Write>) -> Commit {
    Commit { deadline: Some(deadline), ..commit(mark, &mark.to_string(), writes) }
}

fn text_until(key: &str, value: &str, deadline: Option<Millis>) -> Batch {
    let put = Operation::Put { key: Key::from(key), value: Value::Text(text(value)), deadline };
    Batch { operations: vec![put], ..Batch::default() }
}

async fn whole(store: &impl Records, key: &str) -> Answer {
    store.read("", vec![Query::Whole(Key::from(key))]).await.expect("readable").remove(0)
}

pub(super) async fn a_room_ends_at_its_deadline(stand: impl Stand) {
    let store = stand.store();
    let deadline = stand.now() + LIFE;
    let place = store.append(&room("r"), None, lives(1, deadline, vec![put("k", "v")])).await.expect("created");
    assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").deadline, Some(deadline));
    if stand.is_stepped() {
        stand.advance(Span(LIFE.0 - 1)).await;
        assert!(store.load(&room("r")).await.expect("readable").is_some(), "one millisecond before");
        stand.advance(Span(1)).await;
        assert_eq!(store.load(&room("r")).await, Ok(None), "at its deadline");
    }
    stand.advance(Span(LIFE.0 + 1)).await;
    assert_eq!(store.load(&room("r")).await, Ok(None), "after it");
    assert_eq!(store.since(&room("r"), place).await, Ok(Since::Absent));
}

pub(super) async fn renewal_moves_the_deadline(stand: impl Stand) {
    let store = stand.store();
    let first = store.append(&room("r"), None, lives(1, stand.now() + LIFE, vec![])).await.expect("created");
    stand.advance(Span(LIFE.0 / 2)).await;
    let renewed = stand.now() + LIFE;
    let second = store.append(&room("r"), Some(first), lives(2, renewed, vec![])).await.expect("still there");
    stand.advance(Span(LIFE.0 * 3 / 4)).await;
    let loaded = store.load(&room("r")).await.expect("readable").expect("past its first deadline, not its second");
    assert_eq!(loaded.deadline, Some(renewed));
    let mut forever = lives(3, renewed, vec![]);
    forever.deadline = None;
    let third = store.append(&room("r"), Some(second), forever).await.expect("still there");
    stand.advance(Span(LIFE.0 * 2)).await;
    assert!(store.load(&room("r")).await.expect("readable").is_some(), "it has no deadline any more");
    store.append(&room("r"), Some(third), lives(4, stand.now() + LIFE, vec![])).await.expect("still there");
    stand.advance(Span(LIFE.0 + 1)).await;
    assert_eq!(store.load(&room("r")).await, Ok(None), "and now it had one again");
}

pub(super) async fn an_ended_room_can_be_created_again(stand: impl Stand) {
    let store = stand.store();
    let writes = vec![put("k", "old"), set("h", "f", "old")];
    let old = store.append(&room("r"), None, lives(1, stand.now() + LIFE, writes)).await.expect("created");
    stand.advance(Span(LIFE.0 + 1)).await;
    let new = store.append(&room("r"), None, lives(1, stand.now() + LIFE, vec![set("h", "g", "new")])).await;
    let new = new.expect("the same mark, yet another room");
    assert_ne!(old, new);
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    let hash = Value::Hash([(Field::from("g"), text("new"))].into());
    assert_eq!((loaded.place, loaded.records), (new, vec![(Key::from("h"), hash)]));
}

pub(super) async fn a_late_writer_cannot_bring_a_room_back(stand: impl Stand) {
    let store = stand.store();
    let place = store.append(&room("r"), None, lives(1, stand.now() + LIFE, vec![])).await.expect("created");
    stand.advance(Span(LIFE.0 + 1)).await;
    let late = lives(2, stand.now() + LIFE, vec![put("k", "v")]);
    assert_eq!(store.append(&room("r"), Some(place), late).await, conflict());
    assert_eq!(store.close(&room("r"), place, NodeId(1)).await, conflict());
    assert_eq!(store.load(&room("r")).await, Ok(None));
}

pub(super) async fn a_record_ends_at_its_deadline(stand: impl Stand) {
    let store = stand.store();
    let deadline = stand.now() + LIFE;
    store.apply(text_until("k", "v", Some(deadline))).await.expect("kept");
    store.apply(text_until("stays", "v", None)).await.expect("kept");
    for (key, expected) in [("k", Some(deadline)), ("stays", None)] {
        let read = store.read("", vec![Query::Deadline(Key::from(key))]).await;
        assert_eq!(read, Ok(vec![Answer::Deadline(expected)]), "{key}");
    }
    if stand.is_stepped() {
        stand.advance(Span(LIFE.0 - 1)).await;
        assert_eq!(whole(&store, "k").await, Answer::Whole(Value::Text(text("v"))), "one millisecond before");
        stand.advance(Span(1)).await;
        assert_eq!(whole(&store, "k").await, Answer::Absent, "at its deadline");
    }
    stand.advance(Span(LIFE.0 + 1)).await;
    assert_eq!(whole(&store, "k").await, Answer::Absent);
    assert_eq!(whole(&store, "stays").await, Answer::Whole(Value::Text(text("v"))));
    let read = store.read("", vec![Query::Deadline(Key::from("k"))]).await;
    assert_eq!(read, Ok(vec![Answer::Absent]));
    let again = Batch { conditions: vec![Condition::Absent(Key::from("k"))], ..text_until("k", "w", None) };
    assert_eq!(store.apply(again).await, Ok(Applied::Done(vec![Reply::Done])));
}

pub(super) async fn renewing_what_has_ended_does_nothing(stand: impl Stand) {
    let store = stand.store();
    let renew = |deadline| Batch { operations: vec![Operation::Renew { key: Key::from("k"), deadline }], ..Batch::default() };
    assert_eq!(store.apply(renew(None)).await, Ok(Applied::Done(vec![Reply::Was(false)])));
    store.apply(text_until("k", "v", Some(stand.now() + LIFE))).await.expect("kept");
    let later = stand.now() + Span(LIFE.0 * 3);
    assert_eq!(store.apply(renew(Some(later))).await, Ok(Applied::Done(vec![Reply::Was(true)])));
    stand.advance(Span(LIFE.0 * 3 / 2)).await;
    assert_eq!(whole(&store, "k").await, Answer::Whole(Value::Text(text("v"))));
    stand.advance(Span(LIFE.0 * 2)).await;
    assert_eq!(store.apply(renew(None)).await, Ok(Applied::Done(vec![Reply::Was(false)])));
    assert_eq!(whole(&store, "k").await, Answer::Absent);
}

pub(super) async fn what_ended_is_not_mixed_into_what_is_new(stand: impl Stand) {
    let store = stand.store();
    let key = Key::from("h");
    let fields = Value::Hash([(Field::from("old"), text("1"))].into());
    let put = Operation::Put { key: key.clone(), value: fields, deadline: Some(stand.now() + LIFE) };
    store.apply(Batch { operations: vec![put], ..Batch::default() }).await.expect("kept");
    stand.advance(Span(LIFE.0 + 1)).await;
    let set = Operation::SetField { key: key.clone(), field: Field::from("new"), value: text("2") };
    let applied = store.apply(Batch { operations: vec![set], ..Batch::default() }).await;
    assert_eq!(applied, Ok(Applied::Done(vec![Reply::Was(false)])));
    let read = store.read("", vec![Query::Whole(key.clone()), Query::Deadline(key.clone()), Query::Count(key)]).await;
    let fields = Value::Hash([(Field::from("new"), text("2"))].into());
    assert_eq!(read, Ok(vec![Answer::Whole(fields), Answer::Deadline(None), Answer::Count(1)]));
}

pub(super) async fn named_keys_are_kept_as_others_are(stand: impl Stand) {
    let store = stand.store();
    let named = RoomKey {
        tag: Key::from("7"),
        spine: Key::from("spine:7"),
        records: Arc::from([Key::from("a:7"), Key::from("b:7")]),
        below: Some(Key::from("room:7:")),
    };
    let other = RoomKey { tag: Key::from("8"), spine: Key::from("spine:8"), records: Arc::from([Key::from("a:8")]), below: None };
    let deadline = stand.now() + LIFE;
    let writes = vec![put("a:7", "1"), set("b:7", "f", "2"), put("unnamed", "3"), put("room:7:x", "8")];
    let place = store.append(&named, None, lives(1, deadline, writes)).await.expect("created");
    store.append(&other, None, commit(1, "x", vec![put("a:8", "4"), put("unnamed", "5")])).await.expect("created");
    let keys = |loaded: Option<crate::Loaded>| -> Vec<String> {
        loaded.expect("there").records.iter().map(|(key, _)| key.to_string()).collect()
    };
    assert_eq!(keys(store.load(&named).await.expect("readable")), ["a:7", "b:7", "room:7:x", "unnamed"]);
    let again = lives(2, deadline, vec![Write::Drop { key: Key::from("a:7") }, set("c", "f", "6")]);
    let place = store.append(&named, Some(place), again).await.expect("follows");
    assert_eq!(keys(store.load(&named).await.expect("readable")), ["b:7", "c", "room:7:x", "unnamed"]);
    store.close(&named, place, NodeId(1)).await.expect("closed");
    let place = store.append(&named, None, lives(1, deadline, vec![])).await.expect("created again");
    assert_eq!(store.load(&named).await.expect("readable").expect("there").records, [], "nothing of the old one is left");
    store.append(&named, Some(place), lives(2, deadline, vec![put("unnamed", "7")])).await.expect("follows");
    stand.advance(Span(LIFE.0 + 1)).await;
    store.append(&named, None, commit(1, "x", vec![])).await.expect("it has ended");
    assert_eq!(store.load(&named).await.expect("readable").expect("there").records, []);
    assert_eq!(keys(store.load(&other).await.expect("readable")), ["a:8", "unnamed"]);
}
