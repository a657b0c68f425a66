//! Nobody sees what they may not. Every card and every key is a canary: a word that occurs nowhere else.
//!
//! Random games on all doors at once; then every frame, body, header, log line and metric is searched. A card
//! that lies face down is seen by its owner alone; a key is seen once, in the one answer that hands it out.

use super::grpc::Grpc;
use super::http;
use super::inside::{Inside, Store, user_key};
use super::socket::{Came, Socket, code};
use crate::support::house::House;
use parlor_wire::poker::{Patch, Table};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};
use tracing_subscriber::filter::LevelFilter;

const PEOPLE: [&str; 4] = ["ana", "bo", "cy", "dee"];
const CARDS_EACH: usize = 9;

/// What every card begins with, and no id, name, key or word of the server can contain.
const CANARY: &str = "Zq§";

/// `Zq§3b`: a card only the fourth person ever lays.
fn card(person: usize, n: usize) -> String {
    format!("{CANARY}{person}{}", char::from(b'a' + n as u8))
}

fn owner(card: &str) -> usize {
    usize::from(card.as_bytes()[CANARY.len()] - b'0')
}

#[tokio::test]
async fn h12_h118_h119_whatever_is_played_nobody_sees_a_card_or_a_key_that_is_not_theirs() {
    let logs = logs();
    let mut games = tokio::task::JoinSet::new();
    for seed in 1..=12u64 {
        games.spawn(async move {
            let store = if seed.is_multiple_of(4) { Store::Embedded } else { Store::Memory };
            let mut game = Game::new(store, seed).await;
            for _ in 0..80 {
                game.step().await;
            }
            game.search(logs).await;
        });
    }
    while let Some(game) = games.join_next().await {
        game.unwrap();
    }
}

struct Game {
    seed: u64,
    dice: u64,
    server: Inside,
    room: String,
    host_key: String,
    /// Everyone's tabs; ana has two. The last belongs to somebody who only watches.
    tabs: Vec<Tab>,
    /// Everything that came by REST: who asked, and the head and body.
    answers: Vec<(Option<usize>, String, String)>,
    /// Rounds whose cards a host has asked to show.
    shown: BTreeSet<u64>,
    round: u64,
    places: Vec<(String, String)>,
    secrets: Vec<String>,
    grpc: Grpc,
    /// What everyone hears by gRPC, until they are sent out.
    streams: Vec<Stream>,
}

