//! What a game may be made of, and that nothing else makes one.

use super::game::{Game, Who, item, wish};
use crate::doors::inside::{Inside, Store};
use parlor::doors::Doors;
use parlor_engine::{Dice, Engine, House, Sessions};
use parlor_rules::{Credential, Millis, Wish};
use parlor_store::{Memory, NodeId};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

async fn refusal(server: &Inside, wish: &Value) -> String {
    let answer = server.ask("POST", "/v1/rooms", &[], Some(&wish.to_string())).await;
    let code = answer.code();
    assert_ne!(code, "ok", "{wish} made a game");
    code
}

fn with(change: impl Fn(&mut Value)) -> Value {
    let mut wish = wish();
    change(&mut wish);
    wish
}

#[tokio::test]
async fn h114_only_addresses_of_the_web_are_reels() {
    let server = Inside::start(Store::Memory, &[]).await;
    let schemes = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "javascript://%0aalert(1)",
        "data:text/html,<script>",
        "data:image/png;base64,AAAA",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://a.example/",
        "blob:https://a/x",
        "about:blank",
        "ws://a.example/",
        "intent://x",
        "mailto:a@b.c",
        "tel:1",
        "//a.example/x",
        "/reel/X",
        "reel",
        "",
        " ",
        "http:/a",
        "https:a.example",
        "https//a",
        "http://",
        "https://",
        "https:///x",
        "https://?x",
        "https://#x",
        "view-source:https://a.example",
        "jar:https://a!/",
        "chrome://settings",
        "moz-extension://x",
        "android-app://x",
        "steam://run/1",
        "ldap://a",
        "gopher://a/",
    ];
    let hidden = [
        "https://a.example/\u{202e}gnp",
        "https://a.example/\u{200b}",
        "https://a b.example/",
        "https://a.example/x y",
        "https://a.example/\n",
        "https://a.example/\t",
        "https://a.example/\u{0}",
        "https://a.example/\"onmouseover=x",
        "https://a.example/<script>",
        "https://a.example\\@b.example/",
        "https://a.example/`x`",
        "\u{feff}https://a.example/",
    ];
    let elsewhere = [
        "https://user@a.example/",
        "https://user:pass@a.example/",
        "https://www.instagram.com@evil.example/reel/X/",
        "http://@a.example",
        "https://a@b@c/",
        "https://:@a.example/",
    ];
    let long = format!("https://a.example/{}", "x".repeat(500));
    let bad: Vec<&str> = schemes.into_iter().chain(hidden).chain(elsewhere).chain([long.as_str()]).collect();
    // Each alone, and each hidden behind a capital or a space: over a hundred.
    let spelt = bad.iter().flat_map(|url| [(*url).to_owned(), format!("{url} "), url.replacen("s:", "S :", 1)]);
    let spelt: Vec<String> = spelt.filter(|url| url.parse::<parlor_rules::Link>().is_err() || url.contains('@')).collect();
    assert!(spelt.len() > 100, "{}", spelt.len());
    for url in &spelt {
        let wish = with(|wish| wish["rounds"][0]["items"][0]["reel"]["url"] = json!(url));
        assert_eq!(refusal(&server, &wish).await, "bad_request", "{url:?}");
    }
    let good = with(|wish| wish["rounds"][0]["items"][0]["reel"]["url"] = json!("https://例え.jp/@user/reel/1?x=a@b"));
    Game::wished(&server, "good", &good).await;
}

