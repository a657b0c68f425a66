//! Document 002's hazards, as far as they are decided by how a game rests: one deadline reaches every key, a room is whole or not there,
//! and no secret, vote or answer stands where it need not.

use crate::reels_histories::{MASTER_KEY, ReelsHistory, game, reels_batches};
use crate::secrets::{bytes, find, hashes};
use crate::support::{CREATED, Step, leaves, place, word};
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, room_key, wake};
use parlor_rules::receipts::RECEIPTS_MAX;
use parlor_rules::reels::wish::{PLAYERS_MAX, SENDERS_MAX};
use parlor_rules::reels::{Event, LIFE, Loss, PlayerId};
use parlor_rules::{Address, Commit, Done, Proof, SecretHash};
use parlor_store::Key;
use proptest::prelude::*;
use std::collections::BTreeSet;

const PREFIX: &str = "room:ABCD2345:";

proptest! {
    /// A store puts the room's deadline on the keys that the room's key names, whenever they come to life.
    #[test]
    fn h70_h71_h72_one_deadline_reaches_every_key_of_a_history(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        let room = room_key(&history.address);
        prop_assert!(room.spine.starts_with(PREFIX));
        for step in &history.steps {
            for (key, _) in step.writes.iter().map(place) {
                prop_assert!(key.starts_with(PREFIX) && room.names(&key) && *key != *room.spine, "{}", key);
            }
            // Nothing that is done moves it, and the document's own word for it agrees.
            prop_assert_eq!(step.kept.expires, Some(CREATED + LIFE));
            let meta = leaves(&step.shelf).remove(&(Key::from("room:ABCD2345:meta"), None)).unwrap();
            let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
            prop_assert_eq!(meta["expires_at"].as_u64(), Some((CREATED + LIFE).0));
        }
    }

    /// Wherever somebody is renamed, both lists are written in that commit.
    #[test]
    fn h80_a_player_and_the_sender_they_play_for_are_renamed_together(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for two in history.steps.windows(2) {
            let written: BTreeSet<Key> = two[1].writes.iter().map(|write| write.key().clone()).collect();
            for event in two[1].commit.done.iter().flat_map(|done| &done.events) {
                let parlor_rules::Event::Reels(Event::Renamed { player, .. }) = event else { continue };
                prop_assert!(written.contains("room:ABCD2345:players"));
                let after = game(&two[1].kept);
                let Some(sender) = after.player(player).and_then(|player| player.sender.as_ref()) else { continue };
                let named = after.senders.iter().find(|other| other.id == *sender).map(|sender| &sender.name);
                prop_assert_eq!(after.player(player).map(|player| &player.name), named);
                let senders = |game: &parlor_rules::reels::Reels| game.senders.clone();
                prop_assert!(written.contains("room:ABCD2345:senders") || senders(game(&two[0].kept)) == senders(after));
            }
        }
    }

    #[test]
    fn h86_h89_no_key_of_a_device_or_of_the_master_rests_in_clear(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        prop_assert!(hashes(&history.steps, &history.secrets) >= 1, "the master key's hash is always there");
        let master = SecretHash::of(MASTER_KEY).hex();
        for step in &history.steps {
            for ((key, field), text) in leaves(&step.shelf) {
                if &*key == "room:ABCD2345:claims" {
                    prop_assert!(text.starts_with(b"sha256:") || text.starts_with(b"session:"), "{:?}", field);
                }
                let holds = find(&text, master.as_bytes()).is_some();
                prop_assert_eq!(holds, &*key == "room:ABCD2345:meta", "the master key's hash in {}", key);
            }
            for (_, text) in &step.entry {
                prop_assert_eq!(find(text, master.as_bytes()), None);
            }
        }
    }

    /// What was chosen stands with the votes, what is right with the round, and both at most in the stream besides.
    #[test]
    fn votes_and_answers_stand_only_in_their_own_keys(batches in reels_batches()) {
        let history = ReelsHistory::play(&batches);
        for step in &history.steps {
            for ((key, _), text) in leaves(&step.shelf) {
                let (is_vote, is_round) = (key.starts_with("room:ABCD2345:votes:"), key.starts_with("room:ABCD2345:round:"));
                prop_assert_eq!(find(&text, b"selections").is_some(), is_vote, "{}", key);
                prop_assert_eq!(find(&text, b"true_sender").is_some(), is_round, "{}", key);
            }
            // Until it is counted a vote changes nothing else.
            let events = || step.commit.done.iter().flat_map(|done| &done.events);
            let only_votes = events().all(|event| matches!(event, parlor_rules::Event::Reels(Event::Voted { .. })));
            for (key, field) in step.writes.iter().map(place).filter(|_| only_votes && step.seq > 1) {
                let is_receipt = &*key == "room:ABCD2345:stats" && field.is_some_and(|field| field.contains('/'));
                prop_assert!(key.starts_with("room:ABCD2345:votes:") || is_receipt, "{}", key);
            }
        }
    }

    /// Two rooms have no key in common, whatever their codes are: one that is closed takes nothing of another away.
    #[test]
    fn rooms_with_other_codes_have_other_keys(one in "[A-Z2-9]{1,8}", other in "[A-Z2-9]{1,8}") {
        prop_assume!(one != other);
        let (one, other): (Address, Address) = (format!("reels/{one}").parse().unwrap(), format!("reels/{other}").parse().unwrap());
        let (one, other) = (room_key(&one), room_key(&other));
        for key in one.records.iter().chain([&one.spine]) {
            prop_assert!(!other.names(key), "{}", key);
        }
    }
}

