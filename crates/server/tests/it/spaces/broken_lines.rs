//! Many write at once over lines that break: everyone ends with what the server has, and nothing that was acknowledged is lost.

use super::copy::{Copy, space, truth};
use crate::doors::inside::{Inside, Store};
use crate::doors::shelves::Shelves;
use crate::support::dice::Dice;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PEOPLE: u64 = 4;
const STEPS: u64 = 150;

/// One of the commands, with keys and ids that others use too.
fn wish(dice: &mut Dice, step: u64, copy: &Copy) -> (&'static str, Value) {
    let key = format!("k{}", dice.below(5));
    let ids = copy.held.ids_in_order("todo");
    let some = |dice: &mut Dice| ids.get(dice.below(ids.len() as u64) as usize).cloned();
    match dice.below(13) {
        0..=3 => ("map_set", json!({ "map": "board", "key": key, "value": { "step": step, "by": copy.name } })),
        4 => ("map_remove", json!({ "map": "board", "key": key })),
        5 if dice.below(8) == 0 => ("map_clear", json!({ "map": "board" })),
        5..=8 => {
            let mut with = json!({ "list": "todo", "value": step, "id": format!("i-{}-{step}", copy.name) });
            match (dice.below(3), some(dice)) {
                (0, Some(id)) => {
                    with["order"] = copy.held.lists["todo"][&id].0.clone().into();
                    with["after"] = id.into();
                }
                (1, _) => with["at"] = dice.below(4).into(),
                _ => {}
            }
            ("list_insert", with)
        }
        9 | 10 => match some(dice) {
            Some(id) => ("list_move", json!({ "list": "todo", "id": id, "at": dice.below(5) })),
            None => ("list_create", json!({ "list": "todo" })),
        },
        11 => match some(dice) {
            Some(id) => ("list_remove", json!({ "list": "todo", "id": id })),
            None => ("map_create", json!({ "map": "empty" })),
        },
        _ => {
            let ops = [
                ("map_set", json!({ "map": "pair", "key": "a", "value": step })),
                ("map_set", json!({ "map": "pair", "key": "b", "value": step })),
            ];
            let ops: Vec<Value> = ops.into_iter().map(|(verb, with)| json!({ "do": verb, "with": with })).collect();
            ("batch", json!({ "ops": ops }))
        }
    }
}

/// What somebody sent and has not heard the answer to.
struct Open {
    verb: &'static str,
    with: Value,
    number: u64,
    id: u64,
}

async fn play(store: Store, dice: &mut Dice, name: &str) {
    let server = Inside::start(store, &[]).await;
    let (room, _) = space(&server, name).await;
    let mut copies = Vec::new();
    for person in 0..PEOPLE {
        copies.push(Copy::enter(&server, &room, &format!("p{person}")).await);
    }
    let mut open: BTreeMap<usize, Open> = BTreeMap::new();
    let mut numbers = [0u64; PEOPLE as usize];
    let (mut inserted, mut removed) = (BTreeSet::new(), BTreeSet::new());
    for step in 0..STEPS {
        let who = dice.below(PEOPLE) as usize;
        match dice.below(10) {
            0 => {
                // The line breaks, and whatever was under way is sent again with its number.
                copies[who].come_back(&server).await;
                if let Some(again) = open.get_mut(&who) {
                    again.id = copies[who].sends(again.verb, again.with.clone(), Some(again.number)).await;
                }
            }
            1..=6 if !open.contains_key(&who) => {
                let (verb, with) = wish(dice, step, &copies[who]);
                numbers[who] += 1;
                if verb == "list_remove" {
                    removed.insert(with["id"].as_str().unwrap().to_owned());
                }
                let id = copies[who].sends(verb, with.clone(), Some(numbers[who])).await;
                open.insert(who, Open { verb, with, number: numbers[who], id });
            }
            _ => {
                if let Some(sent) = open.remove(&who) {
                    let reply = answer(&mut copies[who], sent.id).await;
                    note(&mut inserted, &sent, &reply);
                    let refused = reply["error"]["code"].as_str();
                    assert!(refused.is_none_or(|code| code == "not_found"), "{reply}");
                }
            }
        }
    }
    for (who, sent) in open {
        let reply = answer(&mut copies[who], sent.id).await;
        note(&mut inserted, &sent, &reply);
    }
    let last =
        copies[0].does("map_set", json!({ "map": "end", "key": "k", "value": 1 })).await["at"].as_str().unwrap().to_owned();
    let held = truth(&server, &room).await;
    let there: BTreeSet<String> = held.ids_in_order("todo").into_iter().collect();
    let lost: Vec<&String> = inserted.iter().filter(|id| !there.contains(*id) && !removed.contains(*id)).collect();
    assert!(lost.is_empty() && !inserted.is_empty(), "acknowledged and lost: {lost:?}");
    for copy in &mut copies {
        copy.stands_at(&last).await;
        assert_eq!(copy.held, held, "{} differs", copy.name);
    }
    if let (Some(a), Some(b)) = (held.value("pair", "a"), held.value("pair", "b")) {
        assert_eq!(a, b, "half of a batch");
    }
    // Everything is where it is said to be after a restart, too.
    let server = server.restart().await;
    assert_eq!(truth(&server, &room).await, held, "after a restart");
}

