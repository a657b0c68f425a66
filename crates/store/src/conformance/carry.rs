//! Cases about stores that are copied whole: what is put is what was taken, and goes on as if it had never moved.

use super::*;
use crate::carry::{CarriedRecord, CarriedRoom, Carry, Catalogue, Loose, Over, Page, Put, Thing};
use crate::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::memory::Memory;
use crate::records::{Batch, Operation};
use crate::rooms::Since;
use crate::shapes::Score;
use std::collections::BTreeSet;

struct Known;

impl Catalogue for Known {
    fn thing(&self, key: &str) -> Option<Thing> {
        let (kind, id) = key.split_once(':')?;
        match kind {
            "spine" if !id.contains(['/', '#']) => Some(Thing::Spine(named(id))),
            "a" | "b" => Some(Thing::Part(named(id))),
            "tied" => Some(Thing::Record { tag: id.into() }),
            "loose" => Some(Thing::Record { tag: "".into() }),
            _ => None,
        }
    }
}

fn named(id: &str) -> RoomKey {
    let key = |name: &str| Key::from(format!("{name}:{id}"));
    RoomKey { tag: id.into(), spine: key("spine"), records: Arc::from([key("a"), key("b")]), below: None }
}

fn tied(id: &str) -> Loose {
    Loose { tag: id.into(), key: format!("tied:{id}").into() }
}

fn loose(id: &str) -> Loose {
    Loose { tag: "".into(), key: format!("loose:{id}").into() }
}

/// A store of the reference on the same clock.
fn reference<S: Stand>(stand: &Arc<S>) -> Memory {
    let stand = stand.clone();
    Memory::new(Arc::new(move || stand.now()))
}

fn shapes() -> Vec<Value> {
    let score = |score| Score::new(score).expect("a number");
    vec![
        Value::Text(text("a\0b")),
        Value::Text(text("{")),
        Value::Document(text(r#"{"a":1}"#)),
        Value::Hash((0..50).map(|n| (Field::from(format!("f{n}")), text(n.to_string()))).collect()),
        Value::List(vec![text("x"), text(""), text("x")]),
        Value::SortedSet([("m", 1.5), ("n", -2.0), ("", 0.1 + 0.2)].map(|(m, s)| (Field::from(m), score(s))).into()),
    ]
}

/// Every shape under named and unnamed keys, some of them strange, in three commits.
async fn furnished(store: &impl Rooms, id: &str, deadline: Option<Millis>) -> Place {
    let room = named(id);
    let names = [&*room.records[0], "c", "", "#here", "x/y", "{z}"].map(Key::from);
    let put = |(key, value): (Key, Value)| Write::Put { key, value };
    let writes: Vec<Write> = names.into_iter().zip(shapes()).map(put).collect();
    let with = |mark, writes| Commit { deadline, ..commit(mark, "said", writes) };
    let place = store.append(&room, None, with(11, writes)).await.expect("created");
    let place = store.append(&room, Some(place), with(12, vec![set(&room.records[1], "f", "1")])).await.expect("follows");
    store.append(&room, Some(place), with(13, vec![set(&room.records[1], "g", "2")])).await.expect("follows")
}

async fn taken(store: &impl Carry, room: &RoomKey) -> CarriedRoom {
    store.take_room(room).await.expect("readable").expect("there")
}

pub(super) async fn a_room_is_the_same_after_a_trip<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, before, after) = (stand.store(), reference(&stand), reference(&stand));
    for (id, deadline) in [("1", None), ("2", Some(stand.now() + Span::minutes(5)))] {
        let room = named(id);
        let place = furnished(&before, id, deadline).await;
        let carried = taken(&before, &room).await;
        assert_eq!((carried.place, carried.deadline, carried.tail.len()), (place, deadline, 3));
        assert_eq!(store.put_room(&room, carried.clone(), Over::Nothing).await, Ok(Put::Kept));
        assert_eq!(taken(&store, &room).await, carried, "there");
        let loaded = store.load(&room).await.expect("readable").expect("there");
        assert_eq!((loaded.place, loaded.deadline, loaded.records), (place, deadline, carried.records.clone()));
        assert_eq!(after.put_room(&room, taken(&store, &room).await, Over::Nothing).await, Ok(Put::Kept));
        assert_eq!(taken(&after, &room).await, carried, "and back");
    }
}

