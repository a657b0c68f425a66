//! A whole evening over sockets: a big screen and three phones, one of which drops out, and a server that restarts in the
//! middle of a vote; alike on every store. What every phone ever heard is searched for what it may not know.

use super::game::{Game, at, vote};
use crate::doors::inside::{Inside, Store};
use crate::doors::shelves::Shelves;
use crate::doors::socket::{Socket, code};
use serde_json::{Value, json};

/// A screen or a phone, in the room.
struct Seat {
    name: &'static str,
    socket: Socket,
    room: String,
    sent: u64,
    /// The view it has.
    shown: Value,
}

impl Seat {
    async fn enter(server: &Inside, room: &str, name: &'static str, master_key: Option<&str>) -> Seat {
        let mut socket = server.person(name).await;
        let with = master_key.map(|key| json!({ "master_key": key }));
        assert_eq!(code(&socket.ask("JOIN_ROOM", Some(room), None, with).await), "ok");
        let shown = socket.push_of("view").await;
        Seat { name, socket, room: room.to_owned(), sent: 0, shown }
    }

    /// Sends a numbered command, twice: it is done once.
    async fn does(&mut self, verb: &str, with: Value) -> String {
        self.sent += 1;
        let reply = self.socket.ask(verb, Some(&self.room), Some(self.sent), Some(with.clone())).await;
        let first = code(&reply);
        if first == "ok" {
            let again = self.socket.ask(verb, Some(&self.room), Some(self.sent), Some(with)).await;
            assert_eq!(code(&again), "ok again", "{verb}");
        }
        reply["error"]["reason"].as_str().map_or(first, ToOwned::to_owned)
    }

    /// Waits until the view is such.
    async fn sees(&mut self, such: impl Fn(&Value, &Value) -> bool) {
        while !such(&self.shown["view"], &self.shown["me"]) {
            self.shown = self.socket.push_of("view").await;
        }
    }

    async fn sees_status(&mut self, status: &str) {
        self.sees(|view, _| view["status"] == status).await;
    }
}

/// The same people on a server that came back.
async fn returned(server: &Inside, seats: Vec<Seat>, master_key: &str) -> Vec<Seat> {
    let mut back = Vec::new();
    for seat in seats {
        let key = (seat.name == "screen").then_some(master_key);
        let mut again = Seat::enter(server, &seat.room, seat.name, key).await;
        again.socket.heard.splice(0..0, seat.socket.heard);
        again.sent = seat.sent;
        back.push(again);
    }
    back
}

