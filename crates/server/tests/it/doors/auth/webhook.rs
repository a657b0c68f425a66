//! The app is asked: what it says counts for as long as it says, and whatever it does instead of answering hurts nobody.

use super::app::Signer;
use super::outside::{Outside, Says};
use super::*;
use crate::doors::sessions::{is_sent_away, login, member};

const OPAQUE: &str = "an-opaque-token-of-the-app-0123456789";
const SIGNING: &str = "what the app and its parlor share";

/// A server that asks, and a space in it that somebody with the key made.
async fn asking(outside: &Outside, flags: &[&str]) -> (Inside, String) {
    let server =
        guarded(Store::Memory, &[&["--auth-webhook", &*outside.url, "--auth-webhook-secret", SIGNING], flags].concat()).await;
    let (room, _) = space(&server, json!({ "guests": "write", "members": "write" })).await;
    (server, room)
}

async fn app(answer: Value) -> Outside {
    Outside::start(Says::Answer(200, answer.to_string())).await
}

async fn enters(socket: &mut Socket, room: &str) -> String {
    code(&socket.ask("enter", Some(room), None, None).await)
}

#[tokio::test]
async fn the_app_says_who_somebody_is_and_what_they_may_do() {
    let outside = app(json!({ "user_id": "ana-1", "name": "Ana", "right": "presence", "info": { "colour": "red" } })).await;
    let (server, room) = asking(&outside, &[]).await;
    let (_, reply, mut ana) = hello(&server, OPAQUE).await;
    // Who it is is not known before it is known where they go.
    assert_eq!(reply["ok"], json!({ "protocol": 1 }));
    assert_eq!(outside.count(), 0);
    let entered = ana.ask("enter", Some(&room), None, None).await;
    assert_eq!(entered["ok"]["user_id"], "ana-1", "{entered}");
    assert_eq!(outside.last().json(), json!({ "token": OPAQUE, "room": room }));
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SIGNING.as_bytes());
    let proof = ring::hmac::sign(&key, outside.last().body.as_bytes());
    let hex: String = proof.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(outside.last().header("parlor-signature"), Some(&*format!("sha256={hex}")));
    assert_eq!(outside.last().header("content-type"), Some("application/json"));
    assert_eq!(code(&ana.ask("say", Some(&room), None, Some(json!(1))).await), "ok");
    let by_rest = |verb: &'static str, body: &'static str| {
        let (server, room) = (&server, &room);
        async move {
            let path = format!("/v1/rooms/{room}/{verb}");
            server.ask("POST", &path, &[("authorization", &bearer(OPAQUE))], Some(body)).await.code()
        }
    };
    assert_eq!(by_rest("say", "1").await, "ok");
    assert_eq!(by_rest("map_set", r#"{"map":"m","key":"k","value":1}"#).await, "forbidden");
    assert_eq!(by_rest("delete", "{}").await, "forbidden");
    // All of it was one question.
    assert_eq!(outside.count(), 1);
}

#[tokio::test]
async fn what_the_app_said_holds_as_long_as_it_said_for_one_token_in_one_room() {
    let outside = app(json!({ "user_id": "ana", "right": "read", "expires_in": 5 })).await;
    let (server, room) = asking(&outside, &[]).await;
    let (other, _) = space(&server, json!({})).await;
    let looks = |token: &'static str, room: String| {
        let server = &server;
        async move {
            let answer = server.ask("GET", &format!("/v1/rooms/{room}"), &[("authorization", &bearer(token))], None).await;
            answer.code()
        }
    };
    for (token, room, count) in
        [(OPAQUE, &room, 1), (OPAQUE, &room, 1), ("another-token", &room, 2), (OPAQUE, &other, 3), (OPAQUE, &room, 3)]
    {
        assert_eq!(looks(token, room.clone()).await, "ok");
        assert_eq!(outside.count(), count);
    }
    server.step(4_999);
    assert_eq!((looks(OPAQUE, room.clone()).await, outside.count()), ("ok".to_owned(), 3));
    server.step(1);
    assert_eq!((looks(OPAQUE, room.clone()).await, outside.count()), ("ok".to_owned(), 4));
    // A minute unless it says so, an hour at most.
    for (said, holds) in [(json!({}), 60_000), (json!({ "expires_in": 1e12 }), 3_600_000)] {
        let mut answer = json!({ "user_id": "ana", "right": "read" });
        answer.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        outside.answers(200, answer);
        server.step(4_000_000);
        let before = outside.count();
        for (step, count) in [(0, 1), (holds - 1, 1), (1, 2)] {
            server.step(step);
            assert_eq!(looks(OPAQUE, room.clone()).await, "ok");
            assert_eq!(outside.count(), before + count, "{said} {step}");
        }
    }
    // A no is remembered for a moment.
    outside.answers(403, "");
    server.step(4_000_000);
    let before = outside.count();
    for (step, count) in [(0, 1), (4_999, 1), (1, 2)] {
        server.step(step);
        assert_eq!((looks(OPAQUE, room.clone()).await, outside.count()), ("forbidden".to_owned(), before + count));
    }
}

