//! Who asks too often, and who shows a wrong key.

use super::game::{Game, JPEG, Who, begun};
use crate::doors::inside::{Inside, Store};
use crate::doors::socket::code;
use serde_json::json;

const MISSES: usize = parlor::limits::MISSES_PER_MINUTE_MAX as usize;

#[tokio::test]
async fn h78_whoever_guesses_codes_is_soon_not_answered_at_all() {
    let server = Inside::start(Store::Memory, &[]).await;
    let game = Game::make(&server, "guessed").await;
    let mut inside = server.person("camille").await;
    assert_eq!(code(&inside.ask("enter", Some(&game.room), None, None).await), "ok");
    let mut answers = std::collections::BTreeMap::<String, usize>::new();
    for n in 0..2000_u64 {
        let guess = parlor_rules::RoomId::code(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let answer = server.ask("GET", &format!("/v1/rooms/reels/{guess}"), &[], None).await;
        *answers.entry(answer.code()).or_default() += 1;
    }
    assert_eq!(answers.get("room_not_found"), Some(&MISSES), "{answers:?}");
    assert_eq!(answers.get("too_fast"), Some(&(2000 - MISSES)), "{answers:?}");
    // A right guess gets the same answer, by every door.
    let right = server.ask("GET", &format!("/v1/rooms/{}", game.room), &[], None).await;
    assert_eq!(right.code(), "too_fast");
    assert_eq!(game.does(Who::Phone("nico"), "TAKE_PLAYER", &json!({ "player_id": "p12" })).await, "too_fast");
    let mut outside = server.person("nico").await;
    for verb in ["enter", "JOIN_ROOM", "look", "STATE_SYNC"] {
        assert_eq!(code(&outside.ask(verb, Some(&game.room), None, None).await), "too_fast", "{verb}");
    }
    // Who plays is not disturbed, and who waits is let in.
    let take = json!({ "player_id": "p12" });
    assert_eq!(code(&inside.ask("TAKE_PLAYER", Some(&game.room), Some(1), Some(take)).await), "ok");
    server.step(60_000);
    assert_eq!(code(&outside.ask("JOIN_ROOM", Some(&game.room), None, None).await), "ok");
}

#[tokio::test]
async fn h90_a_wrong_master_key_is_an_error_and_is_counted_never_a_lesser_view() {
    let server = Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "5"]).await;
    let game = Game::make(&server, "wrong-key").await;
    let mut screen = server.person("screen").await;
    let sync = |key: &str| Some(json!({ "master_key": key }));
    let right = screen.ask("STATE_SYNC", Some(&game.room), None, sync(&game.master_key)).await;
    assert!(right["ok"]["view"]["players_all"].is_array() && right["ok"]["view"]["senders_all"].is_array(), "{right}");
    let visible = screen.ask("STATE_SYNC", Some(&game.room), None, None).await;
    assert!(visible["ok"]["view"]["players_visible"].is_array() && visible["ok"]["view"]["players_all"].is_null(), "{visible}");
    let wrong = format!("hk_{}", "0".repeat(64));
    let mut said = Vec::new();
    for _ in 0..1000 {
        let reply = screen.ask("STATE_SYNC", Some(&game.room), None, sync(&wrong)).await;
        said.push(code(&reply));
    }
    assert_eq!(said.iter().filter(|code| *code == "bad_key").count(), 5);
    assert_eq!(said.iter().filter(|code| *code == "too_fast").count(), 995);
    let limited = screen.ask("STATE_SYNC", Some(&game.room), None, sync(&game.master_key)).await;
    assert_eq!(code(&limited), "too_fast", "a right key is not told from a wrong one any more");
    // What was shown with a right key before is not kept for the next look.
    server.step(60_000);
    let plain = screen.ask("STATE_SYNC", Some(&game.room), None, None).await;
    assert!(plain["ok"]["view"]["players_all"].is_null(), "{plain}");
}

#[tokio::test]
async fn h86_h87_nobody_learns_a_device_or_acts_for_one() {
    let server = Inside::start(Store::Memory, &[]).await;
    let game = Game::make(&server, "devices").await;
    begun(&game).await;
    let keys = ["camille", "nico", "zoe"].map(crate::doors::inside::user_key);
    for who in [Who::Master, Who::Phone("camille"), Who::Phone("stranger"), Who::Nobody] {
        let seen = game.look(who).await.to_string();
        for key in &keys {
            let hash = parlor_rules::SecretHash::of(key.as_bytes()).hex();
            assert!(!seen.contains(key) && !seen.contains(&hash), "a device's key is shown");
        }
        assert!(!seen.contains(&game.master_key));
    }
    // A public id opens nothing.
    let master = game.look(Who::Master).await;
    let public = master["view"]["players_all"][0]["user_id"].as_str().unwrap();
    let answer = server
        .ask(
            "POST",
            &format!("/v1/rooms/{}/RELEASE_PLAYER", game.room),
            &[("parlor-user-key", &public.repeat(3))],
            Some(r#"{"player_id":"p12"}"#),
        )
        .await;
    assert_eq!(answer.code(), "forbidden");
}

#[tokio::test]
async fn the_face_of_who_is_left_out_is_for_the_big_screen_and_nobody_who_was_not_told_its_address() {
    let server = Inside::start(Store::Memory, &[]).await;
    let game = Game::make(&server, "faces").await;
    let face = json!({ "player_id": "p9", "jpeg": JPEG });
    assert_eq!(game.does(Who::Master, "UPDATE_AVATAR", &face).await, "ok");
    let master = game.look(Who::Master).await;
    let seats = master["view"]["players_all"].as_array().unwrap();
    let tom = seats.iter().find(|seat| seat["player_id"] == "p9").unwrap();
    assert_eq!(tom["active"], false, "{tom}");
    // A browser asks for a picture by its address and shows no key.
    let address = tom["avatar_url"].as_str().unwrap();
    assert_eq!(game.ask("GET", address, Who::Nobody, None).await.code(), "ok");
    let (plain, tag) = address.split_once("?v=").unwrap();
    for guess in [plain.to_owned(), format!("{plain}?v="), format!("{plain}?v={}", &tag[1..]), format!("{plain}?v=000000000000")]
    {
        assert_eq!(game.ask("GET", &guess, Who::Nobody, None).await.code(), "not_found", "{guess}");
    }
    assert_eq!(game.ask("GET", plain, Who::Master, None).await.code(), "ok");
    assert!(!game.look(Who::Phone("camille")).await.to_string().contains(tag));
}

#[tokio::test]
async fn h89_a_master_key_is_256_random_bits_and_nobodys_choice() {
    let server = Inside::start(Store::Memory, &[]).await;
    let wish = super::game::wish();
    let mut keys = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let made = server.ask("POST", "/v1/rooms", &[], Some(&wish.to_string())).await.json();
        let key = made["master_key"].as_str().unwrap().to_owned();
        let digits = key.strip_prefix("hk_").unwrap();
        assert!(digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{}", digits.len());
        assert!(keys.insert(key), "a key was drawn twice");
    }
    // Each digit of 16 at each place about as often as the others: none is fixed.
    for place in 3..67 {
        let seen: std::collections::BTreeSet<u8> = keys.iter().map(|key| key.as_bytes()[place]).collect();
        assert!(seen.len() > 10, "place {place} has only {seen:?}");
    }
}
