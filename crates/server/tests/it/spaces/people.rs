//! Presence: yours alone, never kept, gone with your last connection or its time.

use super::copy::{Copy, space};
use crate::doors::inside::{Inside, Store, user_key};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Who is here and what they show, as one connection has it from what it was told.
#[derive(Default, Debug)]
pub(super) struct People {
    pub(super) who: BTreeMap<u64, String>,
    pub(super) shown: BTreeMap<String, BTreeMap<String, Value>>,
}

impl People {
    pub(super) fn of(copy: &Copy) -> People {
        let mut people = People::default();
        for frame in copy.heard("presence") {
            people.take(frame);
        }
        people
    }

    fn take(&mut self, frame: &Value) {
        if frame["whole"] == true {
            *self = People::default();
        }
        for number in list(&frame["gone"]) {
            let user = self.who.remove(&number.as_u64().unwrap()).expect("who goes was here");
            self.shown.values_mut().for_each(|values| drop(values.remove(&user)));
        }
        for person in list(&frame["who"]) {
            self.who.insert(person[0].as_u64().unwrap(), person[1].as_str().unwrap().to_owned());
        }
        for (presence, told) in frame["of"].as_object().into_iter().flatten() {
            let values = self.shown.entry(presence.clone()).or_default();
            let user = |row: &Value| self.who[&row[0].as_u64().unwrap()].clone();
            for row in list(&told["set"]) {
                let keys = list(&told["keys"]).iter().map(|key| key.as_str().unwrap().to_owned());
                let cells = row.as_array().unwrap()[1..].iter().cloned();
                values.insert(user(row), keys.zip(cells).collect::<serde_json::Map<_, _>>().into());
            }
            for row in list(&told["raw"]) {
                values.insert(user(row), row[1].clone());
            }
            for number in list(&told["unset"]) {
                values.remove(&self.who[&number.as_u64().unwrap()]);
            }
        }
    }

    pub(super) fn is_here(&self, user: &str) -> bool {
        self.who.values().any(|other| other == user)
    }

    pub(super) fn value(&self, presence: &str, user: &str) -> Option<&Value> {
        self.shown.get(presence)?.get(user)
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

async fn sees(copy: &mut Copy, holds: impl Fn(&People) -> bool) {
    copy.hears_until(|copy| holds(&People::of(copy))).await;
}

async fn three(name: &str) -> (Inside, String, Copy, Copy) {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = space(&server, name).await;
    let ana = Copy::enter(&server, &room, "ana").await;
    let bo = Copy::enter(&server, &room, "bo").await;
    (server, room, ana, bo)
}

#[tokio::test]
async fn what_somebody_shows_is_seen_by_all_and_ends_with_them() {
    let (server, room, mut ana, mut bo) = three("shows").await;
    ana.flashes("presence_set", json!({ "presence": "cursors", "value": { "x": 1, "y": 2 } })).await;
    let (a, b) = (ana.user_id.clone(), bo.user_id.clone());
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 1, "y": 2 }))).await;
    bo.flashes("presence_set", json!({ "presence": "cursors", "value": "anything" })).await;
    sees(&mut ana, |people| people.value("cursors", &b) == Some(&json!("anything"))).await;
    // Whoever comes later is told of everybody.
    let mut cy = Copy::enter(&server, &room, "cy").await;
    sees(&mut cy, |people| people.value("cursors", &a).is_some() && people.value("cursors", &b).is_some()).await;
    let looked =
        server.ask("GET", &format!("/v1/rooms/{room}/presences/cursors"), &[("parlor-user-key", &user_key("cy"))], None).await;
    assert_eq!(looked.json()["people"].as_array().unwrap().len(), 2);
    ana.flashes("presence_remove", json!({ "presence": "cursors" })).await;
    sees(&mut bo, |people| people.is_here(&a) && people.value("cursors", &a).is_none()).await;
    drop(ana);
    sees(&mut bo, |people| !people.is_here(&a)).await;
    // It never took the durable way.
    assert!(bo.heard("changes").is_empty());
}

