//! The schema page is true: it is what the code would write, and it lists all that the code writes.

use crate::histories::{History, batches};
use crate::reels_histories::{ReelsHistory, reels_batches};
use crate::space_histories::{SpaceHistory, space_batches};
use crate::support::Step;
use parlor_layout::room_key;
use parlor_layout::schema::{BELOW, MARK, REELS, Row, SPACES, Shape, TABLE, page};
use parlor_rules::Address;
use parlor_store::{Value, Write};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema.md");

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().chain(SPACES).chain(BELOW).chain(REELS)
}

/// The page's prose has numbers that rules decides.
#[test]
fn the_bounds_it_tells_are_those_of_the_rules() {
    let told = |key: &str, bound: usize| {
        let row = rows().find(|row| row.key.starts_with(key)).unwrap();
        assert!(row.holds.contains(&format!("at most {bound}")), "{key}: {}", row.holds);
    };
    told("room_clients:", parlor_rules::receipts::RECEIPTS_MAX);
    told("space_clients:", parlor_rules::receipts::RECEIPTS_MAX);
    told("map:", parlor_rules::space::limits::ITEMS_MAX);
    told("list:", parlor_rules::space::limits::ITEMS_MAX);
    told("room:(code):stats", parlor_rules::receipts::RECEIPTS_MAX);
    told("room:(code):senders", parlor_rules::reels::wish::SENDERS_MAX);
    told("room:(code):players", parlor_rules::reels::wish::PLAYERS_MAX);
    let part = |key: &str, path: &str, bound: usize| {
        let row = rows().find(|row| row.key == key).unwrap();
        assert!(row.part(path).unwrap().holds.contains(&format!("at most {bound}")), "{key} {path}");
    };
    part("room:(code):game", "round_order", parlor_rules::reels::wish::ROUNDS_MAX);
    part("room:(code):round:(round_id)", "items", parlor_rules::reels::wish::ITEMS_PER_ROUND_MAX);
    part("room:(code):avatar:(player_id)", "", parlor_rules::reels::avatar::AVATAR_BYTES_MAX);
}

#[test]
fn docs_schema_is_true() {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, page()).unwrap();
    }
    let docs = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(docs == page(), "docs/schema.md is stale; UPDATE_DOCS=1 cargo test -p parlor-layout docs_schema_is_true rewrites it");
}

/// The one row of the table that a key belongs to.
fn row(key: &str, shape: Shape) -> &'static Row {
    let rows: Vec<&Row> = rows().filter(|row| row.is_for(key)).collect();
    assert_eq!(rows.len(), 1, "{key} belongs to {rows:?}");
    assert_eq!(rows[0].shape, shape, "{key}");
    rows[0]
}

/// Finds the listed parts that a value has; what is not listed itself must be made of listed parts.
fn parts(row: &Row, path: &str, value: &serde_json::Value, met: &mut BTreeSet<&'static str>) {
    let listed = row.part(path);
    met.extend(listed.map(|part| part.path));
    let inner = |inner: &str| row.parts.iter().any(|part| part.path.contains(inner));
    match value {
        serde_json::Value::Object(members) if listed.is_none() || inner(&format!("{path}.")) => {
            members.iter().for_each(|(name, value)| parts(row, format!("{path}.{name}").trim_start_matches('.'), value, met));
        }
        serde_json::Value::Array(items) if inner(&format!("{path}[]")) => {
            items.iter().for_each(|item| parts(row, &format!("{path}[]"), item, met));
        }
        _ => assert!(listed.is_some(), "{}: {path:?} is written and not listed", row.key),
    }
}

/// A text that is no JSON is itself, as a hash of a key or a face is.
fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
}