/// What was put in and acknowledged, at the first answer or at a later one.
fn note(inserted: &mut BTreeSet<String>, sent: &Open, reply: &Value) {
    if reply["ok"].is_object() && sent.verb == "list_insert" {
        inserted.insert(sent.with["id"].as_str().unwrap().to_owned());
    }
}

async fn answer(copy: &mut Copy, id: u64) -> Value {
    loop {
        let frame = copy.hear().await;
        if frame["id"] == id {
            return frame;
        }
    }
}

#[tokio::test]
async fn h53_h54_h55_h56_everyone_ends_with_what_the_server_has_on_every_store() {
    let mut dice = Dice::new("broken lines");
    let shelves = Shelves::new().await;
    for round in 0..3 {
        for (index, store) in shelves.all().into_iter().enumerate() {
            play(store, &mut dice.child(), &format!("broken-{round}-{index}")).await;
            shelves.clear().await;
        }
    }
}

#[tokio::test]
async fn whoever_was_away_for_longer_than_is_remembered_is_read_the_space_anew() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = space(&server, "long-sleep").await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    let mut bo = Copy::enter(&server, &room, "bo").await;
    ana.does("map_set", json!({ "map": "m", "key": "before", "value": 1 })).await;
    assert!(ana.come_back(&server).await, "nothing was missed");
    let mut last = String::new();
    for n in 0..400 {
        let value = "x".repeat(2000);
        last = bo.does("map_set", json!({ "map": "m", "key": format!("k{}", n % 7), "value": value })).await["at"]
            .as_str()
            .unwrap()
            .to_owned();
    }
    assert!(!ana.come_back(&server).await, "more was missed than anybody remembers");
    ana.stands_at(&last).await;
    assert_eq!(ana.held, bo.held);
}

#[tokio::test]
async fn own_commands_that_were_missed_come_with_their_number() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = space(&server, "echo").await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    let place = ana.place.clone();
    ana.does_with("map_set", json!({ "map": "m", "key": "k", "value": 1 }), Some(7)).await;
    ana.place = place;
    ana.held = Default::default();
    assert!(ana.come_back(&server).await);
    ana.hears_until(|copy| copy.held.value("m", "k").is_some()).await;
    let changes = ana.heard("changes");
    assert_eq!(changes[0]["done"][0]["n"], 7, "{changes:?}");
    let again = ana.does_with("map_set", json!({ "map": "m", "key": "k", "value": 1 }), Some(7)).await;
    assert_eq!((&again["ok"]["again"], again["ok"].get("changes")), (&json!(true), None));
}