/// CREATE_ROOM is one commit that has all a room needs; with any part of it missing there is no room to be seen.
#[test]
fn h76_a_room_is_made_whole_in_one_commit() {
    let history = ReelsHistory::play(&[]);
    let writes = &history.steps[0].writes;
    let mut shelf = Shelf::default();
    shelf.lay(writes);
    assert!(wake(&history.address, &shelf.records()).is_ok_and(|kept| kept.state == history.steps[0].kept.state));
    let keys: BTreeSet<&str> = writes.iter().map(|write| &write.key()[PREFIX.len()..]).collect();
    let listed = ["meta", "senders", "players", "scores", "game", "round:r1", "round:r_2", "stats"];
    assert_eq!(keys, BTreeSet::from(listed));
    for missing in 0..writes.len() {
        let mut half = Shelf::default();
        half.lay(&[&writes[..missing], &writes[missing + 1..]].concat());
        assert!(wake(&history.address, &half.records()).is_err(), "without {:?}", writes[missing]);
    }
}

/// However many come and go, few are remembered, and those who are forgotten are gone from the records too. So no hash of a game grows to
/// the 10000 fields from which on a server reads one apart from the others, and a game's records are always of one moment.
#[test]
fn devices_that_lost_their_seat_are_forgotten_at_rest_too() {
    let history = ReelsHistory::play(&[]);
    let player: PlayerId = word("p1");
    let come_and_go = |number: u64| {
        let taken = Event::Taken { player: player.clone(), user: word(&format!("user-{number}")), proof: Proof::Session };
        [taken, Event::Released { player: player.clone(), why: Some(Loss::Released) }].map(parlor_rules::Event::Reels)
    };
    let ReelsHistory { address, steps, .. } = history;
    let mut last: Step = steps.into_iter().next().unwrap();
    for numbers in [0..150, 150..300, 300..301] {
        let done = Done { by: None, ticket: None, events: numbers.flat_map(come_and_go).collect() };
        last = last.then(&address, Commit { at: CREATED, renews: false, done: vec![done] });
        let mut whole = Shelf::default();
        whole.lay(&creation(&address, &last.kept, &last.commit).writes);
        assert_eq!(last.shelf, whole);
    }
    let lost = game(&last.kept).lost.len();
    assert!(lost < 300 && lost + RECEIPTS_MAX + PLAYERS_MAX + SENDERS_MAX + 2 < 10_000, "{lost}");
}

#[test]
fn what_is_searched_for_secrets_is_all_that_rests() {
    let history = ReelsHistory::play(&[]);
    let all = bytes(&history.steps[0]);
    for needle in ["room:ABCD2345:meta", "p-3", "settings", "commit", "https://www.instagram.com"] {
        assert!(all.iter().any(|text| find(text, needle.as_bytes()).is_some()), "{needle}");
    }
}
