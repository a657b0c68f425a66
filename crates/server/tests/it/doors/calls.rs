//! What is gRPC's own: streams and how they end, deadlines, reflection, health, gRPC-web, and what HTTP/2 lets a peer try.

use super::grpc::{Grpc, code, descriptors, fill};
use super::http;
use super::inside::{Inside, PATIENCE, Store, until, user_key};
use super::script::without_nulls;
use super::socket::code as said;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

fn id(room: &str) -> &str {
    room.trim_start_matches("poker/")
}

async fn login(grpc: &Grpc, name: &str) -> String {
    let made = grpc.ask("Sessions/Login", &[], json!({ "user_name": name })).await.unwrap();
    format!("Bearer {}", made["token"].as_str().unwrap())
}

#[tokio::test]
async fn two_people_estimate_over_streams_and_hear_each_other() {
    let server = Inside::start(Store::Memory, &[]).await;
    let grpc = server.grpc().await;
    let made = grpc.ask("Poker/CreateRoom", &[], json!({ "deck": "fibonacci", "name": "Sprint 42" })).await.unwrap();
    let room = made["room_id"].as_str().unwrap();
    let (ana, bo) = (user_key("ana"), user_key("bo"));
    let (ana, bo) = ([("parlor-user-key", ana.as_str())], [("parlor-user-key", bo.as_str())]);
    let join = |name: &str| json!({ "room_id": room, "user_name": name });
    let mut ana_hears = grpc.hear("Poker/JoinRoom", &ana, join("Ana")).await.unwrap();
    let entered = ana_hears.until("entered").await;
    assert_eq!((entered["room_id"].as_str(), entered["resumed"].as_bool()), (Some(room), Some(false)));
    let mut bo_hears = grpc.hear("Poker/JoinRoom", &bo, join("Bo")).await.unwrap();
    for who in [&ana, &bo] {
        assert_eq!(grpc.act(room, "vote", &json!({ "card": "5" }), who).await, "ok");
    }
    assert_eq!(grpc.act(room, "say", &json!({ "nudge": "x" }), &bo).await, "ok");
    assert_eq!(ana_hears.until("said").await["messages"][0]["data"], r#"{"nudge":"x"}"#);
    assert_eq!(grpc.act(room, "show", &json!({}), &ana).await, "ok");
    loop {
        let view = bo_hears.view().await.unwrap();
        if view["view"]["is_revealed"] == true {
            assert_eq!(view["view"]["result"]["unanimous"], true);
            assert_eq!(view["view"]["users"][0]["vote"], "5");
            break;
        }
        assert!(view["view"]["users"][0].get("vote").is_none(), "a card face down: {view}");
    }
    let csv = grpc.ask("Poker/ExportRoom", &ana, json!({ "room_id": room })).await.unwrap();
    assert!(csv["content"].as_str().unwrap().contains("Ana"), "{csv}");
    let page = json!({ "room_id": room, "format": "EXPORT_FORMAT_JSON" });
    let page = grpc.ask("Poker/ExportRoom", &ana, page).await.unwrap();
    assert!(page["content"].as_str().unwrap().starts_with('{') && page["media_type"] == "application/json");
    let decks = grpc.ask("Poker/ListDecks", &[], json!({})).await.unwrap();
    assert!(decks["decks"].as_array().unwrap().iter().any(|deck| deck["deck"] == "tshirt"));
}

#[tokio::test]
async fn a_stream_says_how_it_ends() {
    let server = Inside::start(Store::Memory, &[]).await;
    let grpc = server.grpc().await;
    let (room, host_key) = server.room("endings").await;
    let host = [("parlor-host-key", host_key.as_str())];
    let bo = user_key("bo");
    let bo = [("parlor-user-key", bo.as_str())];
    let mut hears = grpc.hear("Poker/JoinRoom", &bo, json!({ "room_id": id(&room), "user_name": "Bo" })).await.unwrap();
    let user = hears.until("entered").await["user_id"].clone();
    assert_eq!(grpc.act(&room, "kick", &json!({ "user_id": user }), &host).await, "ok");
    assert_eq!(hears.until("ended").await["reason"], "kicked");
    assert_eq!(hears.next().await.unwrap(), None, "after that there is nothing, and nothing is wrong");
    // Logging out ends the session's streams and no others.
    let token = login(&grpc, "Ana").await;
    let ana = [("authorization", token.as_str())];
    let mut member = grpc.hear("Poker/Subscribe", &ana, json!({ "room_id": id(&room) })).await.unwrap();
    let mut guest = grpc.hear("Poker/Subscribe", &bo, json!({ "room_id": id(&room) })).await.unwrap();
    assert!(member.view().await.is_some() && guest.view().await.is_some());
    assert_eq!(server.doors.attendance.sockets(), 1);
    grpc.ask("Sessions/Logout", &ana, json!({})).await.unwrap();
    assert_eq!(code(&member.refused().await), "unauthenticated");
    assert_eq!(
        code(&grpc.hear("Poker/Subscribe", &ana, json!({ "room_id": id(&room) })).await.err().unwrap()),
        "unauthenticated"
    );
    assert_eq!(grpc.act(&room, "delete", &json!({}), &host).await, "ok");
    assert_eq!(guest.until("ended").await["reason"], "deleted");
    assert_eq!(guest.next().await.unwrap(), None);
}

#[tokio::test]
async fn watching_does_not_renew_a_session_and_its_stream_ends_with_it() {
    let server = Inside::start(Store::Memory, &[]).await;
    let grpc = server.grpc().await;
    let token = login(&grpc, "Ana").await;
    let ana = [("authorization", token.as_str())];
    server.step(1_800_000);
    let (room, _) = server.room("watching").await;
    let mut hears = grpc.hear("Poker/Subscribe", &ana, json!({ "room_id": id(&room) })).await.unwrap();
    assert!(hears.view().await.is_some());
    server.step(1_800_000);
    assert_eq!(code(&hears.refused().await), "unauthenticated");
}

#[tokio::test]
async fn a_stream_goes_on_where_it_was_and_ends_with_the_server() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, host_key) = server.room("resuming").await;
    let subscribe = |resume: Value| json!({ "room_id": id(&room), "resume": resume });
    let (grpc, host) = (server.grpc().await, [("parlor-host-key", host_key.as_str())]);
    let mut hears = grpc.hear("Poker/Subscribe", &host, json!({ "room_id": id(&room) })).await.unwrap();
    let view = hears.view().await.unwrap();
    let here = json!({ "at": view["at"], "mark": view["mark"] });
    let mut again = grpc.hear("Poker/Subscribe", &host, subscribe(here.clone())).await.unwrap();
    assert_eq!(again.until("entered").await["resumed"], true);
    let elsewhere = json!({ "at": view["at"], "mark": "0000000000000001" });
    let mut other = grpc.hear("Poker/Subscribe", &host, subscribe(elsewhere)).await.unwrap();
    assert_eq!(other.until("entered").await["resumed"], false);
    let wrong = grpc.hear("Poker/Subscribe", &host, subscribe(json!({ "at": "x", "mark": "y" }))).await;
    assert_eq!(code(&wrong.err().unwrap()), "bad_request");
    drop(again);
    drop(other);
    let going = tokio::spawn(async move { server.restart().await });
    let last = hears.refused().await;
    assert_eq!(code(&last), "unavailable");
    let retry = tonic_types::StatusExt::get_details_retry_info(&last).unwrap().retry_delay.unwrap();
    assert!(retry < Duration::from_secs(3), "{retry:?}");
    drop((hears, grpc));
    let server = going.await.unwrap();
    let grpc = server.grpc().await;
    let mut back = grpc.hear("Poker/Subscribe", &host, subscribe(here)).await.unwrap();
    assert_eq!(back.until("entered").await["resumed"], true);
}