#[tokio::test]
async fn h51_closing_one_of_several_tabs_does_not_evict_the_person() {
    let (server, room, ana, mut bo) = three("tabs-of-one").await;
    let a = ana.user_id.clone();
    let mut second = Copy::enter(&server, &room, "ana").await;
    second.flashes("presence_set", json!({ "presence": "cursors", "value": { "x": 7 } })).await;
    sees(&mut bo, |people| people.value("cursors", &a).is_some()).await;
    assert_eq!(People::of(&bo).who.values().filter(|user| **user == a).count(), 1, "two tabs are one person");
    drop(ana);
    // The close arrives before this, in the order of the room's own inbox or not at all.
    second.flashes("presence_set", json!({ "presence": "cursors", "value": { "x": 8 } })).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 8 }))).await;
    assert!(bo.heard("presence").iter().all(|frame| frame.get("gone").is_none()), "the person was never gone");
    drop(second);
    sees(&mut bo, |people| !people.is_here(&a)).await;
}

#[tokio::test]
async fn h59_a_late_close_of_an_old_socket_does_not_evict_the_new_one() {
    let (server, room, mut ana, mut bo) = three("late-close").await;
    let a = ana.user_id.clone();
    ana.flashes("presence_set", json!({ "presence": "cursors", "value": 1 })).await;
    sees(&mut bo, |people| people.value("cursors", &a).is_some()).await;
    // The new line is there before the old one is known to be dead.
    let mut again = Copy::enter(&server, &room, "ana").await;
    again.flashes("presence_set", json!({ "presence": "cursors", "value": 2 })).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!(2))).await;
    drop(ana);
    again.does("map_set", json!({ "map": "m", "key": "k", "value": 1 })).await;
    again.flashes("presence_set", json!({ "presence": "cursors", "value": 3 })).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!(3))).await;
    assert!(bo.heard("presence").iter().all(|frame| frame.get("gone").is_none()));
}

#[tokio::test]
async fn h52_what_is_shown_ends_after_its_time_and_no_time_is_out_of_bounds() {
    let (_server, _room, mut ana, mut bo) = three("time").await;
    let a = ana.user_id.clone();
    for seconds in [json!(0), json!(3601), json!(u64::MAX), json!(-1), json!(1.5), json!("60")] {
        let with = json!({ "presence": "cursors", "value": 1, "seconds": seconds });
        assert_eq!(ana.tries("presence_set", with).await["error"]["code"], "bad_request", "{seconds}");
    }
    ana.does("presence_set", json!({ "presence": "cursors", "value": 1, "seconds": 1 })).await;
    sees(&mut bo, |people| people.value("cursors", &a).is_some()).await;
    sees(&mut bo, |people| people.is_here(&a) && people.value("cursors", &a).is_none()).await;
    // A presence that says for how long is asked when nobody else does.
    ana.does("presence_create", json!({ "presence": "short", "seconds": 1 })).await;
    ana.does("presence_set", json!({ "presence": "short", "value": 1 })).await;
    sees(&mut bo, |people| people.value("short", &a).is_some()).await;
    sees(&mut bo, |people| people.value("short", &a).is_none()).await;
}

#[tokio::test]
async fn what_is_shown_is_taken_in_the_order_it_was_said_with_and_without_an_answer() {
    let (_server, _room, mut ana, mut bo) = three("order").await;
    let a = ana.user_id.clone();
    for n in 0..20u64 {
        ana.flashes("presence_set", json!({ "presence": "cursors", "value": n })).await;
        ana.does("presence_remove", json!({ "presence": "cursors" })).await;
        ana.flashes("presence_set", json!({ "presence": "end", "value": n })).await;
        sees(&mut bo, |people| people.value("end", &a) == Some(&json!(n))).await;
        assert_eq!(People::of(&bo).value("cursors", &a), None, "it was taken back");
    }
}

#[tokio::test]
async fn h60_nobody_shows_anything_for_another() {
    let (_server, _room, mut ana, bo) = three("forged").await;
    for forged in ["user_id", "user", "by", "userId"] {
        let mut with = json!({ "presence": "cursors", "value": 1 });
        with[forged] = bo.user_id.clone().into();
        assert_eq!(ana.tries("presence_set", with).await["error"]["code"], "bad_request", "{forged}");
    }
    ana.does("presence_set", json!({ "presence": "cursors", "value": 1 })).await;
    sees(&mut ana, |people| !people.shown.is_empty()).await;
    assert!(People::of(&ana).value("cursors", &bo.user_id).is_none());
}

