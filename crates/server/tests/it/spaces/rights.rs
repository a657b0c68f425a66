//! Who may do what in a space: by the space's own word for guests and members, and by its host key.

use super::copy::{Copy, space_with};
use crate::doors::inside::{Inside, Store, user_key};
use serde_json::{Value, json};

/// What each attempt is answered with: look, write, show, say, change the settings.
async fn may(server: &Inside, room: &str, headers: &[(&str, &str)]) -> String {
    let attempts = [
        ("GET", "", ""),
        ("POST", "/map_set", r#"{"map":"m","key":"k","value":1}"#),
        ("POST", "/presence_set", r#"{"presence":"p","value":1}"#),
        ("POST", "/say", "1"),
        ("POST", "/update_space", r#"{"name":"Another"}"#),
    ];
    let mut answers = Vec::new();
    for (method, path, body) in attempts {
        let all = [headers, &[("content-type", "application/json")]].concat();
        let body = (!body.is_empty()).then_some(body);
        let answer = server.ask(method, &format!("/v1/rooms/{room}{path}"), &all, body).await;
        answers.push(if answer.code() == "forbidden" {
            "-"
        } else if answer.code() == "ok" {
            "yes"
        } else {
            "?"
        });
    }
    answers.join(" ")
}

#[tokio::test]
async fn h69_whoever_knows_the_id_and_nothing_else_reads_nothing() {
    let server = Inside::start(Store::Memory, &[]).await;
    let key = user_key("eve");
    let guest: &[(&str, &str)] = &[("parlor-user-key", &key)];
    for (nth, (wish, expected)) in [
        (json!({}), "- - - - -"),
        (json!({ "guests": "none" }), "- - - - -"),
        (json!({ "guests": "read" }), "yes - - - -"),
        (json!({ "guests": "write" }), "yes yes yes yes -"),
    ]
    .into_iter()
    .enumerate()
    {
        let (room, host_key) = space_with(&server, &format!("rights-{nth}"), wish.clone()).await;
        assert_eq!(may(&server, &room, guest).await, expected, "{wish}");
        assert_eq!(may(&server, &room, &[]).await, "- - - - -", "somebody without a key, {wish}");
        let host = [("parlor-host-key", host_key.as_str()), ("parlor-user-key", key.as_str())];
        assert_eq!(may(&server, &room, &host).await, "yes yes yes yes yes");
    }
}

#[tokio::test]
async fn members_may_what_the_space_says() {
    let server = Inside::start(Store::Memory, &[]).await;
    let login = server.ask("POST", "/v1/login", &[("content-type", "application/json")], Some(r#"{"user_name":"Ana"}"#)).await;
    let bearer = format!("Bearer {}", login.json()["token"].as_str().unwrap());
    for (members, expected) in [("none", "- - - - -"), ("read", "yes - - - -"), ("write", "yes yes yes yes -")] {
        let (room, _) = space_with(&server, &format!("members-{members}"), json!({ "members": members })).await;
        assert_eq!(may(&server, &room, &[("authorization", &bearer)]).await, expected, "{members}");
    }
}

#[tokio::test]
async fn a_right_that_is_taken_away_counts_at_once_for_those_who_listen() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, host_key) = space_with(&server, "revoked", json!({ "guests": "write" })).await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    ana.does("map_set", json!({ "map": "m", "key": "k", "value": 1 })).await;
    let update = |body: Value| {
        let (server, path, key) = (&server, format!("/v1/rooms/{room}/update_space"), host_key.clone());
        async move {
            let headers = [("parlor-host-key", key.as_str()), ("content-type", "application/json")];
            server.ask("POST", &path, &headers, Some(&body.to_string())).await.code()
        }
    };
    assert_eq!(update(json!({ "guests": "read" })).await, "ok");
    assert_eq!(ana.tries("map_set", json!({ "map": "m", "key": "k", "value": 2 })).await["error"]["code"], "forbidden");
    assert_eq!(ana.tries("presence_set", json!({ "presence": "p", "value": 2 })).await["error"]["code"], "forbidden");
    assert_eq!(ana.tries("say", json!(1)).await["error"]["code"], "forbidden");
    assert_eq!(update(json!({ "guests": "none" })).await, "ok");
    ana.hears_until(|copy| !copy.heard("ended").is_empty()).await;
    let back = Copy::outside(&server, &room, "ana").await.tries("enter", json!({})).await;
    assert_eq!(back["error"]["code"], "forbidden");
}
