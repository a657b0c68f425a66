//! Twelve hours from creation, whatever happens: on every key, announced, and then over.

use super::game::{Game, JPEG, Who, at, begun, vote};
use crate::doors::inside::{BEGAN, Inside};
use crate::doors::shelves::Shelves;
use crate::doors::socket::code;
use parlor_rules::Address;
use serde_json::json;

const LIFE_MS: u64 = 12 * 60 * 60 * 1000;

#[tokio::test]
async fn h73_h74_the_end_is_announced_ten_minutes_before_and_nothing_puts_it_off() {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        let server = Inside::start(store, &[]).await;
        let game = Game::make(&server, "twelve-hours").await;
        begun(&game).await;
        let mut phone = server.person("camille").await;
        assert_eq!(code(&phone.ask("JOIN_ROOM", Some(&game.room), None, None).await), "ok");
        let expires = BEGAN + LIFE_MS;
        assert_eq!(phone.push_of("view").await["expires_at"], expires);
        server.step(LIFE_MS - 10 * 60 * 1000 - 1);
        let rename = |name: &str| Some(json!({ "player_id": "p12", "name": name }));
        assert_eq!(code(&phone.ask("RENAME_PLAYER", Some(&game.room), None, rename("Cam")).await), "ok");
        server.step(1);
        assert_eq!(code(&phone.ask("RENAME_PLAYER", Some(&game.room), None, rename("Camille")).await), "ok");
        assert_eq!(phone.push_of("closing").await["expires_at"], expires, "commands do not renew it");
        // A phone that was locked when the others were told is told when it comes back.
        let mut late = server.person("nico").await;
        assert_eq!(code(&late.ask("JOIN_ROOM", Some(&game.room), None, None).await), "ok");
        assert_eq!(late.push_of("closing").await["expires_at"], expires);
        server.step(10 * 60 * 1000 - 1);
        assert_eq!(game.look(Who::Master).await["expires_at"], expires);
        server.step(1);
        // Whatever is sent now meets no room, and makes none.
        for (verb, with) in
            [("TAKE_PLAYER", json!({ "player_id": "p12" })), ("SUBMIT_VOTE", vote("r1", "i1", &[])), ("ROOM_CLOSED", json!({}))]
        {
            assert_eq!(game.does(Who::Host("camille"), verb, &with).await, "room_not_found", "{verb}");
        }
        assert_eq!(phone.push_of("ended").await["reason"], "expired");
        assert!(game.records().await.is_empty());
        let room = game.room.clone();
        let server = server.restart().await;
        assert_eq!(server.ask("GET", &format!("/v1/rooms/{room}"), &[], None).await.code(), "room_not_found");
        shelves.clear().await;
    }
}

#[tokio::test]
async fn h70_h71_h72_one_deadline_for_all_that_is_ever_written() {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        let server = Inside::start(store, &[]).await;
        let game = Game::make(&server, "one-deadline").await;
        let key = parlor_layout::room_key(&game.room.parse::<Address>().unwrap());
        let deadline = || async { server.doors.engine.house().rooms.load(&key).await.unwrap().unwrap().deadline.unwrap().0 };
        begun(&game).await;
        let steps = [
            (Who::Phone("camille"), "UPDATE_AVATAR", json!({ "player_id": "p12", "jpeg": JPEG })),
            (Who::Phone("camille"), "RENAME_PLAYER", json!({ "player_id": "p12", "name": "Cam" })),
            (Who::Master, "ADD_PLAYER", json!({ "name": "Guest" })),
            (Who::Master, "REEL_OPENED", at("r1", "i1")),
            (Who::Phone("camille"), "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
            (Who::Phone("nico"), "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
            (Who::Phone("zoe"), "SUBMIT_VOTE", vote("r1", "i1", &["s12"])),
            (Who::Master, "END_ITEM", at("r1", "i1")),
        ];
        for (who, verb, with) in steps {
            server.step(60_000);
            assert_eq!(game.does(who, verb, &with).await, "ok", "{verb}");
            assert_eq!(deadline().await, BEGAN + LIFE_MS, "after {verb}");
        }
        // On real servers every key is looked at by itself.
        shelves.clear().await;
    }
}
