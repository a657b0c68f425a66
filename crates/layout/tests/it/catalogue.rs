//! Every key that is made is known again as what it is, and nothing else is.

use parlor_layout::catalogue::{prefixes, thing};
use parlor_layout::room_key;
use parlor_layout::schema::{REELS, SESSIONS, SHOP, SPACES, Shape, TABLE};
use parlor_layout::session::records;
use parlor_rules::{Address, Kind, Millis, SecretHash, Session, UserId};
use parlor_store::Thing;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn the_keys_of_every_room_are_known_again(id in "[a-zA-Z0-9_-]{1,40}") {
        let Ok(id) = id.parse() else { return Ok(()) };
        for kind in Kind::ALL {
            let room = room_key(&Address { kind: *kind, id: Clone::clone(&id) });
            prop_assert_eq!(thing(&room.spine), Some(Thing::Spine(room.clone())));
            for record in &*room.records {
                prop_assert_eq!(thing(record), Some(Thing::Part(room.clone())));
            }
        }
    }

    #[test]
    fn the_keys_of_every_session_are_known_again(id in "[a-zA-Z0-9_-]{1,40}", name in "\\PC{1,20}", token: [u8; 8]) {
        let (Ok(id), Ok(name)) = (id.parse::<UserId>(), name.parse()) else { return Ok(()) };
        for (key, _) in records(&Session::new(id, name, SecretHash::of(&token), Millis(1))) {
            prop_assert_eq!(thing(&key), Some(Thing::Record { tag: "".into() }), "{}", key);
        }
    }

    #[test]
    fn what_is_known_begins_as_the_schema_says(key in "(room_condition|room_seats|room|space|space_settings|token|user_name|other|)[:_]?[a-z0-9:#/{}]{0,12}") {
        if thing(&key).is_some() {
            prop_assert!(prefixes().any(|prefix| key.starts_with(prefix)), "{}", key);
        }
    }
}

#[test]
fn the_catalogue_knows_each_row_of_the_schema() {
    let mut met = BTreeSet::new();
    for row in SESSIONS.iter().chain(TABLE).chain(SPACES) {
        let (prefix, _) = row.key.split_once('(').unwrap();
        assert!(met.insert(prefix), "{prefix} is there twice");
        let found = thing(&format!("{prefix}lusab-babad-gutih-tugad"));
        match found {
            Some(Thing::Spine(_)) => assert_eq!(row.shape, Shape::Stream, "{prefix}"),
            Some(Thing::Part(_)) => assert!(TABLE.iter().chain(SPACES).any(|other| other.key == row.key), "{prefix}"),
            Some(Thing::Record { .. }) => assert!(SESSIONS.iter().any(|other| other.key == row.key), "{prefix}"),
            None => panic!("{prefix} is in the schema, and the catalogue does not know it"),
        }
    }
    met.insert("room:");
    for row in SHOP {
        let key = row.key.replace("(visit)", &"0".repeat(64)).replace("(user_name)", "a:b").replace("(row_id)", "a:b");
        assert_eq!(thing(&key), Some(Thing::Record { tag: "".into() }), "{key}");
        met.insert(row.key.split('(').next().unwrap());
    }
    assert_eq!(prefixes().collect::<BTreeSet<_>>(), met);
}

/// A game's keys have the code in the middle.
#[test]
fn the_catalogue_knows_each_row_of_a_game() {
    let room = room_key(&"reels/ABCD2345".parse().unwrap());
    for row in REELS {
        let key = row
            .key
            .replace("(code)", "ABCD2345")
            .replace("(round_id)", "r1")
            .replace("(item_id)", "i1")
            .replace("(player_id)", "p1");
        let expected = if row.shape == Shape::Stream { Thing::Spine(room.clone()) } else { Thing::Part(room.clone()) };
        assert_eq!(thing(&key), Some(expected), "{key}");
    }
}

#[test]
fn what_nobody_here_writes_is_foreign() {
    for key in [
        "",
        "room_lock:12345",
        "room_condition",
        "room_condition:",
        "room_condition:a#here",
        "room_condition:a/b",
        "cart:7",
        "space:a/map:b",
        "map:b",
        "list:b",
        "room:ABCD2345",
        "room:ABCD2345:",
        "room:x:y",
        "room:a b:meta",
        "room:ABCD2345:metadata",
        "room:ABCD2345:commits#here",
        "room:ABCD2345:commits#records",
        "room:ABCD2345:stats#moving",
        "room:ABCD2345:votes:r1:i1#moving",
        "room:ABCD2345:votes:r1",
        "room:ABCD2345:round_delta:",
        "room:ABCD2345:commits/x",
        "{ABCD2345}:room:ABCD2345:meta",
    ] {
        assert_eq!(thing(key), None, "{key:?}");
    }
}
