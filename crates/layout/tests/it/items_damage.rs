//! Items that have been damaged are an error that says so, or some records; nothing panics.

use crate::histories::{History, batches};
use crate::items::tables;
use crate::items_space::{Board, settings};
use crate::reels_histories::{ReelsHistory, reels_batches};
use crate::space_histories::{SpaceHistory, space_batches};
use crate::support::Step;
use parlor_layout::items::{Documents, Table};
use parlor_layout::{room_key, wake};
use parlor_rules::{Address, Millis};
use parlor_store::StoreError;
use parlor_store::items::form::HEAD;
use parlor_store::items::{Attribute, Attributes};
use proptest::prelude::*;
use proptest::sample::Index;

#[derive(Clone, Debug)]
enum Harm {
    Missing { item: Index },
    Foreign { sk: String },
    Without { item: Index, attribute: Index },
    Odd { item: Index, attribute: Index, inner: Option<Index>, instead: Attribute },
    Renamed { item: Index, sk: String },
}

fn odd() -> impl Strategy<Value = Attribute> {
    let number = prop::sample::select(&["0", "-1", "2", "1.5", "1E+2", "18446744073709551616", "x", ""][..]);
    let leaf = prop_oneof![
        Just(Attribute::Null),
        any::<bool>().prop_map(Attribute::Bool),
        number.prop_map(|text| Attribute::Number(text.to_owned())),
        "\\PC{0,4}|[\\[{\",}]{0,5}".prop_map(Attribute::Text),
        prop::collection::vec(any::<u8>(), 0..5).prop_map(Attribute::Bytes),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Attribute::List),
            prop::collection::btree_map("[a-z%]{0,3}|version|spelling|tree|cut|n", inner, 0..3).prop_map(Attribute::Map),
        ]
    })
}

fn harm() -> impl Strategy<Value = Harm> {
    let sk = || "MAP#[a-c.]{0,3}(#[0-9.]{0,3})?|LIST#a#1\\.1|USER:[a-z]{0,3}|STORY:\\PC{0,2}|ROUND:[0-9]|CLIENT#|PARTS|stats|votes:[a-z:]{0,3}|\\PC{1,5}";
    prop_oneof![
        1 => any::<Index>().prop_map(|item| Harm::Missing { item }),
        1 => sk().prop_map(|sk| Harm::Foreign { sk }),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(item, attribute)| Harm::Without { item, attribute }),
        8 => (any::<Index>(), any::<Index>(), any::<Option<Index>>(), odd())
            .prop_map(|(item, attribute, inner, instead)| Harm::Odd { item, attribute, inner, instead }),
        1 => (any::<Index>(), sk()).prop_map(|(item, sk)| Harm::Renamed { item, sk }),
    ]
}

fn sk(table: &Table, item: &Index) -> String {
    table.0.keys().nth(item.index(table.0.len())).unwrap().clone()
}

fn damage(table: &mut Table, harm: &Harm) {
    if table.0.is_empty() {
        return;
    }
    match harm {
        Harm::Missing { item } => drop(table.0.remove(&sk(table, item))),
        Harm::Foreign { sk } => drop(table.0.insert(sk.clone(), Attributes::new())),
        Harm::Without { item, attribute } => {
            let item = table.0.get_mut(&sk(table, item)).unwrap();
            if !item.is_empty() {
                let name = item.keys().nth(attribute.index(item.len())).unwrap().clone();
                item.remove(&name);
            }
        }
        Harm::Odd { item, attribute, inner, instead } => {
            let item = table.0.get_mut(&sk(table, item)).unwrap();
            if item.is_empty() {
                return;
            }
            let place = attribute.index(item.len());
            let found = item.values_mut().nth(place).unwrap();
            match (found, inner) {
                (Attribute::Map(map), Some(inner)) if !map.is_empty() => {
                    let place = inner.index(map.len());
                    *map.values_mut().nth(place).unwrap() = instead.clone();
                }
                (found, _) => *found = instead.clone(),
            }
        }
        Harm::Renamed { item, sk: to } => {
            let item = table.0.remove(&sk(table, item)).unwrap();
            table.0.insert(to.clone(), item);
        }
    }
}

/// Records that are read wake or are damaged; what is written on a damaged table is laid down or refused.
fn survives(address: &Address, steps: &[Step], harms: &[Harm]) {
    let room = room_key(address);
    let mut table = tables(address, steps).pop().unwrap();
    harms.iter().for_each(|harm| damage(&mut table, harm));
    match table.records(&Documents, &room) {
        Ok(records) => drop(wake(address, &records)),
        Err(error) => assert!(matches!(error, StoreError::Damaged(_)), "{error}"),
    }
    parlor_store::items::form::Form::litter(&Documents, &room, &table.0.get(HEAD).cloned().unwrap_or_default(), &table.items());
    for step in steps {
        let _ = table.clone().lay(&Documents, &room, &step.writes, Millis(1));
    }
}

