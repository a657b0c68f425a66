//! The part of `/openapi.json` that is about the party game.

use super::{operation, text, with_id};
use parlor_rules::Kind;
use parlor_rules::reels::wish::{PLAYERS_MAX, ROUNDS_MAX, SENDERS_MAX, VOTE_SECONDS_MAX, VOTE_SECONDS_MIN};
use serde_json::{Map, Value, json};

/// The document's CREATE_ROOM.
pub(super) fn wish() -> Value {
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    let flag = json!({ "type": "boolean" });
    let sender = object(
        &["sender_id", "name"],
        json!({ "sender_id": text("Its id"), "name": text("The name"), "active": flag, "reels_count": { "type": "integer", "minimum": 0 } }),
    );
    let player = object(
        &["player_id", "name"],
        json!({ "player_id": text("Its id"), "sender_id": text("Whom they play for"), "is_sender_bound": flag, "active": flag, "name": text("The name") }),
    );
    let reel =
        object(&["reel_id", "url"], json!({ "reel_id": text("Its id"), "url": text("http or https; shown, never fetched") }));
    let item = object(
        &["item_id", "reel", "true_sender_ids"],
        json!({ "item_id": text("Its id"), "reel": reel, "true_sender_ids": { "type": "array", "items": { "type": "string" } }, "k": { "type": "integer" } }),
    );
    let round =
        object(&["round_id", "items"], json!({ "round_id": text("Its id"), "items": { "type": "array", "items": item } }));
    let list = |items: Value, most: usize| json!({ "type": "array", "maxItems": most, "items": items });
    object(
        &["kind", "senders", "rounds"],
        json!({
            "kind": { "const": Kind::Reels.name() }, "title": text("What the game is called"),
            "vote_seconds": { "type": "integer", "minimum": VOTE_SECONDS_MIN, "maximum": VOTE_SECONDS_MAX, "description": "A vote closes after so long; until everyone has voted if nothing is said" },
            "senders": list(sender, SENDERS_MAX), "players": list(player, PLAYERS_MAX), "rounds": list(round, ROUNDS_MAX),
        }),
    )
}

pub(super) fn paths() -> Map<String, Value> {
    let help = "A player's face, where avatar_url says.";
    let picture = json!({ "type": "string", "format": "binary" });
    let mut get = operation("reels_avatar", help, None, 200, picture.clone(), &[]);
    get["responses"]["200"]["content"] = json!({ "image/jpeg": { "schema": picture } });
    with_id(&mut get);
    if let Some(parameters) = get["parameters"].as_array_mut() {
        parameters.push(json!({ "name": "player_id", "in": "path", "required": true, "schema": { "type": "string" } }));
        parameters.push(json!({ "name": "v", "in": "query", "required": false, "schema": text("The picture's tag") }));
    }
    Map::from_iter([("/v1/rooms/reels/{id}/avatars/{player_id}".to_owned(), json!({ "get": get }))])
}

pub(super) fn schemas() -> Map<String, Value> {
    let view = json!({ "type": "object", "required": ["push", "room", "at", "mark", "view", "me"], "properties": {
        "push": { "const": "view" }, "room": text("The game"), "at": text("Its position"), "mark": text("The mark of that position"),
        "expires_at": { "type": "integer" }, "view": { "$ref": "#/components/schemas/Screen" },
        "me": { "$ref": "#/components/schemas/ReelsMe" } } });
    let all = parlor_wire::reels::schemas().into_iter().chain([("ReelsView", view)]);
    all.map(|(name, schema)| (name.to_owned(), schema)).collect()
}