#[tokio::test]
async fn cancelling_a_stream_gives_up_its_place_and_full_is_said() {
    let server = Inside::start(Store::Memory, &["--connections-per-address-max", "3"]).await;
    let grpc = server.grpc().await;
    let (room, _) = server.room("places").await;
    let token = login(&grpc, "Ana").await;
    let ana = [("authorization", token.as_str())];
    let subscribe = || grpc.hear("Poker/Subscribe", &ana, json!({ "room_id": id(&room) }));
    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(subscribe().await.unwrap());
    }
    assert_eq!(code(&subscribe().await.err().unwrap()), "too_many");
    assert_eq!((server.doors.connections(), server.doors.attendance.sockets()), (3, 3));
    all.pop();
    until("one place is free", || server.doors.connections() == 2 && server.doors.attendance.sockets() == 2).await;
    all.push(subscribe().await.unwrap());
    drop(all);
    until("all places are free", || server.doors.connections() == 0 && server.doors.attendance.sockets() == 0).await;
}

#[tokio::test]
async fn wrong_keys_are_counted_on_all_doors_together() {
    let server = Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "4"]).await;
    let grpc = server.grpc().await;
    let (room, host_key) = server.room("guessing").await;
    let wrong = [("parlor-host-key", "hk_the_host_key_of_another_room")];
    for _ in 0..2 {
        assert_eq!(code(&grpc.look(&room, &wrong).await.unwrap_err()), "bad_key");
        assert_eq!(server.ask("GET", &format!("/v1/rooms/{room}"), &wrong, None).await.code(), "bad_key");
    }
    let right = [("parlor-host-key", host_key.as_str())];
    assert_eq!(code(&grpc.look(&room, &right).await.unwrap_err()), "too_fast");
    assert_eq!(code(&grpc.hear("Poker/Subscribe", &right, json!({ "room_id": id(&room) })).await.err().unwrap()), "too_fast");
    assert_eq!(server.ask("GET", &format!("/v1/rooms/{room}"), &right, None).await.code(), "too_fast");
    server.step(60_000);
    assert!(grpc.look(&room, &right).await.is_ok());
}

