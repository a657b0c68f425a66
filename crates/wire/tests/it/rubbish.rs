//! Anything may arrive as a frame: it is understood or refused with a code, and never more than that.

use crate::examples::requests;
use parlor_rules::{Code, Kind};
use parlor_wire::commands::verbs;
use parlor_wire::{Ask, Fault, ask};
use proptest::prelude::*;
use serde_json::Value;

/// Reads it on every door; a refusal must be one of those a reader can give, in one sentence.
fn read(frame: &str) -> Option<Ask> {
    let polite = |fault: &Fault| {
        assert!(matches!(fault.code, Code::BadRequest | Code::Unsupported), "{fault:?}");
        assert!(!fault.message.is_empty() && fault.message.chars().count() < 400 && !fault.message.contains('\n'), "{fault:?}");
    };
    for kind in Kind::ALL {
        for verb in verbs(*kind) {
            ask::act(*kind, verb.name, Some(frame)).err().iter().for_each(polite);
        }
        ask::act(*kind, frame, Some("{}")).err().iter().for_each(polite);
    }
    ask::new_room(Some(frame)).err().iter().for_each(polite);
    match ask::spoken(Some(frame)) {
        Ok(data) => assert!(serde_json::from_slice::<Value>(&data).is_ok(), "what is passed on is JSON: {frame}"),
        Err(fault) => polite(&fault),
    }
    let (_, asked) = ask::read(frame);
    asked.map_err(|fault| polite(&fault)).ok()
}

fn valid() -> Vec<String> {
    let acts = [Kind::Poker, Kind::Reels].into_iter().flat_map(|kind| {
        let act =
            move |name: &str, with: &str| format!(r#"{{"id":7,"do":"{name}","room":"{}/abc","n":3,"with":{with}}}"#, kind.name());
        verbs(kind).iter().map(move |verb| act(verb.name, verb.example))
    });
    requests().into_iter().map(|example| example.frame).chain(acts).collect()
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["poker/abc", "hello", "vote", "5", "uk_0123456789abcdef0123456789"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        let names = prop_oneof![
            prop::sample::select(vec![
                "id",
                "do",
                "room",
                "n",
                "with",
                "card",
                "user_name",
                "user_key",
                "host_key",
                "at",
                "mark"
            ])
            .prop_map(str::to_owned),
            ".{0,6}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer(frame in any::<String>()) {
        read(&frame);
    }

    #[test]
    fn any_bytes_that_are_text_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_json_gets_an_answer(value in any_json()) {
        read(&value.to_string());
    }

    #[test]
    fn any_json_in_the_right_envelope_gets_an_answer(verb in 0usize..19, with in any_json(), id in any_json(), n in any_json()) {
        let known = ["hello", "ping", "create", "enter", "exit", "look", "say", "rubbish"];
        let verb = known.get(verb).copied().unwrap_or_else(|| verbs(Kind::Poker)[verb - known.len()].name);
        let frame = serde_json::json!({ "do": verb, "room": "poker/abc", "with": with });
        read(&frame.to_string());
        let mut frame = frame;
        frame["id"] = id;
        frame["n"] = n;
        read(&frame.to_string());
    }

    #[test]
    fn a_valid_frame_that_was_damaged_gets_an_answer(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<u8>()), 1..6),
    ) {
        let frames = valid();
        let mut bytes = which.get(&frames).clone().into_bytes();
        for (place, kind, byte) in damage {
            if bytes.is_empty() {
                break;
            }
            let place = place.index(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => drop(bytes.remove(place)),
                2 => bytes.insert(place, byte),
                3 => bytes.truncate(place),
                _ => {
                    let again = bytes[place..].to_vec();
                    bytes.extend(again);
                }
            }
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn an_id_that_can_be_read_comes_back(id in any::<u64>(), junk in any_json()) {
        let frame = serde_json::json!({ "id": id, "do": junk, "surprise": 1 });
        prop_assert_eq!(ask::read(&frame.to_string()).0, id);
    }

    #[test]
    fn however_deep_it_nests_the_stack_holds(depth in 1usize..60_000, open in "[\\[{]") {
        let frame = format!(r#"{{"id":1,"do":"say","room":"poker/abc","with":{}"#, open.repeat(depth));
        prop_assert!(read(&frame).is_none());
    }
}

#[test]
fn what_is_valid_is_understood() {
    for frame in valid() {
        assert!(ask::read(&frame).1.is_ok(), "{frame}");
    }
}
