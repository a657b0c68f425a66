//! Who may make a space, and who may come without a token, as `space-open` says.

use super::app::Signer;
use super::outside::{Outside, Says};
use super::*;
use crate::doors::sessions::{login, member};

const WISH: &str = r#"{"kind":"space","guests":"read","members":"write"}"#;

/// Whether a guest, a member, and nobody at all may make a space, by every door.
async fn strangers_make(server: &Inside) -> Vec<String> {
    let session = login(server, &format!("Ana {}", server.address.port())).await;
    let mut answers = Vec::new();
    for socket in [&mut server.person("guest").await, &mut member(server, &session).await] {
        let made = socket.ask("create", None, None, Some(serde_json::from_str(WISH).unwrap())).await;
        answers.push(code(&made));
    }
    for headers in [&[][..], &[("parlor-user-key", "uk_some_guests_private_key")], &[("authorization", &*bearer(&session))]] {
        answers.push(server.ask("POST", "/v1/rooms", headers, Some(WISH)).await.code());
    }
    let (poker, _) = server.room("other-rooms-are-not-affected").await;
    let entered = server.person("guest").await.ask("enter", Some(&poker), None, None).await;
    assert_eq!(code(&entered), "ok");
    answers.sort();
    answers.dedup();
    answers
}

#[tokio::test]
async fn strangers_make_spaces_only_where_nobody_else_says_who_comes() {
    let outside = Outside::start(Says::Answer(401, String::new())).await;
    let (jwt, webhook) = (["--jwt-secret", SECRET], ["--auth-webhook", &*outside.url]);
    let (always, never, auto) = (["--space-open", "always"], ["--space-open", "never"], ["--space-open", "auto"]);
    for (flags, expected) in [
        (vec![], "ok"),
        (auto.to_vec(), "ok"),
        (always.to_vec(), "ok"),
        (never.to_vec(), "forbidden"),
        (jwt.to_vec(), "forbidden"),
        (webhook.to_vec(), "forbidden"),
        ([jwt, auto].concat(), "forbidden"),
        ([jwt, always].concat(), "ok"),
        ([webhook, always].concat(), "ok"),
    ] {
        let server = Inside::start(Store::Memory, &flags).await;
        assert_eq!(strangers_make(&server).await, [expected], "{flags:?}");
    }
    assert_eq!(outside.count(), 0, "nobody showed a token of the app's");
}

#[tokio::test]
async fn a_token_makes_spaces_with_admin_on_everything() {
    for open in ["always", "never"] {
        let server = guarded(Store::Memory, &["--space-open", open]).await;
        for (spaces, expected) in [
            (json!({ "*": "admin" }), "ok"),
            (json!({ "*": ["read", "admin"], "x": "read" }), "ok"),
            (json!({ "*": "write", "x*": "admin" }), "forbidden"),
            (json!({ "x": "admin" }), "forbidden"),
            (json!({}), "forbidden"),
        ] {
            let token = token("ana", spaces.clone());
            let by_rest = server.ask("POST", "/v1/rooms", &[("authorization", &bearer(&token))], Some(WISH)).await;
            assert_eq!(by_rest.code(), expected, "{spaces}");
            let mut ana = visitor(&server, &token).await;
            let made = ana.ask("create", None, None, Some(serde_json::from_str(WISH).unwrap())).await;
            assert_eq!(code(&made), expected, "{spaces}");
            if expected == "ok" {
                let room = made["ok"]["room"].as_str().unwrap().to_owned();
                assert_eq!(code(&ana.ask("enter", Some(&room), None, None).await), "ok");
                assert_eq!(code(&ana.ask("delete", Some(&room), None, None).await), "ok");
            }
            // A table is anybody's to open.
            assert_eq!(code(&ana.ask("create", None, None, Some(json!({}))).await), "ok");
        }
    }
}

#[tokio::test]
async fn where_spaces_are_open_their_own_settings_count_for_strangers_and_tokens_for_their_holders() {
    let server = guarded(Store::Memory, &["--space-open", "always"]).await;
    let (room, _) = space(&server, json!({ "guests": "read", "members": "none" })).await;
    let session = login(&server, "Ana").await;
    let mut people = [
        (server.person("guest").await, "ok"),
        (member(&server, &session).await, "forbidden"),
        (visitor(&server, &token("bo", json!({}))).await, "forbidden"),
        (visitor(&server, &token("cy", json!({ "*": "read" }))).await, "ok"),
    ];
    for (n, (socket, expected)) in people.iter_mut().enumerate() {
        assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), *expected, "{n}");
    }
    // A wrong token is not as good as none.
    let wrong = Signer::secret("another secret that is long enough for it").token(&claims("ana", json!({ "*": "admin" })));
    assert_eq!(hello(&server, &wrong).await.0, "unauthenticated");
    let answer = server
        .ask(
            "GET",
            &format!("/v1/rooms/{room}"),
            &[("authorization", &bearer(&wrong)), ("parlor-user-key", "uk_some_guests_private_key")],
            None,
        )
        .await;
    assert_eq!(answer.code(), "unauthenticated");
}
