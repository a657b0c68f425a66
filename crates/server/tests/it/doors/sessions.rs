//! What sessions must not do: outlive their end on a socket, be used by another site's page, or be told to anybody.

use super::http;
use super::inside::{Inside, PATIENCE, Store};
use super::leaks::logs;
use super::socket::{Came, Socket, code};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

const STORES: [Store; 2] = [Store::Memory, Store::Embedded];
const LIFE: u64 = 3_600_000;

pub(super) async fn login(server: &Inside, name: &str) -> String {
    let body = json!({ "user_name": name }).to_string();
    let made = server.ask("POST", "/v1/login", &[], Some(&body)).await;
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["token"].as_str().unwrap().to_owned()
}

pub(super) async fn member(server: &Inside, token: &str) -> Socket {
    let mut socket = server.socket().await;
    let hello = socket.ask("hello", None, None, Some(json!({ "token": token, "client": "tab" }))).await;
    assert_eq!(code(&hello), "ok", "{hello}");
    assert!(hello["ok"]["user_id"].is_string() && hello["ok"]["user_key"].is_null(), "{hello}");
    socket
}

async fn verifies(server: &Inside, token: &str) -> String {
    server.ask("GET", "/v1/session", &[("authorization", &format!("Bearer {token}"))], None).await.code()
}

/// Hears that the session has ended, then the close.
pub(super) async fn is_sent_away(socket: &mut Socket) {
    let bye = socket.push_of("bye").await;
    assert_eq!(bye, json!({ "push": "bye", "reason": "session_ended" }));
    assert_eq!(socket.closed().await, (1008, "the session has ended".to_owned()));
}

#[tokio::test]
async fn x05_logging_out_closes_every_socket_of_the_session_at_once_and_no_other() {
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("x05").await;
        let (ana, bo) = (login(&server, "Ana").await, login(&server, "Bo").await);
        let (mut one, mut two) = (member(&server, &ana).await, member(&server, &ana).await);
        let (mut other, mut guest) = (member(&server, &bo).await, server.person("guest").await);
        for socket in [&mut one, &mut two, &mut other, &mut guest] {
            assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), "ok");
        }
        assert_eq!(server.doors.attendance.sockets(), 3);
        let begun = Instant::now();
        let reply = one.ask("logout", None, None, None).await;
        assert_eq!(reply["ok"], json!({}), "the answer comes before the goodbye");
        is_sent_away(&mut one).await;
        is_sent_away(&mut two).await;
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
        assert_eq!(server.doors.attendance.sockets(), 1);
        for socket in [&mut other, &mut guest] {
            assert_eq!(code(&socket.ask("look", Some(&room), None, None).await), "ok");
        }
        // By REST, and by logging in again, the same.
        let mut three = member(&server, &bo).await;
        let bearer = format!("Bearer {bo}");
        assert_eq!(server.ask("POST", "/v1/logout", &[("authorization", &bearer)], None).await.code(), "ok");
        is_sent_away(&mut other).await;
        is_sent_away(&mut three).await;
        let cy = login(&server, "Cy").await;
        let mut four = member(&server, &cy).await;
        let again = json!({ "user_name": "Cy" }).to_string();
        let bearer = format!("Bearer {cy}");
        assert_eq!(server.ask("POST", "/v1/login", &[("authorization", &bearer)], Some(&again)).await.status, 201);
        is_sent_away(&mut four).await;
        assert_eq!(server.doors.attendance.sockets(), 0);
    }
}

#[tokio::test]
async fn h32_watching_and_pinging_for_an_hour_do_not_keep_a_session_and_its_socket_is_closed() {
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("h32").await;
        let token = login(&server, "Ana").await;
        let mut ana = member(&server, &token).await;
        for _ in 0..59 {
            server.step(60_000);
            assert_eq!(code(&ana.ask("ping", None, None, None).await), "ok");
            assert_eq!(code(&ana.ask("enter", Some(&room), None, None).await), "ok");
        }
        server.step(59_999);
        assert_eq!(code(&ana.ask("ping", None, None, None).await), "ok");
        server.step(1);
        let begun = Instant::now();
        is_sent_away(&mut ana).await;
        assert!(begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
        assert_eq!(verifies(&server, &token).await, "unauthenticated");
    }
}

