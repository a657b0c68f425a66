//! What a reader finds of a game in Redis with plain commands, alone and in a cluster; and that a server which forgets its
//! scripts is no trouble.

use crate::support::house::{House, parlor};
use crate::support::line::Line;
use parlor_testbed::{Cluster, Redis, Reply};
use serde_json::{Value, json};

struct Table {
    line: Line,
    room: String,
    code: String,
    master_key: String,
}

/// A game made by REST and a phone that plays alone with the Master's key as well.
fn table(house: &House) -> Table {
    let mut line = Line::open(&house.ws_url(), "the-user-key-that-only-camille-has", "tab").unwrap();
    let wish = super::game::wish();
    let made = line.ask(json!({ "do": "CREATE_ROOM", "with": without_kind(wish) })).unwrap();
    let word = |name: &str| made["ok"][name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let (room, code, master_key) = (word("room"), word("code"), word("master_key"));
    let entered = line.ask(json!({ "do": "JOIN_ROOM", "room": room, "with": { "master_key": master_key } })).unwrap();
    assert!(entered["ok"].is_object(), "{entered}");
    Table { line, room, code, master_key }
}

fn without_kind(mut wish: Value) -> Value {
    wish.as_object_mut().unwrap().remove("kind");
    wish
}

impl Table {
    fn does(&mut self, verb: &str, with: Value) {
        let reply = self.line.ask(json!({ "do": verb, "room": self.room, "with": with })).unwrap();
        assert!(reply["ok"].is_object(), "{verb}: {reply}");
    }

    /// Two seats, the first with a face; the reel is open and one has voted.
    fn play(&mut self, house: &House) {
        let mut nico = Line::open(&house.ws_url(), "the-user-key-that-only-nico-has", "tab").unwrap();
        let take = nico.ask(json!({ "do": "TAKE_PLAYER", "room": self.room, "with": { "player_id": "p44" } })).unwrap();
        assert!(take["ok"].is_object(), "{take}");
        self.does("TAKE_PLAYER", json!({ "player_id": "p12" }));
        self.does("UPDATE_AVATAR", json!({ "player_id": "p12", "jpeg": super::game::JPEG }));
        self.does("TOGGLE_PLAYER", json!({ "player_id": "p7", "active": false }));
        self.does("START_GAME", json!({}));
        self.does("REEL_OPENED", super::game::at("r1", "i1"));
        self.does("SUBMIT_VOTE", super::game::vote("r1", "i1", &["s12"]));
    }
}

fn json_of(reply: &Reply) -> Value {
    serde_json::from_str(&reply.text()).unwrap()
}

#[test]
fn h70_h71_h84_a_game_in_redis_is_what_the_document_says_key_by_key_with_one_deadline() {
    let (redis, cluster) = (Redis::start(), Cluster::start());
    for url in [redis.url(), cluster.url()] {
        let house = House::start(&["--store", &url]);
        let mut game = table(&house);
        game.play(&house);
        let is_cluster = url != redis.url();
        let tag = if is_cluster { format!("{{{}}}", game.code) } else { game.code.clone() };
        let server = if is_cluster { cluster.primary_of(&format!("room:{tag}:meta")) } else { &redis };
        let key = |name: &str| format!("room:{tag}:{name}");
        let ask = |words: &[&str]| server.ask(words);
        let meta = json_of(&ask(&["GET", &key("meta")]));
        assert_eq!((&meta["code"], &meta["phase"]), (&json!(game.code), &json!("game")));
        assert!(meta["master_key_hash"].as_str().unwrap().starts_with("sha256:"), "{meta}");
        let expires = meta["expires_at"].as_u64().unwrap();
        assert_eq!(expires, meta["created_at"].as_u64().unwrap() + 43_200_000);
        let players = json_of(&ask(&["GET", &key("players")]));
        let members: Vec<&String> = players[0].as_object().unwrap().keys().collect();
        assert_eq!(members, ["active", "avatar_url", "is_sender_bound", "name", "player_id", "sender_id"]);
        assert_eq!(
            json_of(&ask(&["GET", &key("senders")]))[0],
            json!({ "sender_id": "s12", "name": "Camille", "active": true, "reels_count": 37 })
        );
        assert!(ask(&["HGET", &key("claims"), "p12"]).text().starts_with("sha256:"));
        assert_eq!(ask(&["HGET", &key("scores"), "p12"]).text(), "0");
        assert_eq!(ask(&["HGET", &key("round_delta:r1"), "p44"]).text(), "0");
        let game_now = json_of(&ask(&["GET", &key("game")]));
        assert_eq!(game_now["vote"], json!({ "round_id": "r1", "item_id": "i1", "expected_player_ids": ["p12", "p44"] }));
        assert_eq!((&game_now["status"], &game_now["round_order"]), (&json!("vote"), &json!(["r1", "r2"])));
        assert_eq!(json_of(&ask(&["GET", &key("round:r1")]))["items"][0]["true_sender_ids"], json!(["s12", "s44"]));
        assert_eq!(json_of(&ask(&["HGET", &key("votes:r1:i1"), "p12"]))["selections"], json!(["s12"]));
        assert_eq!(ask(&["TYPE", &key("commits")]).text(), "stream");
        // Every key of the room, whenever it came to life, ends when the room does; no secret stands in any.
        let all: Vec<String> = ask(&["KEYS", &format!("room:{tag}:*").replace('{', "\\{").replace('}', "\\}")])
            .many()
            .iter()
            .map(Reply::text)
            .collect();
        assert!(all.contains(&key("avatar:p12")) && all.contains(&key("stats")) && all.contains(&key("round:r2")), "{all:?}");
        for name in all.iter().filter(|name| !name.ends_with("#here")) {
            assert_eq!(ask(&["PEXPIRETIME", name]).text(), expires.to_string(), "{name}");
            let dump = format!("{:?}", ask(&["DUMP", name]));
            assert!(!dump.contains(&game.master_key) && !dump.contains("the-user-key"), "{name}");
        }
        // Closing takes all of them at once.
        game.does("ROOM_CLOSED", json!({}));
        let left = ask(&["KEYS", &format!("*{}*", game.code)]);
        let left: Vec<String> = left.many().iter().map(Reply::text).filter(|key| !key.ends_with("#here")).collect();
        assert_eq!(left, [""; 0], "left of a closed game");
    }
}

#[test]
fn h85_a_server_that_forgot_its_scripts_plays_on() {
    let redis = Redis::start();
    let house = House::start(&["--store", &redis.url()]);
    let mut game = table(&house);
    redis.ask(&["SCRIPT", "FLUSH"]);
    game.play(&house);
    redis.ask(&["SCRIPT", "FLUSH"]);
    game.does("FORCE_CLOSE_VOTE", json!({ "round_id": "r1", "item_id": "i1", "seconds": 0 }));
    let scores = redis.ask(&["HGET", &format!("room:{}:scores", game.code), "p12"]);
    assert_eq!(scores.text(), "1");
}

/// The game goes on wherever `parlor move` brings it, with the vote that was open.
#[test]
fn a_game_goes_on_in_every_store_it_is_moved_to() {
    let (redis, cluster) = (Redis::start(), Cluster::start());
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let embedded = |index: usize| format!("embedded:{}", folders[index].path().join("store").display());
    let stores = [embedded(0), redis.url(), cluster.url(), embedded(1)];
    let house = House::start(&["--store", &stores[0]]);
    let mut game = table(&house);
    game.play(&house);
    drop(house);
    for two in stores.windows(2) {
        let moved = parlor(&["move", "--from", &two[0], "--to", &two[1]]);
        moved.no_panic();
        assert_eq!(moved.code, Some(0), "{moved:?}");
        let house = House::start(&["--store", &two[1]]);
        let mut line = Line::open(&house.ws_url(), "the-user-key-that-only-camille-has", "tab").unwrap();
        let look = line.ask(json!({ "do": "STATE_SYNC", "room": game.room, "with": { "master_key": game.master_key } })).unwrap();
        assert_eq!(
            (&look["ok"]["view"]["status"], &look["ok"]["me"]["selections"]),
            (&json!("vote"), &json!(["s12"])),
            "{}: {look}",
            two[1]
        );
        let face = look["ok"]["view"]["players_all"][0]["avatar_url"].as_str().unwrap_or_else(|| panic!("{look}"));
        assert!(face.starts_with("/v1/rooms/reels/"), "{face}");
    }
}
