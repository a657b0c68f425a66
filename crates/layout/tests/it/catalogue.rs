//! Every key that is made is known again as what it is, and nothing else is.

use parlor_layout::catalogue::{prefixes, thing};
use parlor_layout::room_key;
use parlor_layout::schema::{SESSIONS, SPACES, Shape, TABLE};
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
    fn what_is_known_begins_as_the_schema_says(key in "(room_condition|room_seats|space|space_settings|token|user_name|other|)[:_]?[a-z0-9:#/{}]{0,12}") {
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
    assert_eq!(prefixes().collect::<BTreeSet<_>>(), met);
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
    ] {
        assert_eq!(thing(key), None, "{key:?}");
    }
}