pub(super) async fn what_a_store_made_itself_is_taken_as_the_reference_does<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, other) = (stand.store(), reference(&stand));
    let deadline = Some(stand.now() + Span::minutes(5));
    furnished(&store, "1", deadline).await;
    furnished(&other, "1", deadline).await;
    let (mut mine, theirs) = (taken(&store, &named("1")).await, taken(&other, &named("1")).await);
    // They were not made in the same millisecond.
    let epoch = theirs.place.position.epoch;
    mine.place.position.epoch = epoch;
    mine.tail.iter_mut().for_each(|entry| entry.place.position.epoch = epoch);
    assert_eq!(mine, theirs);
    assert_eq!(store.take_room(&named("absent")).await, Ok(None));
}

pub(super) async fn a_carried_room_goes_on<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, before) = (stand.store(), reference(&stand));
    let room = named("1");
    let count = TAIL_COUNT_MAX as u64 + 40;
    let last = history(&before, &room, count).await;
    let carried = taken(&before, &room).await;
    assert_eq!(carried.tail.len(), TAIL_COUNT_MAX, "what is kept of it");
    let (oldest, middle) = (carried.tail[0].place, carried.tail[100].place);
    assert_eq!(store.put_room(&room, carried.clone(), Over::Nothing).await, Ok(Put::Kept));
    let entries = |since: Since| match since {
        Since::Entries(entries) => entries,
        other => panic!("{other:?}"),
    };
    assert_eq!(entries(store.since(&room, oldest).await.expect("readable")), carried.tail[1..]);
    assert_eq!(entries(store.since(&room, last).await.expect("readable")), []);
    let mut lost = oldest;
    lost.position.seq -= 1;
    assert_eq!(store.since(&room, lost).await, Ok(Since::Lost), "that is no longer kept");
    let stale = Place { mark: Mark(99), ..last };
    assert_eq!(store.append(&room, Some(stale), commit(5, "x", vec![])).await, conflict(), "the mark came too");
    let mut place = last;
    for mark in count + 1..=count + 60 {
        let kept = store.append(&room, Some(place), commit(mark, &mark.to_string(), vec![put("k", &mark.to_string())])).await;
        let kept = kept.expect("follows");
        assert_eq!(kept, Place { position: place.position.next(), mark: Mark(mark) });
        place = kept;
    }
    assert_eq!(entries(store.since(&room, middle).await.expect("readable")).len(), TAIL_COUNT_MAX - 101 + 60);
    assert_eq!(store.since(&room, oldest).await, Ok(Since::Lost), "pushed out by what came after");
    let again = taken(&store, &room).await;
    assert_eq!((again.place, again.tail.len()), (place, TAIL_COUNT_MAX));
    store.close(&room, place, NodeId(1)).await.expect("closed");
    assert_eq!(store.take_room(&room).await, Ok(None));
    assert_eq!(store.put_room(&room, again.clone(), Over::Nothing).await, Ok(Put::Kept), "where one was closed");
    assert_eq!(taken(&store, &room).await, again);
}

pub(super) async fn a_tail_is_bounded_in_bytes_on_its_way<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, other) = (stand.store(), reference(&stand));
    let room = named("1");
    let long = "x".repeat(TAIL_BYTES_MAX / 3);
    let mut places = (None, None);
    for mark in 1..=20 {
        places.0 = Some(store.append(&room, places.0, commit(mark, &long, vec![])).await.expect("follows"));
        places.1 = Some(other.append(&room, places.1, commit(100 + mark, &long, vec![])).await.expect("follows"));
    }
    let (mine, theirs) = (taken(&store, &room).await, taken(&other, &room).await);
    assert_eq!(mine.tail.len(), theirs.tail.len());
    assert_eq!(other.put_room(&room, mine.clone(), Over::Anything).await, Ok(Put::Kept));
    let place = other.append(&room, Some(mine.place), commit(21, &long, vec![])).await.expect("follows");
    assert_eq!(store.put_room(&room, taken(&other, &room).await, Over::Anything).await, Ok(Put::Kept));
    let place = store.append(&room, Some(place), commit(22, &long, vec![])).await.expect("follows");
    assert_eq!((taken(&store, &room).await.place, taken(&store, &room).await.tail.len()), (place, theirs.tail.len()));
}

