//! What clients depend on, pinned: every message the server says and every request it takes.
//! `INSTA_UPDATE=always cargo test -p parlor-wire` rewrites the files; the diff is the review.

use crate::examples::{Example, pushes, replies, requests, room};
use parlor_rules::{Code, Command, Kind, Wish};
use parlor_wire::commands::{read, verbs};
use parlor_wire::export::Form;
use parlor_wire::{Ask, Fault, Hello, Login, Status, ask, poker, reels, say, space};
use serde_json::Value;

fn page(examples: &[Example]) -> String {
    examples.iter().map(|example| format!("{}\n{}\n", example.name, example.frame)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_reply() {
    insta::assert_snapshot!(page(&replies()));
}

#[test]
fn every_push() {
    insta::assert_snapshot!(page(&pushes()));
}

#[test]
fn every_error_as_a_reply_and_as_a_body() {
    let rows = Code::ALL.iter().map(|code| {
        let fault = Fault::new(*code, "one \"clear\" sentence");
        format!(
            "{}\n{}\n{}\n",
            Status::from(*code).http,
            String::from_utf8_lossy(&say::error(7, &fault)),
            say::error_body(&fault)
        )
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"));
}

#[test]
fn everything_said_is_one_json_value_and_one_line() {
    for Example { name, frame, .. } in replies().into_iter().chain(pushes()) {
        let value: Value = serde_json::from_str(&frame).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(value["id"].is_u64() != value["push"].is_string(), "{name} is a reply or a push, never both");
        assert!(!frame.contains('\n'), "{name}");
    }
}

/// What a request was understood as, in words.
fn understood(ask: &Ask) -> String {
    match ask {
        Ask::Hello(hello) => {
            let Hello { token, cookie, user_key, client } = hello;
            let client = client.as_ref().map(ToString::to_string);
            format!("hello, token {}, cookie {cookie}, key {}, client {client:?}", token.is_some(), user_key.is_some())
        }
        Ask::Login(Login { name, token, client }) => {
            format!("login as {name}, token {}, client {:?}", token.is_some(), client.as_ref().map(ToString::to_string))
        }
        Ask::Logout => "logout".to_owned(),
        Ask::Verify => "verify".to_owned(),
        Ask::User(user) => format!("user {user}"),
        Ask::Create(Wish::Poker(wish)) => format!("create poker with {} {:?}", wish.deck, wish.settings),
        Ask::Create(Wish::Space(wish)) => format!("create space with {:?}", wish.settings),
        Ask::Create(Wish::Reels(wish)) => format!("create reels with {:?} and {} rounds", wish.settings, wish.rounds.len()),
        Ask::Enter(room, enter) => format!("enter {room}, key {}, from {:?}", enter.host_key.is_some(), enter.resume),
        Ask::Exit(room) => format!("exit {room}"),
        Ask::Look(room, key) => format!("look {room}{}", if key.is_some() { " with a key" } else { "" }),
        Ask::Say(room, data) => format!("say {room} {}", String::from_utf8_lossy(data)),
        Ask::Act(room, number, Command::Poker(command)) => {
            let (verb, with) = poker::write(command);
            format!("act {room} {number:?} {verb} {with}")
        }
        Ask::Act(room, number, Command::Space(command)) => {
            let (verb, with) = space::write(command);
            format!("act {room} {number:?} {verb} {with}")
        }
        Ask::Act(room, number, Command::Reels(command)) => {
            let (verb, with) = reels::write(command);
            format!("act {room} {number:?} {verb} {with}")
        }
        Ask::Show(room, showing) => format!("show {room} {showing:?}"),
        Ask::Ping => "ping".to_owned(),
    }
}

#[test]
fn every_request_and_what_it_is_understood_as() {
    let room = room();
    let mut frames: Vec<String> = requests().into_iter().map(|example| example.frame).collect();
    for verb in verbs(Kind::Poker) {
        frames.push(format!(r#"{{"id":7,"do":"{}","room":"{room}","with":{}}}"#, verb.name, verb.example));
    }
    for verb in verbs(Kind::Reels) {
        frames.push(format!(r#"{{"id":7,"do":"{}","room":"reels/ABCD2345","with":{}}}"#, verb.name, verb.example));
    }
    frames.push(r#"{"do":"JOIN_ROOM","room":"reels/ABCD2345","with":{"master_key":"hk_…"}}"#.to_owned());
    frames.push(r#"{"do":"STATE_SYNC","room":"reels/ABCD2345","with":{"master_key":"hk_…"}}"#.to_owned());
    frames.push(r#"{"do":"STATE_SYNC","room":"reels/ABCD2345"}"#.to_owned());
    frames.push(r#"{"do":"hello"}"#.to_owned());
    frames.push(r#"{"do":"create"}"#.to_owned());
    frames.push(format!(r#"{{"do":"enter","room":"{room}"}}"#));
    frames.push(r#"{"do":"v\u006fte","room":"poker\/12345","with":{"card":"\u221e"}}"#.to_owned());
    let rows = frames.iter().map(|frame| {
        let (id, asked) = ask::read(frame);
        let asked = asked.unwrap_or_else(|fault| panic!("{frame}: {fault:?}"));
        format!("{frame}\n  {id} {}", understood(&asked))
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_verb_is_in_the_golden_file_of_requests_by_its_own_words() {
    for verb in verbs(Kind::Poker) {
        let with: Value = serde_json::from_str(verb.example).unwrap();
        // No other field is taken than those shown, and none may be missing that is not said to be optional.
        for field in with.as_object().unwrap().keys() {
            let mut less = with.clone();
            less.as_object_mut().unwrap().remove(field);
            let refused = read(Kind::Poker, verb.name, Some(&less.to_string())).is_err();
            assert_eq!(refused, !verb.optional.contains(&field.as_str()), "{} without {field}", verb.name);
        }
        for field in with.as_object().unwrap().keys() {
            let mut null = with.clone();
            null[field] = Value::Null;
            // A word that may be left out may also be null, which then says the same.
            let refused = read(Kind::Poker, verb.name, Some(&null.to_string())).is_err();
            let may = verb.nullable.contains(&field.as_str()) || verb.optional.contains(&field.as_str());
            assert_eq!(refused, !may, "{} with {field} null", verb.name);
        }
        let mut more = with.clone();
        more["surprise"] = Value::Null;
        assert!(read(Kind::Poker, verb.name, Some(&more.to_string())).is_err(), "{} with a surprise", verb.name);
    }
}

#[test]
fn every_complaint_about_a_request() {
    let frames = [
        "",
        "{",
        r#"[1,"ping",null,null,null]"#,
        r#"{"id":1,"do":"vote","room":"poker/abc","with":["5"]}"#,
        r#"{"id":1}"#,
        r#"{"id":"uk_a_key_in_the_wrong_place","do":"ping"}"#,
        r#"{"id":1,"do":"ping","extra":1}"#,
        r#"{"id":1,"do":"look"}"#,
        r#"{"id":1,"do":"look","room":"poker"}"#,
        r#"{"id":1,"do":"look","room":"chess/abc"}"#,
        r#"{"id":1,"do":"look","room":"poker/a b"}"#,
        r#"{"id":1,"do":"fly","room":"poker/abc"}"#,
        r#"{"id":1,"do":"vote","room":"poker/abc","with":"uk_a_key_in_the_wrong_place"}"#,
        r#"{"id":1,"do":"vote","room":"poker/abc","with":{"card":"two cards"}}"#,
        r#"{"id":1,"do":"join","room":"poker/abc","with":{"user_name":" "}}"#,
        r#"{"id":1,"do":"kick","room":"poker/abc","with":{"user_id":"a b"}}"#,
        r#"{"id":1,"do":"enter","room":"poker/abc","with":{"at":"1-1"}}"#,
        r#"{"id":1,"do":"enter","room":"poker/abc","with":{"at":"now","mark":"0123456789abcdef"}}"#,
        r#"{"id":1,"do":"hello","with":{"client":"a b"}}"#,
        r#"{"id":1,"do":"say","room":"poker/abc"}"#,
        r#"{"id":1,"do":"login"}"#,
        r#"{"id":1,"do":"login","with":{"user_name":" "}}"#,
        r#"{"id":1,"do":"login","with":{"user_name":["tk_a_token_in_the_wrong_place"]}}"#,
        r#"{"id":1,"do":"logout","with":{"token":"tk_a_token_in_the_wrong_place"}}"#,
        r#"{"id":1,"do":"user","with":{"user_id":"a b"}}"#,
        r#"{"id":1,"do":"create","with":{"valid_sizes":"a a"}}"#,
    ];
    let rows = frames.iter().map(|frame| {
        let (id, asked) = ask::read(frame);
        let fault = asked.err().unwrap_or_else(|| panic!("{frame} was understood"));
        format!("{frame}\n  {id} {}: {}", Status::from(fault.code).name, fault.message)
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"));
}

#[test]
fn an_export_as_a_table_and_as_json() {
    let export = crate::examples::export();
    let forms = [Form::Csv, Form::Json].map(|form| parlor_wire::export::written(&export, form));
    insta::assert_snapshot!(forms.join("\n"));
}

#[test]
fn what_was_exported_can_be_imported_again() {
    let csv = parlor_wire::export::written(&crate::examples::export(), Form::Csv);
    let with = serde_json::json!({ "csv": csv }).to_string();
    let Ok(Command::Poker(command)) = read(Kind::Poker, "import_stories", Some(&with)) else { panic!("{csv}") };
    let stories = r#"[{"title":"Log in","link":"https://example.org/1","estimate":"5"},{"title":"Log out"}]"#;
    let stories: Value = serde_json::from_str(stories).unwrap();
    assert_eq!(poker::write(&command), ("add_stories", serde_json::json!({ "stories": stories })));
}

#[test]
fn a_wish_for_a_table() {
    let wishes = [
        r#"{}"#,
        r#"{"kind":"poker"}"#,
        r#"{"deck":"tshirt"}"#,
        r#"{"valid_sizes":"1 2"}"#,
        r#"{"name":"Sprint 42","auto_reveal":true,"reveal_by":"everyone","life_minutes":43200}"#,
        r#"{"deck":"tshirt","valid_sizes":"1 2"}"#,
        r#"{"deck":"poker"}"#,
        r#"{"kind":"chess"}"#,
        r#"{"life_minutes":59}"#,
        r#"{"life_minutes":43201}"#,
        r#"{"life_minutes":-1}"#,
        r#"{"reveal_by":"me"}"#,
        r#"{"name":""}"#,
        r#"{"auto_reveal":"yes"}"#,
        r#"{"surprise":1}"#,
    ];
    let answers = wishes.map(|wish| match ask::new_room(Some(wish)) {
        Ok(Wish::Poker(wish)) => format!("{} {:?}", wish.deck, wish.settings),
        Ok(Wish::Space(wish)) => format!("a space: {:?}", wish.settings),
        Ok(Wish::Reels(wish)) => format!("{wish:?}"),
        Err(fault) => format!("{:?}: {}", fault.code, fault.message),
    });
    let rows: Vec<_> = wishes.iter().zip(answers).map(|(wish, answer)| format!("{wish}\n  {answer}")).collect();
    insta::assert_snapshot!(rows.join("\n"));
}
