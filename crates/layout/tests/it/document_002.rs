//! Document 002's own examples, section by section, as they stand there: a game that is made of them wakes, and is written down again
//! as the document has it.
//!
//! The document's examples are of different moments, so what one moment lacks is added, and each test says what. In all of them: the
//! hash that the document leaves out of `master_key_hash`, and `stats`, which is additive.

use bytes::Bytes;
use parlor_layout::{creation, wake};
use parlor_rules::reels::Stage;
use parlor_rules::{Address, Commit, Kept, Millis, State};
use parlor_store::{Key, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const HASH: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
/// Section 1, with a hash for its dots.
const META: &str = r#"{ "code": "ABCD1234", "created_at": 1730000000000, "expires_at": 1730043200000, "phase": "lobby", "version": 1, "master_key_hash": "HASH" }"#;
const SENDERS: &str = r#"[
  { "sender_id": "s12", "name": "Camille", "active": true,  "reels_count": 37 },
  { "sender_id": "s44", "name": "Nico",    "active": false, "reels_count": 0 }
]"#;
const PLAYERS: &str = r#"[
  { "player_id": "p12", "sender_id": "s12", "is_sender_bound": true, "active": true, "name": "Camille", "avatar_url": null },
  { "player_id": "p44", "sender_id": "s44", "is_sender_bound": true, "active": false, "name": "Nico", "avatar_url": null }
]"#;
const LOBBY: &str = r#"{ "phase": "lobby", "round_order": ["r1", "r2", "r3"], "current_round_id": null, "current_item_index": null, "status": "idle", "vote": null, "version": 1 }"#;
const VOTE: &str = r#"{ "phase": "game", "round_order": ["r1", "r2"], "current_round_id": "r1", "current_item_index": 0, "status": "vote",
  "vote": { "round_id": "r1", "item_id": "i1", "expected_player_ids": ["p12", "p99"] }, "version": 12 }"#;
const RECAP: &str = r#"{ "phase": "game", "round_order": ["r1", "r2"], "current_round_id": "r1", "current_item_index": 5, "status": "round_recap", "vote": null, "version": 21 }"#;
const ROUND: &str = r#"{ "round_id": "r1", "created_at": 1730000000000, "items": [
  { "item_id": "i1", "reel": { "reel_id": "reel_abc", "url": "https://www.instagram.com/reel/XYZ/" }, "true_sender_ids": ["s12", "s44"], "k": 2 }
] }"#;
/// Section 9.
const BALLOT: &str = r#"{"selections":["s12"],"ts":1730000000000}"#;

/// What a game is made of, by the names after `room:ABCD1234:`.
struct Made(BTreeMap<String, Value>);

fn text(json: impl ToString) -> Bytes {
    json.to_string().into()
}

impl Made {
    fn new(game: &str, phase: &str, rounds: &[&str]) -> Made {
        let mut made = Made(BTreeMap::new());
        let meta = META.replace("HASH", HASH).replace("\"lobby\"", &format!("\"{phase}\""));
        for (name, json) in [("meta", &*meta), ("senders", SENDERS), ("players", PLAYERS), ("game", game), ("round:r1", ROUND)] {
            made.document(name, json);
        }
        for round in rounds {
            made.document(&format!("round:{round}"), &ROUND.replace("\"r1\"", &format!("\"{round}\"")));
        }
        made.hash("stats", &[("settings", "{}")]);
        made
    }

    fn document(&mut self, name: &str, json: &str) {
        self.0.insert(name.to_owned(), Value::Document(text(json)));
    }

    fn hash(&mut self, name: &str, fields: &[(&str, &str)]) {
        let fields = fields.iter().map(|(field, value)| ((*field).into(), text(value)));
        self.0.insert(name.to_owned(), Value::Hash(fields.collect()));
    }

