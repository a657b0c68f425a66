//! Tokens, and what they are signed with, are told to nobody.

use super::app::Signer;
use super::outside::{Outside, Says};
use super::*;
use crate::doors::grpc::Grpc;
use crate::doors::http;
use crate::doors::leaks::logs;
use crate::support::house::House;

#[tokio::test]
async fn x03_x29_tokens_and_secrets_are_in_no_log_answer_or_metric() {
    let logs = logs();
    let outside =
        Outside::start(Says::Answer(200, json!({ "user_id": "ana", "right": "read", "expires_in": 0 }).to_string())).await;
    let signing = "the-canary-secret-of-the-webhook";
    let flags = ["--auth-webhook", &*outside.url, "--auth-webhook-secret", signing];
    let server = guarded(Store::Memory, &flags).await;
    let (room, _) = space(&server, json!({})).await;
    let good = token("ana", json!({ "*": "read" }));
    let mut late = claims("ana", json!({}));
    late["exp"] = 1.into();
    let tokens = [
        good.clone(),
        Signer::secret(SECRET).token(&late),
        Signer::ec("foreign").token(&claims("ana", json!({}))),
        "an-opaque-canary-token-0123456789".to_owned(),
        format!("{good}x"),
    ];
    let mut said = Vec::new();
    for says in [
        Says::Answer(200, json!({ "user_id": "ana", "right": "read", "expires_in": 0 }).to_string()),
        Says::Answer(500, String::new()),
        Says::Raw(b"rubbish".to_vec()),
        Says::Answer(403, String::new()),
    ] {
        outside.says(says);
        for token in &tokens {
            let (_, _, mut socket) = hello(&server, token).await;
            for verb in ["enter", "look", "delete", "verify", "nonsense"] {
                socket.ask(verb, Some(&room), None, None).await;
            }
            for (verb, with) in [
                ("hello", json!({ "token": 5, "client": token })),
                ("say", json!(1)),
                ("login", json!({ "user_name": 5, "token": token })),
            ] {
                socket.ask(verb, Some(&room), None, Some(with)).await;
            }
            said.append(&mut socket.heard);
            // The one way a token could get into an address is that somebody puts it there; it counts for nothing.
            for path in [format!("/v1/rooms/{room}"), "/v1/session".to_owned(), format!("/v1/rooms/{room}?token={token}")] {
                let answer = server.ask("GET", &path, &[("authorization", &bearer(token))], None).await;
                said.extend([answer.head, answer.body]);
            }
            let by_query = server.ask("GET", &format!("/v1/rooms/{room}?access_token={token}"), &[], None).await;
            assert_eq!(by_query.code(), "forbidden");
        }
    }
    said.push(server.ask("GET", "/metrics", &[], None).await.body);
    said.push(format!("{:?}", server.doors.config));
    said.push(String::from_utf8_lossy(&logs.lock().unwrap()).into_owned());
    let warned = said.last().is_some_and(|logs| logs.contains("the auth webhook gave no answer that counts"));
    assert!(warned, "the operator hears of it");
    let hashes: Vec<String> = tokens.iter().map(|token| parlor_rules::SecretHash::of(token.as_bytes()).hex()).collect();
    let proofs = tokens.iter().filter_map(|token| token.rsplit('.').next()).filter(|proof| proof.len() > 20).map(str::to_owned);
    let secrets = [SECRET.to_owned(), signing.to_owned()];
    for secret in tokens.iter().cloned().chain(hashes).chain(proofs).chain(secrets) {
        for text in &said {
            assert!(!text.contains(&secret), "{secret} in {text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn x29_even_the_most_talkative_log_tells_no_token() {
    let outside = Outside::start(Says::Answer(200, json!({ "user_id": "ana", "right": "read" }).to_string())).await;
    let signing = "the-canary-secret-of-the-webhook";
    let flags = ["--store", "memory:", "--log", "trace", "--jwt-secret", SECRET, "--auth-webhook", &outside.url];
    let mut house = House::start(&[&flags[..], &["--auth-webhook-secret", signing]].concat());
    let tokens = [token("ana", json!({ "*": "admin" })), "an-opaque-canary-token-0123456789".to_owned()];
    let wish = r#"{"kind":"space"}"#;
    let made = http::ask(house.address(), "POST", "/v1/rooms", &[("authorization", &bearer(&tokens[0]))], Some(wish)).await;
    let room = made.json()["room"].as_str().unwrap().to_owned();
    for token in &tokens {
        let headers = [("authorization", &*bearer(token))];
        assert_eq!(http::ask(house.address(), "GET", &format!("/v1/rooms/{room}"), &headers, None).await.code(), "ok");
        let mut socket = Socket::open(house.address(), &[]).await.unwrap();
        for (verb, with) in [("hello", json!({ "token": token })), ("enter", json!({}))] {
            assert_eq!(code(&socket.ask(verb, Some(&room), None, Some(with)).await), "ok");
        }
        let _ = Grpc::open(house.address()).await.ask("Sessions/VerifyUser", &headers, json!({})).await; // Either way it was shown.
    }
    assert_eq!(outside.count(), 1);
    let said = house.terminate();
    assert!(said.stderr.contains("TRACE"), "it was to say everything");
    for secret in tokens.iter().map(String::as_str).chain([SECRET, signing]) {
        assert!(!said.stderr.contains(secret) && !said.stdout.contains(secret), "{secret} was said");
    }
}

#[tokio::test]
async fn x04_a_socket_with_a_wrong_token_is_nobody() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = space(&server, json!({})).await;
    let (refused, _, mut socket) = hello(&server, "a.b.c").await;
    assert_eq!(refused, "unauthenticated");
    assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), "unauthenticated");
    // And may try again.
    let again = socket.ask("hello", None, None, Some(json!({ "token": token("ana", json!({ "*": "read" })) }))).await;
    assert_eq!(code(&again), "ok");
    assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), "ok");
}
