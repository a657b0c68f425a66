//! A small game on a server inside the test: three friends of the document, two rounds, three reels.

use crate::doors::http::Answer;
use crate::doors::inside::{Inside, user_key};
use parlor_rules::Address;
use parlor_store::Value as Held;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) struct Game<'a> {
    pub(super) server: &'a Inside,
    pub(super) room: String,
    pub(super) code: String,
    pub(super) master_key: String,
}

/// Who does something.
#[derive(Clone, Copy)]
pub(super) enum Who {
    Master,
    /// Somebody's device.
    Phone(&'static str),
    /// The Master's device, which has a user key too.
    Host(&'static str),
    Nobody,
}

pub(super) fn item(id: &str, senders: &[&str]) -> Value {
    let reel = json!({ "reel_id": format!("reel_{id}"), "url": format!("https://www.instagram.com/reel/{id}/") });
    json!({ "item_id": id, "reel": reel, "true_sender_ids": senders, "k": senders.len() })
}

pub(super) fn wish() -> Value {
    json!({
        "kind": "reels",
        "senders": [
            { "sender_id": "s12", "name": "Camille", "active": true, "reels_count": 37 },
            { "sender_id": "s44", "name": "Nico", "active": true, "reels_count": 12 },
            { "sender_id": "s7", "name": "Zoé", "active": true, "reels_count": 1 },
            { "sender_id": "s9", "name": "Old Tom", "active": false, "reels_count": 0 },
        ],
        "rounds": [
            { "round_id": "r1", "items": [item("i1", &["s12", "s44"]), item("i2", &["s7"])] },
            { "round_id": "r2", "items": [item("i3", &["s44"])] },
        ],
    })
}

pub(super) fn at(round: &str, item: &str) -> Value {
    json!({ "round_id": round, "item_id": item })
}

pub(super) fn vote(round: &str, item: &str, selections: &[&str]) -> Value {
    json!({ "round_id": round, "item_id": item, "selections": selections })
}

/// As much of a JPEG as is measured, in base64.
pub(super) const JPEG: &str = "/9j/wAALCAEsASwBAREA/9k=";

impl<'a> Game<'a> {
    /// The same name gives the same code and key on every server.
    pub(super) async fn make(server: &'a Inside, name: &str) -> Game<'a> {
        Game::wished(server, name, &wish()).await
    }

    pub(super) async fn wished(server: &'a Inside, name: &str, wish: &Value) -> Game<'a> {
        let key = format!("an-idempotency-key-for-the-game-{name}");
        let made = server.ask("POST", "/v1/rooms", &[("idempotency-key", &key)], Some(&wish.to_string())).await;
        assert_eq!(made.status, 201, "{made:?}");
        let made = made.json();
        let word = |name: &str| made[name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        assert_eq!(word("master_key"), word("host_key"));
        Game { server, room: word("room"), code: word("code"), master_key: word("master_key") }
    }

    pub(super) async fn post(&self, who: Who, verb: &str, with: &Value) -> Answer {
        let path = format!("/v1/rooms/{}/{verb}", self.room);
        self.ask("POST", &path, who, Some(&with.to_string())).await
    }

    /// `ok`, or the document's word for why not.
    pub(super) async fn does(&self, who: Who, verb: &str, with: &Value) -> String {
        reason(&self.post(who, verb, with).await)
    }

    /// All of these must be done.
    pub(super) async fn all(&self, steps: &[(Who, &str, Value)]) {
        for (who, verb, with) in steps {
            assert_eq!(self.does(*who, verb, with).await, "ok", "{verb} {with}");
        }
    }

    pub(super) async fn look(&self, who: Who) -> Value {
        let seen = self.ask("GET", &format!("/v1/rooms/{}", self.room), who, None).await;
        assert_eq!(seen.status, 200, "{seen:?}");
        seen.json()
    }

    pub(super) async fn ask(&self, method: &str, path: &str, who: Who, body: Option<&str>) -> Answer {
        let key = |name: &str| ("parlor-user-key", user_key(name));
        let master = ("parlor-host-key", self.master_key.clone());
        let headers = match who {
            Who::Master => vec![master],
            Who::Phone(name) => vec![key(name)],
            Who::Host(name) => vec![master, key(name)],
            Who::Nobody => vec![],
        };
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.server.ask(method, path, &headers, body).await
    }

    /// Every record the store has of the game, as a reader would see it.
    pub(super) async fn records(&self) -> BTreeMap<String, String> {
        let address: Address = self.room.parse().unwrap();
        let key = parlor_layout::room_key(&address);
        let loaded = self.server.doors.engine.house().rooms.load(&key).await.unwrap();
        let records = loaded.map(|loaded| loaded.records).unwrap_or_default();
        // Commands that are not numbered leave no receipt, so all of it is the game's.
        records.iter().map(|(key, value)| (key.to_string().replace(&self.code, "CODE"), shown(value))).collect()
    }
}

/// `ok`, or why not: the document's word if there is one, else ours.
pub(super) fn reason(answer: &Answer) -> String {
    if answer.status == 200 {
        return "ok".to_owned();
    }
    let (code, body) = (answer.code(), answer.json());
    body["error"]["reason"].as_str().map_or(code, ToOwned::to_owned)
}

fn shown(value: &Held) -> String {
    match value {
        Held::Document(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        Held::Text(bytes) => format!("{} bytes", bytes.len()),
        Held::Hash(fields) => {
            let fields = fields.iter().map(|(field, value)| format!("{field}: {}", String::from_utf8_lossy(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Held::List(_) | Held::SortedSet(_) => panic!("a game has no such record"),
    }
}

/// Three phones with a seat each, and the game begun.
pub(super) async fn begun(game: &Game<'_>) {
    let take = |player: &str| json!({ "player_id": player });
    game.all(&[
        (Who::Phone("camille"), "TAKE_PLAYER", take("p12")),
        (Who::Phone("nico"), "TAKE_PLAYER", take("p44")),
        (Who::Phone("zoe"), "TAKE_PLAYER", take("p7")),
        (Who::Master, "START_GAME", json!({})),
    ])
    .await;
}