    /// The seat that the later examples speak of and section 3 does not list.
    fn with_p99(mut self) -> Made {
        let p99 = json!({"player_id": "p99", "sender_id": null, "is_sender_bound": false, "active": true, "name": "Zoé", "avatar_url": null});
        let mut players: Vec<Json> = serde_json::from_str(PLAYERS).unwrap();
        players.push(p99);
        self.document("players", &json!(players).to_string());
        self
    }

    /// Wakes, and writes down again what it was made of.
    fn wakes(&self) -> Kept {
        let address: Address = "reels/ABCD1234".parse().unwrap();
        let named = |name: &String| Key::from(format!("room:ABCD1234:{name}"));
        let records: Vec<(Key, Value)> = self.0.iter().map(|(name, value)| (named(name), value.clone())).collect();
        let kept = wake(&address, &records).unwrap();
        let mut shelf = parlor_layout::shelf::Shelf::default();
        shelf.lay(&creation(&address, &kept, &Commit { at: Millis(0), renews: false, done: vec![] }).writes);
        let plain = |value: &Value| match value {
            Value::Document(text) => serde_json::from_slice::<Json>(text).unwrap(),
            Value::Hash(fields) => {
                let fields = fields.iter().map(|(field, value)| (field.to_string(), String::from_utf8_lossy(value).into()));
                Json::Object(fields.collect())
            }
            other => panic!("{other:?} is not the document's"),
        };
        let again: BTreeMap<String, Json> =
            shelf.0.iter().map(|(key, value)| (key["room:ABCD1234:".len()..].to_owned(), plain(value))).collect();
        let made: BTreeMap<String, Json> = self.0.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
        assert_eq!(again, made);
        kept
    }
}

fn stage(kept: &Kept) -> Stage {
    let State::Reels(game) = &kept.state else { unreachable!("a game") };
    game.stage
}

/// Added: the rounds r2 and r3 of `round_order`, and the scores, 0 for all players as CREATE_ROOM says (section 10).
#[test]
fn the_documents_lobby_wakes() {
    let mut made = Made::new(LOBBY, "lobby", &["r2", "r3"]);
    made.hash("scores", &[("p12", "0"), ("p44", "0")]);
    let kept = made.wakes();
    assert_eq!((stage(&kept), kept.created), (Stage::Lobby, Millis(1_730_000_000_000)));
}

/// Added: round r2, the seat p99, the scores and points of a first item, who has the seats (section 4 shows a device's secret, which
/// rests hashed), and when the vote was opened.
#[test]
fn the_documents_vote_wakes() {
    let mut made = Made::new(VOTE, "game", &["r2"]).with_p99();
    let nothing = [("p12", "0"), ("p44", "0"), ("p99", "0")];
    made.hash("scores", &nothing);
    made.hash("round_delta:r1", &nothing);
    made.hash("claims", &[("p12", HASH), ("p99", "session:user_id_1")]);
    made.hash("votes:r1:i1", &[("p12", BALLOT)]);
    made.hash("stats", &[("settings", "{}"), ("vote", r#"{"opened_at":1730000000000}"#)]);
    assert_eq!(stage(&made.wakes()), Stage::Vote);
}

/// Added: round r2, the seat p99, four more items, since index 5 is past the last. The points of r1 are section 6's; the scores must be
/// the same then, where section 5 shows those of a later moment.
#[test]
fn the_documents_round_recap_wakes() {
    let mut made = Made::new(RECAP, "game", &["r2"]).with_p99();
    let mut round: Json = serde_json::from_str(ROUND).unwrap();
    let first = round["items"][0].clone();
    for number in 2..=5 {
        let mut item = first.clone();
        item["item_id"] = json!(format!("i{number}"));
        round["items"].as_array_mut().unwrap().push(item);
    }
    made.document("round:r1", &round.to_string());
    let points = [("p12", "2"), ("p44", "0"), ("p99", "0")];
    made.hash("round_delta:r1", &points);
    made.hash("scores", &points);
    assert_eq!(stage(&made.wakes()), Stage::RoundRecap);
}