pub(super) async fn what_is_there_is_not_replaced_unless_told<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, other) = (stand.store(), reference(&stand));
    let room = named("1");
    furnished(&other, "1", None).await;
    let first = taken(&other, &room).await;
    let moved_on = commit(14, "later", vec![Write::Drop { key: Key::from("c") }, put("new", "1")]);
    other.append(&room, Some(first.place), moved_on).await.expect("follows");
    let second = taken(&other, &room).await;
    assert_eq!(store.put_room(&room, first.clone(), Over::Nothing).await, Ok(Put::Kept));
    assert_eq!(store.put_room(&room, first.clone(), Over::Nothing).await, Ok(Put::Same));
    assert_eq!(store.put_room(&room, first.clone(), Over::Anything).await, Ok(Put::Same));
    assert_eq!(store.put_room(&room, second.clone(), Over::Nothing).await, Ok(Put::Other));
    let later = CarriedRoom { deadline: Some(stand.now() + Span::minutes(5)), ..first.clone() };
    assert_eq!(store.put_room(&room, later.clone(), Over::Nothing).await, Ok(Put::Other), "it ends at another time");
    let twin = Place { mark: Mark(77), ..first.place };
    let mut twins = first.clone();
    twins.place = twin;
    twins.tail.last_mut().expect("one").place = twin;
    assert_eq!(store.put_room(&room, twins, Over::Nothing).await, Ok(Put::Other), "another history");
    assert_eq!(taken(&store, &room).await, first, "as it was");
    assert_eq!(store.put_room(&room, second.clone(), Over::At(twin)).await, Ok(Put::Other), "it does not stand there");
    assert_eq!(store.put_room(&room, second.clone(), Over::At(first.place)).await, Ok(Put::Kept), "an earlier part of it");
    assert_eq!(taken(&store, &room).await, second);
    for next in [first.clone(), second, later, first] {
        assert_eq!(store.put_room(&room, next.clone(), Over::Anything).await, Ok(Put::Kept));
        assert_eq!(taken(&store, &room).await, next, "all of it, and nothing of what was there");
    }
}

pub(super) async fn a_room_of_any_size_is_put_whole<S: Stand<Store: Carry>>(stand: S) {
    let store = stand.store();
    let room = named("1");
    let size = store.limits().bytes_max;
    let large = text("x".repeat(1000));
    let count = size / 1000 / 2;
    let many = |n: usize| Field::from(format!("{n:08}"));
    let values = [
        Value::Hash((0..count).map(|n| (many(n), large.clone())).collect()),
        Value::List((0..count).map(|n| if n % 7 == 0 { text(n.to_string()) } else { large.clone() }).collect()),
        Value::SortedSet((0..3000).map(|n| (many(n), Score::new(n as f64 / 3.0).expect("a number"))).collect()),
        Value::Text(text("y".repeat(size / 3))),
        Value::Document(text("{}")),
    ];
    let names = [&*room.records[0], "list", "set", "text", &*room.records[1]].map(Key::from);
    let mut records: Vec<(Key, Value)> = names.into_iter().zip(values).collect();
    records.sort_by(|one, two| one.0.cmp(&two.0));
    let place = Place { position: parlor_rules::position::Position { epoch: 7, seq: 300 }, mark: Mark(5) };
    let tail = vec![Entry { place, fields: vec![(Field::from("said"), text("a"))] }];
    for deadline in [Some(stand.now() + Span::minutes(5)), None] {
        let carried = CarriedRoom { place, deadline, records: records.clone(), tail: tail.clone() };
        assert!(carried.bytes() > size);
        let over = if deadline.is_none() { Over::Anything } else { Over::Nothing };
        assert_eq!(store.put_room(&room, carried.clone(), over).await, Ok(Put::Kept));
        assert_eq!(store.put_room(&room, carried.clone(), Over::Nothing).await, Ok(Put::Same));
        assert!(taken(&store, &room).await == carried, "it came back otherwise");
        let other = CarriedRoom { deadline: Some(stand.now() + Span::minutes(9)), ..carried };
        assert_eq!(store.put_room(&room, other, Over::Nothing).await, Ok(Put::Other));
    }
    let small = CarriedRoom { place, deadline: None, records: vec![], tail: tail.clone() };
    assert_eq!(store.put_room(&room, small.clone(), Over::Anything).await, Ok(Put::Same), "the same place and the same end");
    let next = Place { position: place.position.next(), mark: Mark(6) };
    let small = CarriedRoom { place: next, tail: vec![Entry { place: next, fields: vec![] }], ..small };
    assert_eq!(store.put_room(&room, small.clone(), Over::Anything).await, Ok(Put::Kept));
    assert_eq!(taken(&store, &room).await, small);
}