/// One frame of HTTP/2 (RFC 9113, 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A connection of HTTP/2 by hand.
async fn by_hand(address: SocketAddr, settings: &[u8]) -> TcpStream {
    let mut line = TcpStream::connect(address).await.unwrap();
    line.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    line.write_all(&frame(SETTINGS, 0, 0, settings)).await.unwrap();
    line
}

/// The head of a call, without compression (RFC 7541, 6.2.2).
fn head(path: &str) -> Vec<u8> {
    let mut head = vec![0x83, 0x86]; // POST by http.
    for (name, value) in [(":path", path), (":authority", "parlor"), ("content-type", "application/grpc"), ("te", "trailers")] {
        head.push(0);
        for text in [name, value] {
            head.push(text.len() as u8);
            head.extend(text.as_bytes());
        }
    }
    head
}

/// Reads until the connection ends; whether the server said to go, and why.
async fn goes_away(mut line: TcpStream) -> Option<u32> {
    let mut why = None;
    let reading = async {
        let mut head = [0; 9];
        while line.read_exact(&mut head).await.is_ok() {
            let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
            if line.read_exact(&mut payload).await.is_err() {
                break;
            }
            if head[3] == GOAWAY {
                why = Some(u32::from_be_bytes(payload[4..8].try_into().unwrap()));
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("the connection ends");
    why
}

#[tokio::test]
async fn x14_opening_and_resetting_streams_without_end_ends_the_connection_and_nobody_else_notices() {
    const RST_STREAM: u8 = 3;
    const ENHANCE_YOUR_CALM: u32 = 11;
    let server = Inside::start(Store::Memory, &[]).await;
    let mut line = by_hand(server.address, &[]).await;
    let head = head("/parlor.v1.Poker/CheckRoom");
    let mut flood = Vec::new();
    for stream in (1..4001).step_by(2) {
        flood.extend(frame(HEADERS, END_HEADERS, stream, &head));
        flood.extend(frame(RST_STREAM, 0, stream, &8u32.to_be_bytes()));
    }
    let _ = line.write_all(&flood).await;
    assert_eq!(goes_away(line).await, Some(ENHANCE_YOUR_CALM));
    assert!(server.grpc().await.ask("Poker/ListDecks", &[], json!({})).await.is_ok());
}

#[tokio::test]
async fn x14_a_head_that_never_ends_ends_the_connection() {
    let server = Inside::start(Store::Memory, &[]).await;
    let mut line = by_hand(server.address, &[]).await;
    let mut sent = line.write_all(&frame(HEADERS, END_STREAM, 1, &head("/parlor.v1.Poker/ListDecks"))).await;
    let mut more = vec![0, 6];
    more.extend(b"x-more");
    more.push(100);
    more.extend([b'x'; 100]);
    let more = frame(CONTINUATION, 0, 1, &more.repeat(100));
    let mut count = 0;
    while sent.is_ok() && count < 10_000 {
        sent = line.write_all(&more).await;
        count += 1;
    }
    assert!(count < 10_000, "it took {} MB of one head", count * more.len() / 1_000_000);
    assert!(server.grpc().await.ask("Poker/ListDecks", &[], json!({})).await.is_ok());
}

#[tokio::test]
async fn x14_a_flood_of_pings_and_settings_that_nobody_reads_the_answers_to_stops_by_itself() {
    let server = Inside::start(Store::Memory, &[]).await;
    for ask in [frame(PING, 0, 0, &[7; 8]), frame(SETTINGS, 0, 0, &[])] {
        let mut line = by_hand(server.address, &[]).await;
        let flood = ask.repeat(10_000);
        // The server stops reading when it cannot write: then our own writing waits, or the connection ends.
        let mut sent = 0;
        while sent < 1000 {
            match tokio::time::timeout(Duration::from_millis(500), line.write_all(&flood)).await {
                Ok(Ok(())) => sent += 1,
                Ok(Err(_)) | Err(_) => break,
            }
        }
        assert!(sent < 1000, "ten million answers wait in the server's memory");
        assert!(server.grpc().await.ask("Poker/ListDecks", &[], json!({})).await.is_ok());
    }
}

#[tokio::test]
async fn x14_readers_with_a_window_of_nothing_take_few_places_and_slow_nobody() {
    let server = Inside::start(Store::Memory, &["--connections-per-address-max", "8"]).await;
    let (room, host_key) = server.room("stalled").await;
    let mut window_of_nothing = 4u16.to_be_bytes().to_vec();
    window_of_nothing.extend(0u32.to_be_bytes());
    let mut line = by_hand(server.address, &window_of_nothing).await;
    let head = head("/parlor.v1.Poker/Subscribe");
    let mut message = vec![0, 0, 0, 0, id(&room).len() as u8 + 2, 0x0a, id(&room).len() as u8];
    message.extend(id(&room).as_bytes());
    for stream in (1..41).step_by(2) {
        line.write_all(&frame(HEADERS, END_HEADERS, stream, &head)).await.unwrap();
        line.write_all(&frame(0, END_STREAM, stream, &message)).await.unwrap();
    }
    until("as many listen as may", || server.doors.connections() == 8).await;
    let grpc = server.grpc().await;
    let begun = Instant::now();
    for _ in 0..200 {
        assert_eq!(grpc.act(&room, "reset", &json!({}), &[("parlor-host-key", &host_key)]).await, "ok");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(server.doors.connections(), 8);
    drop(line);
    until("their places are free", || server.doors.connections() == 0).await;
}

#[tokio::test]
async fn x15_a_message_is_no_larger_than_a_frame_on_the_other_doors() {
    let server = Inside::start(Store::Memory, &["--frame-bytes-max", "5000"]).await;
    let grpc = server.grpc().await;
    let (room, host_key) = server.room("large").await;
    let host = [("parlor-host-key", host_key.as_str())];
    let csv = |length: usize| json!({ "csv": format!("title\n{}\n", "x".repeat(100)).repeat(length / 107) });
    assert_eq!(grpc.act(&room, "import_stories", &csv(4000), &host).await, "ok");
    assert_eq!(grpc.act(&room, "import_stories", &csv(6000), &host).await, "too_large");
    // A length that is only claimed is not waited for, nor is room made for it.
    let claimed = by_web(&server, "Poker/CheckRoom", &[], &[0, 0xff, 0xff, 0xff, 0xff, 1]).await;
    assert_eq!(trailer(&claimed, "parlor-code").as_deref(), Some("too_large"), "{claimed:?}");
    let rubbish = by_web(&server, "Poker/CheckRoom", &[], &[0, 0, 0, 0, 3, 0xff, 0xff, 0xff]).await;
    assert_eq!(trailer(&rubbish, "parlor-code").as_deref(), Some("bad_request"), "{rubbish:?}");
}

#[tokio::test]
async fn x16_no_call_is_open_that_should_not_be() {
    let server = Inside::start(Store::Memory, &[]).await;
    let grpc = server.grpc().await;
    let (room, host_key) = server.room("open").await;
    let ana = user_key("ana");
    let join = json!({ "room_id": id(&room), "user_name": "Ana" });
    let _ana = grpc.hear("Poker/JoinRoom", &[("parlor-user-key", &ana)], join).await.unwrap();
    let before = server.look(&room, &host_key).await;
    // Words that some proxy might set and some server might believe.
    let user = before["view"]["users"][0]["user_id"].as_str().unwrap();
    let forged = [("x-user", user), ("x-user-id", user), ("user_id", user), ("x-forwarded-user", user), ("parlor-user", user)];
    for service in descriptors().services() {
        for method in service.methods() {
            let call = format!("{}/{}", service.name(), method.name());
            let expected = match method.name() {
                // Anybody may log in, make a key or a room, and look at a room whose id they know.
                "Login" | "NewUser" | "CreateRoom" | "CheckRoom" | "Subscribe" | "ListDecks" => "ok",
                "Logout" | "VerifyUser" | "GetUser" | "JoinRoom" => "unauthenticated",
                "LeaveRoom" | "CastVote" | "TakeBackVote" | "Say" | "ExportRoom" => "not_seated",
                _ => "forbidden",
            };
            let verb = parlor::grpc::CALLS.iter().find(|(_, call)| *call == method.name()).map(|(verb, _)| *verb);
            let listed = parlor_wire::commands::verbs(parlor_rules::Kind::Poker).iter().find(|listed| Some(listed.name) == verb);
            let mut message: Value = listed.map_or_else(|| json!({}), |verb| serde_json::from_str(verb.example).unwrap());
            if method.input().get_field_by_name("room_id").is_some() {
                message["room_id"] = id(&room).into();
            }
            match method.name() {
                "Login" => message["user_name"] = "Eve".into(),
                "GetUser" => message["user_id"] = user.into(),
                "Say" => message["data"] = "1".into(),
                _ => {}
            }
            let answer = if method.is_server_streaming() {
                grpc.hear(&call, &forged, message).await.map(drop)
            } else {
                grpc.ask(&call, &forged, message).await.map(drop)
            };
            assert_eq!(answer.map_or_else(|status| code(&status), |()| "ok".to_owned()), expected, "{call}");
        }
    }
    assert_eq!(server.look(&room, &host_key).await, before, "somebody without a key changed something");
}

#[tokio::test]
async fn x17_after_the_deadline_nothing_is_begun_and_a_stream_ends() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, host_key) = server.room("deadlines").await;
    let before = server.look(&room, &host_key).await;
    // By hand: the library's own client would give up by itself.
    let message = [&[0, 0, 0, 0, id(&room).len() as u8 + 2, 0x0a, id(&room).len() as u8][..], id(&room).as_bytes()].concat();
    let late = [("parlor-host-key", host_key.as_str()), ("grpc-timeout", "0n")];
    let refused = by_web(&server, "Poker/ResetVotes", &late, &message).await;
    assert_eq!(trailer(&refused, "grpc-status").as_deref(), Some("4"), "{refused:?}");
    assert_eq!(server.look(&room, &host_key).await, before);
    let wrong = by_web(&server, "Poker/ResetVotes", &[("grpc-timeout", "soon")], &message).await;
    assert_eq!(trailer(&wrong, "parlor-code").as_deref(), Some("bad_request"));
    let begun = Instant::now();
    let heard = by_web(&server, "Poker/Subscribe", &[("grpc-timeout", "200m")], &message).await;
    assert!(heard.1.len() >= 3, "it enters, it sees, it ends: {heard:?}");
    assert_eq!(trailer(&heard, "grpc-status").as_deref(), Some("4"), "{heard:?}");
    assert!((Duration::from_millis(200)..PATIENCE).contains(&begun.elapsed()));
    until("its place is free", || server.doors.connections() == 0).await;
}

#[tokio::test]
async fn x17_a_command_cancelled_before_its_answer_is_done_once_when_it_is_sent_again() {
    for store in [Store::Memory, Store::Embedded] {
        let server = Inside::start(store, &[]).await;
        let grpc = server.grpc().await;
        let (room, host_key) = server.room("cancelled").await;
        for number in 0..40u64 {
            let key = format!("the-idempotency-key-of-command-{number:04}");
            let headers = [("parlor-host-key", host_key.as_str()), ("idempotency-key", key.as_str())];
            let asking = grpc.ask("Poker/ResetVotes", &headers, json!({ "room_id": id(&room) }));
            // Given up at any moment between the first byte and the answer.
            let _ = tokio::time::timeout(Duration::from_micros(number * 50), asking).await;
            let again = grpc.act(&room, "reset", &json!({}), &headers).await;
            assert!(again == "ok" || again == "ok again", "{again}");
        }
        let view = server.look(&room, &host_key).await;
        assert_eq!(view["view"]["round"], 41, "each of forty was done once");
    }
}

#[tokio::test]
async fn x18_the_same_viewer_sees_the_same_on_every_door() {
    let server = Inside::start(Store::Memory, &[]).await;
    let grpc = server.grpc().await;
    let (room, host_key) = server.room("projections").await;
    let host = [("parlor-host-key", host_key.as_str())];
    let people: Vec<String> = ["ana", "bo", "wim"].map(user_key).to_vec();
    for (key, name) in people.iter().zip(["Ana", "Bo"]) {
        assert_eq!(grpc.act(&room, "join", &json!({ "user_name": name }), &[("parlor-user-key", key)]).await, "ok");
    }
    // Here throughout: a stream that comes and goes would change who is.
    let mut here = Vec::new();
    for who in ["ana", "bo", "wim"] {
        let mut socket = server.person(who).await;
        assert_eq!(said(&socket.ask("enter", Some(&room), None, None).await), "ok");
        here.push(socket);
    }
    let stories = json!({ "stories": [{ "title": "One", "link": "https://example.org/1" }, { "title": "Two" }] });
    assert_eq!(grpc.act(&room, "add_stories", &stories, &host).await, "ok");
    let steps = [
        ("pick_story", json!({ "story_id": "s1" }), 0),
        ("vote", json!({ "card": "5" }), 0),
        ("vote", json!({ "card": "∞" }), 1),
        ("start_timer", json!({ "seconds": 60 }), 0),
        ("show", json!({}), 0),
        ("set_revealed", json!({ "is_revealed": false }), 0),
        ("reset", json!({}), 0),
        ("update_room", json!({ "name": "Sprint 42", "reveal_by": "everyone" }), 0),
        ("pick_story", json!({ "story_id": null }), 0),
        ("vote", json!({ "card": "8" }), 1),
    ];
    for (verb, with, who) in steps {
        assert_eq!(grpc.act(&room, verb, &with, &[("parlor-user-key", &people[who])]).await, "ok", "{verb}");
        for key in &people {
            let headers = [("parlor-user-key", key.as_str())];
            let by_rest = server.ask("GET", &format!("/v1/rooms/{room}"), &headers, None).await.json();
            let mut socket = server.socket().await;
            assert_eq!(said(&socket.ask("hello", None, None, Some(json!({ "user_key": key }))).await), "ok");
            let by_socket = socket.ask("look", Some(&room), None, None).await["ok"].take();
            let mut hears = grpc.hear("Poker/Subscribe", &headers, json!({ "room_id": id(&room) })).await.unwrap();
            let by_stream = hears.view().await.unwrap();
            assert_eq!(by_rest, by_socket, "after {verb}");
            assert_eq!(grpc.look(&room, &headers).await.unwrap(), by_stream, "after {verb}");
            assert_eq!(without_nulls(by_rest), by_stream, "after {verb}");
        }
    }
}

/// A call of gRPC-web over HTTP/1.1, without any library: the answer's status line and head, and its frames.
async fn by_web(server: &Inside, call: &str, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<(u8, Vec<u8>)>) {
    let mut line = TcpStream::connect(server.address).await.unwrap();
    let mut request = format!(
        "POST /parlor.v1.{call} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/grpc-web+proto\r\ncontent-length: {}\r\n",
        server.address,
        body.len()
    );
    headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
    request += "\r\n";
    line.write_all(&[request.as_bytes(), body].concat()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, line.read_to_end(&mut answer)).await.unwrap().unwrap();
    let split = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&answer[..split]).to_lowercase();
    let mut rest = &answer[split..];
    let mut body = Vec::new();
    if head.contains("transfer-encoding: chunked") {
        while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
            body.extend(&rest[end + 2..end + 2 + size]);
            rest = &rest[end + 2 + size + 2..];
        }
    } else {
        body.extend(rest);
    }
    let mut frames = Vec::new();
    let mut rest = &body[..];
    while let [kind, a, b, c, d, more @ ..] = rest {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        frames.push((*kind, more[..length].to_vec()));
        rest = &more[length..];
    }
    (head, frames)
}

