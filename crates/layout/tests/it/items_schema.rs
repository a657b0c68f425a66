//! The item tables of the schema page are true: all that is written is listed, and all that is listed is written.

use crate::histories::{History, batches};
use crate::items::tables;
use crate::items_space::Board;
use crate::reels_histories::{ReelsHistory, reels_batches};
use crate::space_histories::{SpaceHistory, space_batches};
use parlor_layout::items::Table;
use parlor_layout::schema::REELS;
use parlor_layout::schema::items::{ItemRow, POKER_ITEMS, REELS_ITEMS, SPACE_ITEMS};
use parlor_store::Write;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;

type Met = BTreeSet<(&'static str, &'static str, &'static str)>;

/// Every attribute of the rows that a table has; panics at one that is not listed.
fn listed(rows: &'static [ItemRow], table: &Table, met: &mut Met) {
    for (sk, item) in &table.0 {
        let of: Vec<&ItemRow> = rows.iter().filter(|row| row.is_for(sk)).collect();
        let [row] = of[..] else {
            assert!(of.is_empty() && is_of_a_game(rows, sk, item.keys()), "{sk} belongs to {of:?}");
            continue;
        };
        for name in item.keys() {
            let part = row.part(name).unwrap_or_else(|| panic!("{} / {}: {name} is written and not listed", row.pk, row.sk));
            met.insert((row.pk, row.sk, part.path));
        }
    }
}

/// The items of a game are those of its keys.
fn is_of_a_game<'a>(rows: &[ItemRow], sk: &str, mut names: impl Iterator<Item = &'a String>) -> bool {
    let is_plain = |name: &String| name == "json" || name == "bytes" || name.starts_with("field:");
    rows[0].pk == REELS_ITEMS[0].pk && REELS.iter().any(|row| row.is_for(&format!("room:ABCD2345:{sk}"))) && names.all(is_plain)
}

proptest! {
    #[test]
    fn every_attribute_written_is_listed_once(poker in batches(), space in space_batches(), game in reels_batches()) {
        let (poker, space, game) = (History::play(&poker), SpaceHistory::play(&space), ReelsHistory::play(&game));
        let mut met = Met::new();
        tables(&poker.address, &poker.steps).iter().for_each(|table| listed(POKER_ITEMS, table, &mut met));
        tables(&space.address, &space.steps).iter().for_each(|table| listed(SPACE_ITEMS, table, &mut met));
        tables(&game.address, &game.steps).iter().for_each(|table| listed(REELS_ITEMS, table, &mut met));
    }
}

#[test]
fn every_attribute_listed_is_written() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = Met::new();
    for _ in 0..300 {
        let poker = History::play(&batches().new_tree(&mut runner).unwrap().current());
        tables(&poker.address, &poker.steps).iter().for_each(|table| listed(POKER_ITEMS, table, &mut met));
        let space = SpaceHistory::play(&space_batches().new_tree(&mut runner).unwrap().current());
        tables(&space.address, &space.steps).iter().for_each(|table| listed(SPACE_ITEMS, table, &mut met));
    }
    for _ in 0..20 {
        let game = ReelsHistory::play(&reels_batches().new_tree(&mut runner).unwrap().current());
        tables(&game.address, &game.steps).iter().for_each(|table| listed(REELS_ITEMS, table, &mut met));
    }
    let mut board = Board::new();
    for n in 0..300 {
        let list = format!(r#"{{"order":"V","version":{n},"value":"{n:0>90}"}}"#);
        let item = Write::SetField { key: "list:todo".into(), field: format!("i{n}").into(), value: list.into() };
        board.commit(&[board.set(&format!("k{n}"), &format!("\"{n:0>90}\"")), item]);
    }
    board.reads_well();
    listed(SPACE_ITEMS, &board.table, &mut met);
    let all = POKER_ITEMS.iter().chain(SPACE_ITEMS).chain(REELS_ITEMS);
    let all: Met = all.flat_map(|row| row.parts.iter().map(|part| (row.pk, row.sk, part.path))).collect();
    assert_eq!(all.difference(&met).collect::<Vec<_>>(), Vec::<&(&str, &str, &str)>::new());
}
