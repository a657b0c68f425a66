//! What a reader finds of a space in Redis with plain commands, and that a node which dies leaves no ghosts.

use crate::support::house::House;
use crate::support::line::Line;
use crate::support::player::EAGER;
use parlor_testbed::Redis;
use serde_json::{Value, json};

fn node(redis: &Redis, flags: &[&str]) -> House {
    House::start(&[EAGER, &["--store", &redis.url()], flags].concat())
}

struct Guest {
    line: Line,
    room: String,
    user_id: String,
    /// Of whoever made the space.
    host_key: String,
}

fn enter(house: &House, room: Option<&str>, name: &str) -> Guest {
    let mut line = Line::open(&house.ws_url(), &format!("the-user-key-that-only-{name}-has"), name).unwrap();
    let (room, host_key) = match room {
        Some(room) => (room.to_owned(), String::new()),
        None => {
            let wish = json!({ "kind": "space", "guests": "write", "name": "Board", "life_minutes": 60 });
            let made = line.ask(json!({ "do": "create", "with": wish })).unwrap();
            let word = |name: &str| made["ok"][name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
            (word("room"), word("host_key"))
        }
    };
    let entered = line.ask(json!({ "do": "enter", "room": room })).unwrap();
    let user_id = entered["ok"]["user_id"].as_str().unwrap_or_else(|| panic!("{entered}")).to_owned();
    Guest { line, room, user_id, host_key }
}

impl Guest {
    fn does(&mut self, verb: &str, with: Value) -> Value {
        let reply = self.line.ask(json!({ "do": verb, "room": self.room, "with": with })).unwrap();
        assert!(reply["ok"].is_object(), "{verb}: {reply}");
        reply["ok"].clone()
    }

    /// Hears until a presence frame, among those that came already too, is such.
    fn hears(&mut self, such: impl Fn(&Value) -> bool) {
        let is = |push: &Value| push["push"] == "presence" && such(push);
        while !self.line.pushed.iter().any(is) {
            let push = self.line.hear().unwrap();
            self.line.pushed.push(push);
        }
        self.line.pushed.clear();
    }
}

#[test]
fn a_space_in_redis_is_what_the_schema_says_key_by_key() {
    let redis = Redis::start();
    let house = node(&redis, &[]);
    let mut ana = enter(&house, None, "ana");
    ana.does("map_set", json!({ "map": "board", "key": "a b#c.d[0]", "value": { "x": 1.50, "t": "é" } }));
    ana.does("list_insert", json!({ "list": "todo", "value": "milk", "id": "i1" }));
    ana.does("presence_set", json!({ "presence": "cursors", "value": { "x": 1 } }));
    let id = ana.room.strip_prefix("space/").unwrap().to_owned();
    let ask = |words: &[&str]| redis.ask(words);
    let entry: Value = serde_json::from_str(&ask(&["HGET", &format!("space:{id}/map:board"), "a b#c.d[0]"]).text()).unwrap();
    assert_eq!(entry, json!({ "version": 2, "value": { "x": 1.50, "t": "é" } }));
    let item: Value = serde_json::from_str(&ask(&["HGET", &format!("space:{id}/list:todo"), "i1"]).text()).unwrap();
    assert_eq!(item, json!({ "order": "V000000", "version": 3, "value": "milk" }));
    let settings: Value = serde_json::from_str(&ask(&["GET", &format!("space_settings:{id}")]).text()).unwrap();
    assert_eq!((&settings["name"], &settings["guests"]), (&json!("Board"), &json!("write")));
    assert!(settings["host_key"].as_str().unwrap().starts_with("sha256:"), "{settings}");
    assert_eq!(ask(&["TYPE", &format!("space:{id}")]).text(), "stream");
    // Presence takes the other way: no value of it is in any key.
    for key in redis.ask(&["KEYS", &format!("*{id}*")]).many() {
        let shown = redis.ask(&["DUMP", &key.text()]);
        assert!(!format!("{shown:?}").contains("cursors"), "{} has a presence in it", key.text());
    }
    // All of it ends with the space, and nothing is left of one that is deleted.
    assert_eq!(redis.keys_without_deadline(), [""; 0]);
    let deleted = ana.line.ask(json!({ "do": "enter", "room": ana.room, "with": { "host_key": ana.host_key } })).unwrap();
    assert!(deleted["ok"].is_object(), "{deleted}");
    ana.does("delete", json!({}));
    let left = redis.ask(&["KEYS", &format!("*{id}*")]);
    let left: Vec<String> = left.many().iter().map(|key| key.text()).filter(|key| !key.ends_with("#here")).collect();
    assert_eq!(left, [""; 0], "left of a deleted space");
}

#[test]
fn h49_a_killed_nodes_people_are_gone_within_its_lease_with_what_they_showed() {
    let redis = Redis::start();
    let mut houses = [(); 2].map(|()| node(&redis, &["--redis-lease-seconds", "2"]));
    let mut bo = enter(&houses[1], None, "bo");
    let mut ana = enter(&houses[0], Some(&bo.room.clone()), "ana");
    ana.does("presence_set", json!({ "presence": "cursors", "value": { "x": 1 }, "seconds": 3600 }));
    bo.hears(|push| push["of"]["cursors"].is_object());
    houses[0].kill9();
    bo.hears(|push| push["gone"].is_array());
    let back = enter(&houses[1], Some(&bo.room.clone()), "ana");
    assert_eq!(back.user_id, ana.user_id);
    bo.hears(|push| push["who"][0][1] == json!(back.user_id));
}

#[test]
fn h40_h41_storms_of_coming_and_going_leave_exactly_those_who_are_there() {
    let redis = Redis::start();
    let houses = [(); 2].map(|()| node(&redis, &[]));
    let watcher = enter(&houses[0], None, "watcher");
    let room = watcher.room.clone();
    let stay: Vec<Guest> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|thread| {
                let (room, house) = (&room, &houses[thread % 2]);
                scope.spawn(move || {
                    let mut last = None;
                    for _ in 0..15 {
                        last = Some(enter(house, Some(room), &format!("person-{thread}")));
                    }
                    last.unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut expected: Vec<String> = stay.iter().chain([&watcher]).map(|guest| guest.user_id.clone()).collect();
    expected.sort();
    for house in &houses {
        let mut look = Line::open(&house.ws_url(), "the-user-key-that-only-watcher-has", "look").unwrap();
        loop {
            let seen = look.ask(json!({ "do": "look", "room": room })).unwrap();
            let mut here: Vec<String> = serde_json::from_value(seen["ok"]["view"]["here"].clone()).unwrap();
            here.sort();
            if here == expected {
                break;
            }
            assert!(here.len() <= 7, "{here:?}");
        }
    }
}
