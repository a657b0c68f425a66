//! Document 000, read with the commands that somebody types who knows only the document.

use super::guest::Guest;
use super::node::node;
use super::shelf::{all_ends, deadline, entries, id_of, keys, last, spine};
use parlor_rules::SecretHash;
use parlor_testbed::{Redis, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// LT: 60m
const LIFE: i64 = 60 * 60 * 1000;

/// The session of the document's table, line by line; gives the user's id.
fn is_logged_in(redis: &Redis, login: &Value, name: &str) -> String {
    let (id, token) = (login["user_id"].as_str().unwrap(), login["token"].as_str().unwrap());
    let hash = SecretHash::of(token.as_bytes()).hex();
    let rows = [format!("token:{hash}"), format!("user_id:{id}"), format!("user_name:{}", name.to_lowercase())];
    for key in &rows {
        assert_eq!(redis.ask(&["TYPE", key]).text(), "string", "{key}");
        assert_eq!(deadline(redis, key), login["expires_at"].as_i64().unwrap(), "{key}");
    }
    assert_eq!(redis.ask(&["GET", &rows[0]]).text(), id);
    let json_at = |key: &str| serde_json::from_str::<Value>(&redis.ask(&["GET", key]).text()).unwrap();
    // The token itself is a secret: its place is taken by its hash.
    assert_eq!(json_at(&rows[1]), json!({ "user_id": id, "user_name": name, "token": format!("sha256:{hash}") }));
    assert_eq!(json_at(&rows[2]), json!({ "user_id": id }));
    id.to_owned()
}

#[test]
fn the_documents_story_is_in_the_documents_keys() {
    let redis = Redis::start();
    let house = node(&redis.url());

    let (mut one, login) = Guest::member(&house, "user_name_1");
    let first = is_logged_in(&redis, &login, "user_name_1");
    let (mut two, login) = Guest::member(&house, "user_name_2");
    let second = is_logged_in(&redis, &login, "user_name_2");
    let ballot = |who: &str, name: &str, point: i64| json!({ "user_id": who, "user_name": name, "point": point });
    let ballots = |points: &[i64]| -> Value {
        let both = [(&first, "user_name_1"), (&second, "user_name_2")];
        both.iter().zip(points).map(|((who, name), point)| ballot(who, name, *point)).collect()
    };

    // CreateRoom
    let made = one.line.ask(json!({ "do": "create", "with": { "deck": "document" } })).unwrap()["ok"].clone();
    let room = made["room"].as_str().unwrap();
    let (key, room_id) = (spine(room), id_of(room));
    let condition = |admin: &str, state: u8, ballots: Value| json!({ "room_id": room_id, "admin_user_id": admin, "vote_state": state, "ballots": ballots });
    let mut count = 0;
    // Each command is one message in the stream, which says what the room is now. Nobody ever sees a lock.
    let mut reads = |step: &str, expected: Value| {
        count += 1;
        assert_eq!(redis.ask(&["TYPE", &key]).text(), "stream");
        assert_eq!(redis.ask(&["XLEN", &key]), Reply::Number(count), "{step}");
        let mut message = last(&redis, &key).json("room_condition_message");
        for ballot in message["ballots"].as_array_mut().unwrap() {
            ballot.as_object_mut().unwrap().remove("vote"); // Additive: the card's text.
        }
        assert_eq!(message, expected, "{step}");
        assert_eq!(redis.ask(&["EXISTS", &format!("room_lock:{room_id}")]), Reply::Number(0), "{step}");
    };
    // LT:60m (re-set), to the next full second.
    let is_reset = |step: &str| {
        let at = last(&redis, &key).json("commit")["at"].as_i64().unwrap();
        let life = deadline(&redis, &key) - at;
        assert!((LIFE..LIFE + 1000).contains(&life), "{step}: {life}");
    };
    reads("CreateRoom", condition("", 1, json!([])));
    is_reset("CreateRoom");

    for guest in [&mut one, &mut two] {
        guest.room = room.to_owned();
        assert!(guest.line.ask(json!({ "do": "enter", "room": room })).unwrap()["ok"].is_object());
    }
    one.does("join", json!({}));
    reads("Join 1st user", condition(&first, 1, ballots(&[0])));
    is_reset("Join 1st user");
    two.does("join", json!({}));
    reads("Join 2nd user", condition(&first, 1, ballots(&[0, 0])));
    is_reset("Join 2nd user");
    one.does("vote", json!({ "card": "2" }));
    reads("CastVote", condition(&first, 1, ballots(&[2, 0])));
    two.does("vote", json!({ "card": "3" }));
    reads("CastVote", condition(&first, 1, ballots(&[2, 3])));
    is_reset("CastVote");
    one.does("show", json!({}));
    reads("ShowVotes", condition(&first, 2, ballots(&[2, 3])));
    is_reset("ShowVotes");
    one.does("reset", json!({}));
    reads("ResetVotes", condition(&first, 1, ballots(&[0, 0])));
    is_reset("ResetVotes");
    one.does("kick", json!({ "user_id": second }));
    reads("KickUser", condition(&first, 1, ballots(&[0])));
    is_reset("KickUser");
    let before = deadline(&redis, &key);
    one.does("leave", json!({}));
    reads("LeaveRoom", condition("", 1, json!([])));
    assert_eq!(deadline(&redis, &key), before, "LeaveRoom: LT: (no update)");

    // Every message has the document's field first; what else is there is listed in docs/schema.md.
    for entry in entries(&redis, &key, "-").unwrap() {
        let names: Vec<&str> = entry.fields.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["room_condition_message", "commit", "bytes", "mark"]);
    }
    let known =
        ["token", "user_id", "user_name", "room_condition", "room_settings", "room_seats", "room_history", "room_clients"];
    let known: BTreeSet<&str> = known.into();
    for key in keys(&redis, "").keys() {
        let kind = key.split(':').next().unwrap();
        assert!(known.contains(kind) || kind == "once" || key.ends_with("#here"), "no document knows {key}");
    }
    all_ends(&redis);
}
