//! A room that went to rest before it could have stories, observers or a name wakes as the room it was.

use bytes::Bytes;
use parlor_layout::{entry_commit, wake};
use parlor_rules::poker::{Event, History, Life, RevealBy, Settings, Stories, Timer};
use parlor_rules::{Credential, Millis, Span, State};
use parlor_store::{Field, Key, Value};
use std::collections::BTreeMap;

/// As the first version wrote them, byte for byte.
const SETTINGS: &str = r#"{"host_key":"sha256:fb1b291ae5bf3c417fe6aa43333512166f4250dede4297c993e135861e00b0bd","valid_sizes":"1 2 3 5 8 13 20 ? ∞","admin_user_id":"user_id_1","vote_state":1,"round":3,"timer_ends":1767225690000,"arrivals":7,"created_at":1767225600000}"#;
const SEATS: [(&str, &str); 2] = [
    (
        "user_id_1",
        r#"{"user_name":"user_name_1","user_key":"sha256:c57a63dd167202675b1dc9c6e6a7656203d7069eb3358a5e1195085c27cf33c0","arrival":1}"#,
    ),
    (
        "user_id_2",
        r#"{"user_name":"Zoë O'Neill","user_key":"sha256:c57a63dd167202675b1dc9c6e6a7656203d7069eb3358a5e1195085c27cf33c0","arrival":5,"vote":"?"}"#,
    ),
];
const COMMIT: &str = r#"{"at":1767225602000,"renews":true,"done":[{"by":"user_id_1","client":"tab","n":1,"events":[{"joined":{"user":"user_id_1","key":"sha256:c57a63dd167202675b1dc9c6e6a7656203d7069eb3358a5e1195085c27cf33c0","name":"user_name_1"}},{"timer_started":{"ends":1767225690000}},{"kicked":{"user":"user_id_2"}},{"shown":{}}]}]}"#;

fn records(settings: &str) -> Vec<(Key, Value)> {
    let seats: BTreeMap<Field, Bytes> =
        SEATS.into_iter().map(|(user, seat)| (user.into(), Bytes::from_static(seat.as_bytes()))).collect();
    let clients = BTreeMap::from([("user_id_1/tab".into(), Bytes::from_static(br#"{"n":1,"seq":2,"at":1767225602000}"#))]);
    vec![
        ("room_settings:12345".into(), Value::Document(Bytes::copy_from_slice(settings.as_bytes()))),
        ("room_seats:12345".into(), Value::Hash(seats)),
        ("room_clients:12345".into(), Value::Hash(clients)),
    ]
}

#[test]
fn an_old_room_wakes_as_the_room_it_was() {
    let address = "poker/12345".parse().unwrap();
    let kept = wake(&address, &records(SETTINGS)).unwrap();
    let State::Poker(table) = &kept.state else { unreachable!("a table") };
    assert_eq!(table.settings, Settings { name: None, auto_reveal: false, reveal_by: RevealBy::Host, life: Life::default() });
    assert_eq!((table.open, table.sealed, table.round), (false, false, 3));
    assert_eq!(table.timer, Some(Timer { ends: Millis(1_767_225_690_000), reveals: true }));
    assert!(table.seats.values().all(|seat| !seat.observer) && table.banned.is_empty() && table.story.is_none());
    assert!(table.stories == Stories::default() && table.history == History::default());
    assert_eq!(kept.receipts.iter().count(), 1);
    let by = kept.state.recognise(&Credential::guest(b"somebody new")).unwrap();
    assert!(!by.seated && !by.host);
}

#[test]
fn in_an_old_room_open_cards_have_been_seen() {
    let open = SETTINGS.replace("\"vote_state\":1", "\"vote_state\":2").replace("1767225690000", "null");
    let kept = wake(&"poker/12345".parse().unwrap(), &records(&open)).unwrap();
    let State::Poker(table) = &kept.state else { unreachable!("a table") };
    assert!(table.open && table.sealed);
}

#[test]
fn whoever_comes_to_an_old_room_comes_last() {
    let mut kept = wake(&"poker/12345".parse().unwrap(), &records(SETTINGS)).unwrap();
    let guest = Credential::guest(b"somebody new");
    let by = kept.state.recognise(&guest).unwrap();
    let join = parlor_rules::poker::Command::Join { name: "New".parse().ok(), observer: None };
    let at = kept.created + Span(1);
    for event in kept.state.decide(&by, at, 0, &parlor_rules::Command::Poker(join)).unwrap() {
        kept.state.apply(parlor_rules::When { at, seq: 2 }, &event);
    }
    let State::Poker(table) = &kept.state else { unreachable!("a table") };
    assert_eq!(table.in_order().last().map(|(_, seat)| seat.name.as_str()), Some("New"));
    assert_eq!(table.admin, "user_id_1".parse().ok());
}

#[test]
fn an_old_commit_is_read_as_what_it_said() {
    let entry = [(Field::from("commit"), Bytes::from_static(COMMIT.as_bytes()))];
    let commit = entry_commit(&"poker/12345".parse().unwrap(), &entry).unwrap();
    let parlor_rules::Event::Poker(joined) = &commit.done[0].events[0] else { unreachable!("a table's") };
    assert!(matches!(joined, Event::Joined { observer: false, .. }));
    let rest = [
        Event::TimerStarted { ends: Millis(1_767_225_690_000), reveals: true },
        Event::Kicked { user: "user_id_2".parse().unwrap(), ban: false },
        Event::Shown,
    ];
    assert_eq!(commit.done[0].events[1..], rest.map(parlor_rules::Event::Poker));
}