pub(super) async fn what_does_not_hang_together_is_refused<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, other) = (stand.store(), reference(&stand));
    furnished(&other, "1", None).await;
    let whole = taken(&other, &named("1")).await;
    let mut gap = whole.clone();
    gap.tail.remove(1);
    let mut behind = whole.clone();
    behind.tail.pop();
    for broken in [gap, behind, CarriedRoom { tail: vec![], ..whole }] {
        assert!(matches!(store.put_room(&named("1"), broken, Over::Anything).await, Err(StoreError::Damaged(_))));
    }
    assert_eq!(store.take_room(&named("1")).await, Ok(None));
}

pub(super) async fn what_has_ended_is_not_carried<S: Stand<Store: Carry>>(stand: S) {
    let stand = Arc::new(stand);
    let (store, other) = (stand.store(), reference(&stand));
    let life = Span(400);
    furnished(&other, "1", Some(stand.now() + life)).await;
    let carried = taken(&other, &named("1")).await;
    assert_eq!(store.put_room(&named("2"), carried.clone(), Over::Nothing).await, Ok(Put::Kept));
    let record = CarriedRecord { value: Value::Text(text("v")), deadline: Some(stand.now() + life) };
    assert_eq!(store.put_record(&tied("2"), record.clone(), false).await, Ok(Put::Kept));
    stand.advance(Span(life.0 + 5)).await;
    assert_eq!(store.put_room(&named("1"), carried.clone(), Over::Nothing).await, Ok(Put::Ended));
    assert_eq!(store.put_record(&tied("1"), record, true).await, Ok(Put::Ended));
    for id in ["1", "2"] {
        assert_eq!(store.take_room(&named(id)).await, Ok(None));
        assert_eq!(store.take_record(&tied(id)).await, Ok(None));
    }
    let all = everything(&store).await;
    assert!(all.rooms.is_empty() && all.records.is_empty() && all.foreign.is_empty(), "{all:?}");
    let longer = CarriedRoom { deadline: Some(stand.now() + Span::minutes(5)), ..carried };
    assert_eq!(store.put_room(&named("2"), longer.clone(), Over::Nothing).await, Ok(Put::Kept), "where one has ended");
    assert_eq!(taken(&store, &named("2")).await, longer);
}

pub(super) async fn records_are_the_same_after_a_trip<S: Stand<Store: Carry>>(stand: S) {
    let store = stand.store();
    for (index, value) in shapes().into_iter().enumerate() {
        for (record, deadline) in [
            (tied(&index.to_string()), Some(stand.now() + Span::minutes(5))),
            (loose(&index.to_string()), None),
            (loose(&format!("{index}/{{#here")), None),
        ] {
            let carried = CarriedRecord { value: value.clone(), deadline };
            assert_eq!(store.take_record(&record).await, Ok(None));
            assert_eq!(store.put_record(&record, carried.clone(), false).await, Ok(Put::Kept), "{record:?}");
            assert_eq!(store.take_record(&record).await, Ok(Some(carried.clone())));
            assert_eq!(store.put_record(&record, carried.clone(), false).await, Ok(Put::Same));
            let others = [
                CarriedRecord { deadline: Some(stand.now() + Span::minutes(7)), ..carried.clone() },
                CarriedRecord { value: Value::Text(text("other")), ..carried.clone() },
            ];
            for other in others {
                assert_eq!(store.put_record(&record, other.clone(), false).await, Ok(Put::Other));
                assert_eq!(store.take_record(&record).await, Ok(Some(carried.clone())));
                assert_eq!(store.put_record(&record, other.clone(), true).await, Ok(Put::Kept));
                assert_eq!(store.take_record(&record).await, Ok(Some(other)));
                assert_eq!(store.put_record(&record, carried.clone(), true).await, Ok(Put::Kept));
            }
        }
    }
    let large = Value::List(vec![text("x".repeat(1000)); store.limits().bytes_max / 900]);
    let large = CarriedRecord { value: large, deadline: None };
    assert_eq!(store.put_record(&tied("large"), large.clone(), false).await, Ok(Put::Kept), "however it grew so large");
    assert!(store.take_record(&tied("large")).await == Ok(Some(large)), "it came back otherwise");
}

