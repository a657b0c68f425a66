//! A space's records that have been damaged wake as an error that names them, or as some space; nothing panics.

use crate::damage::{damage, harm};
use crate::space_histories::{HOST_KEY, SpaceHistory, space_batches};
use bytes::Bytes;
use parlor_layout::room::Ref;
use parlor_layout::shelf::Shelf;
use parlor_layout::{Damaged, creation, entry_commit, wake};
use parlor_rules::{Credential, Here, SecretHash, State};
use parlor_store::{Field, Key, Value};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn damaged_records_of_a_space_never_panic(batches in space_batches(), harms in prop::collection::vec(harm(), 1..4)) {
        let history = SpaceHistory::play(&batches);
        let mut shelf = history.last().shelf.clone();
        harms.iter().for_each(|harm| damage(&mut shelf, harm));
        if let Ok(kept) = wake(&history.address, &shelf.records()) {
            let host = Credential { host: Some(SecretHash::of(HOST_KEY)), ..Credential::default() };
            if let Ok(viewer) = kept.state.recognise(&host) {
                kept.state.shared(&viewer, &Here::default());
            }
            let State::Space(space) = &kept.state else { unreachable!("a space") };
            prop_assert_eq!(space.bytes, space.weigh());
            let rest = creation(&history.address, &kept, &history.last().commit);
            let mut again = Shelf::default();
            again.lay(&rest.writes);
            let woken = wake(&history.address, &again.records());
            prop_assert!(woken.is_ok_and(|woken| woken.state == kept.state && woken.receipts == kept.receipts));
        }
    }

    #[test]
    fn a_damaged_entry_of_a_space_never_panics(batches in space_batches(), which: Index, byte: Index, bit in 0u8..8, cut: Option<Index>) {
        let history = SpaceHistory::play(&batches);
        let mut entry = which.get(&history.steps).entry.clone();
        let mut bytes = entry[0].1.to_vec();
        let place = byte.index(bytes.len());
        bytes[place] ^= 1 << bit;
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        entry[0].1 = bytes.into();
        if let Ok(commit) = entry_commit(&history.address, &entry) {
            history.last().kept.clone().apply(99, &commit);
        }
    }

    /// However parts and keys are called, two records never rest in one place.
    #[test]
    fn h61_every_record_has_a_place_of_its_own(
        maps in prop::collection::btree_set("[a-zA-Z0-9._-]{1,4}", 1..4),
        keys in prop::collection::btree_set("\\PC{1,4}|[:/.a#{}]{1,4}", 1..4),
    ) {
        let address = "space/3f1c9c1e".parse().unwrap();
        let mut history = SpaceHistory::play(&[]).steps.remove(0).kept;
        let parlor_rules::State::Space(space) = &mut history.state else { unreachable!("a space") };
        let mut count = 0;
        for map in &maps {
            for key in &keys {
                let Ok(key) = key.parse() else { continue };
                let value = parlor_rules::Json::read(&count.to_string(), 9).unwrap();
                let event = parlor_rules::space::Event::MapSet { map: map.parse().unwrap(), key, value };
                parlor_rules::Room::apply(space, parlor_rules::When { at: parlor_rules::Millis(1), seq: 2 }, &event);
                count += 1;
            }
        }
        let names = parlor_layout::room::every_ref(&history);
        prop_assert_eq!(names.iter().filter(|name| matches!(name, Ref::Space(parlor_layout::space::Ref::Entry(..)))).count(), count);
        let mut shelf = Shelf::default();
        shelf.lay(&creation(&address, &history, &SpaceHistory::play(&[]).steps[0].commit).writes);
        let fields = shelf.0.iter().filter(|(key, _)| key.starts_with("map:"));
        let fields: usize = fields.map(|(_, value)| if let Value::Hash(fields) = value { fields.len() } else { 0 }).sum();
        prop_assert_eq!(fields, count);
    }
}

fn asleep(records: &[(&str, Value)]) -> Result<(), Damaged> {
    let records: Vec<(Key, Value)> = records.iter().map(|(key, value)| ((*key).into(), value.clone())).collect();
    wake(&"space/12345".parse().unwrap(), &records).map(|_| ())
}

