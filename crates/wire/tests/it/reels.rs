//! The party game's part of docs/protocol.md: every message of document 002, every broadcast with its fields, and how a phone and
//! the big screen see one moment.

use parlor_rules::kinds::{Mine, Shared};
use parlor_rules::reels::{Reels, Wish};
use parlor_rules::room::Room;
use parlor_rules::{Act, Address, Credential, Here, Kind, Mark, Millis, Place, Position, SecretHash, When};
use parlor_wire::commands::verbs;
use parlor_wire::reels::{Broadcasts, ReelsMe, Screen};
use parlor_wire::{view, wish};
use serde_json::{Value, json};
use std::fmt::Write;
use utoipa::openapi::{RefOr, schema::Schema};
use utoipa::{PartialSchema, ToSchema};

const WISH: &str = r#"{"kind":"reels","title":"Friday","vote_seconds":30,"senders":[{"sender_id":"s12","name":"Camille","active":true,"reels_count":37},{"sender_id":"s44","name":"Nico","active":true,"reels_count":12}],"players":[{"player_id":"p12","sender_id":"s12","is_sender_bound":true,"active":true,"name":"Camille"},{"player_id":"p44","sender_id":"s44","is_sender_bound":true,"active":true,"name":"Nico"}],"rounds":[{"round_id":"r1","items":[{"item_id":"i1","reel":{"reel_id":"reel_abc","url":"https://www.instagram.com/reel/XYZ/"},"true_sender_ids":["s12","s44"],"k":2}]}]}"#;

fn room() -> Address {
    "reels/ABCD2345".parse().unwrap()
}

fn credential(who: &str) -> Credential {
    match who {
        "master" => Credential { host: Some(SecretHash::of(b"master")), ..Credential::default() },
        phone => Credential::guest(phone.as_bytes()),
    }
}

struct Stage {
    game: Reels,
    seq: u64,
}

impl Stage {
    fn new() -> Stage {
        let parlor_rules::Wish::Reels(wish) = wish::read(Some(WISH)).unwrap() else { unreachable!("it says its kind") };
        Stage { game: made(wish), seq: 1 }
    }

    fn does(&mut self, who: &str, verb: &str, with: &Value) {
        let command = parlor_wire::commands::read(Kind::Reels, verb, Some(&with.to_string())).unwrap();
        let parlor_rules::Command::Reels(command) = command else { unreachable!("it is the game's") };
        let at = Millis(1_700_000_000_000 + self.seq * 1000);
        let by = self.game.recognise(&credential(who)).unwrap();
        let events = self.game.decide(&Act { by, at, dice: 0, command }).unwrap_or_else(|refusal| panic!("{verb}: {refusal}"));
        self.seq += 1;
        events.iter().for_each(|event| self.game.apply(When { at, seq: self.seq }, event));
    }

    fn seen(&self, who: &str) -> String {
        let viewer = self.game.recognise(&credential(who)).unwrap();
        let place = Place { position: Position { epoch: 1_700_000_000_000, seq: self.seq }, mark: Mark(0x0123_4567_89ab_cdef) };
        let shared = Shared::Reels(self.game.shared(self.game.class(&viewer), &Here::default()));
        let mine = Mine::Reels(self.game.mine(&viewer));
        let frame = view::splice(&view::shared(&room(), place, Some(Millis(1_700_043_200_000)), &shared), &view::mine(&mine));
        String::from_utf8(frame.to_vec()).unwrap()
    }
}

fn made(wish: Wish) -> Reels {
    Reels::create(room().id, SecretHash::of(b"master"), wish)
}

/// A vote that one of two has cast, then its count.
fn voting() -> Stage {
    let mut stage = Stage::new();
    let item = json!({ "round_id": "r1", "item_id": "i1" });
    stage.does("camille", "TAKE_PLAYER", &json!({ "player_id": "p12" }));
    stage.does("nico", "TAKE_PLAYER", &json!({ "player_id": "p44" }));
    stage.does("master", "START_GAME", &json!({}));
    stage.does("master", "REEL_OPENED", &item);
    let mut vote = item;
    vote["selections"] = json!(["s12"]);
    stage.does("camille", "SUBMIT_VOTE", &vote);
    stage
}

