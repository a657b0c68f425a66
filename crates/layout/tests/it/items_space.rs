//! A space's items are those of document 001, however large its parts are: a key costs the same among ten and among a hundred thousand.

use crate::items::changed;
use parlor_layout::items::{Documents, Done, Table};
use parlor_layout::room_key;
use parlor_layout::shelf::Shelf;
use parlor_rules::Millis;
use parlor_store::items::attribute::attributes_bytes;
use parlor_store::items::form::{Change, Form, HEAD};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{RoomKey, Value, Write};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A space with what lies on its shelf and on its table.
pub(crate) struct Board {
    pub(crate) room: RoomKey,
    pub(crate) table: Table,
    pub(crate) shelf: Shelf,
    seq: u64,
}

const BOARD: &str = "map:board";

impl Board {
    pub(crate) fn new() -> Board {
        let room = room_key(&"space/12345".parse().unwrap());
        let mut board = Board { room, table: Table::default(), shelf: Shelf::default(), seq: 0 };
        board.commit(&[settings(&["board"], &["todo"])]);
        board
    }

    pub(crate) fn commit(&mut self, writes: &[Write]) -> Done {
        self.seq += 1;
        self.shelf.lay(writes);
        let done = self.table.lay(&Documents, &self.room, writes, Millis(self.seq));
        done.unwrap_or_else(|error| panic!("{error}: {:?}", writes.iter().map(Write::key).collect::<Vec<_>>()))
    }

