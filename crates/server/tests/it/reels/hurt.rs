//! A game under harm: killed in the middle, closed under load, played through two nodes at once.

use super::game::{Game, Who, at, begun, vote, wish};
use crate::doors::inside::Inside;
use crate::doors::shelves::Shelves;
use crate::support::dice::Dice;
use crate::support::house::House;
use crate::support::line::Line;
use parlor_testbed::Redis;
use serde_json::{Value, json};

const PHONES: [(&str, &str); 3] = [("camille", "p12"), ("nico", "p44"), ("zoe", "p7")];

fn phone(house: &House, name: &str) -> Line {
    Line::open(&house.ws_url(), &format!("the-user-key-that-only-{name}-has"), name).unwrap()
}

fn ask(line: &mut Line, verb: &str, room: &str, number: u64, with: &Value) -> Result<Value, crate::support::line::Gone> {
    line.ask(json!({ "do": verb, "room": room, "n": number, "with": with }))
}

fn made(house: &House) -> (String, String) {
    let mut line = phone(house, "screen");
    let made = line.ask(json!({ "do": "create", "with": wish() })).unwrap();
    let word = |name: &str| made["ok"][name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    (word("room"), word("master_key"))
}

fn master(house: &House, room: &str, key: &str) -> Line {
    let mut line = phone(house, "screen");
    let entered = line.ask(json!({ "do": "JOIN_ROOM", "room": room, "with": { "master_key": key } })).unwrap();
    assert!(entered["ok"].is_object(), "{entered}");
    line
}

fn view(line: &mut Line, room: &str, key: &str) -> Value {
    let seen = line.ask(json!({ "do": "STATE_SYNC", "room": room, "with": { "master_key": key } })).unwrap();
    seen["ok"]["view"].clone()
}

/// What was acknowledged is there after a kill, and what was sent again was done once.
#[test]
fn h94_h95_a_server_killed_at_any_moment_of_a_vote_counts_it_exactly_once() {
    let mut dice = Dice::new("killed votes");
    for _ in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::start_in(folder.path(), &[]);
        let (room, key) = made(&house);
        let mut steps: Vec<(String, &str, Value)> = Vec::new();
        for (name, player) in PHONES {
            steps.push((name.to_owned(), "TAKE_PLAYER", json!({ "player_id": player })));
        }
        steps.push(("screen".into(), "START_GAME", json!({})));
        steps.push(("screen".into(), "REEL_OPENED", at("r1", "i1")));
        for (name, _) in PHONES {
            steps.push((name.to_owned(), "SUBMIT_VOTE", vote("r1", "i1", &["s12", "s44"])));
        }
        let kill_at = dice.below(steps.len() as u64) as usize;
        let kill_first = dice.below(2) == 0;
        for (index, (name, verb, with)) in steps.iter().enumerate() {
            let mut line = if name == "screen" { master(&house, &room, &key) } else { phone(&house, name) };
            let number = index as u64 + 1;
            if index == kill_at {
                // The reply is not waited for, or was had: in both cases the same command is sent again.
                let sent = line.send(json!({ "do": verb, "room": room, "n": number, "with": with }));
                if !kill_first {
                    let _ = sent.and_then(|_| line.hear()); // Whatever came before the end.
                }
                house.kill9();
                house = House::start_in(folder.path(), &[]);
                line = if name == "screen" { master(&house, &room, &key) } else { phone(&house, name) };
            }
            let reply = ask(&mut line, verb, &room, number, with).unwrap();
            assert!(reply["ok"].is_object(), "{verb} by {name}: {reply}");
        }
        let seen = view(&mut phone(&house, "look"), &room, &key);
        assert_eq!(seen["status"], "reveal_wait", "{seen}");
        let scores: Vec<&Value> = seen["players_all"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|seat| seat["active"] == true)
            .map(|seat| &seat["score_total"])
            .collect();
        assert_eq!(scores, [&json!(2), &json!(2), &json!(2)], "killed at {kill_at}");
    }
}

