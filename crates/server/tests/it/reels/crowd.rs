//! Fifty phones in one room: everybody claims, votes and changes their mind at once, and every view on the way is whole.

use super::game::{Game, Who, at, item};
use crate::doors::inside::{Inside, Store};
use crate::doors::socket::code;
use futures_util::future::join_all;
use serde_json::{Value, json};

const PHONES: usize = 50;

fn wish() -> Value {
    let senders: Vec<Value> =
        (1..=PHONES).map(|n| json!({ "sender_id": format!("s{n}"), "name": format!("Friend {n}") })).collect();
    let rounds = json!([
        { "round_id": "r1", "items": [item("a", &["s1"]), item("b", &["s2", "s3"])] },
        { "round_id": "r2", "items": [item("c", &["s4"])] },
    ]);
    json!({ "kind": "reels", "senders": senders, "rounds": rounds })
}

/// One vote of everybody, each of whom first says something else; the last vote counts.
async fn everybody_votes(server: &Inside, room: &str, round: &str, id: &str, right: &[&str]) {
    let wrong = "s50";
    join_all((1..=PHONES).map(|n| async move {
        let mut phone = server.person(&format!("friend-{n}")).await;
        assert_eq!(code(&phone.ask("JOIN_ROOM", Some(room), None, None).await), "ok");
        // Every other one is right. The last to change their mind is found by the server, not by us.
        let choice: &[&str] = if n % 2 == 0 { right } else { &[wrong] };
        for selections in [&[][..], choice] {
            let words = json!({ "round_id": round, "item_id": id, "selections": selections });
            let reply = phone.ask("SUBMIT_VOTE", Some(room), None, Some(words)).await;
            let late = reply["error"]["reason"] == "late";
            assert!(late || reply["ok"].is_object(), "{reply}");
        }
    }))
    .await;
}

#[tokio::test]
async fn h79_h106_fifty_phones_play_and_every_snapshot_is_one_moment() {
    let server = Inside::start(Store::Embedded, &["--connections-per-address-max", "1000"]).await;
    let game = Game::wished(&server, "fifty", &wish()).await;
    let room = game.room.as_str();
    // Everybody wants a seat of their own and gives it a name; all edits of one list are kept.
    join_all((1..=PHONES).map(|n| {
        let server = &server;
        async move {
            let mut phone = server.person(&format!("friend-{n}")).await;
            assert_eq!(code(&phone.ask("JOIN_ROOM", Some(room), None, None).await), "ok");
            let (seat, name) =
                (json!({ "player_id": format!("p{n}") }), json!({ "player_id": format!("p{n}"), "name": format!("Phone {n}") }));
            assert_eq!(code(&phone.ask("TAKE_PLAYER", Some(room), None, Some(seat)).await), "ok");
            assert_eq!(code(&phone.ask("RENAME_PLAYER", Some(room), None, Some(name)).await), "ok");
        }
    }))
    .await;
    let seen = game.look(Who::Master).await;
    let named = seen["view"]["players_all"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|seat| seat["name"].as_str().unwrap().starts_with("Phone "));
    assert_eq!(named.count(), PHONES);
    assert_eq!(game.does(Who::Master, "START_GAME", &json!({})).await, "ok");
    let mut total = 0;
    for (round, id, right) in [("r1", "a", &["s1"][..]), ("r1", "b", &["s2", "s3"]), ("r2", "c", &["s4"])] {
        if round == "r2" {
            assert_eq!(game.does(Who::Master, "START_NEXT_ROUND", &json!({ "round_id": "r1" })).await, "ok");
        }
        assert_eq!(game.does(Who::Master, "REEL_OPENED", &at(round, id)).await, "ok");
        let watching = async {
            loop {
                let seen = game.look(Who::Master).await;
                one_moment(&seen["view"], total);
                if seen["view"]["status"] == "reveal_wait" {
                    return seen;
                }
            }
        };
        let (_, seen) = tokio::join!(everybody_votes(&server, room, round, id, right), watching);
        let results = seen["view"]["broadcasts"]["VOTE_RESULTS"]["players"].as_array().unwrap().clone();
        assert_eq!(results.len(), PHONES, "everybody is in the results");
        total += results.iter().map(|guess| guess["points_gained"].as_u64().unwrap()).sum::<u64>();
        let scores = |view: &Value| {
            view["players_all"].as_array().unwrap().iter().map(|seat| seat["score_total"].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(scores(&seen["view"]), total, "every vote counts once");
        assert_eq!(game.does(Who::Master, "END_ITEM", &at(round, id)).await, "ok");
    }
}

/// No view mixes what was before the count with what was after.
fn one_moment(view: &Value, before: u64) {
    let scores: u64 = view["players_all"].as_array().unwrap().iter().map(|seat| seat["score_total"].as_u64().unwrap()).sum();
    let broadcasts = &view["broadcasts"];
    match view["status"].as_str().unwrap() {
        "vote" => {
            assert_eq!(scores, before, "scored while the vote is open");
            assert!(broadcasts["VOTE_RESULTS"].is_null());
            assert!(
                broadcasts["PLAYER_VOTED"]["player_ids"].as_array().unwrap().len() < PHONES,
                "everybody voted and nothing was counted"
            );
        }
        "reveal_wait" => {
            let gained: u64 = broadcasts["VOTE_RESULTS"]["players"]
                .as_array()
                .unwrap()
                .iter()
                .map(|guess| guess["points_gained"].as_u64().unwrap())
                .sum();
            assert_eq!(scores, before + gained, "the scores are not those of the results");
        }
        other => panic!("{other}"),
    }
}
