//! `touched`, `record` and `wake` agree for spaces too; and a space that was read while others wrote to it becomes exact.

use crate::space_histories::{HOST_KEY, SpaceHistory, VALUES, space_batches, value};
use crate::support::{leaves, place, records, word};
use bytes::Bytes;
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, entry_commit, room_key, step, wake};
use parlor_rules::receipts::Holder;
use parlor_rules::space::{EntryKey, Event, ItemId, PartName, Space};
use parlor_rules::{Commit, Done, Kept, Millis, SecretHash, State, Ticket};
use parlor_store::{Field, Key, Value, Write};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

fn woken(history: &SpaceHistory, shelf: &Shelf, expires: Option<Millis>) -> Kept {
    Kept { expires, ..wake(&history.address, &shelf.records()).unwrap() }
}

/// The shelf that has these texts.
fn shelf(leaves: impl IntoIterator<Item = ((Key, Option<Field>), Bytes)>) -> Shelf {
    let mut shelf = Shelf::default();
    for ((key, field), value) in leaves {
        shelf.lay(&[match field {
            Some(field) => Write::SetField { key, field, value },
            None => Write::Put { key, value: Value::Document(value) },
        }]);
    }
    shelf
}

proptest! {
    #[test]
    fn what_the_commits_wrote_is_what_the_space_has(batches in space_batches()) {
        let history = SpaceHistory::play(&batches);
        for step in &history.steps {
            let mut whole = Shelf::default();
            whole.lay(&creation(&history.address, &step.kept, &step.commit).writes);
            prop_assert_eq!(&step.shelf, &whole, "after commit {}", step.seq);
            let mut records = records(&step.kept);
            records.sort();
            let mut lying: Vec<Bytes> = leaves(&step.shelf).into_values().collect();
            lying.sort();
            prop_assert_eq!(lying, records, "after commit {}", step.seq);
        }
    }

    #[test]
    fn a_space_wakes_as_it_went_to_rest(batches in space_batches()) {
        let history = SpaceHistory::play(&batches);
        for step in &history.steps {
            prop_assert!(woken(&history, &step.shelf, step.kept.expires) == step.kept, "after commit {}: {:?}", step.seq, step.commit);
            prop_assert_eq!(entry_commit(&history.address, &step.entry), Ok(step.commit.clone()));
        }
    }

    #[test]
    fn a_record_is_written_once_and_only_if_an_act_was_about_it(batches in space_batches()) {
        let history = SpaceHistory::play(&batches);
        for two in history.steps.windows(2) {
            let (before, after) = (leaves(&two[0].shelf), leaves(&two[1].shelf));
            let places: Vec<_> = two[1].writes.iter().map(place).collect();
            let written: BTreeSet<_> = places.iter().cloned().collect();
            prop_assert_eq!(written.len(), places.len());
            // No field is written beside the whole of its hash.
            prop_assert!(!written.iter().any(|(key, field)| field.is_some() && written.contains(&(key.clone(), None))));
            let differ = before.keys().chain(after.keys()).filter(|place| before.get(place) != after.get(place));
            for (key, field) in differ {
                prop_assert!(written.contains(&(key.clone(), field.clone())) || written.contains(&(key.clone(), None)), "{} {:?}", key, field);
            }
            // What is written and does not differ is what came and went, or came back, within the commit.
            let events: usize = two[1].commit.done.iter().map(|done| done.events.len() + usize::from(done.ticket.is_some())).sum();
            prop_assert!(places.len() <= 2 * events);
        }
    }

    /// As a store gives it that is read in pieces: each record is from some moment at or after the place it says.
    #[test]
    fn h53_a_space_that_was_read_while_others_wrote_becomes_exact(
        batches in space_batches(),
        from: Index,
        moments in prop::collection::vec(any::<Index>(), 1..40),
    ) {
        let history = SpaceHistory::play(&batches);
        let from = from.index(history.steps.len());
        let later = &history.steps[from..];
        let all: BTreeSet<_> = later.iter().flat_map(|step| leaves(&step.shelf).into_keys()).collect();
        let read = all.into_iter().zip(moments.iter().cycle()).filter_map(|(place, moment)| {
            let text = leaves(&moment.get(later).shelf).remove(&place)?;
            Some((place, text))
        });
        let mut kept = woken(&history, &shelf(read), later[0].kept.expires);
        for step in &later[1..] {
            kept.apply(step.seq, &entry_commit(&history.address, &step.entry).unwrap());
        }
        prop_assert!(kept == history.last().kept);
    }

    #[test]
    fn a_space_keeps_to_its_own_keys_and_the_host_key_is_not_in_them(batches in space_batches()) {
        let history = SpaceHistory::play(&batches);
        let own = room_key(&history.address).records;
        for step in &history.steps {
            for (key, _) in step.shelf.records() {
                prop_assert!(own.contains(&key) || key.starts_with("map:") || key.starts_with("list:"), "{}", key);
            }
            let told = leaves(&step.shelf).into_values().chain(step.entry.iter().map(|(_, value)| value.clone()));
            for text in told {
                prop_assert!(!text.windows(HOST_KEY.len()).any(|part| part == HOST_KEY));
            }
        }
    }
}

