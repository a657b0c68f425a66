//! What a request gets that should not be made: a status, one sentence with a code, and nothing else changes.

use super::bad_input::Scene;
use super::http::raw;
use super::inside::{Inside, Store, user_key};
use super::socket::{Socket, code};
use serde_json::json;

#[tokio::test]
async fn requests_that_cannot_be_understood_are_answered_with_a_code() {
    let mut scene = Scene::new(&[]).await;
    let ana = user_key("ana");
    let deep = format!("{}{}", "[".repeat(31), "]".repeat(31));
    let as_ana: &[(&str, &str)] = &[("parlor-user-key", &ana)];
    for (method, path, headers, body, expected) in [
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some("{"), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some("[]"), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some(r#"["5"]"#), (400, "bad_request")),
        ("POST", "/v1/rooms", &[], Some(r#"["poker"," 1 2"]"#), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some(r#"{"card":5}"#), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some(r#"{"card":"5","n":1}"#), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, Some(r#"{"card":"4"}"#), (400, "not_in_deck")),
        ("POST", "/v1/rooms/ROOM/vote", as_ana, None, (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/say", as_ana, None, (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/say", as_ana, Some("{"), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/say", as_ana, Some("1 2"), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/say", as_ana, Some(&deep), (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/fly", as_ana, Some("{}"), (404, "unsupported")),
        ("POST", "/v1/rooms/ROOM/show", &[], Some("{}"), (403, "forbidden")),
        ("POST", "/v1/rooms/ROOM/vote", &[], Some(r#"{"card":"5"}"#), (409, "not_seated")),
        ("POST", "/v1/rooms/ROOM/join", &[], Some(r#"{"user_name":"Eve"}"#), (401, "unauthenticated")),
        ("GET", "/v1/rooms/poker/nobody-ever-made-this", &[], None, (404, "room_not_found")),
        ("GET", "/v1/rooms/poker/%2e%2e%2fetc%2fpasswd", &[], None, (404, "room_not_found")),
        ("GET", "/v1/rooms/poker/%00", &[], None, (404, "room_not_found")),
        ("GET", "/v1/rooms/poker/%ff%fe", &[], None, (400, "bad_request")),
        ("GET", "/v1/rooms/chess/abc", &[], None, (404, "unsupported")),
        ("POST", "/v1/rooms", &[], Some(r#"{"kind":"chess"}"#), (400, "bad_request")),
        ("POST", "/v1/rooms", &[], Some(r#"{"host_key":"mine"}"#), (400, "bad_request")),
        ("POST", "/v1/rooms", &[], Some(r#"{"valid_sizes":"a b a"}"#), (400, "bad_request")),
        ("GET", "/v1/rooms", &[], None, (405, "unsupported")),
        ("PUT", "/v1/rooms/ROOM", as_ana, Some("{}"), (405, "unsupported")),
        ("GET", "/v1/rooms/ROOM/vote", as_ana, None, (405, "unsupported")),
        ("POST", "/v1/ws", &[], None, (405, "unsupported")),
        ("GET", "/v1/ws", &[], None, (400, "bad_request")),
        ("DELETE", "/v1/users", &[], None, (405, "unsupported")),
        ("GET", "/v2/anything", &[], None, (404, "unsupported")),
        ("POST", "/v1/rooms/ROOM/vote", &[("parlor-user-key", "short")], Some(r#"{"card":"5"}"#), (403, "bad_key")),
        ("GET", "/v1/rooms/ROOM", &[("parlor-host-key", "hk_wrong_wrong_wrong_wrong")], None, (403, "bad_key")),
        ("GET", "/v1/rooms/ROOM", &[("parlor-host-key", "")], None, (403, "bad_key")),
        ("POST", "/v1/rooms", &[("idempotency-key", "too-short")], None, (400, "bad_request")),
        ("POST", "/v1/rooms", &[("idempotency-key", "has a space and is long enough otherwise")], None, (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/show", &[("idempotency-key", "too-short")], None, (400, "bad_request")),
        ("POST", "/v1/rooms/ROOM/show", &[("content-type", "text/plain")], Some("{}"), (400, "bad_request")),
        (
            "POST",
            "/v1/rooms/ROOM/show",
            &[("content-type", "application/x-www-form-urlencoded")],
            Some("a=b"),
            (400, "bad_request"),
        ),
        ("POST", "/v1/rooms", &[("content-type", "application/jsonp")], Some("{}"), (400, "bad_request")),
    ] {
        let answer = scene.server.ask(method, &path.replace("ROOM", &scene.room), headers, body).await;
        assert_eq!((answer.status, answer.code().as_str()), expected, "{method} {path} {body:?}: {answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{method} {path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{method} {path}");
    }
    scene.is_well().await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large() {
    let mut scene = Scene::new(&["--frame-bytes-max", "2000"]).await;
    let path = format!("/v1/rooms/{}/say", scene.room);
    let ana = user_key("ana");
    let within = serde_json::to_string(&"x".repeat(1900)).unwrap();
    assert_eq!(scene.server.ask("POST", &path, &[("parlor-user-key", &ana)], Some(&within)).await.code(), "ok");
    let beyond = serde_json::to_string(&"x".repeat(2000)).unwrap();
    let answer = scene.server.ask("POST", &path, &[("parlor-user-key", &ana)], Some(&beyond)).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    // The same without saying beforehand how much will come.
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let chunks = format!("3e8\r\n{}\r\n", "x".repeat(1000)).repeat(5);
    let answer = raw(scene.server.address, format!("{head}{chunks}0\r\n\r\n").as_bytes()).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    scene.is_well().await;
}

#[tokio::test]
async fn what_is_no_http_is_refused_and_forgotten() {
    let mut scene = Scene::new(&[]).await;
    for rubbish in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost x\r\n\r\n",
        b"POST /v1/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{}",
        b"POST /v1/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"GET /v1/rooms/poker/\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
        b"\x00\x00\x00\x00",
    ] {
        let answer = raw(scene.server.address, rubbish).await;
        assert!(answer.status == 0 || (400..600).contains(&answer.status), "{answer:?}");
        assert!(!answer.body.contains("panicked") && !answer.body.contains(".rs"), "{answer:?}");
    }
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    assert_eq!(raw(scene.server.address, long.as_bytes()).await.status, 431);
    scene.is_well().await;
}

#[tokio::test]
async fn pages_come_from_a_list_and_not_from_the_disk() {
    let mut scene = Scene::new(&[]).await;
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/parlor.css/../../Cargo.toml",
        "//etc/passwd",
        "/....//....//etc/passwd",
        "/parlor.js%00.css",
        "/.git/config",
        "/pages/index.html",
        "/v1/../../etc/passwd",
        "/\\..\\..\\etc\\passwd",
    ] {
        let answer = scene.server.ask("GET", path, &[], None).await;
        assert!(answer.status >= 400, "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[workspace"), "{path}");
    }
    let index = scene.server.ask("GET", "/", &[], None).await.body;
    // What the index asks for, if the server was built with the pages.
    let assets = index.split('"').filter(|word| word.starts_with("/assets/"));
    for path in ["/", "/poker/lusab-babad-gutih-tugad"].into_iter().chain(assets) {
        let answer = scene.server.ask("GET", path, &[], None).await;
        assert_eq!(answer.status, 200, "{path}");
        let kind = if path.ends_with(".js") {
            "text/javascript"
        } else if path.ends_with(".css") {
            "text/css"
        } else {
            "text/html"
        };
        assert!(answer.header("content-type").unwrap().starts_with(kind), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    }
    scene.is_well().await;
}

#[tokio::test]
async fn pages_of_other_origins_get_neither_a_socket_nor_an_answer_they_can_read() {
    let mut scene = Scene::new(&["--allow-origins", "https://friend.example, http://other.example:8080"]).await;
    let own = format!("http://{}", scene.server.address);
    for origin in [own.as_str(), "https://friend.example", "http://other.example:8080"] {
        let mut socket = Socket::open(scene.server.address, &[("origin", origin)]).await.unwrap();
        assert_eq!(code(&socket.ask("hello", None, None, None).await), "ok", "{origin}");
    }
    for origin in
        ["https://evil.example", "null", "https://friend.example.evil.example", "http://friend.example", "https://127.0.0.1"]
    {
        let (status, body) = Socket::open(scene.server.address, &[("origin", origin)]).await.err().expect("no upgrade");
        assert_eq!(status, 403, "{origin}");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["error"]["code"], "forbidden");
        let path = format!("/v1/rooms/{}", scene.room);
        let asked = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "parlor-host-key"),
        ];
        let preflight = scene.server.ask("OPTIONS", &format!("{path}/show"), &asked, None).await;
        assert_eq!(preflight.header("access-control-allow-origin"), None, "{origin}: {preflight:?}");
        let look = scene.server.ask("GET", &path, &[("origin", origin)], None).await;
        assert_eq!(look.header("access-control-allow-origin"), None, "{origin}");
        assert_eq!(look.header("access-control-allow-credentials"), None, "{origin}");
    }
    let look = scene.server.ask("GET", &format!("/v1/rooms/{}", scene.room), &[("origin", "https://friend.example")], None).await;
    assert_eq!(look.header("access-control-allow-origin"), Some("https://friend.example"));
    assert_eq!(look.header("access-control-allow-credentials"), None, "never with cookies");
    scene.is_well().await;
}

#[tokio::test]
async fn a_refused_upgrade_leaves_nothing_to_smuggle_in() {
    let mut scene = Scene::new(&[]).await;
    let smuggled = format!("GET /v1/rooms/{} HTTP/1.1\r\nhost: x\r\n\r\n", scene.room);
    let request = format!(
        "GET /v1/ws HTTP/1.1\r\nhost: x\r\norigin: https://evil.example\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\ncontent-length: {}\r\n\r\n{smuggled}",
        smuggled.len()
    );
    let answer = raw(scene.server.address, request.as_bytes()).await;
    assert_eq!(answer.status, 403);
    assert!(!answer.body.contains("HTTP/1.1"), "two answers to one request: {answer:?}");
    scene.is_well().await;
}

#[tokio::test]
async fn asking_again_with_the_same_idempotency_key_gives_the_same_room_and_host_key() {
    for store in [Store::Memory, Store::Embedded] {
        let server = Inside::start(store, &[]).await;
        let key = "the-idempotency-key-of-one-creation";
        let ask = async |server: &Inside| {
            server.ask("POST", "/v1/rooms", &[("idempotency-key", key)], Some(r#"{"valid_sizes":"1 2"}"#)).await
        };
        let first = ask(&server).await;
        assert_eq!(first.status, 201);
        let (first, again) = (first.json(), ask(&server).await.json());
        assert_eq!(first, again);
        let (room, host_key) = (first["room"].as_str().unwrap(), first["host_key"].as_str().unwrap());
        let shown = server.ask("POST", &format!("/v1/rooms/{room}/show"), &[("parlor-host-key", host_key)], None).await;
        assert_eq!(shown.code(), "ok");
        let server = server.restart().await;
        let later = ask(&server).await.json();
        assert_eq!((&later["room"], &later["host_key"]), (&first["room"], &first["host_key"]));
        let other =
            server.ask("POST", "/v1/rooms", &[("idempotency-key", "the-idempotency-key-of-another-creation")], None).await.json();
        assert_ne!(other["room"], first["room"]);
        assert_ne!(other["host_key"], first["host_key"]);
    }
}

#[tokio::test]
async fn an_idempotency_key_counts_for_one_person_and_one_room() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (one, _) = server.room("one").await;
    let (two, _) = server.room("two").await;
    let key = "the-idempotency-key-that-everyone-uses";
    let join = async |room: &str, who: &str| {
        let headers = [("parlor-user-key", user_key(who)), ("idempotency-key", key.to_owned())];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = json!({ "user_name": who }).to_string();
        let answer = server.ask("POST", &format!("/v1/rooms/{room}/join"), &headers, Some(&body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["again"] == true
    };
    assert!(!join(&one, "ana").await);
    assert!(!join(&one, "bo").await, "bo is not answered for ana");
    assert!(!join(&two, "ana").await, "another room is another matter");
    assert!(join(&one, "ana").await);
    assert!(join(&one, "bo").await);
}

#[tokio::test]
async fn every_retry_hint_of_an_error_is_also_a_header() {
    let server = Inside::start(Store::Memory, &["--creates-per-minute-max", "1"]).await;
    server.ask("POST", "/v1/rooms", &[], None).await;
    let refused = server.ask("POST", "/v1/rooms", &[], None).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_fast"));
    assert_eq!(refused.json()["error"]["retry"], true);
    assert!(refused.header("retry-after").is_some());
}
