//! `touched`, `record` and `wake` agree for games too.

use crate::reels_histories::{ReelsHistory, game, reels_batches};
use crate::support::{leaves, place, records};
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, entry_commit, wake};
use parlor_rules::reels::{Event as Reel, Stage};
use parlor_rules::{Event, Kept, Millis, When};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;

fn woken(history: &ReelsHistory, shelf: &Shelf, expires: Option<Millis>) -> Kept {
    Kept { expires, ..wake(&history.address, &shelf.records()).unwrap() }
}

proptest! {
    #[test]
    fn what_the_commits_wrote_is_what_the_game_has(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for step in &history.steps {
            let mut whole = Shelf::default();
            whole.lay(&creation(&history.address, &step.kept, &step.commit).writes);
            prop_assert_eq!(&step.shelf, &whole, "after commit {}: {:?}", step.seq, step.commit);
            let (mut records, mut lying) = (records(&step.kept), leaves(&step.shelf).into_values().collect::<Vec<_>>());
            records.sort();
            lying.sort();
            prop_assert_eq!(lying, records, "after commit {}", step.seq);
        }
    }

    #[test]
    fn a_game_wakes_as_it_went_to_rest(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for step in &history.steps {
            let woken = woken(&history, &step.shelf, step.kept.expires);
            prop_assert!(woken == step.kept, "after commit {}: {:?}", step.seq, step.commit);
        }
    }

    #[test]
    fn a_commit_of_a_game_is_read_back_from_its_entry(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for step in &history.steps {
            prop_assert_eq!(entry_commit(&history.address, &step.entry), Ok(step.commit.clone()));
        }
    }

    #[test]
    fn an_older_game_becomes_the_newer_one_by_the_entries_between(batches in reels_batches(), from: Index) {
        let history = ReelsHistory::play(&batches);
        let older = from.get(&history.steps);
        let mut kept = woken(&history, &older.shelf, older.kept.expires);
        for step in history.steps.iter().filter(|step| step.seq > older.seq) {
            kept.apply(step.seq, &entry_commit(&history.address, &step.entry).unwrap());
        }
        prop_assert!(kept == history.last().kept);
    }

    /// Each event says what is there now, so whoever meets it twice has what they had.
    #[test]
    fn an_event_of_a_game_that_comes_twice_changes_nothing(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for two in history.steps.windows(2) {
            let (mut state, when) = (two[0].kept.state.clone(), When { at: two[1].commit.at, seq: two[1].seq });
            for event in two[1].commit.done.iter().flat_map(|done| &done.events) {
                state.apply(when, event);
                let once = state.clone();
                state.apply(when, event);
                prop_assert!(state == once, "{:?}", event);
            }
        }
    }

    /// As a store might give them that says an older place than it read at. No store does that to a game; it would be exact but for
    /// players who come or go meanwhile: whoever came in a later round would have 0 points in an earlier one.
    #[test]
    fn records_that_are_already_newer_become_the_newest_by_the_entries_since(batches in reels_batches(), from: Index, read: Index) {
        let history = ReelsHistory::play(&batches);
        let from = from.index(history.steps.len());
        let newer = read.get(&history.steps[from..]);
        let since = || history.steps[from + 1..].iter().flat_map(|step| &step.commit.done).flat_map(|done| &done.events);
        let comes_or_goes = |event: &Event| matches!(event, Event::Reels(Reel::PlayerAdded { .. } | Reel::PlayerDeleted { .. }));
        prop_assume!(!since().any(comes_or_goes));
        let mut kept = woken(&history, &newer.shelf, newer.kept.expires);
        for step in &history.steps[from + 1..] {
            kept.apply(step.seq, &entry_commit(&history.address, &step.entry).unwrap());
        }
        prop_assert!(kept == history.last().kept);
    }

    #[test]
    fn a_record_of_a_game_is_written_once_and_only_if_an_act_was_about_it(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for two in history.steps.windows(2) {
            let (before, after) = (leaves(&two[0].shelf), leaves(&two[1].shelf));
            let places: Vec<_> = two[1].writes.iter().map(place).collect();
            let written: BTreeSet<_> = places.iter().cloned().collect();
            prop_assert_eq!(written.len(), places.len());
            prop_assert!(!written.iter().any(|(key, field)| field.is_some() && written.contains(&(key.clone(), None))));
            let differ = before.keys().chain(after.keys()).filter(|place| before.get(place) != after.get(place));
            for (key, field) in differ {
                prop_assert!(written.contains(&(key.clone(), field.clone())) || written.contains(&(key.clone(), None)), "{} {:?}", key, field);
            }
        }
    }

    /// Document 002: sum(scores) = sum(round deltas), always; as it lies there, for each player.
    #[test]
    fn every_players_score_is_what_their_rounds_add_up_to(batches in reels_batches()) {
        for step in ReelsHistory::play(&batches).steps {
            let game = game(&step.kept);
            for (player, score) in &game.scores {
                let rounds: u64 = game.deltas.values().filter_map(|deltas| deltas.get(player)).sum();
                prop_assert_eq!(*score, rounds, "{}", player);
            }
        }
    }
}

/// Properties of lobbies alone would prove little.
#[test]
fn random_games_are_played_to_the_end() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..200 {
        let history = ReelsHistory::play(&reels_batches().new_tree(&mut runner).unwrap().current());
        met.extend(history.steps.iter().map(|step| game(&step.kept).stage));
    }
    assert_eq!(met, BTreeSet::from(Stage::ALL));
}
