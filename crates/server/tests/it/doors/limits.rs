//! Every limit of the doors is there, has its code, and is felt only by whoever went over it.

use super::bad_input::Scene;
use super::inside::{Inside, PATIENCE, Store, until, user_key};
use super::socket::{Socket, code};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_socket_listens_to_so_many_rooms_and_no_more() {
    let mut scene = Scene::new(&["--rooms-per-socket-max", "2"]).await;
    let mut socket = scene.server.person("bo").await;
    let mut rooms = Vec::new();
    for name in ["one", "two", "three"] {
        rooms.push(scene.server.room(name).await.0);
    }
    for room in &rooms[..2] {
        assert_eq!(code(&socket.ask("enter", Some(room), None, None).await), "ok");
    }
    assert_eq!(code(&socket.ask("enter", Some(&rooms[2]), None, None).await), "too_many");
    assert_eq!(code(&socket.ask("enter", Some(&rooms[0]), None, None).await), "ok", "a room one is in counts once");
    assert_eq!(code(&socket.ask("exit", Some(&rooms[0]), None, None).await), "ok");
    assert_eq!(code(&socket.ask("enter", Some(&rooms[2]), None, None).await), "ok");
    assert_eq!(code(&socket.ask("exit", Some(&rooms[0]), None, None).await), "ok", "leaving twice is no error");
    scene.is_well().await;
}

#[tokio::test]
async fn a_room_one_could_not_enter_takes_no_place() {
    let scene = Scene::new(&["--rooms-per-socket-max", "1"]).await;
    let mut socket = scene.server.person("bo").await;
    assert_eq!(code(&socket.ask("enter", Some("poker/nobody-ever-made-this"), None, None).await), "room_not_found");
    let wrong = json!({ "host_key": "hk_wrong_wrong_wrong_wrong" });
    assert_eq!(code(&socket.ask("enter", Some(&scene.room), None, Some(wrong)).await), "bad_key");
    assert_eq!(code(&socket.ask("enter", Some(&scene.room), None, None).await), "ok");
}

#[tokio::test]
async fn a_room_that_ended_takes_no_place() {
    let scene = Scene::new(&["--rooms-per-socket-max", "1"]).await;
    let mut socket = scene.server.person("bo").await;
    let (ending, host_key) = scene.server.room("ending").await;
    assert_eq!(code(&socket.ask("enter", Some(&ending), None, None).await), "ok");
    let path = format!("/v1/rooms/{ending}");
    assert_eq!(scene.server.ask("DELETE", &path, &[("parlor-host-key", &host_key)], None).await.code(), "ok");
    assert_eq!(socket.push_of("ended").await["reason"], "deleted");
    assert_eq!(code(&socket.ask("enter", Some(&scene.room), None, None).await), "ok");
}

#[tokio::test]
async fn too_fast_is_said_to_the_one_who_is() {
    let mut scene = Scene::new(&["--message-rate-max", "10"]).await;
    scene.server.step(60_000);
    let mut socket = scene.server.person("bo").await;
    let mut codes = Vec::new();
    for _ in 0..25 {
        codes.push(code(&socket.ask("ping", None, None, None).await));
    }
    // A burst of twice the rate; hello was one of it.
    assert_eq!(codes.iter().filter(|code| *code == "ok").count(), 19);
    assert!(codes[19..].iter().all(|code| code == "too_fast"), "{codes:?}");
    scene.server.step(100);
    assert_eq!(code(&socket.ask("ping", None, None, None).await), "ok");
    assert_eq!(code(&socket.ask("ping", None, None, None).await), "too_fast");
    scene.server.step(2000);
    scene.is_well().await;
}