#[tokio::test]
async fn h99_h115_a_wish_that_is_no_game_says_why_and_makes_nothing() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (many, name) = (|count: usize| (0..count).map(|n| format!("x{n}")).collect::<Vec<_>>(), "Camille");
    let wrong = [
        with(|wish| wish["senders"] = json!([])),
        with(|wish| wish["rounds"] = json!([])),
        with(|wish| wish["rounds"][0]["items"] = json!([])),
        with(|wish| wish["rounds"][1]["round_id"] = json!("r1")),
        with(|wish| wish["rounds"][0]["items"][1]["item_id"] = json!("i1")),
        with(|wish| wish["rounds"][0]["items"][0]["true_sender_ids"] = json!([])),
        with(|wish| wish["rounds"][0]["items"][0]["true_sender_ids"] = json!(["s12", "s12"])),
        with(|wish| wish["rounds"][0]["items"][0]["true_sender_ids"] = json!(["s12", "nobody"])),
        with(|wish| wish["rounds"][0]["items"][0]["true_sender_ids"] = json!(["s12", "s9"])),
        with(|wish| wish["rounds"][0]["items"][0]["k"] = json!(7)),
        with(|wish| wish["senders"][1]["sender_id"] = json!("s12")),
        with(|wish| wish["senders"][1]["name"] = json!("CAMILLE")),
        with(|wish| wish["senders"][1]["name"] = json!("a\u{202e}b")),
        with(|wish| wish["senders"][1]["name"] = json!("x".repeat(41))),
        with(|wish| wish["senders"][1]["name"] = json!("<b>\u{0}")),
        with(|wish| wish["senders"][1]["sender_id"] = json!("a b")),
        with(|wish| wish["players"] = json!([{ "player_id": "p1", "name": name, "sender_id": "nobody" }])),
        with(|wish| wish["players"] = json!([{ "player_id": "p1", "name": name, "is_sender_bound": true }])),
        with(
            |wish| wish["players"] = json!([{ "player_id": "p1", "name": "A", "sender_id": "s12" }, { "player_id": "p2", "name": "B", "sender_id": "s12" }]),
        ),
        with(|wish| wish["vote_seconds"] = json!(4)),
        with(|wish| wish["vote_seconds"] = json!(601)),
        with(|wish| wish["title"] = json!("")),
        with(|wish| wish["master_key"] = json!("mine")),
        with(|wish| wish["senders"] = many(101).iter().map(|id| json!({ "sender_id": id, "name": id })).collect()),
        with(|wish| {
            wish["rounds"] = many(101).iter().map(|id| json!({ "round_id": id, "items": [item("i", &["s12"])] })).collect()
        }),
        with(|wish| wish["rounds"][0]["items"] = many(101).iter().map(|id| item(id, &["s12"])).collect()),
        json!({ "kind": "reels" }),
        json!({ "kind": "reels", "senders": {}, "rounds": [] }),
    ];
    for wish in &wrong {
        assert_eq!(refusal(&server, wish).await, "bad_request", "{wish}");
    }
    let large = with(|wish| wish["title"] = json!("x".repeat(2 << 20)));
    assert_eq!(refusal(&server, &large).await, "too_large");
}

#[tokio::test]
async fn a_whole_evening_of_a_thousand_reels_can_be_made() {
    let server = Inside::start(Store::Embedded, &[]).await;
    let items = |round: usize| (0..100).map(|n| item(&format!("item-{round}-{n}"), &["s12", "s44", "s7"])).collect::<Vec<_>>();
    let large = with(|wish| {
        wish["rounds"] = (0..10).map(|round| json!({ "round_id": format!("r{round}"), "items": items(round) })).collect();
    });
    let game = Game::wished(&server, "large", &large).await;
    assert_eq!(game.look(Who::Master).await["view"]["rounds_total"], 10);
    let too_many = with(|wish| {
        wish["rounds"] = (0..11).map(|round| json!({ "round_id": format!("r{round}"), "items": items(round) })).collect();
    });
    assert_eq!(refusal(&server, &too_many).await, "bad_request");
}

/// Dice whose bits that codes are made of fall alike until they are let loose.
#[derive(Default)]
struct Stuck {
    thrown: AtomicU64,
    loose: AtomicBool,
}

impl Dice for Stuck {
    fn bits(&self) -> u64 {
        let thrown = self.thrown.fetch_add(1, Ordering::SeqCst);
        if self.loose.load(Ordering::SeqCst) { thrown.wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { thrown << 40 | 0x67_89ab_cdef }
    }
}

#[tokio::test]
async fn h77_a_code_that_is_taken_is_never_given_to_a_second_game() {
    let memory = Memory::new(Arc::new(|| Millis(1_000_000)));
    let dice = Arc::new(Stuck::default());
    let clock: parlor_store::clock::SharedClock = Arc::new(|| Millis(1_000_000));
    let matches = parlor::settings::flags(clap::Command::new("serve")).get_matches_from(["serve"]);
    let config = parlor::config::Config::read(&parlor::settings::gather(&matches, |_| None).unwrap()).unwrap();
    let limits = config.engine;
    let house = House {
        rooms: Arc::new(memory.clone()),
        clock: clock.clone(),
        dice: dice.clone(),
        node: NodeId(1),
        limits,
        metronome: None,
    };
    let sessions = Sessions::new(Arc::new(memory.clone()), clock, dice.clone());
    let (_go, going) = watch::channel(false);
    let doors = Doors::new(Engine::new(house), sessions, config, going);
    let from = "127.0.0.1".parse().unwrap();
    let wished: Wish = parlor_wire::wish::read(Some(&wish().to_string())).unwrap();
    let Ok(first) = doors.create(from, None, &wished, None).await else { panic!("no game was made") };
    let before = doors.engine.look(&first.room, Credential::anonymous(), doors.encode.clone()).await.unwrap().view;
    let other = with(|wish| wish["title"] = json!("Another"));
    let other: Wish = parlor_wire::wish::read(Some(&other.to_string())).unwrap();
    let refused = doors.create(from, None, &other, None).await;
    assert!(refused.is_err(), "a second game took the code of the first");
    let after = doors.engine.look(&first.room, Credential::anonymous(), doors.encode.clone()).await.unwrap().view;
    assert_eq!(before, after);
    dice.loose.store(true, Ordering::SeqCst);
    let Ok(second) = doors.create(from, None, &other, None).await else { panic!("no other code was drawn") };
    assert_ne!(first.room, second.room);
}