/// A trailer of such an answer; where there is nothing else, trailers stand in the head.
fn trailer((head, frames): &(String, Vec<(u8, Vec<u8>)>), name: &str) -> Option<String> {
    let trailers = frames.iter().filter(|(kind, _)| kind & 0x80 != 0);
    let text = trailers.map(|(_, text)| String::from_utf8_lossy(text).into_owned()).chain([head.clone()]).collect::<String>();
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(other, _)| *other == name).map(|(_, value)| value.trim().to_owned())
}

#[tokio::test]
async fn a_page_calls_by_grpc_web_over_http_1_and_only_from_where_it_may() {
    let server = Inside::start(Store::Memory, &["--allow-origins", "https://friend.example"]).await;
    let nothing = [0, 0, 0, 0, 0];
    let decks = by_web(&server, "Poker/ListDecks", &[], &nothing).await;
    assert!(decks.0.starts_with("http/1.1 200") && decks.0.contains("content-type: application/grpc-web+proto"), "{decks:?}");
    assert_eq!(trailer(&decks, "grpc-status").as_deref(), Some("0"));
    assert!(String::from_utf8_lossy(&decks.1[0].1).contains("fibonacci"));
    let (room, _) = server.room("web").await;
    let message = |id: &str| [&[0, 0, 0, 0, id.len() as u8 + 2, 0x0a, id.len() as u8][..], id.as_bytes()].concat();
    let seen = by_web(&server, "Poker/CheckRoom", &[], &message(id(&room))).await;
    assert!(String::from_utf8_lossy(&seen.1[0].1).contains(id(&room)), "{seen:?}");
    let missing = by_web(&server, "Poker/CheckRoom", &[], &message("no-such-room")).await;
    assert_eq!(
        (trailer(&missing, "grpc-status"), trailer(&missing, "parlor-code")),
        (Some("5".into()), Some("room_not_found".into()))
    );
    // The same rules for pages as on the other doors.
    let own = format!("http://{}", server.address);
    for (origin, status) in [("https://friend.example", "0"), (own.as_str(), "0"), ("https://evil.example", "7")] {
        let answer = by_web(&server, "Poker/ListDecks", &[("origin", origin)], &nothing).await;
        assert_eq!(trailer(&answer, "grpc-status").as_deref(), Some(status), "{origin}: {answer:?}");
        let may_read = answer.0.contains("access-control-allow-origin: https://friend.example");
        assert_eq!(may_read, origin == "https://friend.example", "{answer:?}");
    }
    let asks = [
        ("origin", "https://friend.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,x-grpc-web,parlor-user-key"),
    ];
    let preflight = server.ask("OPTIONS", "/parlor.v1.Poker/CheckRoom", &asks, None).await;
    assert_eq!(preflight.status, 200, "{preflight:?}");
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("x-grpc-web"), "{preflight:?}");
    // What is neither is refused, and a page's plain form cannot pass for it.
    let form = server.ask("POST", "/parlor.v1.Poker/ListDecks", &[("content-type", "text/plain")], Some("x")).await;
    assert!(form.status == 400 || form.status == 415, "{form:?}");
    let mut socket = server.person("ana").await;
    assert_eq!(said(&socket.ask("ping", None, None, None).await), "ok", "sockets are opened on the same port");
}