struct Stream {
    person: Option<usize>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Stream {
    async fn open(grpc: &Grpc, room: &str, person: Option<usize>, key: &str) -> Stream {
        let message = json!({ "room_id": room.trim_start_matches("poker/") });
        let mut hearing = grpc.hear("Poker/Subscribe", &[("parlor-user-key", key)], message).await.unwrap();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = heard.clone();
        tokio::spawn(async move {
            while let Ok(Some(mut update)) = hearing.next().await {
                let condition = update.get_mut("condition").map(Value::take);
                kept.lock().unwrap().push(condition.unwrap_or(update).to_string());
            }
        });
        Stream { person, heard }
    }
}

struct Tab {
    /// The index in `PEOPLE`; nothing for the watcher.
    person: Option<usize>,
    socket: Socket,
    /// How many frames had come when it was told that it is out; pushes after that are leaks.
    out_since: Option<usize>,
}

impl Game {
    async fn new(store: Store, seed: u64) -> Game {
        let server = Inside::start(store, &["--bad-keys-per-minute-max", "100000"]).await;
        let cards: Vec<String> = (0..PEOPLE.len()).flat_map(|person| (0..CARDS_EACH).map(move |n| card(person, n))).collect();
        let idempotency_key = format!("canary-idempotency-key-of-seed-{seed}-0123456789");
        let wish = json!({ "valid_sizes": cards.join(" ") }).to_string();
        let made = server.ask("POST", "/v1/rooms", &[("idempotency-key", &idempotency_key)], Some(&wish)).await.json();
        let (room, host_key) = (made["room"].as_str().unwrap().to_owned(), made["host_key"].as_str().unwrap().to_owned());
        let mut secrets = vec![idempotency_key, host_key.clone()];
        let (mut tabs, mut streams) = (Vec::new(), Vec::new());
        let grpc = server.grpc().await;
        for person in [Some(0), Some(0), Some(1), Some(2), Some(3), None] {
            let mut socket = server.socket().await;
            let key = match person {
                Some(person) => {
                    let key = user_key(&format!("{}_{seed}_canary", PEOPLE[person]));
                    assert_eq!(code(&socket.ask("hello", None, None, Some(json!({ "user_key": key }))).await), "ok");
                    key
                }
                None => {
                    // Its key is made by the server and handed out here, once.
                    let made = socket.ask("hello", None, None, None).await;
                    assert_eq!(socket.heard.pop().unwrap().matches("user_key").count(), 1);
                    made["ok"]["user_key"].as_str().unwrap().to_owned()
                }
            };
            streams.push(Stream::open(&grpc, &room, person, &key).await);
            secrets.push(key);
            // Every second tab asks for patches.
            let patch = json!({ "patch": tabs.len() % 2 == 1 });
            assert_eq!(code(&socket.ask("enter", Some(&room), None, Some(patch)).await), "ok");
            tabs.push(Tab { person, socket, out_since: None });
        }
        let mut game = Game {
            seed,
            dice: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            server,
            room,
            host_key,
            tabs,
            answers: Vec::new(),
            shown: BTreeSet::new(),
            round: 1,
            places: vec![(made["at"].as_str().unwrap().to_owned(), made["mark"].as_str().unwrap().to_owned())],
            secrets,
            grpc,
            streams,
        };
        for tab in [0, 2, 3, 4] {
            let name = PEOPLE[game.tabs[tab].person.unwrap()];
            assert_eq!(game.ask(tab, "join", json!({ "user_name": name })).await, "ok");
        }
        game
    }

    async fn step(&mut self) {
        let tab = self.roll(self.tabs.len());
        let person = self.tabs[tab].person;
        match self.roll(22) {
            0..=6 => {
                let mine = card(person.unwrap_or(0), self.roll(CARDS_EACH));
                self.ask(tab, "vote", json!({ "card": mine })).await;
            }
            7 => drop(self.ask(tab, "take_back", json!({})).await),
            8 => {
                // Counted before it is asked: if it is refused, nothing turns over and nothing is checked against it.
                self.shown.insert(self.round);
                if self.by_rest(None, true, "POST", "/show", None).await != "ok" {
                    self.shown.remove(&self.round);
                }
            }
            9 | 10 => {
                if self.ask(tab, "reset", json!({})).await == "ok" {
                    self.round += 1;
                }
            }
            11 => drop(self.by_rest(person, false, "GET", "", None).await),
            12 => drop(self.by_rest(None, self.seed.is_multiple_of(2), "GET", "", None).await),
            13 => drop(self.ask(tab, "look", Value::Null).await),
            14 => drop(self.ask(tab, "say", json!({ "said": self.seed })).await),
            15 => {
                // Comes back from where they were once: what lies before must not be told again.
                let place = self.roll(self.places.len());
                let (at, mark) = self.places[place].clone();
                if self.ask(tab, "enter", json!({ "at": at, "mark": mark, "patch": tab % 2 == 1 })).await == "ok" {
                    self.tabs[tab].out_since = None;
                }
            }
            16 => {
                // Requests that fail, with a card or a key where none belongs.
                self.ask(tab, "vote", json!({ "card": "not-in-deck" })).await;
                self.ask(tab, "hello", json!({ "user_key": self.host_key })).await;
                self.ask(tab, "enter", json!({ "host_key": format!("{}x", self.host_key) })).await;
                self.tabs[tab].out_since = Some(self.tabs[tab].socket.heard.len());
                self.by_rest(person, false, "POST", "/vote", Some(json!({ "card": 5 }))).await;
            }
            17 => {
                let whom = self.roll(PEOPLE.len());
                let seen = self.server.look(&self.room, &self.host_key).await;
                let users = seen["view"]["users"].as_array().unwrap().clone();
                let id = users.iter().find(|user| user["user_name"] == PEOPLE[whom]).map(|user| user["user_id"].clone());
                if let Some(id) = id
                    && self.by_rest(None, true, "POST", "/kick", Some(json!({ "user_id": id }))).await == "ok"
                {
                    self.cut(whom).await;
                }
            }
            18 => {
                if let Some(person) = person {
                    self.ask(tab, "join", json!({ "user_name": PEOPLE[person] })).await;
                }
            }
            19 => self.by_grpc(person).await,
            20 => {
                if let Some(person) = person {
                    let key = user_key(&format!("{}_{}_canary", PEOPLE[person], self.seed));
                    self.streams.push(Stream::open(&self.grpc, &self.room, Some(person), &key).await);
                }
            }
            _ => drop(self.ask(tab, "ping", Value::Null).await),
        }
    }

