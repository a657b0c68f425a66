//! The schema page is true: it is what the code would write, and it lists all that the code writes.

use crate::histories::{History, Step, batches};
use crate::space_histories::{SpaceHistory, space_batches};
use parlor_layout::room_key;
use parlor_layout::schema::{BELOW, MARK, Row, SPACES, Shape, TABLE, page};
use parlor_rules::Address;
use parlor_store::{Value, Write};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema.md");

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().chain(SPACES).chain(BELOW)
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
        serde_json::Value::Object(members) if listed.is_none() => {
            members.iter().for_each(|(name, value)| parts(row, format!("{path}.{name}").trim_start_matches('.'), value, met));
        }
        serde_json::Value::Array(items) if inner(&format!("{path}[]")) => {
            items.iter().for_each(|item| parts(row, &format!("{path}[]"), item, met));
        }
        _ => assert!(listed.is_some(), "{}: {path:?} is written and not listed", row.key),
    }
}

fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).unwrap()
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
        assert!(key.records.contains(write.key()) || is_below, "{} is not one of the room's keys", write.key());
        match write {
            Write::Put { key, value: value @ Value::Document(text) } => note(row(key, Shape::of(value)), "", text),
            Write::SetField { key, field, value } => note(row(key, Shape::Hash), field, value),
            Write::Put { key, value: Value::Hash(fields) } => {
                fields.iter().for_each(|(field, value)| note(row(key, Shape::Hash), field, value));
            }
            Write::DropField { key, .. } | Write::Drop { key } => {
                row(key, Shape::Hash);
            }
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
}

#[test]
fn every_key_and_member_listed_is_written() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..600 {
        let history = History::play(&batches().new_tree(&mut runner).unwrap().current());
        history.steps.iter().for_each(|step| met.extend(written(&history.address, step)));
        let history = SpaceHistory::play(&space_batches().new_tree(&mut runner).unwrap().current());
        history.steps.iter().for_each(|step| met.extend(written(&history.address, step)));
    }
    let listed = rows().flat_map(|row| row.parts.iter().map(|part| (row.key, part.path)));
    let listed: BTreeSet<_> = listed.filter(|(_, path)| *path != MARK).collect();
    assert_eq!(listed, met);
}

#[test]
fn a_pattern_stands_for_whole_ids_only() {
    let rows = |key: &str| rows().filter(|row| row.is_for(key)).count();
    for key in ["room_seats:12345", "map:a", "map:a.b-c_d", "list:..", "space:12345", "space_settings:12345"] {
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
        "",
    ] {
        assert_eq!(rows(key), 0, "{key:?}");
    }
}