    pub(crate) fn set(&self, key: &str, value: &str) -> Write {
        let value = format!(r#"{{"version":{},"value":{value}}}"#, self.seq + 1);
        Write::SetField { key: BOARD.into(), field: key.into(), value: value.into() }
    }

    pub(crate) fn reads_well(&self) {
        let read = self.table.records(&Documents, &self.room).unwrap();
        // Not `assert_eq`: it would print megabytes.
        assert!(read == self.shelf.records(), "the items read as another space");
    }

    fn buckets(&self) -> Vec<(&String, usize)> {
        let buckets = self.table.0.iter().filter(|(sk, _)| sk.starts_with("MAP#board"));
        buckets.map(|(sk, item)| (sk, attributes_bytes(item))).collect()
    }
}

pub(crate) fn settings(maps: &[&str], lists: &[&str]) -> Write {
    let parts = serde_json::json!({ "maps": maps, "lists": lists });
    let parts = format!(r#"{{"maps":{},"lists":{},"presences":{{}}}}"#, parts["maps"], parts["lists"]);
    let key = format!("sha256:{}", "ab".repeat(32));
    let text = format!(r#"{{"host_key":"{key}","guests":"write","members":"write","parts":{parts},"created_at":5}}"#);
    Write::Put { key: "space_settings:12345".into(), value: Value::Document(text.into()) }
}

fn remove(key: &str) -> Write {
    Write::DropField { key: BOARD.into(), field: key.into() }
}

/// What all items of a table weigh.
struct Scales(BTreeMap<String, usize>);

impl Scales {
    fn new(table: &Table) -> Scales {
        Scales(table.0.iter().map(|(sk, item)| (sk.clone(), sk.len() + attributes_bytes(item))).collect())
    }

    /// Bytes of all items that a commit wrote, as the service counts them: of each the larger of before and after, and the head's.
    fn written(&mut self, table: &Table, done: &Done) -> usize {
        let sks: BTreeSet<&str> = done.changes.iter().map(Change::sk).chain([HEAD]).collect();
        let weigh = |sk: &str| {
            let now = table.0.get(sk).map_or(0, |item| sk.len() + attributes_bytes(item));
            self.0.insert(sk.to_owned(), now).unwrap_or(0).max(now)
        };
        sks.into_iter().map(weigh).sum()
    }
}

#[test]
fn the_items_are_those_of_document_001() {
    let mut board = Board::new();
    board.commit(&[board.set("k1", r#"{"x":1,"y":"","deep":[null,true,{"z":2.5}]}"#), board.set("%k2", "7")]);
    let todo = r#"{"order":"V","version":2,"value":"milk"}"#;
    board.commit(&[Write::SetField { key: "list:todo".into(), field: "i1".into(), value: todo.into() }]);
    let map = |members: &[(&str, Attribute)]| {
        Attribute::Map(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<Attributes>())
    };
    let number = |text: &str| Attribute::Number(text.to_owned());
    let deep = Attribute::List(vec![Attribute::Null, Attribute::Bool(true), map(&[("z", number("2.5"))])]);
    let k1 = map(&[("x", number("1")), ("y", Attribute::text("")), ("deep", deep)]);
    assert_eq!(board.table.0["MAP#board"]["data"], map(&[("k1", k1), ("%%k2", number("7"))]));
    assert_eq!(board.table.0["LIST#todo"]["data"], map(&[("i1", Attribute::text("milk"))]));
    assert_eq!(
        board.table.0["LIST#todo"]["entries"],
        map(&[("i1", map(&[("order", Attribute::text("V")), ("version", number("2"))]))])
    );
    board.reads_well();
}

/// The map is made with its first key, in the same transaction, so no path leads through what is not there; the table is as strict as the service.
#[test]
fn h46_the_first_key_of_a_new_part_finds_its_map() {
    let mut board = Board::new();
    let done = board.commit(&[
        settings(&["board", "new"], &["todo"]),
        Write::SetField { key: "map:new".into(), field: "k".into(), value: r#"{"version":2,"value":1}"#.into() },
    ]);
    assert_eq!(changed(&done.changes), ["put MAP#new", "put PARTS", "update ROOM"]);
    assert_eq!(done.asked.iter().collect::<Vec<_>>(), ["PARTS"], "which parts there were");
    board.reads_well();
    // Empty parts are there too, as documents 001's Create has it, and go with Delete.
    let done = board.commit(&[settings(&["empty"], &["todo"]), Write::Drop { key: "map:new".into() }]);
    assert_eq!(changed(&done.changes), ["drop MAP#board", "put MAP#empty", "drop MAP#new", "put PARTS", "update ROOM"]);
    board.reads_well();
}

#[test]
fn h47_what_is_removed_twice_is_gone_once() {
    let mut board = Board::new();
    board.commit(&[board.set("k", "1")]);
    for _ in 0..2 {
        let done = board.commit(&[remove("k")]);
        assert_eq!(changed(&done.changes), ["update MAP#board"]);
        board.reads_well();
    }
}

/// `#`, `.`, `[0]` and the names of other items are only names.
#[test]
fn h61_no_name_leads_anywhere_else() {
    let mut board = Board::new();
    for key in ["#", ".", "a.b", "[0]", "data", "data.k", "ROOM", "MAP#board", "%", "%%", "pk", ":v", " ", "\u{1f600}"] {
        board.commit(&[board.set(key, "1")]);
    }
    board.reads_well();
    assert_eq!(board.table.0.keys().collect::<Vec<_>>(), ["LIST#todo", "MAP#board", "PARTS", "ROOM"]);
    for key in ["map:a#1.1", "map:a#b", "list:#", "mop:a", "space_settings:6789"] {
        let write = Write::SetField { key: key.into(), field: "k".into(), value: r#"{"version":2,"value":1}"#.into() };
        assert!(board.table.clone().lay(&Documents, &board.room, &[write], Millis(1)).is_err(), "{key}");
    }
}

/// A space with a map of so many keys, as a store puts it that is brought it whole.
fn large(keys: usize) -> Board {
    let mut board = Board { room: Board::new().room, table: Table::default(), shelf: Shelf::default(), seq: 1 };
    let entry = |n: usize| (format!("key-{n}").into(), format!(r#"{{"version":1,"value":{}}}"#, note(n)).into());
    let map = Value::Hash((0..keys).map(entry).collect());
    board.commit(&[settings(&["board"], &["todo"]), Write::Put { key: BOARD.into(), value: map }]);
    board
}

fn note(n: usize) -> String {
    format!(r#"{{"text":"a note of some length {n}","x":{n},"y":2.50}}"#)
}

/// Bytes are those that the service charges for: of each item that is written, all of it.
#[test]
fn h63_a_key_costs_the_same_however_large_its_map() {
    const ACTS: usize = 400;
    for keys in [10, 1_000, 100_000] {
        let mut board = large(keys);
        let mut scales = Scales::new(&board.table);
        let buckets = board.buckets();
        assert!(buckets.iter().all(|(_, bytes)| *bytes <= 8 * 1024 + 64), "{:?}", buckets.iter().max_by_key(|(_, bytes)| *bytes));
        let (buckets, head) = (buckets.len(), attributes_bytes(&board.table.0[HEAD]));
        let (mut items_max, mut bytes_max, mut bytes, mut asked) = (0, 0, 0, 0);
        for act in 0..ACTS {
            // Every other one is new.
            let key = if act % 2 == 0 { format!("key-{}", act * 7919 % keys) } else { format!("new-{act}") };
            let done = board.commit(&[board.set(&key, &note(act))]);
            let written = scales.written(&board.table, &done);
            (items_max, bytes_max) = (items_max.max(done.changes.len()), bytes_max.max(written));
            (bytes, asked) = (bytes + written, asked + done.asked.len());
        }
        board.reads_well();
        println!(
            "{keys} keys in {buckets} buckets, a head of {head} bytes; a set wrote at most {items_max} items and {bytes_max} bytes, \
             on average {} bytes, and {asked} of {ACTS} read a bucket first",
            bytes / ACTS
        );
        // One bucket; with a split two and the head, which has two bits for every bucket.
        assert!(items_max <= 3, "{keys} keys: {items_max} items");
        assert!(head <= 1024, "{keys} keys: a head of {head} bytes");
        assert!(bytes_max <= 32 * 1024, "{keys} keys: {bytes_max} bytes");
        assert!(bytes / ACTS <= 10 * 1024, "{keys} keys: {} bytes on average", bytes / ACTS);
        assert!(asked <= ACTS / 4, "{keys} keys: {asked} reads");
    }
}

/// Buckets grow between the looks at them, and none grows far.
#[test]
fn h63_a_map_that_grows_key_by_key_stays_in_small_buckets() {
    let mut board = Board::new();
    for n in 0..3_000 {
        board.commit(&[board.set(&format!("key-{n}"), &note(n))]);
    }
    board.reads_well();
    let largest = board.buckets().into_iter().max_by_key(|(_, bytes)| *bytes);
    println!("{} buckets, the largest {largest:?}", board.buckets().len());
    assert!(largest.is_some_and(|(_, bytes)| bytes <= 20 * 1024), "{largest:?}");
}

/// The largest values that a batch may have, again and again: no item comes near the service's limit, and no commit has more items than a transaction takes.
#[test]
fn h63_the_largest_batches_fit() {
    let mut board = Board::new();
    let large = format!("\"{}\"", "x".repeat(32 * 1024 - 2));
    for round in 0..6 {
        let batch: Vec<Write> = (0..64).map(|n| board.set(&format!("{round}-{n}"), &large)).collect();
        let done = board.commit(&batch);
        // Beside the head, the event and a receipt.
        assert!(done.changes.len() <= 96, "{} items", done.changes.len());
        assert!(board.buckets().iter().all(|(_, bytes)| *bytes < 350 * 1024), "{:?}", board.buckets());
    }
    // Whoever writes on splits on.
    for n in 0..64 {
        board.commit(&[board.set(&format!("0-{n}"), &large)]);
    }
    board.reads_well();
    assert!(board.buckets().len() > 100);
}

/// A clear costs no more than any act: what was in the buckets is dead, and swept away at leisure.
#[test]
fn h45_h131_a_large_map_is_cleared_at_once() {
    let mut board = Board::new();
    let fill = |board: &mut Board, round: usize| {
        for first in (0..2_000).step_by(50) {
            let batch: Vec<Write> =
                (first..first + 50).map(|n| board.set(&format!("{n}"), &format!("\"{round} {n:0>90}\""))).collect();
            board.commit(&batch);
        }
        board.reads_well();
    };
    let dead = |board: &Board| Documents.litter(&board.room, &board.table.0[HEAD], &board.table.items());
    fill(&mut board, 1);
    assert_eq!(dead(&board), Vec::<String>::new());
    let buckets = board.buckets().len();
    let done = board.commit(&[Write::Drop { key: BOARD.into() }]);
    assert_eq!(changed(&done.changes), ["put MAP#board", "update ROOM"]);
    board.reads_well();
    assert_eq!(dead(&board).len(), buckets - 1);
    // Filled again beside what was not swept away, and swept half.
    fill(&mut board, 2);
    for sk in dead(&board).into_iter().take(buckets / 2) {
        board.table.0.remove(&sk).unwrap();
    }
    board.reads_well();
    let one = Value::Hash(BTreeMap::from([("k".into(), r#"{"version":9,"value":1}"#.into())]));
    let done = board.commit(&[Write::Put { key: BOARD.into(), value: one }]);
    assert_eq!(changed(&done.changes), ["put MAP#board", "update ROOM"]);
    board.reads_well();
    // Deleted and made again.
    fill(&mut board, 3);
    let done = board.commit(&[Write::Drop { key: BOARD.into() }, settings(&[], &["todo"])]);
    assert_eq!(changed(&done.changes), ["drop MAP#board", "put PARTS", "update ROOM"]);
    board.reads_well();
    board.commit(&[settings(&["board"], &["todo"])]);
    board.reads_well();
    fill(&mut board, 4);
}

#[derive(Clone, Debug)]
enum Act {
    Set(u16, usize),
    Remove(u16),
    Clear,
    Whole(u16, usize),
}

fn acts() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let act = prop_oneof![
        60 => (0u16..300, 0usize..1500).prop_map(|(key, size)| Act::Set(key, size)),
        10 => (0u16..300).prop_map(Act::Remove),
        1 => Just(Act::Clear),
        1 => (0u16..300, 0usize..200).prop_map(|(count, size)| Act::Whole(count, size)),
    ];
    prop::collection::vec(prop::collection::vec(act, 1..20), 1..40)
}

fn writes(board: &Board, acts: &[Act]) -> Vec<Write> {
    let mut fields: BTreeMap<u16, Write> = BTreeMap::new();
    let mut whole = None;
    let text = |size: usize| format!("\"{}\"", "x".repeat(size));
    for act in acts {
        match act {
            Act::Set(key, size) => drop(fields.insert(*key, board.set(&key.to_string(), &text(*size)))),
            Act::Remove(key) => drop(fields.insert(*key, remove(&key.to_string()))),
            Act::Clear => {
                fields.clear();
                whole = Some(Write::Drop { key: BOARD.into() });
            }
            Act::Whole(count, size) => {
                fields.clear();
                let all =
                    (0..*count).map(|key| (key.to_string().into(), format!(r#"{{"version":1,"value":{}}}"#, text(*size)).into()));
                whole = Some(Write::Put { key: BOARD.into(), value: Value::Hash(all.collect()) });
            }
        }
    }
    whole.into_iter().chain(fields.into_values()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_map_that_grows_and_goes_reads_as_its_shelf(commits in acts()) {
        let mut board = Board::new();
        for acts in &commits {
            let writes = writes(&board, acts);
            let done = board.commit(&writes);
            prop_assert!(done.changes.len() <= 96);
            board.reads_well();
        }
    }
}