    /// Every tab of somebody who was kicked hears so; from there on nothing is pushed to it.
    async fn cut(&mut self, person: usize) {
        for tab in self.tabs.iter_mut().filter(|tab| tab.person == Some(person) && tab.out_since.is_none()) {
            loop {
                let push = tab.socket.push().await;
                if push["push"] == "ended" {
                    assert_eq!(push["reason"], "kicked");
                    break;
                }
            }
            tab.out_since = Some(tab.socket.heard.len());
        }
    }

    async fn ask(&mut self, tab: usize, verb: &str, with: Value) -> String {
        let room = self.room.clone();
        let with = (!with.is_null()).then_some(with);
        let reply = self.tabs[tab].socket.ask(verb, Some(&room), None, with).await;
        if let (Some(at), Some(mark)) = (reply["ok"]["at"].as_str(), reply["ok"]["mark"].as_str()) {
            self.places.push((at.to_owned(), mark.to_owned()));
        }
        if let Some(at) = reply["ok"]["at"].as_str() {
            self.shown_to_somebody(at).await;
        }
        code(&reply)
    }

    /// Waits until one of those who listen has been shown the room at this position, so that views are not all skipped.
    async fn shown_to_somebody(&mut self, at: &str) {
        let first = self.roll(self.tabs.len());
        let listening = (0..self.tabs.len()).map(|n| (first + n) % 6).find(|tab| self.tabs[*tab].out_since.is_none());
        let Some(tab) = listening else { return };
        let socket = &mut self.tabs[tab].socket;
        let at = format!(r#""at":"{at}""#);
        let shows = |frame: &String| frame.contains(r#""push":"view""#) || frame.contains(r#""push":"patch""#);
        while !socket.heard.iter().any(|frame| shows(frame) && frame.contains(&at)) {
            socket.push().await;
        }
    }

    async fn by_rest(&mut self, person: Option<usize>, host: bool, method: &str, path: &str, body: Option<Value>) -> String {
        let user = person.map(|person| user_key(&format!("{}_{}_canary", PEOPLE[person], self.seed)));
        let mut headers = Vec::new();
        headers.extend(user.as_deref().map(|key| ("parlor-user-key", key)));
        headers.extend(host.then_some(("parlor-host-key", self.host_key.as_str())));
        let body = body.map(|body| body.to_string());
        let path = format!("/v1/rooms/{}{path}", self.room);
        let answer = self.server.ask(method, &path, &headers, body.as_deref()).await;
        let code = answer.code();
        self.answers.push((person, answer.head, answer.body));
        code
    }

    /// Looks, and asks what fails, with a key where none belongs.
    async fn by_grpc(&mut self, person: Option<usize>) {
        let key = person.map(|person| user_key(&format!("{}_{}_canary", PEOPLE[person], self.seed)));
        let headers: Vec<_> = key.iter().map(|key| ("parlor-user-key", key.as_str())).collect();
        let seen = self.grpc.look(&self.room, &headers).await.unwrap();
        self.answers.push((person, String::new(), seen.to_string()));
        let wrong = format!("{}x", self.host_key);
        let refused = self.grpc.look(&self.room, &[("parlor-host-key", &wrong)]).await.unwrap_err();
        self.answers.push((person, format!("{:?}", refused.metadata()), json!({ "said": refused.message() }).to_string()));
        let vote = self.grpc.act(&self.room, "vote", &json!({ "card": self.host_key }), &headers).await;
        assert_ne!(vote, "ok");
    }

    /// Everything anyone was told, searched for what they should not have been.
    async fn search(mut self, logs: &Mutex<Vec<u8>>) {
        let seed = self.seed;
        // One more question each, so that whatever was still on its way has come.
        for tab in 0..self.tabs.len() {
            self.ask(tab, "ping", Value::Null).await;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for tab in &self.tabs {
            let mut shown = Value::Null;
            for (index, frame) in tab.socket.heard.iter().enumerate() {
                self.inspect(tab.person, &whole(&mut shown, frame));
                let value: Value = serde_json::from_str(frame).unwrap();
                *seen.entry(if value.get("push").is_some() { "push" } else { "reply" }).or_default() += 1;
                *seen.entry("patch").or_default() += usize::from(value["push"] == "patch");
                let after = tab.out_since.is_some_and(|out| index >= out);
                assert!(!(after && value.get("push").is_some()), "seed {seed}: {:?} is out and still hears {frame}", tab.person);
            }
        }
        assert!(
            seen["push"] > 50 && seen["reply"] > 50 && seen["patch"] > 5,
            "seed {seed}: too little was said to prove anything: {seen:?}"
        );
        let mut heard = 0;
        for stream in &self.streams {
            for text in stream.heard.lock().unwrap().iter() {
                self.inspect(stream.person, text);
                heard += 1;
            }
        }
        assert!(heard > 50, "seed {seed}: too little was heard by gRPC to prove anything: {heard}");
        for (person, head, body) in &self.answers {
            self.inspect(*person, body);
            for secret in &self.secrets {
                assert!(!head.contains(secret.as_str()), "seed {seed}: a key in {head}");
            }
            assert!(!head.contains(CANARY), "seed {seed}: a card in {head}");
        }
        let metrics = self.server.ask("GET", "/metrics", &[], None).await.body;
        assert!(metrics.contains("parlor_"), "{metrics}");
        let id = self.room.trim_start_matches("poker/");
        let logged = String::from_utf8_lossy(&logs.lock().unwrap()).into_owned();
        for secret in &self.secrets {
            assert!(!metrics.contains(secret.as_str()), "seed {seed}: a key in the metrics");
            assert!(!logged.contains(secret.as_str()), "seed {seed}: a key in the logs");
        }
        assert!(!metrics.contains(CANARY) && !logged.contains(CANARY), "seed {seed}: a card in the metrics or the logs");
        assert!(!metrics.contains(id), "seed {seed}: a metric for every room is a metric too many");
        while let Some(tab) = self.tabs.pop() {
            let mut socket = tab.socket;
            socket.send(r#"{"id":999999,"do":"ping"}"#).await;
            while !matches!(socket.next().await, Came::Text(reply) if reply["id"] == 999_999) {}
        }
    }

    fn inspect(&self, person: Option<usize>, text: &str) {
        let seed = self.seed;
        for secret in &self.secrets {
            assert!(!text.contains(secret.as_str()), "seed {seed}: a key in {text}");
        }
        let mut value: Value = serde_json::from_str(text).unwrap();
        let view = if value.get("view").is_some() {
            Some(&mut value)
        } else {
            value.get_mut("ok").filter(|ok| ok.get("view").is_some())
        };
        if let Some(view) = view {
            view["view"]["valid_sizes"] = Value::Null; // The deck itself is no secret.
            if let Some(mine) = view["me"]["vote"].take().as_str() {
                assert_eq!(Some(owner(mine)), person, "seed {seed}: another's card as one's own in {text}");
            }
            // What was shown once may be remembered, and nothing else.
            for past in view["view"]["history"].as_array_mut().unwrap() {
                let round = past["round"].as_u64().unwrap();
                assert!(self.shown.contains(&round), "seed {seed}: round {round} was never shown and is history: {text}");
                past["result"].take();
            }
            if view["view"]["is_revealed"] == true {
                view["view"]["result"].take();
                let round = view["view"]["round"].as_u64().unwrap();
                assert!(self.shown.contains(&round), "seed {seed}: round {round} was never shown: {text}");
                for user in view["view"]["users"].as_array_mut().unwrap() {
                    let laid = user["vote"].take();
                    let whose = PEOPLE.iter().position(|name| user["user_name"] == *name);
                    assert!(laid.as_str().is_none_or(|card| Some(owner(card)) == whose), "seed {seed}: {text}");
                }
            }
        }
        let left = value.to_string();
        assert!(!left.contains(CANARY), "seed {seed}: {person:?} sees a card face down: {left}");
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 11) as usize % sides
    }
}

/// A frame as it came, or for a patch the view it makes of the one before it; a patch has nothing beside that.
fn whole(shown: &mut Value, frame: &str) -> String {
    let value: Value = serde_json::from_str(frame).unwrap();
    if value["push"] == "patch" {
        let mut rest = value.clone();
        ["view", "users", "stories", "history", "me"].iter().for_each(|part| drop(rest[*part].take()));
        assert!(!rest.to_string().contains(CANARY), "a card in {frame}");
        assert_eq!(shown["at"], value["base"], "a patch of something else: {frame}");
        let table: Table = serde_json::from_value(shown["view"].take()).unwrap();
        let patch: Patch = serde_json::from_value(value.clone()).unwrap();
        shown["view"] = serde_json::to_value(patch.apply(&table)).unwrap();
        let said = ["at", "me"].into_iter().filter(|part| !value[*part].is_null());
        said.for_each(|part| shown[part] = value[part].clone());
        return shown.to_string();
    }
    if value["push"] == "view" {
        *shown = value;
    }
    frame.to_owned()
}

#[tokio::test]
async fn h15_a_late_joiner_with_an_old_position_sees_no_old_hidden_card() {
    for store in [Store::Memory, Store::Embedded] {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("late").await;
        let mut ana = server.person("ana").await;
        let entered = ana.ask("enter", Some(&room), None, None).await;
        let start = json!({ "at": entered["ok"]["at"], "mark": entered["ok"]["mark"] });
        assert_eq!(code(&ana.ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await), "ok");
        let deck = [card(0, 0), card(0, 1), card(0, 2)].join(" ");
        let deal = json!({ "valid_sizes": deck });
        assert_eq!(code(&ana.ask("set_valid_sizes", Some(&room), None, Some(deal)).await), "ok");
        for card in [card(0, 0), card(0, 1)] {
            assert_eq!(code(&ana.ask("vote", Some(&room), None, Some(json!({ "card": card }))).await), "ok");
            assert_eq!(code(&ana.ask("reset", Some(&room), None, None).await), "ok");
        }
        let mut late = server.person("lou").await;
        let resumed = late.ask("enter", Some(&room), None, Some(start)).await;
        assert_eq!(resumed["ok"]["resumed"], true, "{resumed}");
        let mut view = late.push_of("view").await;
        view["view"]["valid_sizes"] = Value::Null;
        assert!(!view.to_string().contains(CANARY), "{view}");
        assert!(late.heard.iter().all(|frame| frame.matches(CANARY).count() <= 3), "more than the deck: {:?}", late.heard);
    }
}

#[tokio::test]
async fn h13_ones_own_card_is_on_all_of_ones_own_connections_and_no_others() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = server.room("own").await;
    let mut sockets = Vec::new();
    for who in ["ana", "ana", "bo"] {
        let mut socket = server.person(who).await;
        assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), "ok");
        sockets.push(socket);
    }
    assert_eq!(code(&sockets[0].ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await), "ok");
    let voted = sockets[0].ask("vote", Some(&room), None, Some(json!({ "card": "13" }))).await;
    for (index, socket) in sockets.iter_mut().enumerate() {
        loop {
            let view = socket.push_of("view").await;
            if view["at"] == voted["ok"]["at"] {
                let mine = view["me"]["vote"].as_str();
                assert_eq!(mine, if index < 2 { Some("13") } else { None });
                break;
            }
        }
    }
    // The same person by REST, and another.
    for (who, sees) in [("ana", true), ("bo", false)] {
        let seen = server.ask("GET", &format!("/v1/rooms/{room}"), &[("parlor-user-key", &user_key(who))], None).await.json();
        assert_eq!(seen["me"]["vote"] == "13", sees, "{seen}");
    }
}

#[tokio::test]
async fn x29_even_the_most_talkative_log_tells_no_key_and_no_card() {
    let mut house = House::start(&["--log", "trace,tungstenite::protocol=trace,tokio_tungstenite=trace", "--store", "memory:"]);
    let mut socket = Socket::open(house.address(), &[]).await.unwrap();
    let user_key = user_key("the_talkative_log");
    let hello = json!({ "user_key": user_key, "client": "tab" });
    assert_eq!(code(&socket.ask("hello", None, None, Some(hello)).await), "ok");
    let made = socket.ask("create", None, None, Some(json!({ "valid_sizes": card(0, 0) }))).await;
    let (room, host_key) = (made["ok"]["room"].as_str().unwrap(), made["ok"]["host_key"].as_str().unwrap());
    assert_eq!(code(&socket.ask("enter", Some(room), None, Some(json!({ "host_key": host_key }))).await), "ok");
    assert_eq!(code(&socket.ask("join", Some(room), Some(1), Some(json!({ "user_name": "Ana" }))).await), "ok");
    assert_eq!(code(&socket.ask("vote", Some(room), Some(2), Some(json!({ "card": card(0, 0) }))).await), "ok");
    let idempotency_key = "the-idempotency-key-of-the-talkative-log";
    let headers = [("parlor-user-key", user_key.as_str()), ("parlor-host-key", host_key), ("idempotency-key", idempotency_key)];
    let wrong = [("parlor-user-key", user_key.as_str()), ("parlor-host-key", "hk_another_key_of_the_talkative_log")];
    for headers in [&headers[..], &wrong] {
        http::ask(house.address(), "POST", &format!("/v1/rooms/{room}/take_back"), headers, Some("{}")).await;
        http::ask(house.address(), "GET", &format!("/v1/rooms/{room}"), headers, None).await;
    }
    // By gRPC, where other libraries read the heads of requests.
    let grpc = Grpc::open(house.address()).await;
    let made = grpc.ask("Sessions/Login", &[], json!({ "user_name": "Talkative" })).await.unwrap();
    let token = made["token"].as_str().unwrap();
    let bearer = format!("Bearer {token}");
    assert_eq!(grpc.act(room, "vote", &json!({ "card": card(0, 0) }), &headers[..2]).await, "ok");
    assert_eq!(super::grpc::code(&grpc.look(room, &wrong).await.unwrap_err()), "bad_key");
    let message = json!({ "room_id": room.trim_start_matches("poker/") });
    let mut hearing = grpc.hear("Poker/Subscribe", &[("authorization", &bearer)], message).await.unwrap();
    assert!(hearing.view().await.is_some());
    drop((hearing, grpc));
    let said = house.terminate();
    let logged = format!("{}{}", said.stdout, said.stderr);
    assert!(logged.contains("TRACE"), "it was told to say everything");
    for secret in [user_key.as_str(), host_key, token, idempotency_key, "hk_another_key_of_the_talkative_log", CANARY] {
        let line = logged.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret} stands in the log: {line:?}");
    }
}

/// Everything the process logs, at the level an operator would use to look for trouble. Set up once for all tests.
pub(crate) fn logs() -> &'static Mutex<Vec<u8>> {
    static LOGS: OnceLock<Arc<Mutex<Vec<u8>>>> = OnceLock::new();
    LOGS.get_or_init(|| {
        let logs: Arc<Mutex<Vec<u8>>> = Arc::default();
        let writer = Writer(logs.clone());
        let subscriber =
            tracing_subscriber::fmt().with_max_level(LevelFilter::DEBUG).with_writer(move || writer.clone()).finish();
        tracing::subscriber::set_global_default(subscriber).expect("nobody else in this program listens to the logs");
        tracing::debug!("the logs are kept");
        assert!(!logs.lock().unwrap().is_empty());
        logs
    })
}

#[derive(Clone)]
struct Writer(Arc<Mutex<Vec<u8>>>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
