//! A game's records that have been damaged or mixed up wake as an error that names them, or as a game that can be played on; nothing panics.

use crate::damage::{damage, harm};
use crate::reels_golden::voting;
use crate::reels_histories::{MASTER_KEY, ReelsHistory, reels_batches};
use crate::support::Step;
use bytes::Bytes;
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, entry_commit, wake};
use parlor_rules::{Address, Credential, Here, Kept, SecretHash};
use parlor_store::{Field, Key, Value, Write};
use proptest::prelude::*;
use proptest::sample::Index;

/// Looked at by everyone, written down again.
fn look(address: &Address, kept: &Kept) -> Shelf {
    for credential in
        [Credential::guest(b"anyone"), Credential { host: Some(SecretHash::of(MASTER_KEY)), ..Credential::default() }]
    {
        if let Ok(viewer) = kept.state.recognise(&credential) {
            kept.state.shared(&viewer, &Here::default());
            kept.state.mine(&viewer);
        }
    }
    let commit = parlor_rules::Commit { at: kept.created, renews: false, done: vec![] };
    let mut shelf = Shelf::default();
    shelf.lay(&creation(address, kept, &commit).writes);
    shelf
}

/// What woke wakes again as the same, and so does whatever becomes of it.
fn is_sound(address: &Address, kept: Kept, batches: &[crate::reels_histories::Batch]) -> Result<(), TestCaseError> {
    let shelf = look(address, &kept);
    let woken = wake(address, &shelf.records()).unwrap();
    prop_assert!(woken.state == kept.state && woken.receipts == kept.receipts);
    let commit = parlor_rules::Commit { at: kept.created, renews: false, done: vec![] };
    let first = Step { seq: 1, commit, kept, entry: vec![], writes: vec![], shelf };
    for step in ReelsHistory::play_on(address.clone(), first, batches).steps {
        look(address, &step.kept);
        let woken = wake(address, &step.shelf.records());
        prop_assert!(woken.is_ok_and(|woken| woken.state == step.kept.state), "after {:?}", step.commit);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_damaged_game_is_refused_or_can_be_played_on(
        batches in reels_batches(),
        harms in prop::collection::vec(harm(), 1..4),
        later in reels_batches(),
    ) {
        let history = ReelsHistory::play(&batches);
        let mut shelf = history.last().shelf.clone();
        harms.iter().for_each(|harm| damage(&mut shelf, harm));
        if let Ok(kept) = wake(&history.address, &shelf.records()) {
            is_sound(&history.address, kept, &later)?;
        }
    }

    #[test]
    fn a_game_with_another_games_records_is_refused_or_can_be_played_on(
        batches in reels_batches(),
        others in reels_batches(),
        which in prop::collection::vec(any::<Index>(), 1..4),
        later in reels_batches(),
    ) {
        let history = ReelsHistory::play(&batches);
        let other = ReelsHistory::play_in("reels/WXYZ6789", &others);
        let strange: Vec<(Key, Value)> = other.last().shelf.records();
        let mut shelf = history.last().shelf.clone();
        for (key, value) in which.iter().map(|index| index.get(&strange)) {
            shelf.0.insert(key.replace("WXYZ6789", "ABCD2345").into(), value.clone());
        }
        if let Ok(kept) = wake(&history.address, &shelf.records()) {
            is_sound(&history.address, kept, &later)?;
        }
    }

    #[test]
    fn a_damaged_entry_of_a_game_never_panics(batches in reels_batches(), which: Index, byte: Index, bit in 0u8..8, cut: Option<Index>) {
        let history = ReelsHistory::play(&batches);
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
}

/// One thing is broken in a sound game, and these words must be said about it.
#[test]
fn damage_of_a_game_is_named() {
    let sound = voting();
    let address: Address = "reels/ABCD1234".parse().unwrap();
    let said =
        |shelf: &Shelf| wake(&address, &shelf.records()).map_or_else(|damaged| damaged.to_string(), |_| "sound".to_owned());
    assert_eq!(said(&sound), "sound");
    let key = |name: &str| Key::from(format!("room:ABCD1234:{name}"));
    let without = |name: &str, says: &str| {
        let mut shelf = sound.clone();
        assert!(shelf.0.remove(&key(name)).is_some(), "{name}");
        assert!(said(&shelf).contains(says), "without {name}: {:?} does not say {says:?}", said(&shelf));
    };
    for name in ["meta", "senders", "players", "game", "round:r1", "round:r2"] {
        without(name, &format!("room:ABCD1234:{name} cannot be read back: it is missing"));
    }
    without("scores", "scores");
    without("round_delta:r1", "points");
    without("stats", "settings");
    without("avatar:p12", "face");
    let put = |name: &str, text: &str, says: &str| {
        let mut shelf = sound.clone();
        shelf.0.insert(key(name), Value::Document(Bytes::copy_from_slice(text.as_bytes())));
        assert!(said(&shelf).contains(says), "{name} as {text}: {:?} does not say {says:?}", said(&shelf));
    };
    put("claims", "{}", "should be a hash");
    put("avatar:p12", "{}", "should be a text");
    put("meta", "{", "room:ABCD1234:meta");
    let other = |name: &str, was: &str, is: &str, says: &str| {
        let Some(Value::Document(text)) = sound.0.get(&key(name)) else { panic!("{name} is a document") };
        let text = std::str::from_utf8(text).unwrap();
        assert!(text.contains(was), "{name} has no {was}: {text}");
        put(name, &text.replacen(was, is, 1), says);
    };
    other("meta", "ABCD1234", "WXYZ6789", "another room's");
    other("meta", "\"game\"", "\"lobby\"", "phase");
    other("meta", "sha256:", "", "sha256");
    other("senders", "\"s44\"", "\"s12\"", "twice");
    other("senders", "\"s12\"", "\"s9\"", "sender");
    other("players", "\"p44\"", "\"p12\"", "players");
    other("players", "\"s12\"", "\"s9\"", "sender");
    other("game", "\"vote\"", "\"voting\"", "phase and status");
    other("game", "\"status\":\"vote\"", "\"status\":\"idle\"", "vote");
    other("game", "\"current_round_id\":\"r1\"", "\"current_round_id\":\"r9\"", "no such round");
    other("game", "\"current_round_id\":\"r1\"", "\"current_round_id\":null", "or neither");
    other("game", "\"item_id\":\"i2\"", "\"item_id\":\"i1\"", "current item");
    other("game", "[\"r1\",\"r2\"]", "[\"r1\",\"r1\"]", "twice");
    other("game", "[\"r1\",\"r2\"]", "[]", "no such round");
    other("game", "\"expected_player_ids\":[\"", "\"expected_player_ids\":[\"p7\",\"", "expected");
    other("round:r1", "\"round_id\":\"r1\"", "\"round_id\":\"r2\"", "another round");
    other("round:r1", "\"k\":2", "\"k\":1", "k is not");
    other("round:r1", "[\"s12\",\"s44\"]", "[\"s12\",\"s12\"]", "true senders");
    other("round:r1", "[\"s12\",\"s44\"]", "[\"s12\",\"s9\"]", "true senders");
    other("round:r1", "\"i2\"", "\"i1\"", "current item");
    other("round:r1", "https://", "javascript:", "link");
    let field = |name: &str, field: &str, text: Option<&str>, says: &str| {
        let mut shelf = sound.clone();
        let Some(Value::Hash(fields)) = shelf.0.get_mut(&key(name)) else { panic!("{name} is a hash") };
        match text {
            Some(text) => fields.insert(Field::from(field), Bytes::copy_from_slice(text.as_bytes())),
            None => fields.remove(field),
        };
        assert!(said(&shelf).contains(says), "{name} {field} as {text:?}: {:?} does not say {says:?}", said(&shelf));
    };
    let most = "18446744073709551615";
    field("scores", "p12", Some(most), "points");
    field("scores", "p12", Some("-1"), "room:ABCD1234:scores");
    field("scores", "p7", Some("0"), "scores");
    field("scores", "p44", None, "scores");
    field("round_delta:r1", "p12", Some(most), "points");
    field("round_delta:r1", "p44", None, "points");
    field("claims", "p12", Some("9f3e"), "sha256");
    field("claims", "p44", Some("session:eve"), "not in the game");
    field("stats", "settings", None, "no settings");
    field("stats", "settings", Some(&format!(r#"{{"vote_seconds":{most}}}"#)), "seconds");
    field("stats", "vote", None, "when it was opened");
    field("stats", "player:p12", Some(&format!(r#"{{"asked":{most},"right":1,"votes":1,"ms":1}}"#)), "counted");
    field("stats", "player:p12", Some(r#"{"asked":1,"right":2,"votes":1,"ms":1}"#), "counted");
    field("stats", "player:p7", Some(r#"{"asked":1,"right":1,"votes":1,"ms":1}"#), "counted");
    field("stats", "sender:s12", Some(&format!(r#"{{"chances":{most},"found":1,"accused":1}}"#)), "counted");
    field("stats", "sender:s9", Some(r#"{"chances":1,"found":1,"accused":1}"#), "counted");
    field("stats", "lost:eve", Some(r#"{"player_id":"p44","reason":"bored"}"#), "reason");
    field("stats", "tab", Some("{}"), "no such field");
    field("votes:r1:i2", "p7", Some(r#"{"selections":[],"ts":1}"#), "not expected");
    let voter = {
        let Some(Value::Hash(fields)) = sound.0.get(&key("votes:r1:i2")) else { panic!("votes are a hash") };
        fields.keys().next().unwrap().to_string()
    };
    field("votes:r1:i2", &voter, Some(&format!(r#"{{"selections":[],"ts":{most}}}"#)), "at a time");
    for selections in [r#"["s12","s44"]"#, r#"["s9"]"#] {
        field("votes:r1:i2", &voter, Some(&format!(r#"{{"selections":{selections},"ts":1}}"#)), "may be named");
    }
}

/// In the lobby players are deleted, and what another game counted for them would stay behind.
#[test]
fn nothing_was_counted_before_the_game_has_begun() {
    let history = ReelsHistory::play(&[]);
    let mut shelf = history.last().shelf.clone();
    let guesses = Bytes::from_static(br#"{"asked":1,"right":1,"votes":1,"ms":1}"#);
    shelf.lay(&[Write::SetField { key: "room:ABCD2345:stats".into(), field: "player:p1".into(), value: guesses }]);
    assert!(wake(&history.address, &shelf.records()).is_err_and(|damaged| damaged.to_string().contains("counted")));
}
