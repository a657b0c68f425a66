//! The access patterns of document 001, over the socket and by REST, alike on every store.

use super::copy::{Copy, space, truth};
use crate::doors::http::Answer;
use crate::doors::inside::{Inside, Store, user_key};
use crate::doors::shelves::Shelves;
use serde_json::{Value, json};

async fn post(server: &Inside, room: &str, verb: &str, with: &Value) -> Answer {
    let key = user_key("ana");
    let headers = [("parlor-user-key", key.as_str()), ("content-type", "application/json")];
    server.ask("POST", &format!("/v1/rooms/{room}/{verb}"), &headers, Some(&with.to_string())).await
}

async fn get(server: &Inside, room: &str, path: &str) -> Answer {
    server.ask("GET", &format!("/v1/rooms/{room}{path}"), &[("parlor-user-key", &user_key("ana"))], None).await
}

/// Create, get, upsert, remove an item, delete: of maps, lists and presences.
async fn patterns(store: Store, name: &str) -> Vec<String> {
    let server = Inside::start(store, &[]).await;
    let (room, host_key) = space(&server, name).await;
    let mut answers = Vec::new();
    let steps = [
        ("map_create", json!({ "map": "board" })),
        ("map_create", json!({ "map": "board" })),
        ("map_set", json!({ "map": "board", "key": "a", "value": { "x": "", "y": "" } })),
        ("map_set", json!({ "map": "board", "key": "b", "value": [1, 2.5, null, "é\u{1F600}"] })),
        ("map_set", json!({ "map": "board", "key": "a", "value": 1, "if_version": 0 })),
        ("map_set", json!({ "map": "board", "key": "a", "value": 1, "if_version": 3 })),
        ("map_remove", json!({ "map": "board", "key": "a", "if_version": 3 })),
        ("map_remove", json!({ "map": "board", "key": "a" })),
        ("map_remove", json!({ "map": "board", "key": "a" })),
        ("map_remove", json!({ "map": "nowhere", "key": "a" })),
        ("list_insert", json!({ "list": "todo", "value": "milk", "id": "i1" })),
        ("list_insert", json!({ "list": "todo", "value": "bread", "id": "i2" })),
        ("list_insert", json!({ "list": "todo", "value": "eggs", "id": "i3", "after": "i1" })),
        ("list_insert", json!({ "list": "todo", "value": "salt", "id": "i1" })),
        ("list_insert", json!({ "list": "todo", "value": "salt", "id": "i4", "after": "gone" })),
        ("list_set", json!({ "list": "todo", "id": "i3", "value": "a dozen eggs" })),
        ("list_set", json!({ "list": "todo", "id": "gone", "value": 1 })),
        ("list_move", json!({ "list": "todo", "id": "i2", "after": null })),
        ("list_remove", json!({ "list": "todo", "id": "i1" })),
        ("list_remove", json!({ "list": "todo", "id": "i1" })),
        ("presence_create", json!({ "presence": "cursors", "seconds": 5 })),
        ("presence_create", json!({ "presence": "cursors", "seconds": 0 })),
        ("presence_delete", json!({ "presence": "cursors" })),
        (
            "batch",
            json!({ "ops": [{ "do": "map_set", "with": { "map": "board", "key": "c", "value": 1 } }, { "do": "list_set", "with": { "list": "todo", "id": "gone", "value": 1 } }] }),
        ),
        ("map_clear", json!({ "map": "board" })),
        ("map_delete", json!({ "map": "board" })),
        ("map_delete", json!({ "map": "board" })),
        ("update_space", json!({ "name": "No" })),
        ("delete", json!({})),
    ];
    for (verb, with) in steps {
        let answer = post(&server, &room, verb, &with).await;
        let mut body = answer.json();
        // The epoch is this room's own; the number of the commit is everybody's.
        if let Some(at) = body["at"].as_str() {
            body["at"] = at.rsplit('-').next().unwrap().into();
        }
        answers.push(format!("{verb} {with}\n  {} {body}", answer.status));
    }
    for path in
        ["", "/maps/board", "/lists/todo", "/lists/todo?limit=1", "/lists/todo?limit=0", "/maps/board/c", "/presences/cursors"]
    {
        let answer = get(&server, &room, path).await;
        let mut body = answer.json();
        ["at", "mark", "room", "expires_at", "me"].iter().for_each(|own| drop(body.as_object_mut().map(|all| all.remove(*own))));
        answers.push(format!("GET {path}\n  {} {body}", answer.status));
    }
    // What the space holds is what somebody is read who comes by a socket.
    let held = truth(&server, &room).await;
    answers.push(format!("read out: {:?} {:?}", held.maps, held.in_order("todo")));
    let gone = server.ask("DELETE", &format!("/v1/rooms/{room}"), &[("parlor-host-key", &host_key)], None).await;
    answers.push(format!("deleted by the host: {}", gone.status));
    let after = post(&server, &room, "map_set", &json!({ "map": "board", "key": "a", "value": 1 })).await;
    answers.push(format!("h43 a write to a deleted space: {}", after.code()));
    answers
}