/// A library's own client of a service that is not in our files.
async fn plain<A: prost_reflect::prost::Message + Default + 'static>(
    server: &Inside,
    path: &'static str,
    message: impl prost_reflect::prost::Message + 'static,
) -> Result<A, tonic::Status> {
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address)).unwrap().connect().await.unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let mut request = tonic::Request::new(futures_util::stream::iter([message]));
    fill(request.metadata_mut(), &[]);
    let codec = tonic_prost::ProstCodec::default();
    let answer = client.streaming(request, axum::http::uri::PathAndQuery::from_static(path), codec).await?;
    answer.into_inner().message().await.map(|message| message.expect("an answer"))
}

#[tokio::test]
async fn x16_reflection_and_health_are_open_and_tell_nothing_of_anybody() {
    use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = server.room("reflected").await;
    for path in [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ] {
        let list =
            ServerReflectionRequest { host: String::new(), message_request: Some(MessageRequest::ListServices(String::new())) };
        let answer: ServerReflectionResponse = plain(&server, path, list).await.unwrap();
        assert!(!format!("{answer:?}").contains(id(&room)));
        let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else { panic!("{answer:?}") };
        let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
        for name in ["parlor.v1.Poker", "parlor.v1.Sessions", "grpc.health.v1.Health"] {
            assert!(names.contains(&name), "{names:?}");
        }
    }
    for (service, expected) in [("", Ok(1)), ("parlor.v1.Poker", Ok(1)), (id(&room), Err(Code::NotFound))] {
        let ask = HealthCheckRequest { service: service.to_owned() };
        let answer: Result<HealthCheckResponse, _> = plain(&server, "/grpc.health.v1.Health/Check", ask).await;
        assert_eq!(answer.map(|answer| answer.status).map_err(|status| status.code()), expected, "{service}");
    }
    let nowhere =
        http::ask(server.address, "POST", "/parlor.v1.Poker/NoSuchCall", &[("content-type", "application/grpc-web")], Some(""))
            .await;
    assert!(nowhere.head.contains("parlor-code: unsupported") || nowhere.body.contains("parlor-code:unsupported"), "{nowhere:?}");
}
