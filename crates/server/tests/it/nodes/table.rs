//! Nodes on one DynamoDB table: it tells nobody anything, so they write to each other; and what is not heard is found out.

use super::guest::{Guest, position};
use super::node::{get, node_with};
use crate::support::house::House;
use crate::support::line::Line;
use crate::support::player::{Table as Room, card};
use crate::support::table::{self, Table};
use aws_sdk_dynamodb::types::AttributeValue;
use parlor_testbed::until;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU8, Ordering};

const SECRET: &str = "a-secret-that-all-the-nodes-share-0123456789";

fn wait<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}

/// A node that others reach, on a port that is known beforehand.
fn reached(store: &str, secret: &str, flags: &[&str]) -> House {
    // An address of its own, so that nobody takes the port before the node has it.
    static HOUSES: AtomicU8 = AtomicU8::new(1);
    let [a, b] = (std::process::id() as u16).to_be_bytes();
    let host = Ipv4Addr::new(127, 100 + a % 100, b, HOUSES.fetch_add(1, Ordering::Relaxed));
    let listen = TcpListener::bind((host, 0)).unwrap().local_addr().unwrap().to_string();
    let address = format!("http://{listen}");
    let own = ["--listen", &listen, "--node-address", &address, "--node-peers", "127.0.0.0/8", "--node-secret", secret];
    node_with(store, &[&own, flags].concat())
}

/// A number of the page of metrics, all its lines added up.
fn metric(house: &House, name: &str) -> f64 {
    let page = get(house, "/metrics").1;
    let lines = page.lines().filter(|line| line.starts_with(name) && line[name.len()..].starts_with([' ', '{']));
    lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum()
}

fn is_here(push: &Value, name: &str) -> Option<bool> {
    let mut users = push["view"]["users"].as_array()?.iter();
    users.find(|user| user["user_name"] == name)?["here"].as_bool()
}

#[test]
fn h54_a_game_at_three_nodes_is_one_game_and_nobody_waits_for_a_lease() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    // So long a lease that nothing is found out by looking: what is heard was told.
    let houses = [(); 3].map(|()| reached(&store, SECRET, &["--dynamodb-lease-seconds", "36000"]));
    let room = Room::new(&houses[0].ws_url());
    let (mut host, _) = Guest::enter(&houses[2], &room, "host", json!({ "host_key": room.host_key })).unwrap();
    let names = ["ana", "bo", "cy"];
    let mut guests: Vec<Guest> = houses.iter().zip(names).map(|(house, name)| Guest::seated(house, &room, name)).collect();
    // Whoever only looks on hears too.
    let (mut stranger, _) = Guest::enter(&houses[1], &room, "dee", json!({})).unwrap();
    for (who, guest) in guests.iter_mut().enumerate() {
        for name in names {
            if names[who] != name {
                guest.hears(|push| is_here(push, name) == Some(true));
            }
        }
    }
    for round in 0..5usize {
        for who in 0..3 {
            let at = guests[who].does("vote", json!({ "card": card(round as u64) }));
            for guest in guests.iter_mut().chain([&mut stranger]) {
                guest.sees(at);
            }
        }
        host.does("show", json!({}));
        let at = host.does("reset", json!({}));
        let views: Vec<Value> = guests.iter_mut().map(|guest| guest.sees(at)["view"].clone()).collect();
        assert!(views.iter().all(|view| view["round"] == views[0]["round"]), "{views:?}");
    }
    for house in &houses {
        assert!(metric(house, "parlor_node_hints_taken_total") > 0.0);
        assert_eq!(metric(house, "parlor_node_hints_lost_total"), 0.0);
        assert!(metric(house, "parlor_dynamodb_write_units_total") > 0.0);
    }
}

#[test]
fn h54_letters_that_nobody_takes_are_made_up_for_by_looking() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    let lease = ["--dynamodb-lease-seconds", "3"];
    // Their secrets differ: each refuses what the other writes.
    let houses = [reached(&store, SECRET, &lease), reached(&store, "another-secret-of-more-than-32-bytes-0123", &lease)];
    let room = Room::new(&houses[0].ws_url());
    let mut ana = Guest::seated(&houses[0], &room, "ana");
    let mut bo = Guest::seated(&houses[1], &room, "bo");
    ana.hears(|push| is_here(push, "bo") == Some(true));
    for round in 0..3 {
        let at = bo.does("vote", json!({ "card": card(round) }));
        ana.sees(at);
        let at = ana.does("vote", json!({ "card": card(round) }));
        bo.sees(at);
    }
    until("a letter was refused", || {
        let refused =
            metric(&houses[0], "parlor_node_letters_refused_total") + metric(&houses[1], "parlor_node_letters_refused_total");
        if refused > 0.0 { Ok(()) } else { Err("none".to_owned()) }
    });
    assert_eq!(metric(&houses[0], "parlor_node_hints_taken_total"), 0.0);
    let said = houses.iter().map(House::logs).collect::<String>();
    assert!(said.contains("--node-secret") && !said.contains(SECRET), "{said}");
}