#[tokio::test]
async fn h108_h111_a_game_closed_under_load_stays_closed_and_its_code_is_free() {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        let server = Inside::start(store, &[]).await;
        let game = Game::make(&server, "closed-under-load").await;
        begun(&game).await;
        let mut listener = server.person("nico").await;
        assert!(listener.ask("JOIN_ROOM", Some(&game.room), None, None).await["ok"].is_object());
        game.all(&[(Who::Master, "REEL_OPENED", at("r1", "i1"))]).await;
        let busy = |name: &'static str| {
            let (server, room) = (&server, &game.room);
            async move {
                let mut socket = server.person(name).await;
                let mut refused = 0;
                for n in 0..200_u64 {
                    let choice = ["s12", "s44", "s7"][n as usize % 3];
                    let reply = socket.ask("SUBMIT_VOTE", Some(room), None, Some(vote("r1", "i1", &[choice]))).await;
                    match reply["error"]["code"].as_str() {
                        None => assert_eq!(refused, 0, "accepted after the end"),
                        Some("room_not_found" | "unavailable" | "too_fast") => refused += 1,
                        Some(other) => panic!("{other}"),
                    }
                }
                refused
            }
        };
        let closing = async {
            tokio::task::yield_now().await;
            game.does(Who::Master, "ROOM_CLOSED", &json!({})).await
        };
        let (one, two, closed) = tokio::join!(busy("camille"), busy("zoe"), closing);
        assert_eq!(closed, "ok");
        assert!(one + two > 0, "nobody was refused: the load was over before the close");
        assert_eq!(listener.push_of("ended").await["reason"], "deleted");
        assert!(game.records().await.is_empty(), "something came back to life");
        server.step(60_000); // Whoever asked for what is gone so often waits a little.
        assert_eq!(game.does(Who::Phone("camille"), "TAKE_PLAYER", &json!({ "player_id": "p12" })).await, "room_not_found");
        let again = Game::make(&server, "closed-under-load").await;
        assert_eq!(again.room, game.room);
        let seen = again.look(Who::Phone("camille")).await;
        assert_eq!((&seen["me"]["player_id"], &seen["view"]["phase"]), (&Value::Null, &json!("lobby")));
        shelves.clear().await;
    }
}

/// Phones at two nodes vote at once, again and again; every vote is counted once, whoever is last.
#[test]
fn h94_two_nodes_score_a_vote_once_whoever_votes_last() {
    let redis = Redis::start();
    let mut houses = [(); 2].map(|()| House::start(&["--store", &redis.url(), "--redis-lease-seconds", "2"]));
    let (room, key) = made(&houses[0]);
    for (index, (name, player)) in PHONES.into_iter().enumerate() {
        let reply = ask(&mut phone(&houses[index % 2], name), "TAKE_PLAYER", &room, 1, &json!({ "player_id": player })).unwrap();
        assert!(reply["ok"].is_object(), "{reply}");
    }
    let mut screen = master(&houses[0], &room, &key);
    assert!(ask(&mut screen, "START_GAME", &room, 1, &json!({})).unwrap()["ok"].is_object());
    let mut number = 1;
    for (round, item, k) in [("r1", "i1", 2), ("r1", "i2", 1), ("r2", "i3", 1)] {
        let mut next = |verb: &str, with: &Value| {
            number += 1;
            let reply = ask(&mut screen, verb, &room, number, with).unwrap();
            assert!(reply["ok"].is_object(), "{verb}: {reply}");
        };
        if round == "r2" {
            next("START_NEXT_ROUND", &json!({ "round_id": "r1" }));
        }
        next("REEL_OPENED", &at(round, item));
        let selections: &[&str] = if k == 2 { &["s12", "s44"] } else { &["s7"] };
        std::thread::scope(|scope| {
            for (index, (name, _)) in PHONES.into_iter().enumerate() {
                let (house, room) = (&houses[(index + 1) % 2], &room);
                scope.spawn(move || {
                    let mut line = phone(house, name);
                    let reply =
                        line.ask(json!({ "do": "SUBMIT_VOTE", "room": room, "with": vote(round, item, selections) })).unwrap();
                    assert!(reply["ok"].is_object(), "{reply}");
                });
            }
        });
        // The Master goes on when the big screen shows the count, at its own node.
        let mut watcher = phone(&houses[0], "watcher");
        while view(&mut watcher, &room, &key)["status"] != "reveal_wait" {
            std::thread::yield_now();
        }
        next("END_ITEM", &at(round, item));
    }
    // One node dies; the other has it all.
    houses[0].kill9();
    let seen = view(&mut phone(&houses[1], "look"), &room, &key);
    let scores: Vec<&Value> = seen["players_all"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|seat| seat["active"] == true)
        .map(|seat| &seat["score_total"])
        .collect();
    assert_eq!(scores, [&json!(3), &json!(3), &json!(3)], "{seen}");
    assert_eq!(redis.keys_without_deadline(), [""; 0]);
}