async fn evening(store: Store) {
    let server = Inside::start(store, &[]).await;
    let game = Game::make(&server, "evening").await;
    let (room, master_key) = (game.room.clone(), game.master_key.clone());
    let mut seats = Vec::new();
    for name in ["screen", "camille", "nico", "zoe"] {
        seats.push(Seat::enter(&server, &room, name, (name == "screen").then_some(master_key.as_str())).await);
    }
    for (phone, player) in [(1, "p12"), (2, "p44"), (3, "p7")] {
        assert_eq!(seats[phone].does("TAKE_PLAYER", json!({ "player_id": player })).await, "ok");
    }
    seats[0]
        .sees(|view, _| view["players_all"].as_array().unwrap().iter().filter(|seat| seat["here"] == true).count() == 3)
        .await;
    assert_eq!(seats[0].does("START_GAME", json!({})).await, "ok");
    assert_eq!(seats[0].does("REEL_OPENED", at("r1", "i1")).await, "ok");
    for phone in &mut seats[1..] {
        phone.sees(|view, me| view["status"] == "vote" && me["expected"] == true).await;
    }
    assert_eq!(seats[1].does("SUBMIT_VOTE", vote("r1", "i1", &["s12", "s7"])).await, "ok");
    assert_eq!(seats[2].does("SUBMIT_VOTE", vote("r1", "i1", &["s12", "s44"])).await, "ok");

    // The server restarts in the middle of the vote: votes, seats and the claim of a phone that was cut are there.
    let server = server.restart().await;
    let mut seats = returned(&server, seats, &master_key).await;
    assert_eq!(seats[0].shown["view"]["broadcasts"]["PLAYER_VOTED"]["player_ids"], json!(["p12", "p44"]));
    assert_eq!(seats[1].shown["me"]["selections"], json!(["s12", "s7"]));
    assert_eq!(seats[3].shown["me"]["player_id"], "p7");
    assert_eq!(seats[3].does("SUBMIT_VOTE", vote("r1", "i1", &["s44"])).await, "ok");
    seats[0].sees_status("reveal_wait").await;
    let results = &seats[0].shown["view"]["broadcasts"]["VOTE_RESULTS"]["players"];
    let points: Vec<&Value> = results.as_array().unwrap().iter().map(|guess| &guess["points_gained"]).collect();
    assert_eq!(points, [&json!(1), &json!(2), &json!(1)], "{results}");
    for phone in &mut seats[1..] {
        phone.sees_status("reveal_wait").await;
        let scores: Vec<&Value> =
            phone.shown["view"]["players_visible"].as_array().unwrap().iter().map(|seat| &seat["score_total"]).collect();
        assert_eq!(scores, [&json!(0), &json!(0), &json!(0)], "points are seen on the big screen first");
    }
    // A Master who reloads is in the middle of the reveal again.
    let mut screen = Seat::enter(&server, &room, "screen", Some(&master_key)).await;
    assert_eq!(screen.shown["view"]["broadcasts"]["VOTE_RESULTS"], seats[0].shown["view"]["broadcasts"]["VOTE_RESULTS"]);
    screen.sent = seats[0].sent;
    screen.socket.heard.splice(0..0, std::mem::take(&mut seats[0].socket.heard));
    seats[0] = screen;
    assert_eq!(seats[0].does("END_ITEM", at("r1", "i1")).await, "ok");
    seats[1].sees(|view, _| view["players_visible"][0]["score_total"] == 1).await;

    // Zoé's phone is lost. She is released, so nobody waits for it, and takes her seat with another.
    assert_eq!(seats[0].does("REEL_OPENED", at("r1", "i2")).await, "ok");
    let lost = seats.pop().unwrap();
    for (phone, choice) in [(1, "s7"), (2, "s12")] {
        assert_eq!(seats[phone].does("SUBMIT_VOTE", vote("r1", "i2", &[choice])).await, "ok");
    }
    let device = lost.shown["me"]["user_id"].clone();
    assert_eq!(seats[0].does("RELEASE_PLAYER", json!({ "player_id": "p7", "user_id": device })).await, "ok");
    seats[0].sees_status("reveal_wait").await;
    let mut other = Seat::enter(&server, &room, "zoes-other-phone", None).await;
    assert_eq!(other.does("TAKE_PLAYER", json!({ "player_id": "p7" })).await, "ok");
    assert_eq!(other.does("SUBMIT_VOTE", vote("r1", "i2", &["s7"])).await, "late");
    let mut lost = Seat { socket: server.person("zoe").await, ..lost };
    assert_eq!(code(&lost.socket.ask("JOIN_ROOM", Some(&room), None, None).await), "ok");
    lost.shown = lost.socket.push_of("view").await;
    assert_eq!(lost.shown["me"]["slot_invalidated"], json!({ "player_id": "p7", "reason": "released" }));
    assert_eq!(lost.does("TAKE_PLAYER", json!({ "player_id": "p7" })).await, "taken_now");
    assert_eq!(seats[0].does("END_ITEM", at("r1", "i2")).await, "ok");
    seats[0].sees_status("round_recap").await;
    assert_eq!(seats[0].shown["view"]["broadcasts"]["ROUND_FINISHED"], json!({ "round_id": "r1", "last": false }));

    // The second round is ended by the Master's countdown.
    assert_eq!(seats[0].does("START_NEXT_ROUND", json!({ "round_id": "r1" })).await, "ok");
    assert_eq!(seats[0].does("REEL_OPENED", at("r2", "i3")).await, "ok");
    assert_eq!(other.does("SUBMIT_VOTE", vote("r2", "i3", &["s44"])).await, "ok");
    assert_eq!(seats[0].does("FORCE_CLOSE_VOTE", at("r2", "i3")).await, "ok");
    seats[1].sees(|view, _| view["broadcasts"]["START_VOTE"]["forced"] == true).await;
    server.step(10_000);
    assert_eq!(seats[1].does("SUBMIT_VOTE", vote("r2", "i3", &["s44"])).await, "late");
    seats[0].sees_status("reveal_wait").await;
    assert_eq!(seats[0].does("END_ITEM", at("r2", "i3")).await, "ok");
    assert_eq!(seats[0].does("START_NEXT_ROUND", json!({ "round_id": "r2" })).await, "ok");
    for seat in &mut seats {
        seat.sees(|view, _| view["phase"] == "over").await;
    }
    let ranking = &seats[1].shown["view"]["broadcasts"]["GAME_OVER"]["ranking"];
    let ranks: Vec<(&Value, &Value)> =
        ranking.as_array().unwrap().iter().map(|row| (&row["rank"], &row["score_total"])).collect();
    assert_eq!(ranks, [(&json!(1), &json!(2)), (&json!(1), &json!(2)), (&json!(1), &json!(2))], "{ranking}");

    // The end of the room is told to everyone, and nothing of it is left.
    assert_eq!(seats[0].does_last("ROOM_CLOSED").await, "ok");
    for seat in seats.iter_mut().chain([&mut other, &mut lost]) {
        assert_eq!(seat.socket.push_of("ended").await["reason"], "deleted");
        assert_eq!(code(&seat.socket.ask("STATE_SYNC", Some(&room), None, None).await), "room_not_found");
    }
    for phone in seats[1..].iter().chain([&other, &lost]) {
        let heard = phone.socket.heard.join("\n");
        for word in ["true_sender", "VOTE_RESULTS", "reels_count", "players_all", "Old Tom", "sha256:", &master_key] {
            assert!(!heard.contains(word), "{} heard {word}", phone.name);
        }
    }
    // The code can be used again, and nobody of the old game has a place in the new one.
    let server_game = Game::make(&server, "evening").await;
    assert_eq!(server_game.room, room);
    let phone = Seat::enter(&server, &room, "camille", None).await;
    assert_eq!((&phone.shown["me"]["player_id"], &phone.shown["view"]["phase"]), (&Value::Null, &json!("lobby")));
}

impl Seat {
    /// A command after which there is nothing to ask again.
    async fn does_last(&mut self, verb: &str) -> String {
        self.sent += 1;
        code(&self.socket.ask(verb, Some(&self.room), Some(self.sent), Some(json!({}))).await)
    }
}

#[tokio::test]
async fn a_whole_evening_with_a_lost_phone_and_a_restart_alike_on_every_store() {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        evening(store).await;
        shelves.clear().await;
    }
}
