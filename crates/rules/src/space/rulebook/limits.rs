//! H63: how much there may be, at the limit and one beside it.

use super::script::{Board, check, credential};
use crate::json::{Json, VALUE_BYTES_MAX};
use crate::space::limits::{BATCH_OPS_MAX, ITEM_BYTES, ITEMS_MAX, PARTS_MAX, SPACE_BYTES_MAX};
use crate::space::{Command, Event, Op};

fn one() -> Json {
    Json::read("1", 1).unwrap()
}

/// A text of so many bytes.
fn text(bytes: usize) -> Json {
    Json::read(&format!("\"{}\"", "x".repeat(bytes - 2)), VALUE_BYTES_MAX).unwrap()
}

#[test]
fn h63_a_space_has_so_many_parts() {
    let mut board = Board::new();
    let map = |n: usize| Event::MapCreated { map: format!("m{n}").parse().unwrap() };
    board.apply(&(0..PARTS_MAX - 3).map(map).collect::<Vec<_>>());
    board.play(
        "ana sets a k 1                  => ok
         ana inserts b i                 => ok
         ana creates presence c for 9    => ok
         ana creates map d               => Parts
         ana sets d k 1                  => Parts
         ana creates list d              => Parts
         ana inserts d i                 => Parts
         ana creates presence d for 9    => Parts
         ana creates presence c for 9    => same
         ana sets a j 1                  => ok
         ana deletes presence c ; creates map d => ok
         ana creates map e               => Parts",
    );
}

#[test]
fn h63_a_map_has_so_many_entries() {
    let mut board = Board::new();
    let set = |n: usize| Event::MapSet { map: "m".parse().unwrap(), key: format!("k{n}").parse().unwrap(), value: one() };
    board.apply(&(0..ITEMS_MAX - 1).map(set).collect::<Vec<_>>());
    board.play(
        "ana sets m last 1           => ok
         ana sets m more 1           => Items
         ana sets m last 2           => ok
         ana sets other more 1       => ok
         ana removes m k5 ; sets m more 1 => ok
         ana sets m evenmore 1       => Items",
    );
    assert_eq!(board.space.maps[&"m".parse::<crate::space::PartName>().unwrap()].len(), ITEMS_MAX);
}

#[test]
fn h63_a_list_has_so_many_items() {
    let mut board = Board::new();
    let put = |n: usize| Event::ItemPut {
        list: "l".parse().unwrap(),
        id: format!("i{n}").parse().unwrap(),
        order: format!("V{n:06}").parse().unwrap(),
        value: one(),
    };
    board.apply(&(0..ITEMS_MAX - 1).map(put).collect::<Vec<_>>());
    board.play(
        "ana inserts l last        => ok
         ana inserts l more        => Items
         ana fills l last 2        => ok
         ana moves l i100000 first => ok
         ana takes l i7 ; inserts l more at 100000 => ok
         ana inserts l evenmore    => Items",
    );
}

#[test]
fn h63_a_space_has_so_many_bytes() {
    let mut board = Board::new();
    let big = text(VALUE_BYTES_MAX);
    let each = "k0000".len() + VALUE_BYTES_MAX + ITEM_BYTES;
    let count = SPACE_BYTES_MAX / each;
    let set =
        |n: usize| Event::MapSet { map: "m".parse().unwrap(), key: format!("k{n:04}").parse().unwrap(), value: big.clone() };
    board.apply(&(0..count).map(set).collect::<Vec<_>>());
    let left = SPACE_BYTES_MAX - board.space.bytes;
    let last = |value| {
        Command::Edit(vec![Op::MapSet { map: "m".parse().unwrap(), key: "last".parse().unwrap(), value, if_version: None }])
    };
    let ana = credential("ana");
    assert_eq!(board.act(&ana, last(text(left - "last".len() - ITEM_BYTES + 1))), "Full");
    assert_eq!(board.act(&ana, last(text(left - "last".len() - ITEM_BYTES))), "ok");
    assert_eq!(board.space.bytes, SPACE_BYTES_MAX);
    board.play(
        "ana sets m more 1       => Full
         ana inserts l i         => Full
         ana sets m last 1       => ok
         ana inserts l i         => ok
         ana sets m k0001 2      => ok",
    );
}

#[test]
fn h63_a_batch_has_so_many_operations_and_a_full_space_refuses_all_of_it() {
    let sets = |count: usize| (0..count).map(|n| format!("sets m k{n} 1")).collect::<Vec<_>>().join(" ; ");
    check(&format!("ana {} => ok", sets(BATCH_OPS_MAX)));
    check(&format!("ana {} => Batch", sets(BATCH_OPS_MAX + 1)));
    let mut board = Board::new();
    let map = |n: usize| Event::MapCreated { map: format!("m{n}").parse().unwrap() };
    board.apply(&(0..PARTS_MAX - 1).map(map).collect::<Vec<_>>());
    board.play(
        "ana creates list a ; creates list b => Parts
         ana creates list a                  => ok",
    );
}
