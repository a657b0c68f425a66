//! Items are another spelling of the records: what a room's commits make of them, step by step, reads back as its shelf.

use crate::histories::{History, batches};
use crate::reels_histories::{ReelsHistory, reels_batches};
use crate::secrets::find;
use crate::space_histories::{SpaceHistory, space_batches};
use crate::support::{CREATED, Step};
use parlor_layout::items::{Documents, Table};
use parlor_layout::room_key;
use parlor_layout::shelf::Shelf;
use parlor_rules::{Address, Millis, SecretHash};
use parlor_store::items::form::{Change, Form, HEAD, OWN};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{RoomKey, StoreError, Write};
use proptest::prelude::*;
use proptest::sample::Index;

/// The room as a table after each of its commits.
pub(crate) fn tables(address: &Address, steps: &[Step]) -> Vec<Table> {
    let room = room_key(address);
    let mut table = Table::default();
    let laid = steps.iter().map(|step| {
        table.lay(&Documents, &room, &step.writes, step.commit.at).unwrap_or_else(|error| panic!("{:?}: {error}", step.writes));
        table.clone()
    });
    laid.collect()
}

/// As a store puts a room that it was brought whole.
pub(crate) fn carried(room: &RoomKey, shelf: &Shelf) -> Table {
    let writes: Vec<Write> = shelf.records().into_iter().map(|(key, value)| Write::Put { key, value }).collect();
    let mut table = Table::default();
    table.lay(&Documents, room, &writes, CREATED).unwrap();
    table
}

fn reads_as_its_shelf(address: &Address, steps: &[Step], carried_at: Index) -> Result<(), TestCaseError> {
    let room = room_key(address);
    for (table, step) in tables(address, steps).iter().zip(steps) {
        prop_assert_eq!(
            table.records(&Documents, &room),
            Ok(step.shelf.records()),
            "after commit {}: {:?}",
            step.seq,
            step.writes
        );
        own_names_are_free(table);
    }
    // Brought from another store somewhere on the way, it goes on the same.
    let (brought, rest) = steps[carried_at.index(steps.len())..].split_first().unwrap();
    let mut table = carried(&room, &brought.shelf);
    prop_assert_eq!(table.records(&Documents, &room), Ok(brought.shelf.records()));
    for step in rest {
        table.lay(&Documents, &room, &step.writes, step.commit.at).unwrap();
        prop_assert_eq!(table.records(&Documents, &room), Ok(step.shelf.records()), "after commit {}", step.seq);
    }
    Ok(())
}

/// What the store writes into every item meets nothing of a form's.
fn own_names_are_free(table: &Table) {
    for (sk, item) in &table.0 {
        assert!(!sk.starts_with("MEMBER#") && !sk.starts_with("PRESENCE#"), "{sk}");
        assert!(!OWN.iter().any(|name| item.contains_key(*name)), "{sk}: {item:?}");
    }
}

/// All texts of a table: names as well as what they hold.
fn texts(table: &Table) -> Vec<String> {
    fn of(attribute: &Attribute, texts: &mut Vec<String>) {
        match attribute {
            Attribute::Text(text) | Attribute::Number(text) => texts.push(text.clone()),
            Attribute::Bytes(bytes) => texts.push(String::from_utf8_lossy(bytes).into()),
            Attribute::List(list) => list.iter().for_each(|one| of(one, texts)),
            Attribute::Map(map) => of_all(map, texts),
            Attribute::Bool(_) | Attribute::Null => {}
        }
    }
    fn of_all(attributes: &Attributes, texts: &mut Vec<String>) {
        for (name, value) in attributes {
            texts.push(name.clone());
            of(value, texts);
        }
    }
    let mut texts = Vec::new();
    for (sk, item) in &table.0 {
        texts.push(sk.clone());
        of_all(item, &mut texts);
    }
    texts
}

/// Secrets rest as hashes that say so, and in no name.
fn no_secret(table: &Table, secrets: &[Vec<u8>]) {
    for text in texts(table) {
        for secret in secrets {
            assert_eq!(find(text.as_bytes(), secret), None, "in clear: {text}");
            let hash = SecretHash::of(secret).hex();
            assert!(!text.replace(&format!("sha256:{hash}"), "").contains(&hash), "{text}");
        }
    }
    assert!(table.0.keys().all(|sk| !sk.contains("sha256")));
}