#[test]
fn h49_who_was_here_through_a_node_that_died_is_away_when_its_word_lapses() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    let mut houses = [(); 2].map(|()| reached(&store, SECRET, &["--dynamodb-lease-seconds", "3"]));
    let room = Room::new(&houses[0].ws_url());
    let mut bo = Guest::seated(&houses[1], &room, "bo");
    let mut ana = Guest::seated(&houses[0], &room, "ana");
    bo.hears(|push| is_here(push, "ana") == Some(true));
    let at = ana.does("vote", json!({ "card": card(3) }));
    let known = ana.sees(at);
    bo.sees(at);
    bo.line.pushed.clear();
    houses[0].kill9();
    bo.hears(|push| is_here(push, "ana") == Some(false));
    let place = json!({ "at": known["at"], "mark": known["mark"] });
    let (mut ana, entered) = Guest::enter(&houses[1], &room, "ana", place).unwrap();
    assert_eq!(entered["ok"]["resumed"], true, "{entered}");
    let again = ana.line.ask(json!({ "do": "vote", "room": room.room, "n": 2, "with": { "card": card(3) } })).unwrap();
    assert_eq!((position(&again["ok"]["at"]), &again["ok"]["again"]), (at, &json!(true)), "{again}");
}

#[test]
fn h25_a_session_that_ends_at_one_node_ends_at_the_others() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    let houses = [(); 2].map(|()| reached(&store, SECRET, &["--dynamodb-lease-seconds", "36000"]));
    let logged_out = |guest: &mut Guest| {
        let gone = guest.line.ask(json!({ "do": "logout" })).unwrap();
        assert!(gone["ok"].is_object(), "{gone}");
    };
    // Each says that it listens when it starts; until they have heard of each other, words go nowhere.
    let taken = metric(&houses[1], "parlor_node_hints_taken_total");
    until("the nodes know each other", || {
        logged_out(&mut Guest::member(&houses[0], "bo").0);
        if metric(&houses[1], "parlor_node_hints_taken_total") > taken { Ok(()) } else { Err("not yet".to_owned()) }
    });
    let (mut ana, login) = Guest::member(&houses[0], "ana");
    let mut there = Line::connect(&houses[1].ws_url()).unwrap();
    let hello = there.ask(json!({ "do": "hello", "with": { "token": login["token"], "client": "tab-2" } })).unwrap();
    assert_eq!(hello["ok"]["user_name"], "ana", "{hello}");
    logged_out(&mut ana);
    let last = std::iter::from_fn(|| there.hear().ok()).last().unwrap();
    assert_eq!((&last["push"], &last["reason"]), (&json!("bye"), &json!("session_ended")));
}

/// Whoever can write to the table must not make nodes write elsewhere.
#[test]
fn h64_a_node_writes_to_nobody_who_is_not_on_its_list() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    let house = reached(&store, SECRET, &["--dynamodb-lease-seconds", "3"]);
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let room = Room::new(&house.ws_url());
    let mut ana = Guest::seated(&house, &room, "ana");
    let id = room.room.rsplit_once('/').unwrap().1;
    let port = elsewhere.local_addr().unwrap().port();
    // By name: the list has numbers only.
    let text = |text: String| AttributeValue::S(text);
    wait(async {
        let (client, name) = table::client_of(&store).await;
        let put = client.put_item().table_name(name).item("pk", text(format!("ROOM:{id}")));
        let put =
            put.item("sk", text("MEMBER#node-00000000000000ff".into())).item("here", AttributeValue::L(vec![text("eve".into())]));
        let put =
            put.item("until", AttributeValue::N("9000000000000".into())).item("ttl", AttributeValue::N("9000000000".into()));
        put.item("address", text(format!("http://localhost:{port}"))).send().await.unwrap();
    });
    until("the address was refused", || {
        ana.does("vote", json!({ "card": card(1) }));
        if metric(&house, "parlor_node_hints_lost_total") > 0.0 { Ok(()) } else { Err("not yet".to_owned()) }
    });
    assert!(house.logs().contains("none of --node-peers"), "{}", house.logs());
    assert!(elsewhere.accept().is_err(), "somebody was written to");
}

#[test]
fn x29_letters_of_others_are_refused_and_change_nothing() {
    let tables = Table::start();
    let store = wait(tables.fresh());
    let house = reached(&store, SECRET, &[]);
    let post = |headers: &str, body: &str| {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(house.address()).unwrap();
        let long = body.len();
        write!(stream, "POST /v1/nodes/letters HTTP/1.1\r\nhost: parlor\r\nconnection: close\r\ncontent-length: {long}\r\n{headers}\r\n{body}").unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer); // Whatever came is looked at.
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(post("", ""), "401");
    assert_eq!(post("parlor-letter: 1.1.1\r\nparlor-signature: 00\r\n", "x"), "401");
    assert_eq!(post(&format!("parlor-letter: 1.1.1\r\nparlor-signature: {}\r\n", "0".repeat(64)), "x"), "401");
    assert_eq!(post(&format!("content-type: x\r\nparlor-signature: {}\r\n", "g".repeat(64)), "x"), "401");
    assert_eq!(metric(&house, "parlor_node_hints_taken_total"), 0.0);
    assert_eq!(get(&house, "/readyz").0, 200);
    // Where nodes are not set up there is no such door.
    let alone = node_with(&store, &[]);
    assert_eq!(get(&alone, "/v1/nodes/letters").0, 404);
}