#[tokio::test]
async fn a_presence_that_is_taken_away_takes_everybodys_values_along() {
    let (_server, _room, mut ana, mut bo) = three("taken-away").await;
    let (a, b) = (ana.user_id.clone(), bo.user_id.clone());
    for copy in [&mut ana, &mut bo] {
        copy.does("presence_set", json!({ "presence": "cursors", "value": 1 })).await;
        copy.does("presence_set", json!({ "presence": "players", "value": 1 })).await;
    }
    sees(&mut bo, |people| people.value("cursors", &a).is_some() && people.value("cursors", &b).is_some()).await;
    ana.does("presence_delete", json!({ "presence": "cursors" })).await;
    ana.does("presence_create", json!({ "presence": "cursors" })).await;
    ana.does("presence_delete", json!({ "presence": "cursors" })).await;
    sees(&mut bo, |people| people.value("cursors", &a).is_none() && people.value("cursors", &b).is_none()).await;
    assert!(People::of(&bo).value("players", &a).is_some());
}

#[tokio::test]
async fn being_here_without_a_socket_lasts_its_time_and_can_be_ended() {
    let (server, room, _ana, mut bo) = three("visit").await;
    let key = user_key("dee");
    let headers = [("parlor-user-key", key.as_str()), ("content-type", "application/json")];
    let post = |verb: &'static str, body: &'static str| {
        let (server, path, headers) = (&server, format!("/v1/rooms/{room}/{verb}"), headers);
        async move { server.ask("POST", &path, &headers, Some(body)).await.code() }
    };
    assert_eq!(post("join", "{}").await, "ok");
    let here = |people: &People| people.who.len() == 3;
    sees(&mut bo, here).await;
    assert_eq!(post("presence_set", r#"{"presence":"cursors","value":{"x":1}}"#).await, "ok");
    sees(&mut bo, |people| people.shown.get("cursors").is_some_and(|values| values.len() == 1)).await;
    assert_eq!(post("leave", "{}").await, "ok");
    sees(&mut bo, |people| people.who.len() == 2 && people.shown["cursors"].is_empty()).await;
    assert_eq!(post("presence_set", r#"{"presence":"cursors","value":{"x":1},"seconds":1}"#).await, "ok");
    sees(&mut bo, here).await;
    sees(&mut bo, |people| people.who.len() == 2).await;
}

#[tokio::test]
async fn whoever_looks_at_a_part_of_the_plane_is_told_of_that_part() {
    let (server, room, mut ana, mut bo) = three("view").await;
    let a = ana.user_id.clone();
    bo.does("presence_view", json!({ "presence": "cursors", "box": [0, 0, 100, 100] })).await;
    let mut cy = Copy::enter(&server, &room, "cy").await;
    let show = |x: i64| json!({ "presence": "cursors", "value": { "x": x, "y": 50 } });
    ana.does("presence_set", show(10)).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 10, "y": 50 }))).await;
    // Out of the box: told once, so that it is not left standing at the edge; then no more.
    ana.does("presence_set", show(200)).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 200, "y": 50 }))).await;
    sees(&mut cy, |people| people.value("cursors", &a) == Some(&json!({ "x": 200, "y": 50 }))).await;
    for x in 300..320 {
        ana.does("presence_set", show(x)).await;
        sees(&mut cy, |people| people.value("cursors", &a) == Some(&json!({ "x": x, "y": 50 }))).await;
    }
    ana.does("presence_set", show(20)).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 20, "y": 50 }))).await;
    let told = bo.heard("presence").iter().filter(|frame| frame["of"]["cursors"].is_object()).count();
    assert!(told <= 4, "told of what is elsewhere: {:?}", bo.heard("presence"));
    bo.does("presence_view", json!({ "presence": "cursors", "box": null })).await;
    ana.does("presence_set", show(500)).await;
    sees(&mut bo, |people| people.value("cursors", &a) == Some(&json!({ "x": 500, "y": 50 }))).await;
}

#[tokio::test]
async fn nobody_shows_more_than_they_may() {
    let (_server, _room, mut ana, _bo) = three("limits").await;
    let fits = format!("\"{}\"", "x".repeat(2046));
    let fits: Value = serde_json::from_str(&fits).unwrap();
    ana.does("presence_set", json!({ "presence": "big", "value": fits })).await;
    let over = ana.tries("presence_set", json!({ "presence": "big", "value": "x".repeat(2047) })).await;
    assert_eq!(over["error"]["code"], "too_large");
    for n in 0..15 {
        ana.does("presence_set", json!({ "presence": format!("p{n}"), "value": n })).await;
    }
    let over = ana.tries("presence_set", json!({ "presence": "one-more", "value": 1 })).await;
    assert_eq!(over["error"]["code"], "room_full");
    ana.does("presence_set", json!({ "presence": "p3", "value": 4 })).await;
}