/// Every part of the table that one commit wrote.
fn written(address: &Address, step: &Step) -> BTreeSet<(&'static str, &'static str)> {
    let mut all = BTreeSet::new();
    let mut note = |row: &'static Row, path: &str, bytes: &[u8]| {
        let mut met = BTreeSet::new();
        parts(row, path, &json(bytes), &mut met);
        all.extend(met.into_iter().map(|part| (row.key, part)));
    };
    let key = room_key(address);
    let spine = row(&key.spine, Shape::Stream);
    step.entry.iter().for_each(|(field, value)| note(spine, field, value));
    for write in &step.writes {
        let is_below = BELOW.iter().any(|row| row.is_for(write.key()));
        assert!(key.names(write.key()) || is_below, "{} is not one of the room's keys", write.key());
        match write {
            Write::Put { key, value: value @ (Value::Document(text) | Value::Text(text)) } => {
                note(row(key, Shape::of(value)), "", text)
            }
            Write::SetField { key, field, value } | Write::Lapse { key, field, value } => {
                note(row(key, Shape::Hash), field, value)
            }
            Write::Put { key, value: Value::Hash(fields) } => {
                fields.iter().for_each(|(field, value)| note(row(key, Shape::Hash), field, value));
            }
            Write::DropField { key, .. } => {
                row(key, Shape::Hash);
            }
            Write::Drop { key } => assert!(rows().any(|row| row.is_for(key)), "{key}"),
            Write::Put { .. } => panic!("no room writes this yet; teach the test: {write:?}"),
        }
    }
    for (key, value) in &step.shelf.0 {
        row(key, Shape::of(value));
    }
    all
}

proptest! {
    #[test]
    fn every_key_and_member_written_is_listed_once(batches in batches()) {
        let history = History::play(&batches);
        history.steps.iter().for_each(|step| {
            written(&history.address, step);
        });
    }

    #[test]
    fn every_key_and_member_of_a_space_is_listed_once(batches in space_batches()) {
        let history = SpaceHistory::play(&batches);
        history.steps.iter().for_each(|step| {
            written(&history.address, step);
        });
    }

    #[test]
    fn every_key_and_member_of_a_game_is_listed_once(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        history.steps.iter().for_each(|step| {
            written(&history.address, step);
        });
    }
}

#[test]
fn every_key_and_member_listed_is_written() {
    // Games have dice of their own, so that what they draw changes nothing for the others.
    let [mut runner, mut games] = [(); 2].map(|()| proptest::test_runner::TestRunner::deterministic());
    let mut met = BTreeSet::new();
    for _ in 0..600 {
        let history = History::play(&batches().new_tree(&mut runner).unwrap().current());
        history.steps.iter().for_each(|step| met.extend(written(&history.address, step)));
        let history = SpaceHistory::play(&space_batches().new_tree(&mut runner).unwrap().current());
        history.steps.iter().for_each(|step| met.extend(written(&history.address, step)));
    }
    // More of these: it is rare that somebody gives a seat up between their vote and its count.
    for _ in 0..3000 {
        let history = ReelsHistory::play(&reels_batches().new_tree(&mut games).unwrap().current());
        history.steps.iter().for_each(|step| met.extend(written(&history.address, step)));
    }
    let listed = rows().flat_map(|row| row.parts.iter().map(|part| (row.key, part.path)));
    let listed: BTreeSet<_> = listed.filter(|(_, path)| *path != MARK).collect();
    let unwritten: Vec<_> = listed.difference(&met).collect();
    assert_eq!(unwritten, Vec::<&(&str, &str)>::new());
    assert_eq!(met.len(), listed.len());
}

#[test]
fn a_pattern_stands_for_whole_ids_only() {
    let rows = |key: &str| rows().filter(|row| row.is_for(key)).count();
    for key in [
        "room_seats:12345",
        "map:a",
        "map:a.b-c_d",
        "list:..",
        "space:12345",
        "space_settings:12345",
        "room:AB:meta",
        "room:AB:round:r_1",
        "room:AB:votes:r1:i-1",
    ] {
        assert_eq!(rows(key), 1, "{key:?}");
    }
    for key in [
        "room_seats:",
        "room_seats",
        "room_seats:a:b",
        "xroom_seats:a",
        "room_lock:12345",
        "map:",
        "map:a/b",
        "map:a:b",
        "space:a/map:b",
        "room:AB",
        "room:AB:",
        "room:AB:x",
        "room:AB:meta:x",
        "room::meta",
        "room:AB:votes:r1",
        "room:AB:votes:r1:",
        "room:AB:votes:r1:i1:x",
        "room:AB:commits#here",
        "",
    ] {
        assert_eq!(rows(key), 0, "{key:?}");
    }
}