pub(crate) fn messages() -> String {
    let mut text =
        String::from("| `do`, or `POST /v1/rooms/reels/{id}/…` | `with`, or the body | what it does |\n|---|---|---|\n");
    for verb in verbs(Kind::Reels) {
        let _ = writeln!(text, "| `{}` | `{}` | {} |", verb.name, verb.example, verb.help);
    }
    text
}

pub(crate) fn broadcasts() -> String {
    let mut text = String::from("| in `view.broadcasts` | when it stands | fields |\n|---|---|---|\n");
    let mut all = Vec::new();
    Broadcasts::schemas(&mut all);
    for (name, schema) in properties(&json!(Broadcasts::schema())) {
        let of = kind(&schema);
        let (_, described) = all.iter().find(|(known, _)| *known == of).unwrap_or_else(|| panic!("{of} is not described"));
        let described = json!(described);
        let fields = properties(&described).into_iter().map(|(field, schema)| {
            let about = schema["description"].as_str().map_or(String::new(), |about| format!(" ({about})"));
            format!("`{field}`: {}{about}", inside(&schema, &all))
        });
        let about = described["description"].as_str().unwrap_or("With the one before it.");
        let _ = writeln!(text, "| `{name}` | {about} | {} |", fields.collect::<Vec<_>>().join("; "));
    }
    text
}

/// The fields of the view and of `me`.
pub(crate) fn screen() -> String {
    let mut text = String::from("| field | holds |\n|---|---|\n");
    let mut all = Vec::new();
    Screen::schemas(&mut all);
    ReelsMe::schemas(&mut all);
    for (part, schema) in [("view", json!(Screen::schema())), ("me", json!(ReelsMe::schema()))] {
        for (field, schema) in properties(&schema) {
            let about = schema["description"].as_str().unwrap_or_default();
            let _ = writeln!(
                text,
                "| `{part}.{field}` | {}{}{about} |",
                inside(&schema, &all),
                if about.is_empty() { "" } else { ": " }
            );
        }
    }
    text
}

pub(crate) fn frames() -> String {
    let mut stage = voting();
    let (phone, master) = (stage.seen("camille"), stage.seen("master"));
    stage.does("nico", "SUBMIT_VOTE", &json!({ "round_id": "r1", "item_id": "i1", "selections": [] }));
    let counted = stage.seen("master");
    let mut text = format!("**CREATE_ROOM**, or `POST /v1/rooms`\n\n```json\n{WISH}\n```\n\n");
    for (name, frame) in [
        ("A phone, while a vote is open", phone),
        ("The Master at the same moment", master),
        ("The Master when the vote is counted", counted),
    ] {
        let _ = write!(text, "**{name}**\n\n```json\n{frame}\n```\n\n");
    }
    text
}

fn properties(schema: &Value) -> Vec<(String, Value)> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

/// What a field is: the name of its type, without null.
fn kind(schema: &Value) -> String {
    let ways = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    let schema = ways.and_then(|ways| ways.iter().find(|way| way["type"] != "null")).unwrap_or(schema);
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return name.to_owned();
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("[{}]", kind(&schema["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let name = names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or_default();
            if name == "array" { format!("[{}]", kind(&schema["items"])) } else { name.to_owned() }
        }
        _ => "JSON".to_owned(),
    }
}

/// The same with the members of small objects in its place.
fn inside(schema: &Value, all: &[(String, RefOr<Schema>)]) -> String {
    let of = kind(schema);
    let bare = of.trim_matches(['[', ']']);
    let Some((_, described)) = all.iter().find(|(name, _)| name == bare && name != "Broadcasts") else { return of };
    let fields: Vec<String> = properties(&json!(described)).into_iter().map(|(name, _)| name).collect();
    of.replace(bare, &format!("{{{}}}", fields.join(", ")))
}

#[test]
fn what_a_phone_is_told_says_no_answer_and_no_vote_of_others() {
    let stage = voting();
    let (camille, nico) = (stage.seen("camille"), stage.seen("nico"));
    assert!(camille.contains(r#""selections":["s12"]"#), "{camille}");
    assert!(nico.contains(r#""selections":null"#) && !nico.contains("true_sender") && !nico.contains("reels_count"), "{nico}");
    assert!(!stage.seen("master").contains("true_sender"), "the big screen is in everybody's sight");
}