proptest! {
    #[test]
    fn damaged_items_of_a_table_never_panic(batches in batches(), harms in prop::collection::vec(harm(), 1..4)) {
        let history = History::play(&batches);
        survives(&history.address, &history.steps, &harms);
    }

    #[test]
    fn damaged_items_of_a_space_never_panic(batches in space_batches(), harms in prop::collection::vec(harm(), 1..4)) {
        let history = SpaceHistory::play(&batches);
        survives(&history.address, &history.steps, &harms);
    }

    #[test]
    fn damaged_items_of_a_game_never_panic(batches in reels_batches(), harms in prop::collection::vec(harm(), 1..4)) {
        let history = ReelsHistory::play(&batches);
        survives(&history.address, &history.steps, &harms);
    }
}

/// One thing broken in a large space, and the words that must be said about it.
#[test]
fn damage_of_items_is_named() {
    let mut board = Board::new();
    for n in 0..200 {
        board.commit(&[board.set(&format!("key-{n}"), &format!("\"{n:0>90}\""))]);
    }
    board.reads_well();
    let split = board.table.0.keys().find(|sk| sk.starts_with("MAP#board#")).unwrap().clone();
    let check = |says: &[&str], harm: &dyn Fn(&mut Table)| {
        let mut table = board.table.clone();
        harm(&mut table);
        match table.records(&Documents, &board.room) {
            Err(StoreError::Damaged(said)) => {
                assert!(says.iter().all(|says| said.contains(says)), "{said:?} does not say {says:?}")
            }
            other => panic!("{other:?} instead of {says:?}"),
        }
    };
    let item = |sk: &str, name: &'static str| {
        let sk = sk.to_owned();
        move |table: &mut Table| drop(table.0.get_mut(&sk).unwrap().remove(name))
    };
    check(&[&split, "missing"], &|table| drop(table.0.remove(&split)));
    check(&["MAP#board", "missing"], &|table| drop(table.0.remove("MAP#board")));
    check(&["LIST#todo", "missing"], &|table| drop(table.0.remove("LIST#todo")));
    check(&["PARTS", "missing"], &|table| drop(table.0.remove("PARTS")));
    check(&["host key"], &|table| drop(table.0.remove(HEAD)));
    check(&["data"], &item(&split, "data"));
    check(&["entries"], &item("LIST#todo", "entries"));
    check(&["belongs in another bucket"], &|table| {
        let (first, other) = (table.0["MAP#board"].clone(), table.0[&split].clone());
        table.0.insert("MAP#board".to_owned(), other);
        table.0.insert(split.clone(), first);
    });
    check(&["created_at"], &item(HEAD, "createdOn"));
    check(&["LIST#other", "no such part"], &|table| {
        let other = table.0["LIST#todo"].clone();
        table.0.insert("LIST#other".to_owned(), other);
    });
    check(&["no space has such an item"], &|table| drop(table.0.insert("USER:ana".to_owned(), Attributes::new())));
    check(&["should be a map"], &|table| drop(table.0.get_mut("LIST#todo").unwrap().insert("data".to_owned(), Attribute::Null)));
    check(&["tree"], &|table| drop(table.0.get_mut(HEAD).unwrap().insert("splits".to_owned(), broken_split())));
    let entry = |what: &'static str, value: Attribute| {
        let sk = split.clone();
        move |table: &mut Table| {
            let Some(Attribute::Map(map)) = table.0.get_mut(&sk).unwrap().get_mut(what) else { panic!("a bucket") };
            let name = map.keys().next().unwrap().clone();
            map.insert(name, value.clone());
        }
    };
    check(&["version"], &entry("entries", Attribute::Map(Attributes::new())));
    check(&["bytes are no JSON"], &entry("data", Attribute::Bytes(vec![1])));
    let spelt = Attribute::Map(Attributes::from([
        ("version".to_owned(), Attribute::Number("1".to_owned())),
        ("spelling".to_owned(), Attribute::text("2.50")),
    ]));
    check(&["spelling is of another value"], &entry("entries", spelt));
    // A commit that follows on what is missing says so too.
    let mut table = board.table.clone();
    table.0.remove("PARTS");
    let written = table.lay(&Documents, &board.room, &[settings(&[], &[])], Millis(1));
    assert!(matches!(&written, Err(StoreError::Damaged(said)) if said.contains("PARTS")), "{written:?}");
}

fn broken_split() -> Attribute {
    let split = [("cut".to_owned(), Attribute::Number("1".to_owned())), ("tree".to_owned(), Attribute::Null)];
    Attribute::Map(Attributes::from([("MAP#board".to_owned(), Attribute::Map(Attributes::from(split)))]))
}