proptest! {
    #[test]
    fn h122_h136_a_table_of_items_reads_as_its_shelf(batches in batches(), carried_at: Index) {
        let history = History::play(&batches);
        reads_as_its_shelf(&history.address, &history.steps, carried_at)?;
    }

    #[test]
    fn the_items_of_a_space_read_as_its_shelf(batches in space_batches(), carried_at: Index) {
        let history = SpaceHistory::play(&batches);
        reads_as_its_shelf(&history.address, &history.steps, carried_at)?;
    }

    #[test]
    fn the_items_of_a_game_read_as_its_shelf(batches in reels_batches(), carried_at: Index) {
        let history = ReelsHistory::play(&batches);
        reads_as_its_shelf(&history.address, &history.steps, carried_at)?;
    }

    #[test]
    fn h118_h119_no_item_and_no_sort_key_holds_a_secret(table in batches(), game in reels_batches()) {
        let (table, game) = (History::play(&table), ReelsHistory::play(&game));
        no_secret(tables(&table.address, &table.steps).last().unwrap(), &table.secrets);
        no_secret(tables(&game.address, &game.steps).last().unwrap(), &game.secrets);
    }

    /// Document 003's `updatedOn` is for people: nothing depends on it.
    #[test]
    fn h134_times_in_items_decide_nothing(batches in batches(), times in prop::collection::vec(any::<u32>(), 1..20)) {
        let history = History::play(&batches);
        let room = room_key(&history.address);
        let mut table = Table::default();
        for (step, now) in history.steps.iter().zip(times.iter().cycle()) {
            table.lay(&Documents, &room, &step.writes, Millis(u64::from(*now))).unwrap();
            prop_assert_eq!(table.records(&Documents, &room), Ok(step.shelf.records()));
        }
    }

    /// What may be swept away is nothing that is read.
    #[test]
    fn litter_holds_nothing(poker in batches(), space in space_batches(), game in reels_batches()) {
        let (poker, space, game) = (History::play(&poker), SpaceHistory::play(&space), ReelsHistory::play(&game));
        let rooms = [(&poker.address, &poker.steps), (&space.address, &space.steps), (&game.address, &game.steps)];
        for (address, steps) in rooms {
            let room = room_key(address);
            for (mut table, step) in tables(address, steps).into_iter().zip(steps) {
                for sk in Documents.litter(&room, &table.0[HEAD], &table.items()) {
                    prop_assert!(table.0.remove(&sk).is_some());
                }
                prop_assert_eq!(table.records(&Documents, &room), Ok(step.shelf.records()));
            }
        }
    }
}

#[test]
fn every_room_has_a_partition_and_every_partition_its_room() {
    for (address, partition) in [
        ("poker/12345", "ROOM:12345"),
        ("space/3f1c9c1e-6a5e-4b0a-9d6e-2f4c8a7b1d05", "3f1c9c1e-6a5e-4b0a-9d6e-2f4c8a7b1d05"),
        ("reels/ABCD2345", "REELS:ABCD2345"),
    ] {
        let room = room_key(&address.parse().unwrap());
        assert_eq!(Documents.partition(&room), partition);
        assert_eq!(Documents.spine(partition, &Attributes::new()), Some(room.spine));
    }
    // The same id in another kind is another room; what no room is called is none's.
    for partition in ["", "ROOM:", "REELS:", "ROOM:a:b", "KEY:x", "a#EVENTS", "a b"] {
        assert_eq!(Documents.spine(partition, &Attributes::new()), None, "{partition}");
    }
    let bulletin = parlor_layout::session::bulletin();
    assert_eq!(
        Documents.spine(&Documents.partition(&bulletin), &Attributes::new()).filter(|spine| *spine == bulletin.spine),
        None
    );
    assert!(matches!(Table::default().records(&Documents, &bulletin), Err(StoreError::Damaged(_))));
}

/// The sort keys that a commit changes, by kind of change.
pub(crate) fn changed(changes: &[Change]) -> Vec<String> {
    let said = |change: &Change| match change {
        Change::Put(item) => format!("put {}", item.sk),
        Change::Update { sk, .. } => format!("update {sk}"),
        Change::Drop { sk } => format!("drop {sk}"),
    };
    changes.iter().map(said).collect()
}