#[tokio::test]
async fn h42_h43_h46_h47_h48_every_access_pattern_of_the_document_by_rest_alike_on_every_store() {
    let shelves = Shelves::new().await;
    let mut first: Option<Vec<String>> = None;
    for (index, store) in shelves.all().into_iter().enumerate() {
        let answers = patterns(store, &format!("patterns-{index}")).await;
        shelves.clear().await;
        match &first {
            None => {
                insta::assert_snapshot!(answers.join("\n"));
                first = Some(answers);
            }
            Some(first) => assert_eq!(first, &answers, "{store:?}"),
        }
    }
}

#[tokio::test]
async fn h45_a_deleted_space_stays_deleted_and_its_listeners_are_told() {
    let shelves = Shelves::new().await;
    for (index, store) in shelves.all().into_iter().enumerate() {
        let server = Inside::start(store, &[]).await;
        let (room, host_key) = space(&server, &format!("deleted-{index}")).await;
        let mut ana = Copy::enter(&server, &room, "ana").await;
        let mut bo = Copy::enter(&server, &room, "bo").await;
        ana.does("map_set", json!({ "map": "board", "key": "a", "value": 1 })).await;
        // Writes that race with the end are answered yes before it or told that there is no such room.
        for n in 0..20 {
            bo.sends("map_set", json!({ "map": "board", "key": format!("k{n}"), "value": n }), None).await;
        }
        let gone = server.ask("DELETE", &format!("/v1/rooms/{room}"), &[("parlor-host-key", &host_key)], None).await;
        assert_eq!(gone.code(), "ok");
        ana.hears_until(|copy| copy.heard("ended").iter().any(|push| push["reason"] == "deleted")).await;
        let again = post(&server, &room, "map_set", &json!({ "map": "board", "key": "a", "value": 1 })).await;
        assert_eq!(again.code(), "room_not_found");
        let server = server.restart().await;
        assert_eq!(get(&server, &room, "").await.code(), "room_not_found");
        shelves.clear().await;
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = space(&server, "pages").await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    for n in 0..25 {
        ana.does("map_set", json!({ "map": "m", "key": format!("key {n:02}/ü"), "value": n })).await;
        ana.does("list_insert", json!({ "list": "l", "value": n })).await;
    }
    let (mut keys, mut after) = (Vec::new(), String::new());
    loop {
        let page = get(&server, &room, &format!("/maps/m?limit=10{after}")).await.json();
        keys.extend(page["entries"].as_object().unwrap().keys().cloned());
        let Some(next) = page["after"].as_str() else { break };
        after = format!("&after={}", next.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>());
    }
    assert_eq!(keys, ana.held.maps["m"].keys().cloned().collect::<Vec<_>>());
    let (mut values, mut after) = (Vec::new(), String::new());
    loop {
        let page = get(&server, &room, &format!("/lists/l?limit=7{after}")).await.json();
        values.extend(page["items"].as_array().unwrap().iter().map(|item| item[3].clone()));
        let Some(next) = page["after"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(values, ana.held.in_order("l"));
    let entry = get(&server, &room, "/maps/m/key%2007%2F%C3%BC").await.json();
    assert_eq!(entry["value"], 7);
    assert_eq!(get(&server, &room, "/maps/m/nothing").await.code(), "not_found");
}

#[tokio::test]
async fn h55_everyone_but_the_connection_that_did_it_is_told_its_other_tabs_too() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, _) = space(&server, "tabs").await;
    let mut tabs = Vec::new();
    for _ in 0..3 {
        tabs.push(Copy::enter(&server, &room, "ana").await);
    }
    let ok = tabs[0].does("map_set", json!({ "map": "m", "key": "k", "value": { "a" : 1 } })).await;
    assert_eq!(ok["changes"][0]["value"], json!({ "a": 1 }), "the answer has what was kept");
    let at = ok["at"].as_str().unwrap().to_owned();
    for tab in &mut tabs {
        tab.stands_at(&at).await;
        assert_eq!(tab.held.value("m", "k"), Some(&json!({ "a": 1 })));
    }
    assert_eq!(tabs.iter().map(|tab| tab.heard("changes").len()).collect::<Vec<_>>(), [0, 1, 1]);
    // H57: nobody can say to be another connection, or another person.
    for forged in ["by", "from", "listener", "connection_id", "user_id"] {
        let mut with = json!({ "map": "m", "key": "k", "value": 2 });
        with[forged] = tabs[1].user_id.clone().into();
        assert_eq!(tabs[0].tries("map_set", with).await["error"]["code"], "bad_request", "{forged}");
    }
}