#[tokio::test]
async fn so_many_connections_from_one_address_and_no_more() {
    let mut scene = Scene::new(&["--connections-per-address-max", "3"]).await;
    until("the scene's own connections have closed", || scene.server.doors.connections() <= 1).await;
    let first = scene.server.socket().await;
    let _second = scene.server.socket().await;
    let (status, body) = Socket::open(scene.server.address, &[]).await.err().expect("one too many");
    assert_eq!(status, 429);
    assert!(body.contains(r#""code":"too_many""#), "{body}");
    let forged = Socket::open(scene.server.address, &[("x-forwarded-for", "203.0.113.7")]).await;
    assert_eq!(forged.err().map(|(status, _)| status), Some(429), "a forged address is not believed");
    drop(first);
    until("the place is given back", || scene.server.doors.connections() == 2).await;
    scene.server.socket().await;
    scene.is_well().await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_address_has_its_own_places() {
    let server = Inside::start(Store::Memory, &["--connections-per-address-max", "1", "--trust-forwarded", "true"]).await;
    let open = async |address: &str| Socket::open(server.address, &[("x-forwarded-for", address)]).await;
    let _one = open("203.0.113.7").await.unwrap();
    let _two = open("203.0.113.8").await.unwrap();
    assert!(open("198.51.100.1, 203.0.113.7").await.is_err(), "what the client wrote before the proxy does not count");
    let _six = open("2001:db8::1").await.unwrap();
    assert!(open("2001:db8::2").await.is_err(), "one /64 is one address");
}

#[tokio::test]
async fn so_many_connections_in_all_and_no_more() {
    let server = Inside::start(Store::Memory, &["--connections-max", "2"]).await;
    let _places = (server.socket().await, server.socket().await);
    assert_eq!(Socket::open(server.address, &[]).await.err().map(|(status, _)| status), Some(429));
    assert_eq!(server.ask("GET", "/healthz", &[], None).await.status, 200, "it is still alive to whoever asks");
}

#[tokio::test]
async fn so_many_rooms_a_minute_and_no_more() {
    let server = Inside::start(Store::Memory, &["--creates-per-minute-max", "3"]).await;
    let made = server.ask("POST", "/v1/rooms", &[], None).await;
    assert_eq!(made.status, 201);
    for _ in 0..2 {
        assert_eq!(server.ask("POST", "/v1/users", &[], None).await.code(), "ok");
    }
    let mut socket = server.socket().await;
    assert_eq!(code(&socket.ask("hello", None, None, None).await), "ok");
    assert_eq!(code(&socket.ask("create", None, None, None).await), "ok");
    assert_eq!(server.ask("POST", "/v1/rooms", &[], None).await.code(), "ok");
    assert_eq!(code(&socket.ask("create", None, None, None).await), "too_fast");
    assert_eq!(server.ask("POST", "/v1/rooms", &[], None).await.code(), "too_fast");
    let mut late = server.socket().await;
    assert_eq!(
        code(&late.ask("hello", None, None, Some(json!({ "user_key": user_key("ana") }))).await),
        "ok",
        "who has a key needs none"
    );
    let room = made.json()["room"].as_str().unwrap().to_owned();
    assert_eq!(
        code(&late.ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await),
        "ok",
        "what exists goes on"
    );
    server.step(20_000);
    assert_eq!(server.ask("POST", "/v1/rooms", &[], None).await.code(), "ok", "one comes back every twenty seconds");
    assert_eq!(server.ask("POST", "/v1/rooms", &[], None).await.code(), "too_fast");
}

#[tokio::test]
async fn whoever_tries_wrong_host_keys_soon_waits_and_learns_nothing_meanwhile() {
    let mut scene = Scene::new(&["--bad-keys-per-minute-max", "5"]).await;
    let path = format!("/v1/rooms/{}", scene.room);
    let mut codes = Vec::new();
    for n in 0..1000 {
        let key = format!("hk_wrong_wrong_wrong_wrong_{n}");
        codes.push(scene.server.ask("GET", &path, &[("parlor-host-key", &key)], None).await.code());
    }
    assert_eq!(codes.iter().filter(|code| *code == "bad_key").count(), 5);
    assert!(codes[5..].iter().all(|code| code == "too_fast"));
    // A guess that is right is answered like one that is wrong, or the limit would limit nothing.
    let right = [("parlor-host-key", scene.host_key.as_str())];
    assert_eq!(scene.server.ask("GET", &path, &right, None).await.code(), "too_fast");
    let mut socket = scene.server.person("bo").await;
    for key in ["hk_wrong_wrong_wrong_wrong", &scene.host_key] {
        let entered = socket.ask("enter", Some(&scene.room), None, Some(json!({ "host_key": key }))).await;
        assert_eq!(code(&entered), "too_fast", "one limit for all doors");
    }
    assert_eq!(code(&socket.ask("look", Some(&scene.room), None, None).await), "ok", "without a host key nobody waits");
    scene.server.step(12_000);
    assert_eq!(scene.server.ask("GET", &path, &right, None).await.code(), "ok", "after a while the host is welcome again");
    scene.is_well().await;
}

#[tokio::test]
async fn a_host_who_is_in_is_not_shut_out_by_others_guesses() {
    let scene = Scene::new(&["--bad-keys-per-minute-max", "2"]).await;
    let mut host = scene.server.person("hanna").await;
    assert_eq!(code(&host.ask("enter", Some(&scene.room), None, Some(json!({ "host_key": scene.host_key }))).await), "ok");
    for n in 0..10 {
        let key = format!("hk_wrong_wrong_wrong_wrong_{n}");
        scene.server.ask("GET", &format!("/v1/rooms/{}", scene.room), &[("parlor-host-key", &key)], None).await;
    }
    assert_eq!(code(&host.ask("show", Some(&scene.room), None, None).await), "ok");
}

#[tokio::test]
async fn whoever_connects_and_says_nothing_is_closed() {
    let mut scene = Scene::new(&[]).await;
    // Nothing at all; half a request's head; half of what could become HTTP/2; half a head on a connection used before.
    let halves: [&[u8]; 4] = [
        b"",
        b"GET / HTTP/1.1\r\nhost: x\r\nslowly: ",
        b"PRI * HTTP/2.0\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost",
    ];
    let mut waiting = tokio::task::JoinSet::new();
    for half in halves {
        let address = scene.server.address;
        waiting.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(half).await.unwrap();
            let mut rest = Vec::new();
            let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
            assert!(closed.is_ok(), "{:?} may hold a connection for ever", String::from_utf8_lossy(half));
        });
    }
    while let Some(done) = waiting.join_next().await {
        done.unwrap();
    }
    scene.is_well().await;
}

#[tokio::test]
async fn a_body_that_never_comes_is_not_waited_for_for_ever() {
    let mut scene = Scene::new(&[]).await;
    let mut stream = TcpStream::connect(scene.server.address).await.unwrap();
    let head = "POST /v1/rooms HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    assert!(closed.is_ok(), "a request that stalls in its body holds its connection for ever");
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    scene.is_well().await;
}

#[tokio::test]
async fn a_slow_reader_is_closed_and_nobody_waits_for_it() {
    let mut scene = Scene::new(&["--outbox-bytes-max", "200000"]).await;
    let (room, _) = scene.server.room("loud").await;
    let (mut ana, mut quick) = (scene.server.person("ana").await, scene.server.person("quick").await);
    let mut slow = scene.server.person("slow").await;
    assert_eq!(code(&ana.ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await), "ok");
    for listener in [&mut quick, &mut slow] {
        assert_eq!(code(&listener.ask("enter", Some(&room), None, None).await), "ok");
    }
    let before = scene.server.doors.connections();
    let long = "x".repeat(60_000);
    let mut said = 0;
    // The slow one reads nothing; what the network holds for it is some megabytes at most.
    while scene.server.doors.connections() == before {
        assert!(said < 5000, "the server keeps everything for a reader that never reads");
        assert_eq!(code(&ana.ask("say", Some(&room), None, Some(json!({ "n": said, "long": long }))).await), "ok");
        let heard = quick.push_of("now").await;
        assert_eq!(heard["messages"][0]["data"]["n"], said, "the quick one missed something");
        said += 1;
    }
    let (code, _) = slow.closed().await;
    assert!(code == 1008 || code == 0, "closed with {code}");
    scene.is_well().await;
}
