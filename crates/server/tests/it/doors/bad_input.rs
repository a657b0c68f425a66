//! What a socket gets for what it should not send: one sentence with a code, and nothing else changes for anyone.

use super::inside::{Inside, Store, user_key};
use super::socket::{Came, Socket, code};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame, FrameHeader};

/// A server with a room under attack and a room next door.
pub(crate) struct Scene {
    pub(crate) server: Inside,
    pub(crate) room: String,
    pub(crate) host_key: String,
    next_door: Socket,
    other: String,
    before: Value,
    votes: usize,
}

impl Scene {
    pub(crate) async fn new(flags: &[&str]) -> Scene {
        let server = Inside::start(Store::Memory, flags).await;
        let (room, host_key) = server.room("attacked").await;
        let (other, _) = server.room("next-door").await;
        let mut ana = server.person("ana").await;
        assert_eq!(code(&ana.ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await), "ok");
        assert_eq!(code(&ana.ask("vote", Some(&room), None, Some(json!({ "card": "5" }))).await), "ok");
        let mut next_door = server.person("neighbour").await;
        assert_eq!(code(&next_door.ask("enter", Some(&other), None, None).await), "ok");
        assert_eq!(code(&next_door.ask("join", Some(&other), None, Some(json!({ "user_name": "Nora" }))).await), "ok");
        let before = server.look(&room, &host_key).await;
        Scene { server, room, host_key, next_door, other, before, votes: 0 }
    }

    /// The attacked room is where it was, and next door they play on.
    pub(crate) async fn is_well(&mut self) {
        assert_eq!(self.server.look(&self.room, &self.host_key).await, self.before, "the attacked room changed");
        self.votes += 1;
        let card = if self.votes.is_multiple_of(2) { "5" } else { "8" };
        let vote = self.next_door.ask("vote", Some(&self.other), None, Some(json!({ "card": card }))).await;
        assert_eq!(code(&vote), "ok");
        loop {
            let view = self.next_door.push_of("view").await;
            if view["at"] == vote["ok"]["at"] {
                assert_eq!(view["me"]["vote"], card);
                return;
            }
        }
    }
}

/// Sends a frame as an ordinary person and gives the code and message of the one answer.
async fn answer(scene: &Scene, frame: &str) -> (String, String) {
    let mut socket = scene.server.person("bo").await;
    let frame = frame.replace("ROOM", &scene.room);
    socket.send(&frame).await;
    match socket.next().await {
        Came::Text(reply) => (code(&reply), reply["error"]["message"].as_str().unwrap_or_default().to_owned()),
        Came::Closed(code, reason) => (code.to_string(), reason),
    }
}

