//! What can be taken home of a room, who may, and what its maker may wish for.

use super::inside::{Inside, Store, user_key};
use super::socket::code;
use parlor_rules::Kind;
use parlor_wire::commands::verbs;
use serde_json::json;

#[tokio::test]
async fn the_past_is_exported_to_those_who_play_and_holds_no_hidden_card() {
    let server = Inside::start(Store::Embedded, &[]).await;
    let (room, host_key) = server.room("export").await;
    let mut ana = server.person("ana").await;
    let deal = json!({ "valid_sizes": "shown hidden =1+1" });
    for (verb, with) in [
        ("join", json!({ "user_name": "@Ana" })),
        ("set_valid_sizes", deal),
        ("add_stories", json!({ "stories": [{ "title": "=SUM(A1), then" }] })),
        ("pick_story", json!({ "story_id": "s1" })),
        ("vote", json!({ "card": "shown" })),
        ("show", json!({})),
        ("reset", json!({})),
        ("vote", json!({ "card": "hidden" })),
    ] {
        assert_eq!(code(&ana.ask(verb, Some(&room), None, Some(with)).await), "ok", "{verb}");
    }
    let path = |form: &str| format!("/v1/rooms/{room}/export.{form}");
    let key = user_key("ana");
    for headers in [[("parlor-user-key", key.as_str())], [("parlor-host-key", host_key.as_str())]] {
        let csv = server.ask("GET", &path("csv"), &headers, None).await;
        assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
        assert!(csv.header("content-disposition").is_some_and(|kind| kind.starts_with("attachment")));
        assert_eq!(csv.header("cache-control"), Some("no-store"));
        assert!(
            csv.body.contains("s1,\"'=SUM(A1), then\",,,,,,\r\n") && csv.body.contains("Z,\"'@Ana\",shown\r\n"),
            "{}",
            csv.body
        );
        assert!(!csv.body.contains("hidden"), "{}", csv.body);
        let json = server.ask("GET", &path("json"), &headers, None).await.json();
        assert_eq!(json["rounds"][0]["votes"][0]["vote"], "shown");
        assert!(json["rounds"].as_array().is_some_and(|rounds| rounds.len() == 1) && !json.to_string().contains("hidden"));
    }
    let stranger = user_key("bo");
    for form in ["csv", "json"] {
        assert_eq!(server.ask("GET", &path(form), &[], None).await.code(), "not_seated");
        assert_eq!(server.ask("GET", &path(form), &[("parlor-user-key", &stranger)], None).await.code(), "not_seated");
        let wrong = [("parlor-host-key", "hk_the_host_key_of_another_room")];
        assert_eq!(server.ask("GET", &path(form), &wrong, None).await.code(), "bad_key");
    }
}

#[tokio::test]
async fn a_room_is_made_as_wished() {
    let server = Inside::start(Store::Memory, &[]).await;
    let decks = server.ask("GET", "/v1/decks", &[], None).await.json();
    for deck in decks["decks"].as_array().unwrap() {
        let wish = json!({ "deck": deck["deck"], "name": "Sprint 42", "auto_reveal": true, "reveal_by": "everyone", "life_minutes": 1440 });
        let made = server.ask("POST", "/v1/rooms", &[], Some(&wish.to_string())).await.json();
        assert_eq!(made["valid_sizes"], deck["valid_sizes"]);
        let seen = server.look(made["room"].as_str().unwrap(), made["host_key"].as_str().unwrap()).await;
        let view = &seen["view"];
        assert_eq!((&view["name"], &view["auto_reveal"]), (&json!("Sprint 42"), &json!(true)));
        assert_eq!((&view["reveal_by"], &view["life_minutes"]), (&json!("everyone"), &json!(1440)));
        assert_eq!(seen["expires_at"], json!(super::inside::BEGAN + 1440 * 60_000));
    }
}

/// Types come from examples: a flag is a flag, a list says what is in it, and what may be left out is not required.
#[test]
fn the_description_of_a_command_says_what_it_takes() {
    let page = parlor::openapi::describe();
    let body = |verb: &str| {
        let path = format!("/v1/rooms/poker/{{id}}/{verb}");
        page["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"].clone()
    };
    assert_eq!(body("set_revealed")["properties"]["is_revealed"]["type"], "boolean");
    assert_eq!(body("start_timer")["required"], json!(["seconds"]));
    assert_eq!(body("start_timer")["properties"]["reveal"]["type"], "boolean");
    assert_eq!(body("join")["required"], json!([]));
    assert_eq!(body("edit_story")["properties"]["link"]["type"], json!(["string", "null"]));
    assert_eq!(body("pick_story")["required"], json!(["story_id"]));
    assert_eq!(body("pick_story")["properties"]["story_id"]["type"], json!(["string", "null"]));
    let stories = &body("add_stories")["properties"]["stories"];
    assert_eq!((&stories["type"], &stories["items"]["required"]), (&json!("array"), &json!(["title"])));
    assert_eq!(stories["items"]["properties"]["title"]["type"], "string");
    for verb in verbs(Kind::Poker) {
        let example: serde_json::Value = serde_json::from_str(verb.example).unwrap();
        let all = example.to_string();
        for word in verb.optional.iter().chain(verb.nullable) {
            assert!(all.contains(&format!("\"{word}\":")), "{}: {word} is in no example", verb.name);
        }
    }
}