#[tokio::test]
async fn a_socket_whose_session_was_renewed_elsewhere_is_looked_up_before_it_is_closed() {
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let token = login(&server, "Ana").await;
        let mut ana = member(&server, &token).await;
        server.step(LIFE / 2);
        // As another server on the same store would: this one does not hear of it.
        let session = server.doors.sessions.find(&parlor_rules::SecretHash::of(token.as_bytes())).await.unwrap().unwrap();
        server.doors.sessions.renew(&session).await.unwrap();
        server.step(LIFE / 2 + 1);
        // Two looks of the house, at least; what is asked then is still answered.
        tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
        assert_eq!(code(&ana.ask("verify", None, None, None).await), "ok");
        server.step(LIFE);
        is_sent_away(&mut ana).await;
    }
}

#[tokio::test]
async fn commands_keep_their_order_while_the_store_is_asked_who_sends_them() {
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("order").await;
        let mut ana = server.socket().await;
        // Everything at once: each depends on the one before it.
        let act =
            |id: u64, verb: &str, with: Value| json!({ "id": id, "do": verb, "room": room, "n": id, "with": with }).to_string();
        ana.send(&json!({ "id": 1, "do": "login", "with": { "user_name": "Ana", "client": "tab" } }).to_string()).await;
        ana.send(&json!({ "id": 2, "do": "enter", "room": room }).to_string()).await;
        ana.send(&act(3, "join", json!({}))).await;
        for id in (4..40).step_by(2) {
            ana.send(&act(id, "vote", json!({ "card": "5" }))).await;
            ana.send(&act(id + 1, "reset", json!({}))).await;
        }
        ana.send(&act(40, "vote", json!({ "card": "8" }))).await;
        let mut answered = 0;
        while answered < 40 {
            if let Came::Text(frame) = ana.next().await
                && let Some(id) = frame["id"].as_u64()
            {
                assert_eq!(code(&frame), "ok", "{id}: {frame}");
                answered += 1;
            }
        }
        let seen = ana.ask("look", Some(&room), None, None).await;
        assert_eq!(seen["ok"]["me"]["vote"], "8");
        assert_eq!(seen["ok"]["view"]["round"], 19);
    }
}