/// All pages together, without repetitions.
async fn everything(store: &impl Carry) -> Page {
    let (mut rooms, mut records, mut foreign, mut after) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), None);
    loop {
        let page = store.list(&Known, after).await.expect("readable");
        rooms.extend(page.rooms);
        records.extend(page.records);
        foreign.extend(page.foreign);
        after = page.next;
        if after.is_none() {
            let (rooms, records) = (rooms.into_iter().collect(), records.into_iter().collect());
            return Page { rooms, records, foreign: foreign.into_iter().collect(), next: None };
        }
    }
}

pub(super) async fn everything_is_listed<S: Stand<Store: Carry>>(stand: S) {
    let store = stand.store();
    assert!(everything(&store).await.rooms.is_empty());
    let deadline = Some(stand.now() + Span::minutes(5));
    let mut expected = (Vec::new(), Vec::new());
    for number in 0..700 {
        let id = format!("{number:04}");
        if number % 100 == 0 {
            furnished(&store, &id, deadline).await;
            store.announce(&named(&id), NodeId(3), vec![Field::from("ana")]).await.expect("heard");
        } else {
            store.append(&named(&id), None, Commit { deadline, ..commit(1, "x", vec![]) }).await.expect("created");
        }
        expected.0.push(named(&id));
        let record = if number % 2 == 0 { tied(&id) } else { loose(&id) };
        let put = Operation::Put { key: record.key.clone(), value: Value::Text(text("v")), deadline };
        let batch = Batch { tag: record.tag.to_string(), operations: vec![put], ..Batch::default() };
        store.apply(batch).await.expect("kept");
        expected.1.push(record);
    }
    let closed = store.append(&named("9999"), None, commit(1, "x", vec![])).await.expect("created");
    store.close(&named("9999"), closed, NodeId(1)).await.expect("closed");
    history(&store, &room("a stranger"), 1).await;
    expected.1.sort();
    let all = everything(&store).await;
    assert_eq!(all.rooms.len(), expected.0.len());
    assert!(all.rooms == expected.0 && all.records == expected.1, "something else is listed");
    assert_eq!(all.foreign.len(), 1, "{:?}", all.foreign);
    assert!(all.foreign[0].contains("a stranger"));
}

pub(super) async fn a_room_is_taken_at_one_moment_while_a_rival_commits<S: Stand<Store: Carry>>(stand: S) {
    let store = stand.store();
    let room = named("1");
    let numbered = |mark: u64| {
        let fields = (0..20).map(|field| set(&named("1").records[0], &field.to_string(), &mark.to_string()));
        commit(mark, &mark.to_string(), fields.chain([put("k", &mark.to_string())]).collect())
    };
    let mut place = store.append(&room, None, numbered(1)).await.expect("created");
    let (rival, rivals_room) = (store.clone(), room.clone());
    let writing = tokio::spawn(async move {
        for mark in 2..=150 {
            place = rival.append(&rivals_room, Some(place), numbered(mark)).await.expect("nobody else writes");
            tokio::task::yield_now().await;
        }
    });
    while !writing.is_finished() {
        let carried = match store.take_room(&room).await {
            Ok(carried) => carried.expect("there"),
            Err(StoreError::Busy) => continue, // It moved each time.
            Err(other) => panic!("{other:?}"),
        };
        let number = carried.place.position.seq.to_string();
        assert_eq!(carried.tail.last().map(|last| last.place), Some(carried.place));
        let Value::Hash(fields) = &carried.records[0].1 else { panic!("{carried:?}") };
        assert!(fields.values().all(|value| *value == number), "{number}: {fields:?}");
        assert_eq!(carried.records[1].1, Value::Text(text(&number)));
        tokio::task::yield_now().await;
    }
    writing.await.expect("it went well");
}