fn hash(field: &str, text: &str) -> Value {
    Value::Hash(BTreeMap::from([(field.into(), Bytes::copy_from_slice(text.as_bytes()))]))
}

/// A sound space with one thing broken, and the words that must be said about it.
#[test]
fn damage_of_a_space_is_named() {
    let hex = "a".repeat(64);
    let parts = r#"{"maps":["board"],"lists":[],"presences":{"cursors":60}}"#;
    let sound = format!(r#"{{"host_key":"sha256:{hex}","guests":"none","members":"write","parts":{parts},"created_at":5}}"#);
    let document = |text: &str| ("space_settings:12345", Value::Document(Bytes::copy_from_slice(text.as_bytes())));
    let check = |records: &[(&str, Value)], says: &[&str]| {
        let said = asleep(records).map_or_else(|damaged| damaged.to_string(), |()| String::from("sound"));
        assert!(says.iter().all(|says| said.contains(says)), "{said:?} does not say {says:?}");
    };
    check(&[document(&sound)], &["sound"]);
    check(&[], &["space_settings:12345", "missing"]);
    check(&[document("{")], &["space_settings:12345"]);
    for (was, is, says) in [
        ("sha256:", "", "sha256"),
        (r#""none""#, r#""some""#, "right"),
        ("board", "a/b", "called by"),
        ("cursors", "", "called by"),
        (":60", ":-1", "invalid value"),
        (r#","created_at""#, r#","life_minutes":0,"created_at""#, "minutes"),
        ("created_at", "made_at", "created_at"),
    ] {
        check(&[document(&sound.replacen(was, is, 1))], &["space_settings:12345", says]);
    }
    let map = |field: &str, text: &str, says: &[&str]| check(&[document(&sound), ("map:board", hash(field, text))], says);
    map("k", r#"{"version":7,"value":{"a":[1]}}"#, &["sound"]);
    map("k", r#"{"version":7,"value":{"a":[1}}"#, &["map:board k"]);
    map("k", r#"{"version":7}"#, &["map:board k", "value"]);
    map("k", r#"{"value":1}"#, &["map:board k", "version"]);
    map("k", r#"{"version":-7,"value":1}"#, &["map:board k"]);
    map("k\n", r#"{"version":7,"value":1}"#, &["map:board k", "control"]);
    check(&[document(&sound), ("map:board", Value::List(vec![]))], &["map:board", "should be a hash"]);
    check(&[document(&sound), ("map:a b", hash("k", r#"{"version":7,"value":1}"#))], &["map:a b", "called by"]);
    let list = |field: &str, text: &str, says: &[&str]| check(&[document(&sound), ("list:todo", hash(field, text))], says);
    list("i", r#"{"order":"V000000","version":7,"value":1}"#, &["sound"]);
    list("i", r#"{"order":"","version":7,"value":1}"#, &["list:todo i", "order"]);
    list("i", r#"{"order":"V-","version":7,"value":1}"#, &["list:todo i", "order"]);
    list("i", r#"{"version":7,"value":1}"#, &["list:todo i", "order"]);
    list("i i", r#"{"order":"V000000","version":7,"value":1}"#, &["list:todo i i", "id"]);
}

#[test]
fn an_event_of_another_kind_of_room_is_damage() {
    let entry = |events: &str| {
        let commit = format!(r#"{{"at":1,"renews":true,"done":[{{"by":"ana","events":[{events}]}}]}}"#);
        [(Field::from("commit"), Bytes::from(commit))]
    };
    let (poker, space) = ("poker/12345".parse().unwrap(), "space/12345".parse().unwrap());
    let (shown, created) = (entry(r#"{"shown":{}}"#), entry(r#"{"map_created":{"map":"m"}}"#));
    assert!(entry_commit(&poker, &shown).is_ok() && entry_commit(&space, &shown).is_err());
    assert!(entry_commit(&space, &created).is_ok() && entry_commit(&poker, &created).is_err());
    // Both kinds have these words, and each reads its own.
    let deleted = entry(r#"{"deleted":{}}"#);
    assert_ne!(entry_commit(&poker, &deleted), entry_commit(&space, &deleted));
}
