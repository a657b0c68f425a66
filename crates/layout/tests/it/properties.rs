//! `touched`, `record` and `wake` agree, over random histories.

use crate::document_000::condition;
use crate::histories::{History, batches};
use crate::support::{leaves, place, records};
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, entry_commit, wake};
use parlor_rules::poker::{Deck, Poker, Seat};
use parlor_rules::{Kept, Millis, Proof, SecretHash, State};
use proptest::prelude::*;

/// A room as the store would give it back: the end of the room is the deadline on its keys.
pub(crate) fn woken(history: &History, shelf: &Shelf, expires: Option<Millis>) -> Kept {
    Kept { expires, ..wake(&history.address, &shelf.records()).unwrap() }
}

proptest! {
    #[test]
    fn what_the_commits_wrote_is_what_the_room_has(batches in batches()) {
        let history = History::play(&batches);
        for step in &history.steps {
            let mut whole = Shelf::default();
            whole.lay(&creation(&history.address, &step.kept, &step.commit).writes);
            prop_assert_eq!(&step.shelf, &whole, "after commit {}", step.seq);
            let (mut records, mut lying) = (records(&step.kept), leaves(&step.shelf).into_values().collect::<Vec<_>>());
            records.sort();
            lying.sort();
            prop_assert_eq!(lying, records, "after commit {}", step.seq);
        }
    }

    #[test]
    fn a_record_is_written_at_most_once_in_a_commit(batches in batches()) {
        for step in History::play(&batches).steps {
            let mut places: Vec<_> = step.writes.iter().map(place).collect();
            places.sort();
            let written = places.len();
            places.dedup();
            prop_assert_eq!(places.len(), written);
        }
    }

    #[test]
    fn h122_h136_a_room_wakes_as_it_went_to_rest(batches in batches()) {
        let history = History::play(&batches);
        for step in &history.steps {
            let kept = woken(&history, &step.shelf, step.kept.expires);
            prop_assert!(kept == step.kept, "after commit {}: {:?}", step.seq, step.commit);
        }
    }

    #[test]
    fn a_commit_is_read_back_from_its_entry(batches in batches()) {
        let history = History::play(&batches);
        for step in &history.steps {
            prop_assert_eq!(entry_commit(&history.address, &step.entry), Ok(step.commit.clone()));
        }
    }

    #[test]
    fn an_older_room_becomes_the_newer_one_by_the_entries_between(batches in batches(), from: prop::sample::Index) {
        let history = History::play(&batches);
        let from = from.index(history.steps.len());
        let older = &history.steps[from];
        let mut kept = woken(&history, &older.shelf, older.kept.expires);
        for step in &history.steps[from + 1..] {
            kept.apply(step.seq, &entry_commit(&history.address, &step.entry).unwrap());
        }
        prop_assert!(kept == history.last().kept);
    }

    #[test]
    fn every_card_has_its_own_point(
        cards in prop::collection::btree_set("[0-9]{1,12}|[+-]?[0-9]{1,3}|0|[a-zA-Z?½∞☕]{1,3}", 1..40),
    ) {
        let Ok(deck) = cards.iter().cloned().collect::<Vec<_>>().join(" ").parse::<Deck>() else { return Ok(()) };
        let mut points = Vec::new();
        for (index, ballot) in one_seat_a_card(&deck).as_array().unwrap().iter().enumerate() {
            let card = &deck.cards()[index];
            let point = ballot["point"].as_i64().unwrap();
            prop_assert_eq!(ballot["vote"].as_str(), Some(card.as_str()));
            let whole = !card.as_str().starts_with('0') && card.as_str().bytes().all(|byte| byte.is_ascii_digit());
            let place = i64::try_from(index).unwrap() + 1;
            prop_assert_eq!(point, if whole { card.as_str().parse().unwrap() } else { -place }, "{}", card);
            points.push(point);
        }
        points.sort_unstable();
        points.dedup();
        prop_assert_eq!(points.len(), deck.cards().len());
        prop_assert!(!points.contains(&0));
    }
}

#[test]
fn the_default_decks_points() {
    let ballots = one_seat_a_card(&Deck::default());
    let points: Vec<_> = ballots.as_array().unwrap().iter().map(|ballot| ballot["point"].as_i64().unwrap()).collect();
    assert_eq!(points, [1, 2, 3, 5, 8, 13, 20, -8, -9]);
}

/// The ballots of a table at which each card has been played once, in the deck's order.
fn one_seat_a_card(deck: &Deck) -> serde_json::Value {
    let key = SecretHash::of(b"any");
    let proof = Proof::Key(key);
    let mut table = Poker::new("12345".parse().unwrap(), key, deck.clone());
    for (card, arrival) in deck.cards().iter().zip(1..) {
        let seat = Seat { proof, name: "any".parse().unwrap(), observer: false, arrival, vote: Some(card.clone()) };
        table.seats.insert(format!("user_{arrival}").parse().unwrap(), seat);
    }
    condition(&Kept::new(State::Poker(table), Millis(0)))["ballots"].clone()
}
