//! Cases about one room and one writer at a time.

use super::*;
use crate::limits::{NAME_BYTES_MAX, TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::rooms::{Since, Wake};
use crate::shapes::Score;
use std::collections::BTreeMap;

pub(super) async fn a_room_is_created_once(stand: impl Stand) {
    let store = stand.store();
    let before = stand.now();
    let place = store.append(&room("r"), None, commit(1, "a", vec![put("k", "v")])).await.expect("created");
    assert_eq!((place.position.seq, place.mark), (1, Mark(1)));
    assert!(place.position.epoch >= before.0 && place.position.epoch <= stand.now().0, "the epoch is the creation's time");
    assert_eq!(store.append(&room("r"), None, commit(2, "b", vec![put("k", "w")])).await, conflict());
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!((loaded.place, loaded.records), (place, vec![(Key::from("k"), Value::Text(text("v")))]));
    assert_eq!(store.load(&room("other")).await, Ok(None));
}

pub(super) async fn an_append_follows_the_place_it_names(stand: impl Stand) {
    let store = stand.store();
    let first = history(&store, &room("r"), 1).await;
    let second = store.append(&room("r"), Some(first), commit(2, "b", vec![])).await.expect("follows");
    assert_eq!(second, Place { position: first.position.next(), mark: Mark(2) });
    assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").place, second);
}

pub(super) async fn an_append_elsewhere_conflicts(stand: impl Stand) {
    let store = stand.store();
    let first = history(&store, &room("r"), 1).await;
    assert_eq!(store.append(&room("absent"), Some(first), commit(2, "x", vec![])).await, conflict());
    let last = store.append(&room("r"), Some(first), commit(2, "b", vec![])).await.expect("follows");
    assert_eq!(store.append(&room("r"), Some(first), commit(3, "c", vec![put("k", "v")])).await, conflict());
    let ahead = Place { position: last.position.next(), mark: Mark(3) };
    assert_eq!(store.append(&room("r"), Some(ahead), commit(4, "d", vec![])).await, conflict());
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!((loaded.place, loaded.records), (last, vec![]));
}

pub(super) async fn asking_again_with_the_same_mark_answers_the_same(stand: impl Stand) {
    let store = stand.store();
    let first = store.append(&room("r"), None, commit(7, "a", vec![])).await.expect("created");
    assert_eq!(store.append(&room("r"), None, commit(7, "a", vec![])).await, Ok(first));
    let second = store.append(&room("r"), Some(first), commit(8, "b", vec![])).await.expect("follows");
    assert_eq!(store.append(&room("r"), Some(first), commit(8, "b", vec![])).await, Ok(second));
    assert_eq!(store.append(&room("r"), None, commit(7, "a", vec![])).await, conflict(), "it has moved on since");
    match store.since(&room("r"), first).await.expect("readable") {
        Since::Entries(entries) => assert_eq!(said(&entries), ["b"], "kept once"),
        other => panic!("{other:?}"),
    }
}

pub(super) async fn the_same_id_with_another_mark_is_another_history(stand: impl Stand) {
    let store = stand.store();
    let last = history(&store, &room("r"), 3).await;
    let other = Place { mark: Mark(99), ..last };
    assert_eq!(store.append(&room("r"), Some(other), commit(4, "x", vec![])).await, conflict());
    assert_eq!(store.since(&room("r"), other).await, Ok(Since::Lost));
    assert_eq!(store.close(&room("r"), other, NodeId(1)).await, conflict());
}

pub(super) async fn a_closed_room_is_gone_and_stays_gone(stand: impl Stand) {
    let store = stand.store();
    let first = store.append(&room("r"), None, commit(1, "a", vec![put("k", "v")])).await.expect("created");
    store.close(&room("r"), first, NodeId(1)).await.expect("closed");
    assert_eq!(store.load(&room("r")).await, Ok(None));
    assert_eq!(store.since(&room("r"), first).await, Ok(Since::Absent));
    assert_eq!(store.append(&room("r"), Some(first), commit(2, "late", vec![put("k", "w")])).await, conflict());
    assert_eq!(store.load(&room("r")).await, Ok(None), "a late writer cannot bring it back");
    assert_eq!(store.close(&room("r"), first, NodeId(1)).await, conflict());
}

pub(super) async fn closing_needs_the_right_place(stand: impl Stand) {
    let store = stand.store();
    let first = history(&store, &room("r"), 1).await;
    let second = store.append(&room("r"), Some(first), commit(2, "b", vec![])).await.expect("follows");
    assert_eq!(store.close(&room("r"), first, NodeId(1)).await, conflict());
    assert_eq!(store.close(&room("r"), second, NodeId(1)).await, Ok(()));
}

pub(super) async fn a_closed_room_can_be_created_again(stand: impl Stand) {
    let store = stand.store();
    let writes = vec![put("k", "v"), set("h", "f", "1"), set("h", "g", "2")];
    let old = store.append(&room("r"), None, commit(1, "a", writes)).await.expect("created");
    store.close(&room("r"), old, NodeId(1)).await.expect("closed");
    let new = store.append(&room("r"), None, commit(2, "b", vec![set("h", "f", "3")])).await.expect("created again");
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    let hash = Value::Hash(BTreeMap::from([(Field::from("f"), text("3"))]));
    assert_eq!((loaded.place, loaded.records), (new, vec![(Key::from("h"), hash)]));
    assert_eq!(store.since(&room("r"), old).await, Ok(Since::Lost));
    assert_eq!(store.append(&room("r"), Some(old), commit(3, "late", vec![])).await, conflict());
}

pub(super) async fn every_shape_is_loaded_as_it_was_put(stand: impl Stand) {
    let store = stand.store();
    let score = |score| Score::new(score).expect("a number");
    let values = [
        ("a text", Value::Text(text("a\0b"))),
        ("b empty text", Value::Text(text(""))),
        ("c document", Value::Document(text(r#"{"a":1}"#))),
        ("d hash", Value::Hash((0..2000).map(|n| (Field::from(format!("f{n}")), text(n.to_string()))).collect())),
        ("e list", Value::List(vec![text("x"), text(""), text("x")])),
        ("f set", Value::SortedSet([("m", 1.5), ("n", -2.0), ("", 0.0)].map(|(m, s)| (Field::from(m), score(s))).into())),
    ];
    let writes = values.iter().map(|(key, value)| Write::Put { key: Key::from(*key), value: value.clone() }).collect();
    store.append(&room("r"), None, commit(1, "a", writes)).await.expect("created");
    let mut loaded = store.load(&room("r")).await.expect("readable").expect("there").records;
    loaded.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(loaded, values.map(|(key, value)| (Key::from(key), value)));
}

pub(super) async fn writes_leave_what_they_say(stand: impl Stand) {
    let store = stand.store();
    let key = |key: &str| Key::from(key);
    let hash = |fields: &[(&str, &str)]| Value::Hash(fields.iter().map(|(f, v)| (Field::from(*f), text(v))).collect());
    type Step = (Vec<Write>, Vec<(Key, Value)>);
    let steps: Vec<Step> = vec![
        (vec![set("h", "a", "1"), set("h", "b", "2")], vec![(key("h"), hash(&[("a", "1"), ("b", "2")]))]),
        (
            vec![set("h", "a", "3"), Write::DropField { key: key("h"), field: Field::from("b") }],
            vec![(key("h"), hash(&[("a", "3")]))],
        ),
        (vec![Write::Put { key: key("h"), value: hash(&[("c", "4")]) }], vec![(key("h"), hash(&[("c", "4")]))]),
        (
            vec![set("h", "d", "5"), Write::Put { key: key("h"), value: hash(&[("e", "6")]) }],
            vec![(key("h"), hash(&[("e", "6")]))],
        ),
        (vec![put("h", "text now")], vec![(key("h"), Value::Text(text("text now")))]),
        (vec![Write::Drop { key: key("h") }, set("h", "z", "7")], vec![(key("h"), hash(&[("z", "7")]))]),
        (vec![Write::DropField { key: key("h"), field: Field::from("z") }], vec![]),
        (vec![Write::DropField { key: key("h"), field: Field::from("z") }, Write::Drop { key: key("none") }], vec![]),
        (
            vec![Write::Put { key: key("h"), value: hash(&[]) }, put("t", "1"), put("t", "2")],
            vec![(key("t"), Value::Text(text("2")))],
        ),
    ];
    let mut at = None;
    for (mark, (writes, expected)) in steps.into_iter().enumerate() {
        at = Some(store.append(&room("r"), at, commit(mark as u64, "x", writes)).await.expect("follows"));
        assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").records, expected, "step {mark}");
    }
}

pub(super) async fn a_refused_commit_changes_nothing(stand: impl Stand) {
    let store = stand.store();
    let first = store.append(&room("r"), None, commit(1, "a", vec![put("k", "v"), set("h", "f", "1")])).await.expect("created");
    let before = store.load(&room("r")).await;
    let writes = vec![set("h", "f", "2"), put("new", "x"), set("k", "field", "of a text")];
    assert_eq!(store.append(&room("r"), Some(first), commit(2, "b", writes)).await, Err(StoreError::Shape("k".into())));
    assert_eq!(store.load(&room("r")).await, before);
    assert_eq!(store.since(&room("r"), first).await, Ok(Since::Entries(vec![])));
    store.append(&room("r"), Some(first), commit(2, "b", vec![set("h", "f", "3")])).await.expect("the place is still free");
    let refused = store.append(&room("new"), None, commit(1, "a", vec![put("k", "v"), set("k", "f", "1")])).await;
    assert_eq!(refused, Err(StoreError::Shape("k".into())));
    assert_eq!(store.load(&room("new")).await, Ok(None));
}

pub(super) async fn since_answers_what_came_after(stand: impl Stand) {
    let store = stand.store();
    let first = history(&store, &room("r"), 1).await;
    assert_eq!(store.since(&room("r"), first).await, Ok(Since::Entries(vec![])));
    let mut at = first;
    for mark in 2..=5 {
        at = store.append(&room("r"), Some(at), commit(mark, &mark.to_string(), vec![])).await.expect("follows");
    }
    let Ok(Since::Entries(entries)) = store.since(&room("r"), first).await else { panic!("the place is kept") };
    assert_eq!(said(&entries), ["2", "3", "4", "5"]);
    assert_eq!(entries.last().map(|entry| entry.place), Some(at));
    assert!(entries.windows(2).all(|pair| pair[0].place.position.next() == pair[1].place.position));
    let ahead = Place { position: at.position.next(), mark: Mark(6) };
    assert_eq!(store.since(&room("r"), ahead).await, Ok(Since::Lost));
    assert_eq!(store.since(&room("absent"), first).await, Ok(Since::Absent));
}

pub(super) async fn the_tail_is_bounded(stand: impl Stand) {
    let store = stand.store();
    let count = if stand.is_far() { 600 } else { 5_000 };
    let last = history(&store, &room("r"), count).await;
    let place = |seq: u64| Place { position: parlor_rules::position::Position { seq, ..last.position }, mark: Mark(seq) };
    let oldest = count - TAIL_COUNT_MAX as u64 + 1;
    let Ok(Since::Entries(entries)) = store.since(&room("r"), place(oldest)).await else { panic!("256 are kept") };
    assert_eq!(said(&entries), (oldest + 1..=count).map(|mark| mark.to_string()).collect::<Vec<_>>());
    assert_eq!(store.since(&room("r"), place(1)).await, Ok(Since::Lost));
}

pub(super) async fn the_tail_is_bounded_in_bytes(stand: impl Stand) {
    let store = stand.store();
    let big = "x".repeat(TAIL_BYTES_MAX / 4);
    let mut places = Vec::new();
    for mark in 1..=6 {
        let place = store.append(&room("r"), places.last().copied(), commit(mark, &big, vec![])).await.expect("follows");
        places.push(place);
    }
    assert_eq!(store.since(&room("r"), places[1]).await, Ok(Since::Lost), "four do not fit with their field names");
    assert!(matches!(store.since(&room("r"), places[3]).await, Ok(Since::Entries(entries)) if entries.len() == 2));
    let huge = "x".repeat(TAIL_BYTES_MAX * 2);
    let last = store.append(&room("r"), places.last().copied(), commit(7, &huge, vec![])).await.expect("follows");
    assert_eq!(store.since(&room("r"), last).await, Ok(Since::Entries(vec![])), "the last is always kept");
    assert_eq!(store.since(&room("r"), places[5]).await, Ok(Since::Lost));
    let next = store.append(&room("r"), Some(last), commit(8, "small", vec![])).await.expect("follows");
    assert_eq!(store.since(&room("r"), last).await, Ok(Since::Lost));
    assert_eq!(store.since(&room("r"), next).await, Ok(Since::Entries(vec![])));
}

pub(super) async fn too_large_is_refused(stand: impl Stand) {
    let store = stand.store();
    let limits = store.limits();
    let first = history(&store, &room("r"), 1).await;
    let before = store.load(&room("r")).await;
    let many = (0..=limits.writes_max).map(|n| put(&format!("k{n}"), "v")).collect();
    let big = vec![put("k", &"x".repeat(limits.bytes_max + 1))];
    let long = vec![put(&"k".repeat(NAME_BYTES_MAX + 1), "v")];
    for writes in [many, big, long] {
        let refused = store.append(&room("r"), Some(first), commit(2, "b", writes)).await;
        assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    }
    assert_eq!(store.load(&room("r")).await, before);
    let name = "n".repeat(NAME_BYTES_MAX);
    let most = vec![put(&name, "v"), set("h", &name, "v")];
    store.append(&room(&name), None, commit(1, "a", most)).await.expect("the longest names are taken");
    assert_eq!(store.load(&room(&name)).await.expect("readable").expect("there").records.len(), 2);
}

pub(super) async fn strange_names_do_not_collide(stand: impl Stand) {
    let store = stand.store();
    let names = ["", "a", "a\0", "a\0\u{1}", "a\0b", "\0", "\u{1}", "\u{ff}", "r", "{r}", "é", "e\u{301}"];
    for (mark, name) in names.iter().enumerate() {
        let mut writes: Vec<Write> = names.iter().map(|key| put(key, &format!("{name}/{key}"))).collect();
        writes.extend(names.iter().map(|field| set("fields", field, &format!("{name}/{field}"))));
        store.append(&room(name), None, commit(mark as u64, name, writes)).await.expect("created");
    }
    for name in names {
        let loaded = store.load(&room(name)).await.expect("readable").expect("there").records;
        assert_eq!(loaded.len(), names.len() + 1);
        for (key, value) in loaded {
            match value {
                Value::Text(value) => assert_eq!(value, text(format!("{name}/{key}"))),
                Value::Hash(fields) => {
                    assert_eq!(fields.len(), names.len());
                    assert!(fields.iter().all(|(field, value)| *value == text(format!("{name}/{field}"))));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

pub(super) async fn watchers_hear_of_others_only(stand: impl Stand) {
    let store = stand.store();
    let mut mine = store.watch(&room("r"), NodeId(1)).await.expect("watched");
    let mut other = store.watch(&room("r"), NodeId(2)).await.expect("watched");
    let _elsewhere = store.watch(&room("s"), NodeId(2)).await.expect("watched");
    let first = history(&store, &room("r"), 1).await;
    assert_eq!(other.next().await, Some(Wake::Moved(first)));
    let mut by_two = commit(2, "b", vec![]);
    by_two.by = NodeId(2);
    let second = store.append(&room("r"), Some(first), by_two).await.expect("follows");
    assert_eq!(mine.next().await, Some(Wake::Moved(second)), "the first hint was not for node 1");
    store.close(&room("r"), second, NodeId(1)).await.expect("closed");
    assert_eq!(other.next().await, Some(Wake::Closed), "node 2 was not told of its own commit");
}

pub(super) async fn nodes_know_who_is_at_the_others(stand: impl Stand) {
    let store = stand.store();
    let (one, two) = (NodeId(1), NodeId(2));
    let names = |names: &[&str]| -> Vec<Field> { names.iter().map(|name| Field::from(*name)).collect() };
    let others = async |node, here: &[&str]| -> Vec<Field> {
        let mut others = store.announce(&room("r"), node, names(here)).await.expect("announced").others;
        others.sort_unstable();
        others
    };
    let mut watch = store.watch(&room("r"), two).await.expect("watched");
    assert_eq!(others(one, &["ana", "bo"]).await, names(&[]));
    assert_eq!(watch.next().await, Some(Wake::Here));
    assert_eq!(others(two, &["cy", ""]).await, names(&["ana", "bo"]));
    assert_eq!(others(one, &["bo", "ana"]).await, names(&["", "cy"]), "the same word again is no news");
    let place = history(&store, &room("r"), 1).await;
    assert_eq!(watch.next().await, Some(Wake::Moved(place)), "nor is one's own");
    assert_eq!(others(one, &["bo"]).await, names(&["", "cy"]));
    assert_eq!(watch.next().await, Some(Wake::Here));
    let announced = store.announce(&room("r"), two, vec![]).await.expect("announced");
    assert!(announced.holds_for.is_some_and(|span| span > Span(0) && span <= crate::limits::LEASE));
    assert_eq!((announced.others, announced.place), (names(&["bo"]), Some(place)));
    assert_eq!(others(one, &["bo"]).await, names(&[]), "who says that nobody is there has taken its word back");
    assert_eq!(store.announce(&room("s"), one, vec![]).await, Ok(crate::Announced::default()));
    if stand.is_stepped() {
        stand.advance(crate::limits::LEASE).await;
        assert_eq!(others(two, &[]).await, names(&[]), "a word that is not given again is forgotten");
    }
}

pub(super) async fn what_is_told_is_heard_elsewhere_only(stand: impl Stand) {
    let store = stand.store();
    let mut mine = store.watch(&room("r"), NodeId(1)).await.expect("watched");
    let mut other = store.watch(&room("r"), NodeId(2)).await.expect("watched");
    let mut elsewhere = store.watch(&room("s"), NodeId(2)).await.expect("watched");
    for what in ["", "a\0b", "c"] {
        store.tell(&room("r"), NodeId(1), text(what)).await.expect("told");
        assert_eq!(other.next().await, Some(Wake::Told(text(what))));
    }
    store.tell(&room("r"), NodeId(2), text("back")).await.expect("told");
    assert_eq!(mine.next().await, Some(Wake::Told(text("back"))), "one's own is not heard");
    store.tell(&room("s"), NodeId(1), text("there")).await.expect("told");
    assert_eq!(elsewhere.next().await, Some(Wake::Told(text("there"))), "another room's is not heard");
    assert_eq!(store.load(&room("r")).await, Ok(None), "telling keeps nothing");
}