#[tokio::test]
async fn a_no_is_a_no_and_no_answer_is_none() {
    let outside = app(json!({})).await;
    let (server, room) = asking(&outside, &[]).await;
    let good = json!({ "user_id": "ana", "right": "read" });
    let says = [
        (Says::Answer(401, good.to_string()), "unauthenticated"),
        (Says::Answer(403, good.to_string()), "forbidden"),
        (Says::Answer(200, json!({ "user_id": "ana", "rights": [] }).to_string()), "forbidden"),
        (Says::Answer(201, good.to_string()), "unavailable"),
        (Says::Answer(204, String::new()), "unavailable"),
        (Says::Answer(302, good.to_string()), "unavailable"),
        (Says::Answer(307, good.to_string()), "unavailable"),
        (Says::Answer(404, good.to_string()), "unavailable"),
        (Says::Answer(429, good.to_string()), "unavailable"),
        (Says::Answer(500, good.to_string()), "unavailable"),
        (Says::Answer(200, String::new()), "unavailable"),
        (Says::Answer(200, "ok".to_owned()), "unavailable"),
        (Says::Answer(200, "{}".to_owned()), "unavailable"),
        (Says::Answer(200, json!({ "user_id": "a b", "right": "read" }).to_string()), "unavailable"),
        (Says::Answer(200, json!({ "user_id": "ana", "right": "root" }).to_string()), "unavailable"),
        (Says::Answer(200, json!({ "user_id": "ana", "right": "read", "info": "x".repeat(2000) }).to_string()), "unavailable"),
        (Says::Answer(200, json!({ "user_id": "ana", "right": "read", "more": "x".repeat(20_000) }).to_string()), "unavailable"),
        (Says::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{".to_vec()), "unavailable"),
        (Says::Raw(b"\0\x01\x02 rubbish \r\n\r\n".to_vec()), "unavailable"),
        (Says::Nothing, "unavailable"),
        (Says::Down, "unavailable"),
    ];
    for (n, (says, expected)) in says.into_iter().enumerate() {
        outside.says(says);
        let token = format!("token-number-{n}");
        let answer = server.ask("GET", &format!("/v1/rooms/{room}"), &[("authorization", &bearer(&token))], None).await;
        assert_eq!(answer.code(), expected, "{n} {answer:?}");
        assert_eq!(answer.json()["error"]["retry"], expected == "unavailable", "{n}");
        assert!(!answer.body.contains(&token), "{answer:?}");
    }
    // None of it hurt: the next answer counts, also for those who got none.
    outside.answers(200, &good);
    let mut socket = visitor(&server, "token-number-12").await;
    assert_eq!(enters(&mut socket, &room).await, "ok");
}

#[tokio::test]
async fn only_the_apps_own_tokens_are_told_to_the_app_and_only_for_spaces() {
    let outside = app(json!({ "user_id": "ana", "right": "admin" })).await;
    let (server, room) = asking(&outside, &[]).await;
    // One of ours, one that we can read, one that we can read and that has ended, a cookie, and nobody.
    let session = login(&server, "Ana").await;
    assert_eq!(enters(&mut member(&server, &session).await, &room).await, "forbidden");
    assert_eq!(enters(&mut visitor(&server, &token("bo", json!({ "*": "read" }))).await, &room).await, "ok");
    let mut ended = claims("bo", json!({ "*": "read" }));
    ended["exp"] = 1.into();
    assert_eq!(hello(&server, &Signer::secret(SECRET).token(&ended)).await.0, "unauthenticated");
    let cookie = format!("parlor_session={OPAQUE}");
    let path = format!("/v1/rooms/{room}");
    assert_eq!(server.ask("GET", &path, &[("cookie", &cookie)], None).await.code(), "unauthenticated");
    assert_eq!(
        server.ask("GET", &path, &[("authorization", "Bearer tk_0000000000000000000000")], None).await.code(),
        "unauthenticated"
    );
    assert_eq!(server.ask("GET", &path, &[], None).await.code(), "forbidden");
    // A table is not the app's to judge; nor does it say who makes spaces.
    let (poker, _) = server.room("poker").await;
    let mut ana = visitor(&server, OPAQUE).await;
    for verb in ["look", "enter", "join"] {
        assert_eq!(code(&ana.ask(verb, Some(&poker), None, None).await), "unauthenticated");
    }
    assert_eq!(code(&ana.ask("create", None, None, Some(json!({ "kind": "space" }))).await), "forbidden");
    assert_eq!(code(&ana.ask("verify", None, None, None).await), "unauthenticated");
    assert_eq!(outside.count(), 0);
    // A signed token of somebody else's is for the app to judge.
    let foreign = Signer::ec("foreign").token(&claims("cy", json!({})));
    assert_eq!(enters(&mut visitor(&server, &foreign).await, &room).await, "ok");
    assert_eq!(outside.last().json()["token"], foreign.as_str());
}

#[tokio::test]
async fn x05_whom_the_app_no_longer_lets_in_is_sent_away_also_if_they_only_watch() {
    let yes = json!({ "user_id": "ana", "right": "read", "expires_in": 30 });
    for (no, status) in [
        (json!({}), 403),
        (json!({}), 401),
        (json!({ "user_id": "ana", "right": "none" }), 200),
        (json!({ "user_id": "bo", "right": "read" }), 200),
    ] {
        let outside = app(yes.clone()).await;
        let (server, room) = asking(&outside, &[]).await;
        let mut ana = visitor(&server, OPAQUE).await;
        assert_eq!(enters(&mut ana, &room).await, "ok");
        // While it says yes, and while it says nothing, everybody stays.
        for says in [Says::Answer(200, yes.to_string()), Says::Answer(500, String::new()), Says::Answer(200, yes.to_string())] {
            let before = outside.count();
            outside.says(says);
            server.step(30_000);
            crate::doors::inside::until("the app was asked", || outside.count() > before).await;
            assert_eq!(code(&ana.ask("ping", None, None, None).await), "ok");
        }
        outside.answers(status, &no);
        server.step(40_000);
        is_sent_away(&mut ana).await;
    }
}

#[tokio::test]
async fn x05_nobody_stays_for_ever_because_the_app_says_nothing() {
    let outside = app(json!({ "user_id": "ana", "right": "read", "expires_in": 30 })).await;
    let (server, room) = asking(&outside, &[]).await;
    let mut ana = visitor(&server, OPAQUE).await;
    assert_eq!(enters(&mut ana, &room).await, "ok");
    outside.answers(500, "");
    server.step(30_000);
    crate::doors::inside::until("the app was asked", || outside.count() == 2).await;
    server.step(600_000);
    is_sent_away(&mut ana).await;
}

#[tokio::test]
async fn whoever_left_is_not_asked_about() {
    let outside = app(json!({ "user_id": "ana", "right": "read", "expires_in": 30 })).await;
    let (server, room) = asking(&outside, &[]).await;
    let mut ana = visitor(&server, OPAQUE).await;
    assert_eq!(enters(&mut ana, &room).await, "ok");
    assert_eq!(server.doors.visits.count(), 1);
    assert_eq!(code(&ana.ask("exit", Some(&room), None, None).await), "ok");
    assert_eq!(server.doors.visits.count(), 0);
    outside.answers(403, "");
    server.step(30_000);
    assert_eq!(enters(&mut ana, &room).await, "forbidden");
    assert_eq!(server.doors.visits.count(), 0);
}

#[tokio::test]
async fn a_flood_of_tokens_asks_the_app_only_so_much_at_once() {
    let outside = Outside::start(Says::Nothing).await;
    let (server, room) = asking(&outside, &[]).await;
    let path = format!("/v1/rooms/{room}");
    let asks = (0..80).map(|n| {
        let (server, path) = (&server, &path);
        async move { server.ask("GET", path, &[("authorization", &bearer(&format!("a-guess-{n}")))], None).await.code() }
    });
    for code in futures_util::future::join_all(asks).await {
        assert_eq!(code, "unavailable");
    }
    assert!((1..=32).contains(&outside.most_at_once()), "{}", outside.most_at_once());
    // Meanwhile and afterwards those who need nobody's word are served.
    let headers = [("authorization", &*bearer(&token("bo", json!({ "*": "read" }))))];
    assert_eq!(server.ask("GET", &path, &headers, None).await.code(), "ok");
}
