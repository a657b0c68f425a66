//! A session at rest: document 000's three keys, to the letter but for the token, of which only the hash is kept.

use parlor_layout::schema::{SESSIONS, Shape, TABLE};
use parlor_layout::session::{name_holder, records, token_holder, told, wake};
use parlor_rules::session::SESSION_LIFE;
use parlor_rules::{Millis, SecretHash, Session};
use parlor_store::Value;
use proptest::prelude::*;
use std::collections::BTreeSet;

const NOW: Millis = Millis(1_767_225_600_000);

fn session(name: &str) -> Session {
    Session::new("user_id_1".parse().unwrap(), name.parse().unwrap(), SecretHash::of(b"token"), NOW)
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) | Value::Document(text) => std::str::from_utf8(text).unwrap(),
        Value::Hash(_) | Value::List(_) | Value::SortedSet(_) => panic!("{value:?} is no text"),
    }
}

/// The records as a store gives them back.
fn found(session: &Session) -> [Option<(Value, Millis)>; 3] {
    records(session).map(|(_, value)| Some((value, session.expires)))
}

#[test]
fn the_three_records_of_a_login() {
    let typed = records(&session("Zoe\u{308} STRASSE")).map(|(key, value)| format!("SET {key} '{}'", text(&value)));
    insta::assert_snapshot!(typed.join("\n"), @r#"
    SET token:3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0 'user_id_1'
    SET user_id:user_id_1 '{"user_id":"user_id_1","user_name":"Zoë STRASSE","token":"sha256:3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0"}'
    SET user_name:zoë strasse '{"user_id":"user_id_1"}'
    "#);
}

#[test]
fn every_key_and_member_of_a_session_is_listed_once_and_nothing_else_is() {
    for (key, value) in records(&session("a: {b} [c]")) {
        let rows: Vec<_> = SESSIONS.iter().chain(TABLE).filter(|row| row.is_for(&key)).collect();
        assert_eq!(rows.len(), 1, "{key} belongs to {rows:?}");
        assert_eq!(rows[0].shape, Shape::of(&value), "{key}");
        let listed: BTreeSet<&str> = rows[0].parts.iter().map(|part| part.path).collect();
        let written: BTreeSet<String> = match serde_json::from_str(text(&value)) {
            Ok(serde_json::Value::Object(members)) => members.keys().cloned().collect(),
            _ => BTreeSet::from([String::new()]),
        };
        assert!(listed.iter().copied().eq(written.iter().map(String::as_str)), "{key}: {listed:?}, {written:?}");
    }
}

#[test]
fn half_a_session_is_no_session() {
    let ana = session("Ana");
    assert!(wake(ana.clone(), &found(&ana)).is_some());
    for missing in 0..3 {
        let mut found = found(&ana);
        found[missing] = None;
        assert!(wake(ana.clone(), &found).is_none(), "without record {missing}");
    }
    let others = [
        Session { token: SecretHash::of(b"another"), ..ana.clone() },
        Session::new("user_id_2".parse().unwrap(), "Ana".parse().unwrap(), ana.token, NOW),
        session("Bo"),
    ];
    for other in &others {
        for place in 0..3 {
            let mut mixed = found(&ana);
            mixed[place] = found(other)[place].clone();
            let same = mixed == found(&ana);
            assert_eq!(wake(ana.clone(), &mixed).is_some(), same, "record {place} of another session");
        }
    }
}

#[test]
fn the_first_record_to_end_ends_the_session() {
    let ana = session("Ana");
    for place in 0..3 {
        let mut found = found(&ana);
        found[place].as_mut().unwrap().1 = Millis(NOW.0 + 5);
        assert_eq!(wake(ana.clone(), &found).unwrap().expires, Millis(NOW.0 + 5));
    }
    assert_eq!(wake(ana.clone(), &found(&ana)).unwrap().expires, NOW + SESSION_LIFE);
}

proptest! {
    #[test]
    fn what_rests_wakes_again(name in "\\PC{1,40}", id in "[a-z0-9_-]{1,64}", secret: [u8; 16]) {
        if let Ok(name) = name.parse() {
            let session = Session::new(id.parse().unwrap(), name, SecretHash::of(&secret), NOW);
            let [(_, token), (_, user), (_, name)] = records(&session);
            prop_assert_eq!(token_holder(&token), Some(session.member.id.clone()));
            prop_assert_eq!(name_holder(&name), Some(session.member.id.clone()));
            let woken = wake(told(&user).unwrap(), &found(&session)).unwrap();
            prop_assert!(woken.is(&session) && woken.member == session.member && woken.expires == session.expires);
        }
    }

    #[test]
    fn rubbish_tells_of_nobody(bytes: Vec<u8>) {
        for value in [Value::Text(bytes.clone().into()), Value::Document(bytes.into()), Value::List(vec![])] {
            prop_assert!(told(&value).is_none() && name_holder(&value).is_none());
        }
    }
}