#[tokio::test]
async fn frames_that_cannot_be_read_are_answered_with_a_code() {
    let mut scene = Scene::new(&[]).await;
    let deep = format!(r#"{{"id":1,"do":"say","room":"ROOM","with":{}{}}}"#, "[".repeat(40), "]".repeat(40));
    let deeper = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    for (frame, expected) in [
        ("", "bad_request"),
        ("hello", "bad_request"),
        ("{", "bad_request"),
        ("[]", "bad_request"),
        ("null", "bad_request"),
        ("\"vote\"", "bad_request"),
        ("{}", "bad_request"),
        (r#"{"id":1}"#, "bad_request"),
        (r#"{"id":1,"do":null}"#, "bad_request"),
        (r#"{"id":1,"do":7}"#, "bad_request"),
        (r#"{"id":-1,"do":"ping"}"#, "bad_request"),
        (r#"{"id":1.5,"do":"ping"}"#, "bad_request"),
        (r#"{"id":18446744073709551616,"do":"ping"}"#, "bad_request"),
        (r#"{"id":"1","do":"ping"}"#, "bad_request"),
        (r#"{"id":1,"do":"ping"}}"#, "bad_request"),
        (r#"{"id":1,"do":"ping","do":"ping"}"#, "bad_request"),
        (r#"{"id":1,"do":"ping","extra":1}"#, "bad_request"),
        (r#"{"id":1,"do":"look"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":7}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":""}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"poker"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"poker/"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"poker/a/b"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"poker/../../etc"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"chess/abc"}"#, "bad_request"),
        (r#"{"id":1,"do":"look","room":"poker/nobody-ever-made-this"}"#, "room_not_found"),
        (r#"{"id":1,"do":"enter","room":"poker/nobody-ever-made-this"}"#, "room_not_found"),
        (r#"{"id":1,"do":"vote","room":"poker/nobody-ever-made-this","with":{"card":"5"}}"#, "room_not_found"),
        (r#"{"id":1,"do":"enter","room":"ROOM","with":{"at":"1-1"}}"#, "bad_request"),
        (r#"{"id":1,"do":"enter","room":"ROOM","with":{"at":"x","mark":"y"}}"#, "bad_request"),
        (r#"{"id":1,"do":"enter","room":"ROOM","with":{"host_key":7}}"#, "bad_request"),
        (r#"{"id":1,"do":"enter","room":"ROOM","with":{"host_key":"hk_wrong_wrong_wrong_wrong"}}"#, "bad_key"),
        (r#"{"id":1,"do":"enter","room":"ROOM","with":{"listener":1}}"#, "bad_request"),
        (r#"{"id":1,"do":"fly","room":"ROOM"}"#, "unsupported"),
        (r#"{"id":1,"do":"Vote","room":"ROOM","with":{"card":"5"}}"#, "unsupported"),
        (r#"{"id":1,"do":"vote","room":"ROOM"}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":{}}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":[]}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":["5"]}"#, "bad_request"),
        (r#"[1,"ping",null,null,null]"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":{"card":5}}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":{"card":""}}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","with":{"card":"5"}}"#, "not_seated"),
        (r#"{"id":1,"do":"vote","room":"ROOM","n":1,"with":{"card":"5"}}"#, "not_seated"),
        (r#"{"id":1,"do":"vote","room":"ROOM","n":-1,"with":{"card":"5"}}"#, "bad_request"),
        (r#"{"id":1,"do":"vote","room":"ROOM","n":"1","with":{"card":"5"}}"#, "bad_request"),
        (r#"{"id":1,"do":"join","room":"ROOM","with":{"user_name":""}}"#, "bad_request"),
        (r#"{"id":1,"do":"join","room":"ROOM","with":{"user_name":"a\u0000b"}}"#, "bad_request"),
        (r#"{"id":1,"do":"join","room":"ROOM","with":{"user_name":"\ud800"}}"#, "bad_request"),
        (r#"{"id":1,"do":"start_timer","room":"ROOM","with":{"seconds":-1}}"#, "bad_request"),
        (r#"{"id":1,"do":"start_timer","room":"ROOM","with":{"seconds":1e309}}"#, "bad_request"),
        (r#"{"id":1,"do":"start_timer","room":"ROOM","with":{"seconds":18446744073709551615}}"#, "forbidden"),
        (r#"{"id":1,"do":"kick","room":"ROOM","with":{"user_id":"../.."}}"#, "bad_request"),
        (r#"{"id":1,"do":"say","room":"ROOM"}"#, "bad_request"),
        (r#"{"id":1,"do":"create","with":{"kind":"chess"}}"#, "bad_request"),
        (r#"{"id":1,"do":"create","with":{"valid_sizes":""}}"#, "bad_request"),
        (r#"{"id":1,"do":"create","with":{"room_id":"mine"}}"#, "bad_request"),
        (r#"{"id":1,"do":"hello"}"#, "bad_request"),
        (&deep, "bad_request"),
        (&deeper, "bad_request"),
    ] {
        let (code, message) = answer(&scene, frame).await;
        let shown: String = frame.chars().take(80).collect();
        assert_eq!(code, expected, "{shown}: {message}");
        assert!(message.len() < 400, "{shown}: a sentence, not {message}");
    }
    scene.is_well().await;
}

#[tokio::test]
async fn the_id_comes_back_also_with_an_error() {
    let scene = Scene::new(&[]).await;
    let mut socket = scene.server.person("bo").await;
    for (frame, id) in [
        (r#"{"id":41,"do":"fly","room":"ROOM"}"#, 41),
        (r#"{"id":42,"do":"vote","room":7}"#, 42),
        (r#"{"id":43,"surprise":1}"#, 43),
        (r#"{"id":44"#, 0),
    ] {
        socket.send(&frame.replace("ROOM", &scene.room)).await;
        assert_ne!(code(&socket.reply(id).await), "ok", "{frame}");
    }
}

#[tokio::test]
async fn a_key_in_the_wrong_place_is_not_repeated_in_the_complaint() {
    let scene = Scene::new(&[]).await;
    let mut socket = scene.server.socket().await;
    let key = user_key("somebody");
    for frame in [
        json!({ "id": 1, "do": "hello", "with": key }),
        json!({ "id": 1, "do": "hello", "with": { "user_key": key, "client": key.repeat(3) } }),
        json!({ "id": key, "do": "hello" }),
        json!({ "id": 1, "do": "hello", "n": key }),
        json!({ "id": 1, "do": "hello", "with": { "user_key": [key] } }),
    ] {
        socket.send(&frame.to_string()).await;
        let Came::Text(reply) = socket.next().await else { panic!("it closed on {frame}") };
        assert_ne!(code(&reply), "ok", "{frame}");
        assert!(!reply.to_string().contains(&key), "{reply}");
    }
}

#[tokio::test]
async fn hello_comes_first_and_once_with_a_key_that_can_be_one() {
    let mut scene = Scene::new(&[]).await;
    let mut socket = scene.server.socket().await;
    let room = scene.room.clone();
    for verb in ["create", "enter", "exit", "look", "say", "join", "show"] {
        let with = match verb {
            "join" => Some(json!({ "user_name": "Eve" })),
            "say" => Some(json!(1)),
            _ => None,
        };
        assert_eq!(code(&socket.ask(verb, Some(&room), None, with).await), "unauthenticated", "{verb}");
    }
    assert_eq!(code(&socket.ask("ping", None, None, None).await), "ok");
    for key in ["", "short", &"x".repeat(129), "with a space in it, and long", "with\u{e9}accents-and-long-enough"] {
        assert_eq!(code(&socket.ask("hello", None, None, Some(json!({ "user_key": key }))).await), "bad_key", "{key}");
    }
    for client in ["", "a b", "../x", &"x".repeat(65)] {
        assert_eq!(code(&socket.ask("hello", None, None, Some(json!({ "client": client }))).await), "bad_request", "{client}");
    }
    let made = socket.ask("hello", None, None, None).await;
    assert!(made["ok"]["user_key"].as_str().is_some_and(|key| key.len() >= 64), "{made}");
    assert_eq!(code(&socket.ask("hello", None, None, Some(json!({ "user_key": user_key("ana") }))).await), "bad_request");
    // Still who it was: not ana, who sits there.
    assert_eq!(code(&socket.ask("show", Some(&room), None, None).await), "forbidden");
    assert_eq!(
        code(&socket.ask("vote", Some(&room), Some(1), Some(json!({ "card": "5" }))).await),
        "bad_request",
        "a number without a client"
    );
    scene.is_well().await;
}

#[tokio::test]
async fn a_frame_over_the_limit_is_closed_with_1009() {
    let mut scene = Scene::new(&["--frame-bytes-max", "2000"]).await;
    let mut socket = scene.server.person("bo").await;
    let padding = "x".repeat(1800);
    assert_eq!(
        code(&socket.ask("say", Some(&scene.room.clone()), None, Some(json!(padding))).await),
        "not_seated",
        "just within"
    );
    socket.send(&format!(r#"{{"id":1,"do":"ping","with":"{}"}}"#, "x".repeat(2000))).await;
    let (code, reason) = socket.closed().await;
    assert_eq!(code, 1009, "{reason}");
    assert!(!reason.is_empty());
    // Much of it is still on its way when the answer goes out, and the answer is heard all the same.
    let mut socket = scene.server.person("bo").await;
    socket.send(&format!(r#"{{"id":1,"do":"ping","with":"{}"}}"#, "x".repeat(200_000))).await;
    assert_eq!(socket.closed().await.0, 1009);
    // The same in pieces: the whole counts, not the piece.
    let mut socket = scene.server.person("bo").await;
    socket.send_message(fragment(OpCode::Data(Data::Text), false, b"{\"id\":1,\"do\":\"ping\",\"with\":\"")).await;
    for _ in 0..30 {
        socket.send_message(fragment(OpCode::Data(Data::Continue), false, &[b'x'; 100])).await;
    }
    assert_eq!(socket.closed().await.0, 1009);
    scene.is_well().await;
}

#[tokio::test]
async fn what_is_no_text_is_closed_with_its_own_code() {
    let mut scene = Scene::new(&[]).await;
    let mut socket = scene.server.person("bo").await;
    socket.send_message(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(socket.closed().await.0, 1003);
    let mut socket = scene.server.person("bo").await;
    socket.send_message(fragment(OpCode::Data(Data::Text), true, &[0xff, 0xfe])).await;
    assert_eq!(socket.closed().await.0, 1007);
    let mut socket = scene.server.person("bo").await;
    socket.send_message(fragment(OpCode::Data(Data::Continue), true, b"of nothing")).await;
    assert_eq!(socket.closed().await.0, 1002);
    scene.is_well().await;
}

#[tokio::test]
async fn a_message_in_a_thousand_fragments_is_one_message() {
    let mut scene = Scene::new(&[]).await;
    let mut socket = scene.server.person("bo").await;
    let text = format!(r#"{{"id":77,"do":"ping"{}}}"#, " ".repeat(1000));
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let opcode = OpCode::Data(if index == 0 { Data::Text } else { Data::Continue });
        socket.send_message(fragment(opcode, index + 1 == bytes.len(), &[*byte])).await;
    }
    assert_eq!(code(&socket.reply(77).await), "ok");
    scene.is_well().await;
}

#[tokio::test]
async fn who_does_not_say_hello_in_time_is_closed_with_1008() {
    let mut scene = Scene::new(&["--hello-seconds-max", "1"]).await;
    let mut silent = scene.server.socket().await;
    assert_eq!(silent.closed().await.0, 1008);
    // Talking without saying who one is does not help.
    let mut chatty = scene.server.socket().await;
    loop {
        chatty.send(r#"{"id":1,"do":"ping"}"#).await;
        if let Came::Closed(code, reason) = chatty.next().await {
            assert_eq!(code, 1008, "{reason}");
            break;
        }
    }
    scene.is_well().await;
}

#[tokio::test]
async fn a_flood_of_rubbish_ends_nobody_elses_game() {
    let mut scene = Scene::new(&["--message-rate-max", "50"]).await;
    let mut socket = scene.server.person("bo").await;
    for n in 0..2000 {
        socket.send(&format!("rubbish {n}")).await;
    }
    let mut codes = std::collections::BTreeMap::new();
    for _ in 0..2000 {
        let Came::Text(reply) = socket.next().await else { panic!("it closed") };
        *codes.entry(code(&reply)).or_insert(0) += 1;
    }
    // Hello was one of the hundred that may come at once.
    assert_eq!(codes, [("bad_request".to_owned(), 99), ("too_fast".to_owned(), 1901)].into());
    scene.server.step(1000);
    assert_eq!(code(&socket.ask("ping", None, None, None).await), "ok", "after a second it may speak again");
    scene.is_well().await;
}

fn fragment(opcode: OpCode, last: bool, bytes: &[u8]) -> Message {
    let header = FrameHeader { is_final: last, opcode, ..FrameHeader::default() };
    Message::Frame(Frame::from_payload(header, bytes.to_vec().into()))
}
