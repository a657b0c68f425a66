//! Nothing is on one door only: every message gets the same answer by REST and on the socket, from everybody.

use super::game::{Game, Who, reason};
use crate::doors::inside::{Inside, Store};
use parlor_rules::Kind;
use parlor_wire::commands::verbs;
use serde_json::Value;

/// The answer in one word: `ok`, or why not.
fn answered(reply: &Value) -> String {
    let error = &reply["error"];
    let word = |name: &str| error[name].as_str().map(ToOwned::to_owned);
    word("reason").or_else(|| word("code")).unwrap_or_else(|| "ok".to_owned())
}

#[tokio::test]
async fn h88_every_message_is_answered_alike_on_both_doors_and_the_masters_only_to_the_master() {
    let server = Inside::start(Store::Memory, &[]).await;
    let mut forbidden = Vec::new();
    for verb in verbs(Kind::Reels) {
        for (who, is_master) in [(Who::Host("screen"), true), (Who::Phone("camille"), false)] {
            let mut said = Vec::new();
            for door in ["rest", "ws"] {
                let game = Game::make(&server, &format!("{}-{door}-{is_master}", verb.name)).await;
                let with: Value = serde_json::from_str(verb.example).unwrap();
                said.push(if door == "rest" {
                    reason(&game.post(who, verb.name, &with).await)
                } else {
                    let mut socket = server.person(if is_master { "screen" } else { "camille" }).await;
                    let key = is_master.then(|| serde_json::json!({ "master_key": game.master_key }));
                    socket.ask("JOIN_ROOM", Some(&game.room), None, key).await;
                    answered(&socket.ask(verb.name, Some(&game.room), None, Some(with)).await)
                });
            }
            assert_eq!(said[0], said[1], "{}", verb.name);
            if !is_master && said[0] == "forbidden" {
                forbidden.push(verb.name);
            }
            assert!(is_master || !["START_GAME", "RESET_CLAIMS"].contains(&verb.name) || said[0] == "forbidden");
        }
    }
    // All but taking a seat and voting, for somebody without a seat; those two say why in their own words.
    let others: Vec<&str> = verbs(Kind::Reels).iter().map(|verb| verb.name).filter(|name| !forbidden.contains(name)).collect();
    assert_eq!(others, ["TAKE_PLAYER", "SUBMIT_VOTE"]);
}

#[tokio::test]
async fn every_address_of_the_game_is_answered_with_the_page() {
    let server = Inside::start(Store::Memory, &[]).await;
    for path in ["/reels", "/reels/ABCD2345", "/reels/ABCD2345/tv", "/r/abcd2345", "/reels/demo/7"] {
        let answer = server.ask("GET", path, &[], None).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
    }
    assert_eq!(server.ask("GET", "/reels/ABCD2345/elsewhere", &[], None).await.status, 404);
}