fn empty() -> Kept {
    let id = "3f1c9c1e".parse().unwrap();
    let wish = parlor_rules::Wish::Space(parlor_rules::space::Wish::default());
    Kept::new(State::create(id, SecretHash::of(HOST_KEY), wish), Millis(1))
}

fn space(kept: &Kept) -> &Space {
    let State::Space(space) = &kept.state else { unreachable!("a space") };
    space
}

fn by_one(events: Vec<Event>) -> Commit {
    let ticket = Ticket { holder: Holder { user: None, client: "tab".parse().unwrap() }, number: 1 };
    let events = events.into_iter().map(parlor_rules::Event::Space).collect();
    Commit { at: Millis(2), renews: true, done: vec![Done { by: None, ticket: Some(ticket), events }] }
}

#[test]
fn a_value_of_every_kind_survives_byte_for_byte() {
    let address = "space/3f1c9c1e".parse().unwrap();
    let mut kept = empty();
    let sets = VALUES.iter().zip(0..).flat_map(|(text, n)| {
        let put =
            Event::ItemPut { list: word("l"), id: word(&format!("i{n}")), order: word(&format!("V{n:06}")), value: value(text) };
        [Event::MapSet { map: word("m"), key: word(&format!("k{n}")), value: value(text) }, put]
    });
    let commit = by_one(sets.collect());
    let before = kept.clone();
    kept.apply(2, &commit);
    let rest = step(&address, 2, &before, &kept, &commit);
    let mut shelf = Shelf::default();
    shelf.lay(&creation(&address, &before, &commit).writes);
    shelf.lay(&rest.writes);
    let woken = wake(&address, &shelf.records()).unwrap();
    let read = entry_commit(&address, &rest.entry).unwrap();
    for (text, n) in VALUES.iter().zip(0..) {
        let State::Space(woken) = &woken.state else { unreachable!("a space") };
        assert_eq!(woken.maps[&word::<PartName>("m")].entries[&word::<EntryKey>(&format!("k{n}"))].value.as_str(), *text);
        assert_eq!(woken.lists[&word::<PartName>("l")].items[&word::<ItemId>(&format!("i{n}"))].value.as_str(), *text);
        let field = rest.writes.iter().filter(
            |write| matches!(write, Write::SetField { value, .. } if value.ends_with(format!(",\"value\":{text}}}").as_bytes())),
        );
        assert!(field.count() >= 2, "{text}");
    }
    assert_eq!(read, commit);
}

/// What a set costs does not depend on how much there is.
#[test]
fn a_key_set_in_a_map_of_100000_writes_one_field_and_a_receipt() {
    let address = "space/3f1c9c1e".parse().unwrap();
    let mut kept = empty();
    let set = |n: usize| Event::MapSet { map: word("m"), key: word(&format!("k{n}")), value: value("1") };
    kept.apply(2, &by_one((0..100_000).map(set).collect()));
    for event in [set(7), set(100_000), Event::MapRemoved { map: word("m"), key: word("k9") }] {
        let before = kept.clone();
        let commit = by_one(vec![event]);
        kept.apply(3, &commit);
        let rest = step(&address, 3, &before, &kept, &commit);
        let keys: Vec<&str> = rest.writes.iter().map(|write| &**write.key()).collect();
        assert_eq!(keys, ["map:m", "space_clients:3f1c9c1e"]);
        assert!(rest.writes.iter().all(|write| matches!(write, Write::SetField { .. } | Write::DropField { .. })));
    }
    let before = kept.clone();
    let commit = by_one(vec![Event::MapCleared { map: word("m") }, set(1)]);
    kept.apply(4, &commit);
    let rest = step(&address, 4, &before, &kept, &commit);
    assert!(matches!(&rest.writes[0], Write::Put { value: Value::Hash(fields), .. } if fields.len() == 1), "{:?}", rest.writes);
    assert_eq!(rest.writes.len(), 2);
    assert_eq!(space(&kept).maps[&word::<PartName>("m")].len(), 1);
}
