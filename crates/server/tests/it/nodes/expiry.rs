//! Every key of a room ends with the room: after every command, when Redis takes them, and when the host does.

use super::game::Over;
use super::guest::Guest;
use super::node::node;
use super::shelf::{all_ends, id_of, keys};
use crate::support::house::until;
use crate::support::player::{Table, card};
use parlor_rules::Kind;
use parlor_testbed::Redis;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// All keys of the room but who is here, which no commit writes and which ends on its own, sooner.
fn room_keys(redis: &Redis, room: &str) -> Vec<(String, i64)> {
    keys(redis, id_of(room)).into_iter().filter(|(key, _)| !key.ends_with("#here")).collect()
}

#[test]
fn h70_h71_h72_h75_after_every_verb_every_key_of_a_room_ends_when_the_room_does() {
    let redis = Redis::start();
    let houses = [node(&redis.url()), node(&redis.url())];
    let table = Table::new(&houses[0].ws_url());
    let host_key = json!({ "host_key": table.host_key });
    let (mut ana, _) = Guest::enter(&houses[0], &table, "ana", host_key.clone()).unwrap();
    ana.does("join", json!({ "user_name": "ana" }));
    let mut bo = Guest::seated(&houses[1], &table, "bo");
    let id_of_bo = bo.looks()["me"]["user_id"].clone();
    let mut cy = Guest::seated(&houses[1], &table, "cy");
    let id_of_cy = cy.looks()["me"]["user_id"].clone();
    let mut played = BTreeSet::from(["join"]);
    let mut expires = 0;
    let mut does = |guest: &mut Guest, verb: &'static str, with: Value| {
        guest.does(verb, with);
        played.insert(verb);
        let seen = guest.looks()["expires_at"].as_i64().unwrap();
        assert!(seen >= expires, "{verb} took life away");
        expires = seen;
        let keys = room_keys(&redis, &table.room);
        assert!(keys.len() >= 3, "{verb}: {keys:?}");
        assert!(keys.iter().all(|(_, deadline)| *deadline == expires), "{verb}: the room ends at {expires}, {keys:?}");
    };
    does(&mut bo, "vote", json!({ "card": card(1) }));
    does(&mut bo, "take_back", json!({}));
    does(&mut bo, "vote", json!({ "card": card(2) }));
    does(&mut ana, "show", json!({}));
    does(&mut ana, "set_revealed", json!({ "is_revealed": false }));
    does(&mut ana, "reset", json!({}));
    does(&mut ana, "set_valid_sizes", json!({ "valid_sizes": "1 2 3" }));
    does(&mut ana, "set_observer", json!({ "observer": true }));
    does(&mut ana, "update_room", json!({ "name": "Sprint 42" }));
    does(&mut ana, "start_timer", json!({ "seconds": 600 }));
    does(&mut ana, "stop_timer", json!({}));
    does(&mut ana, "add_stories", json!({ "stories": [{ "title": "Log in" }, { "title": "Log out" }] }));
    does(&mut ana, "import_stories", json!({ "csv": "Search\nSort\n" }));
    let story = ana.looks()["view"]["stories"][0]["story_id"].clone();
    does(&mut ana, "edit_story", json!({ "story_id": story, "title": "Log in first" }));
    does(&mut ana, "move_story", json!({ "story_id": story, "to": 1 }));
    does(&mut ana, "pick_story", json!({ "story_id": story }));
    does(&mut bo, "vote", json!({ "card": "3" }));
    does(&mut ana, "show", json!({}));
    does(&mut ana, "remove_story", json!({ "story_id": story }));
    does(&mut ana, "hand_over", json!({ "user_id": id_of_bo }));
    does(&mut ana, "kick", json!({ "user_id": id_of_cy }));
    does(&mut bo, "delete_user", json!({}));
    does(&mut ana, "leave", json!({}));
    ana.does("delete", json!({}));
    played.insert("delete");
    assert_eq!(keys(&redis, id_of(&table.room)).len(), 0);
    let all: BTreeSet<&str> = parlor_wire::commands::verbs(Kind::Poker).iter().map(|verb| verb.name).collect();
    assert_eq!(played, all, "every verb there is was played");
    all_ends(&redis);
}

#[test]
fn h73_a_room_whose_keys_redis_took_ends_once_for_every_listener_of_both_nodes() {
    let redis = Redis::start();
    let houses = [node(&redis.url()), node(&redis.url())];
    let table = Table::new(&houses[0].ws_url());
    let mut guests =
        [("ana", 0), ("bo", 1), ("cy", 0), ("dan", 1)].map(|(name, house)| Guest::seated(&houses[house], &table, name));
    for key in keys(&redis, id_of(&table.room)).keys() {
        redis.ask(&["PEXPIRE", key, "1"]);
    }
    until("Redis took them all", || keys(&redis, id_of(&table.room)).is_empty());
    for guest in &mut guests[..2] {
        let refused = guest.tries("vote", json!({ "card": card(1) })).unwrap();
        assert_eq!(refused["error"]["code"], "room_not_found", "{refused}");
    }
    for guest in &mut guests {
        guest.hears(|push| push["push"] == "ended");
        // Whatever is still under way comes before the answer to this.
        guest.line.ask(json!({ "do": "ping" })).unwrap();
        let ended = guest.line.pushed.iter().filter(|push| push["push"] == "ended").count();
        assert_eq!(ended, 1, "{}", guest.name);
    }
    assert_eq!(keys(&redis, id_of(&table.room)).len(), 0, "nobody brought a part of it back");
}

#[test]
fn h108_a_room_deleted_under_votes_of_both_nodes_leaves_no_key_then_or_later() {
    let redis = Redis::start();
    let houses = [node(&redis.url()), node(&redis.url())];
    let table = Table::new(&houses[0].ws_url());
    let (acked, refused, over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for voter in 0..6 {
            let (table, houses, acked, refused, over) = (&table, &houses, &acked, &refused, &over);
            scope.spawn(move || {
                let mut guest = Guest::seated(&houses[voter % 2], table, &format!("voter-{voter}"));
                while !over.load(Ordering::Relaxed) {
                    let reply = guest.tries("vote", json!({ "card": card(voter as u64) })).unwrap();
                    let count = if reply["ok"].is_object() { acked } else { refused };
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let _over = Over(&over);
        until("all vote", || acked.load(Ordering::Relaxed) > 300);
        let (mut host, _) = Guest::enter(&houses[1], &table, "host", json!({ "host_key": table.host_key })).unwrap();
        host.does("delete", json!({}));
        // All go on voting for what is gone, as long as this looks.
        let (gone, before) = (Instant::now(), refused.load(Ordering::Relaxed));
        while gone.elapsed() < Duration::from_millis(1500) || refused.load(Ordering::Relaxed) < before + 300 {
            let left = keys(&redis, id_of(&table.room));
            assert!(left.is_empty(), "{:?} after its end: {left:?}", gone.elapsed());
            std::thread::park_timeout(Duration::from_millis(5)); // Between two looks, not instead of one.
        }
    });
    eprintln!("{} votes before the end, {} after it", acked.into_inner(), refused.into_inner());
    all_ends(&redis);
}