#[tokio::test]
async fn x20_a_cookie_alone_changes_nothing() {
    let server = Inside::start(Store::Memory, &["--allow-origins", "https://friend.example"]).await;
    let (room, _) = server.room("x20").await;
    let token = login(&server, "Ana").await;
    let cookie = ("cookie", &*format!("parlor_session={token}"));
    let ours = format!("http://{}", server.address);
    let join = format!("/v1/rooms/{room}/join");
    for path in ["/v1/logout", "/v1/rooms", &join, "/v1/login"] {
        let body = match path {
            "/v1/logout" => None,
            "/v1/login" => Some(r#"{"user_name":"Mallory"}"#),
            _ => Some("{}"),
        };
        for headers in [
            &[cookie][..],
            &[cookie, ("origin", "https://evil.example")],
            &[cookie, ("origin", "null")],
            &[cookie, ("sec-fetch-site", "cross-site")],
            &[cookie, ("sec-fetch-site", "same-site")],
        ] {
            let refused = server.ask("POST", path, headers, body).await;
            assert_eq!(refused.code(), "forbidden", "{path} {headers:?}");
            assert!(refused.header("set-cookie").is_none(), "{refused:?}");
            assert!(refused.header("access-control-allow-credentials").is_none(), "{refused:?}");
        }
    }
    assert_eq!(server.ask("DELETE", &format!("/v1/rooms/{room}"), &[cookie], None).await.code(), "forbidden");
    // Looking is harmless: what comes back cannot be read by another site's page.
    assert_eq!(server.ask("GET", "/v1/session", &[cookie], None).await.code(), "ok");
    for headers in [
        &[cookie, ("origin", &*ours)],
        &[cookie, ("origin", "https://friend.example")],
        &[cookie, ("sec-fetch-site", "same-origin")],
    ] {
        assert_eq!(server.ask("POST", &join, headers, Some("{}")).await.code(), "ok", "{headers:?}");
    }
    assert_eq!(server.ask("POST", "/v1/logout", &[cookie, ("origin", &*ours)], None).await.code(), "ok");
}

#[tokio::test]
async fn x01_another_sites_page_opens_no_socket_with_the_cookie() {
    let server = Inside::start(Store::Memory, &[]).await;
    let cookie = format!("parlor_session={}", login(&server, "Ana").await);
    let evil = [("cookie", &*cookie), ("origin", "https://evil.example")];
    assert_eq!(Socket::open(server.address, &evil).await.err().map(|(status, _)| status), Some(403));
    let ours = format!("http://{}", server.address);
    let mut socket = Socket::open(server.address, &[("cookie", &*cookie), ("origin", &*ours)]).await.unwrap();
    // A cookie that came along counts only when it is asked to.
    let hello = socket.ask("hello", None, None, None).await;
    assert!(hello["ok"]["user_key"].is_string() && hello["ok"]["user_id"].is_null(), "{hello}");
}

#[tokio::test]
async fn x28_a_cookie_has_every_flag_and_a_planted_token_opens_nothing() {
    let server = Inside::start(Store::Memory, &["--trust-forwarded", "true"]).await;
    let made = |headers: &'static [(&'static str, &'static str)], name: &'static str| {
        let server = &server;
        async move { server.ask("POST", "/v1/login", headers, Some(&json!({ "user_name": name }).to_string())).await }
    };
    let plain = made(&[], "Ana").await;
    let token = |answer: &http::Answer| answer.json()["token"].as_str().unwrap().to_owned();
    let flags = "Path=/; HttpOnly; SameSite=Lax";
    assert_eq!(plain.header("set-cookie"), Some(&*format!("parlor_session={}; {flags}", token(&plain))));
    let https = made(&[("x-forwarded-proto", "https")], "Bo").await;
    let flags = "Path=/; Secure; HttpOnly; SameSite=Lax";
    assert_eq!(https.header("set-cookie"), Some(&*format!("__Host-parlor_session={}; {flags}", token(&https))));
    assert_eq!(https.header("cache-control"), Some("no-store"));
    // Fixation: the attacker's token, planted before the login, is neither accepted nor adopted.
    let planted = "tk_planted_by_an_attacker_0123456789";
    let headers = [("cookie", &*format!("parlor_session={planted}")), ("sec-fetch-site", "same-origin")];
    let victim = server.ask("POST", "/v1/login", &headers, Some(r#"{"user_name":"Vic"}"#)).await;
    assert_eq!(victim.status, 201, "{victim:?}");
    assert_ne!(token(&victim), planted);
    assert_eq!(verifies(&server, planted).await, "unauthenticated");
    // A dead cookie is taken back, both kinds of it.
    let dead = server.ask("GET", "/v1/session", &headers, None).await;
    assert_eq!(dead.head.matches("Max-Age=0").count(), 2, "{dead:?}");
    // One that was not sent is not: a form of another site brings no cookie, and its answer must not take ours away.
    let form = server.ask("POST", "/v1/logout", &[("origin", "https://evil.example")], None).await;
    let wrong_bearer = format!("Bearer {planted}");
    let good = [("cookie", &*format!("parlor_session={}", token(&victim))), ("authorization", &*wrong_bearer)];
    let beside = server.ask("GET", "/v1/session", &good, None).await;
    for answer in [form, beside] {
        assert_eq!((answer.status, answer.header("set-cookie")), (401, None), "{answer:?}");
    }
}

#[tokio::test]
async fn x26_guessing_tokens_locks_nobody_out_and_x27_every_wrong_token_gets_the_same_answer() {
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let (ended, expired) = (login(&server, "Bo").await, login(&server, "Cy").await);
        server.step(LIFE);
        let ana = login(&server, "Ana").await;
        let out = login(&server, "Dee").await;
        assert_eq!(server.ask("POST", "/v1/logout", &[("authorization", &format!("Bearer {out}"))], None).await.code(), "ok");
        let mut answers = std::collections::BTreeSet::new();
        for wrong in [&*ended, &expired, &out, "tk_0000000000000000000000", "x", "a b c", "💥", &ana[..ana.len() - 1]] {
            let answer = server.ask("GET", "/v1/session", &[("authorization", &format!("Bearer {wrong}"))], None).await;
            assert_eq!(answer.status, 401, "{wrong:?}: {answer:?}");
            answers.insert(answer.body);
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
        for guess in 0..500 {
            assert_eq!(verifies(&server, &format!("tk_a_guess_that_is_long_enough_{guess}")).await, "unauthenticated");
        }
        assert_eq!(verifies(&server, &ana).await, "ok", "whoever has the right one is not locked out");
    }
}

#[tokio::test]
async fn h38_logins_of_one_address_are_limited_and_others_are_not_affected() {
    let server = Inside::start(Store::Memory, &["--logins-per-minute-max", "50", "--trust-forwarded", "true"]).await;
    let from = |address: &'static str, name: String| {
        let server = &server;
        async move {
            let body = json!({ "user_name": name }).to_string();
            server.ask("POST", "/v1/login", &[("x-forwarded-for", address)], Some(&body)).await.code()
        }
    };
    let mut taken = 0;
    for n in 0..400 {
        match from("192.0.2.1", format!("Name {n}")).await.as_str() {
            "ok" => taken += 1,
            code => assert_eq!(code, "too_fast"),
        }
    }
    assert_eq!(taken, 50);
    assert_eq!(from("192.0.2.2", "Ana".to_owned()).await, "ok");
    let mut socket = Socket::open(server.address, &[("x-forwarded-for", "192.0.2.1")]).await.unwrap();
    let reply = socket.ask("login", None, None, Some(json!({ "user_name": "by the other door" }))).await;
    assert_eq!(code(&reply), "too_fast", "both doors count together");
    server.step(60_000);
    assert_eq!(from("192.0.2.1", "patient".to_owned()).await, "ok");
}

#[tokio::test]
async fn h29_h30_x29_a_token_is_told_once_and_kept_nowhere() {
    let logs = logs();
    for store in STORES {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("canary").await;
        let mut frames = Vec::new();
        let mut tokens = Vec::new();
        for (n, name) in ["Ana", "Bo"].iter().enumerate() {
            let mut socket = server.socket().await;
            let reply = socket.ask("login", None, None, Some(json!({ "user_name": name }))).await;
            tokens.push(reply["ok"]["token"].as_str().unwrap().to_owned());
            let own = socket.heard.pop().unwrap(); // The one place where it may stand.
            assert_eq!(own.matches(&tokens[n]).count(), 1);
            for (verb, room) in [("enter", Some(&*room)), ("join", Some(&*room)), ("verify", None), ("look", Some(&*room))] {
                assert_eq!(code(&socket.ask(verb, room, None, None).await), "ok", "{verb}");
            }
            let wrong = json!({ "token": format!("{}x", tokens[n]), "user_name": 5, "client": tokens[n] });
            for verb in ["hello", "login", "user", "vote", "verify"] {
                socket.ask(verb, Some(&room), None, Some(wrong.clone())).await;
            }
            frames.append(&mut socket.heard);
        }
        let bearer = format!("Bearer {}", tokens[0]);
        for (method, path) in
            [("GET", "/v1/session"), ("GET", "/v1/users/user_id_1"), ("GET", "/openapi.json"), ("POST", "/v1/logout")]
        {
            let answer = server.ask(method, path, &[("authorization", &bearer)], None).await;
            frames.extend([answer.head, answer.body]);
        }
        frames.push(server.ask("GET", "/metrics", &[], None).await.body);
        frames.push(String::from_utf8_lossy(&logs.lock().unwrap()).into_owned());
        for (frame, token) in frames.iter().flat_map(|frame| tokens.iter().map(move |token| (frame, token))) {
            assert!(!frame.contains(token.as_str()), "{store:?}: a token in {frame}");
            assert!(!frame.contains(&parlor_rules::SecretHash::of(token.as_bytes()).hex()), "{store:?}: its hash in {frame}");
        }
        if let Some(folder) = server.folder() {
            let mut found_hash = false;
            each_file(folder, &mut |path, bytes| {
                for token in &tokens {
                    assert!(!holds(bytes, token.as_bytes()), "a token in {}", path.display());
                    found_hash |= holds(bytes, parlor_rules::SecretHash::of(token.as_bytes()).hex().as_bytes());
                }
            });
            assert!(found_hash, "the search would not have found a token either");
        }
    }
}

fn each_file(folder: &Path, look: &mut dyn FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, look);
        } else if let Ok(bytes) = std::fs::read(&path) {
            look(&path, &bytes);
        }
    }
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[tokio::test]
async fn h33_a_busy_member_costs_one_renewal_a_second() {
    let server = Inside::start(Store::Embedded, &[]).await;
    let (room, _) = server.room("busy").await;
    let token = login(&server, "Ana").await;
    let mut ana = member(&server, &token).await;
    assert_eq!(code(&ana.ask("join", Some(&room), None, None).await), "ok");
    server.step(500);
    assert_eq!(code(&ana.ask("vote", Some(&room), None, Some(json!({ "card": "5" }))).await), "ok");
    server.step(600);
    // The house writes what was noted without being asked: a full hour from the vote, not from the join.
    let waiting = async {
        loop {
            let hash = parlor_rules::SecretHash::of(token.as_bytes());
            let session = server.doors.sessions.find(&hash).await.unwrap().unwrap();
            if session.expires.0 == super::inside::BEGAN + 500 + LIFE {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await; // Between two looks, not instead of one.
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("what was noted is written");
}
