//! Document 002, section 10: each message, and what the store holds after it, alike on every store.

use super::game::{Game, JPEG, Who, at, reason, vote};
use crate::doors::inside::{Inside, Store};
use crate::doors::shelves::Shelves;
use crate::doors::socket::code;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One evening with everything the document has in it, and what must be refused on the way.
fn evening() -> Vec<(&'static str, Who, &'static str, Value)> {
    let (camille, nico, zoe) = (Who::Phone("camille"), Who::Phone("nico"), Who::Phone("zoe"));
    let player = |id: &str| json!({ "player_id": id });
    vec![
        ("a stranger", Who::Nobody, "JOIN_ROOM", json!({})),
        ("camille", camille, "JOIN_ROOM", json!({})),
        ("master", Who::Master, "JOIN_ROOM", json!({})),
        ("camille", camille, "TAKE_PLAYER", player("p12")),
        ("camille, again", camille, "TAKE_PLAYER", player("p12")),
        ("nico", nico, "TAKE_PLAYER", player("p12")),
        ("camille", camille, "TAKE_PLAYER", player("p44")),
        ("nico", nico, "TAKE_PLAYER", player("p9")),
        ("nico", nico, "TAKE_PLAYER", player("p99")),
        ("nico", nico, "TAKE_PLAYER", player("p44")),
        ("nobody", Who::Nobody, "TAKE_PLAYER", player("p7")),
        ("camille", camille, "RENAME_PLAYER", json!({ "player_id": "p12", "name": "Cam" })),
        ("nico", nico, "RENAME_PLAYER", json!({ "player_id": "p12", "name": "Nope" })),
        ("camille", camille, "UPDATE_AVATAR", json!({ "player_id": "p12", "jpeg": JPEG })),
        ("nico", nico, "DELETE_AVATAR", player("p12")),
        ("camille", camille, "DELETE_AVATAR", player("p12")),
        ("camille, again", camille, "DELETE_AVATAR", player("p12")),
        ("camille", camille, "UPDATE_AVATAR", json!({ "player_id": "p12", "jpeg": JPEG })),
        ("camille", camille, "STATE_SYNC", json!({})),
        ("master", Who::Master, "STATE_SYNC", json!({})),
        ("nico", nico, "RESET_CLAIMS", json!({})),
        ("master", Who::Master, "RESET_CLAIMS", json!({})),
        ("master, again", Who::Master, "RESET_CLAIMS", json!({})),
        ("camille", camille, "STATE_SYNC", json!({})),
        ("camille", camille, "TAKE_PLAYER", player("p12")),
        ("nico", nico, "TAKE_PLAYER", player("p44")),
        ("master", Who::Master, "ADD_PLAYER", json!({ "name": "Guest" })),
        ("zoe", zoe, "TAKE_PLAYER", player("p45")),
        ("master", Who::Master, "TOGGLE_PLAYER", json!({ "player_id": "p45", "active": false })),
        ("master, again", Who::Master, "TOGGLE_PLAYER", json!({ "player_id": "p45", "active": false })),
        ("master", Who::Master, "DELETE_PLAYER", player("p45")),
        ("master", Who::Master, "START_GAME", json!({})),
        ("zoe", zoe, "TAKE_PLAYER", player("p7")),
        ("camille", camille, "START_GAME", json!({})),
        ("master", Who::Master, "START_GAME", json!({})),
        ("master, again", Who::Master, "START_GAME", json!({})),
        ("master", Who::Master, "TOGGLE_PLAYER", json!({ "player_id": "p7", "active": false })),
        ("master", Who::Master, "RESET_CLAIMS", json!({})),
        ("camille", camille, "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
        ("master", Who::Master, "END_ITEM", at("r1", "i1")),
        ("master", Who::Master, "REEL_OPENED", at("r1", "i2")),
        ("master", Who::Master, "REEL_OPENED", at("r1", "i1")),
        ("camille", camille, "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
        ("master, again", Who::Master, "REEL_OPENED", at("r1", "i1")),
        ("camille", camille, "SUBMIT_VOTE", vote("r1", "i1", &["s12", "s44"])),
        ("nico", nico, "SUBMIT_VOTE", vote("r1", "i1", &["s12", "s44", "s7"])),
        ("nico", nico, "SUBMIT_VOTE", vote("r1", "i1", &["s9"])),
        ("nico", nico, "SUBMIT_VOTE", vote("r1", "i1", &["s44", "s44"])),
        ("nico", nico, "SUBMIT_VOTE", json!({ "round_id": "r1", "item_id": "i1", "selections": [], "player_id": "p7" })),
        ("nico", nico, "SUBMIT_VOTE", vote("r1", "i1", &["s44"])),
        ("zoe", zoe, "SUBMIT_VOTE", vote("r1", "i1", &[])),
        ("zoe, too late", zoe, "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
        ("master", Who::Master, "END_ITEM", at("r1", "i1")),
        ("master, again", Who::Master, "END_ITEM", at("r1", "i1")),
        ("master", Who::Master, "REEL_OPENED", at("r1", "i2")),
        ("nico", nico, "SUBMIT_VOTE", vote("r1", "i2", &["s7"])),
        ("camille", camille, "STATE_SYNC", json!({})),
        ("master", Who::Master, "STATE_SYNC", json!({})),
        ("zoe", zoe, "RELEASE_PLAYER", player("p7")),
        ("master", Who::Master, "FORCE_CLOSE_VOTE", at("r1", "i2")),
        ("master, again", Who::Master, "FORCE_CLOSE_VOTE", at("r1", "i2")),
        ("master", Who::Master, "FORCE_CLOSE_VOTE", json!({ "round_id": "r1", "item_id": "i2", "seconds": 0 })),
        ("camille", camille, "STATE_SYNC", json!({})),
        ("master", Who::Master, "STATE_SYNC", json!({})),
        ("master", Who::Master, "TOGGLE_PLAYER", json!({ "player_id": "p9", "active": true })),
        ("tom, late", Who::Phone("tom"), "TAKE_PLAYER", player("p9")),
        ("master", Who::Master, "END_ITEM", at("r1", "i2")),
        ("master", Who::Master, "START_NEXT_ROUND", json!({ "round_id": "r2" })),
        ("master", Who::Master, "START_NEXT_ROUND", json!({ "round_id": "r1" })),
        ("master, again", Who::Master, "START_NEXT_ROUND", json!({ "round_id": "r1" })),
        ("master", Who::Master, "REEL_OPENED", at("r2", "i3")),
        ("camille", camille, "SUBMIT_VOTE", vote("r2", "i3", &["s44"])),
        ("tom", Who::Phone("tom"), "SUBMIT_VOTE", vote("r2", "i3", &["s12"])),
        ("master", Who::Master, "RELEASE_PLAYER", player("p44")),
        ("master", Who::Master, "END_ITEM", at("r2", "i3")),
        ("master", Who::Master, "START_NEXT_ROUND", json!({ "round_id": "r2" })),
        ("camille", camille, "RENAME_PLAYER", json!({ "player_id": "p12", "name": "Late" })),
        ("master", Who::Master, "ROOM_CLOSED", json!({})),
        ("master", Who::Master, "ROOM_CLOSED", json!({})),
        ("camille", camille, "STATE_SYNC", json!({})),
        ("camille", camille, "JOIN_ROOM", json!({})),
    ]
}

/// JOIN_ROOM and STATE_SYNC read: they go by a socket, and answer with what is seen there.
async fn read(game: &Game<'_>, who: Who, verb: &str) -> String {
    let (name, key) = match who {
        Who::Master => ("screen", Some(json!({ "master_key": game.master_key }))),
        Who::Host(name) => (name, Some(json!({ "master_key": game.master_key }))),
        Who::Phone(name) => (name, None),
        Who::Nobody => ("stranger", None),
    };
    let mut socket = game.server.person(name).await;
    let answer = socket.ask(verb, Some(&game.room), None, key).await;
    if code(&answer) != "ok" {
        return code(&answer);
    }
    let seen = if verb == "JOIN_ROOM" { socket.push_of("view").await } else { answer["ok"].clone() };
    let (view, me) = (&seen["view"], &seen["me"]);
    let seats = |list: &str| {
        let seats = view[list].as_array().map(|seats| seats.iter().map(seat).collect::<Vec<_>>().join(" "));
        format!("{list} {}", seats.unwrap_or_else(|| "not shown".to_owned()))
    };
    let senders = view["senders_all"].as_array().map_or(0, Vec::len);
    let results = view["broadcasts"]["VOTE_RESULTS"].is_object();
    let stands = format!("{} {}, I have {}", view["phase"].as_str().unwrap(), view["status"].as_str().unwrap(), me["player_id"]);
    format!("ok, {stands}, {}, {}, {senders} senders, results {results}", seats("players_visible"), seats("players_all"))
}

/// `p12 free`, with what it has won.
fn seat(seat: &Value) -> String {
    let word = |name: &str| seat[name].as_str().unwrap_or_else(|| panic!("{seat}")).to_owned();
    format!("{}:{}:{}", word("player_id"), word("status"), seat["score_total"])
}

/// What a message left behind: new and changed records whole, and which are gone.
fn changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let new =
        after.iter().filter(|(key, value)| before.get(*key) != Some(value)).map(|(key, value)| format!("    {key} {value}\n"));
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| format!("    {key} is gone\n"));
    new.chain(gone).collect()
}

async fn play(store: Store) -> String {
    let server = Inside::start(store, &[]).await;
    let game = Game::make(&server, "section-10").await;
    let mut before = game.records().await;
    let mut told = format!("CREATE_ROOM\n{}", changes(&BTreeMap::new(), &before));
    for (name, who, verb, with) in evening() {
        server.step(250);
        let said = if ["JOIN_ROOM", "STATE_SYNC"].contains(&verb) {
            read(&game, who, verb).await
        } else {
            let answer = game.post(who, verb, &with).await;
            if answer.status == 200 { "ok".to_owned() } else { format!("{} {}", answer.status, reason(&answer)) }
        };
        let after = game.records().await;
        told += &format!("{verb} {with} by {name}: {said}\n{}", changes(&before, &after));
        before = after;
    }
    told.replace(&game.code, "CODE")
}

#[tokio::test]
async fn section_10_message_by_message_with_the_keys_after_each_alike_on_every_store() {
    let shelves = Shelves::new().await;
    let mut first: Option<String> = None;
    for store in shelves.all() {
        let told = play(store).await;
        shelves.clear().await;
        match &first {
            None => {
                insta::assert_snapshot!(told);
                first = Some(told);
            }
            Some(first) => assert_eq!(first, &told, "{store:?}"),
        }
    }
}
