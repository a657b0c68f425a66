//! docs/protocol.md is true: its tables and examples are what the code says, and it explains every field of them.

use crate::examples::{Example, pushes, replies, requests};
use crate::reels;
use parlor_rules::{Code, Kind};
use parlor_wire::Status;
use parlor_wire::commands::verbs;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.md");

fn parts() -> Vec<(&'static str, String)> {
    vec![
        ("requests", shown(&requests())),
        ("replies", shown(&replies())),
        ("pushes", shown(&pushes())),
        ("commands", commands()),
        ("errors", errors()),
        ("the game's messages", reels::messages()),
        ("the game's screen", reels::screen()),
        ("the game's broadcasts", reels::broadcasts()),
        ("the game's frames", reels::frames()),
    ]
}

fn shown(examples: &[Example]) -> String {
    let mut text = String::new();
    for Example { name, about, frame } in examples {
        // Writing to a String cannot fail.
        let _ = write!(text, "**{name}**. {about}\n\n```json\n{frame}\n```\n\n");
    }
    text
}

fn commands() -> String {
    let mut text = String::from("| `do` | REST | `with`, or the body | what it does |\n|---|---|---|---|\n");
    // Spaces have a page of their own, and the game a part.
    for verb in verbs(Kind::Poker) {
        let path = format!("`POST /v1/rooms/poker/{{id}}/{}`", verb.name);
        let _ = writeln!(text, "| `{}` | {path} | `{}` | {} |", verb.name, verb.example, verb.help);
    }
    text
}

fn errors() -> String {
    let mut text = String::from("| `code` | HTTP | gRPC | `retry` | what it means |\n|---|---|---|---|---|\n");
    for code in Code::ALL {
        let Status { name, http, grpc, retry } = code.into();
        let _ = writeln!(text, "| `{name}` | {http} | {grpc} | {retry} | {} |", meaning(code));
    }
    text
}

fn meaning(code: Code) -> &'static str {
    match code {
        Code::BadRequest => "The request is not in the right form; `message` says where.",
        Code::TooLarge => "The request is larger than this server takes.",
        Code::Unauthenticated => {
            "Say hello first, log in, or bring a user key. A token that opens nothing, or nothing any more, gets this too: log in again."
        }
        Code::Forbidden => {
            "You are not the host, or an observer, or banned, your page's origin is not allowed here, or a cookie alone is not enough."
        }
        Code::BadKey => "The key you showed opens nothing. It is never treated as no key.",
        Code::RoomNotFound => "There is no such room: mistyped, ended or expired.",
        Code::NotFound => "The room is there, what you named in it is not; or nobody with that id is logged in.",
        Code::Exists => "There is something of that name or id already.",
        Code::VersionMismatch => "It is not at the version you named; somebody changed it. Look at it and decide again.",
        Code::NotSeated => "Join the table, or take a seat in the game, first.",
        Code::WrongPhase => "Not after the cards have been seen, wait for the reset; or the game is not where that can be done.",
        Code::NotInDeck => "That card is not in this room's deck.",
        Code::RoomFull => "All seats are taken, or there is no place for more: stories, parts, items or bytes.",
        Code::NameTaken => {
            "Somebody is logged in under that name, or has it in the game; names that differ only by case or Unicode form are one."
        }
        Code::TooMany => "You have as many connections, rooms or programs as you may; give one up.",
        Code::TooFast => "Too many requests, new rooms, logins, wrong keys or codes that lead nowhere; wait, then send it again.",
        Code::Contended => "Others were faster; send it again.",
        Code::Unavailable => "The server or its store is busy or going; send it again with the same number.",
        Code::Unsupported => "There is no such command, room kind, path or method.",
        Code::Internal => "Something is broken here that sending again will not mend; it is in the server's log.",
    }
}

fn written(docs: &str) -> String {
    let mut page = docs.to_owned();
    for (name, text) in parts() {
        let (begin, end) = (format!("<!-- {name}: written by a test -->"), format!("<!-- end of {name} -->"));
        let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("docs/protocol.md has no {begin}"));
        let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("docs/protocol.md has no {end}"));
        page = format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim_end());
    }
    page
}

#[test]
fn docs_protocol_is_true() {
    let docs = std::fs::read_to_string(PAGE).unwrap();
    let page = written(&docs);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    } else {
        assert!(
            docs == page,
            "docs/protocol.md is stale; UPDATE_DOCS=1 cargo test -p parlor-wire docs_protocol_is_true rewrites it"
        );
    }
}

#[test]
fn every_field_that_can_be_said_is_explained() {
    let docs = std::fs::read_to_string(PAGE).unwrap();
    let mut fields = BTreeSet::new();
    for Example { frame, .. } in replies().into_iter().chain(pushes()).chain(requests()) {
        names(&serde_json::from_str(&frame).unwrap(), &mut fields);
    }
    for verb in verbs(Kind::Poker) {
        names(&serde_json::from_str(verb.example).unwrap(), &mut fields);
    }
    fields.remove("cursor"); // Somebody's own JSON.
    let unexplained: Vec<_> = fields.iter().filter(|field| !docs.contains(&format!("| `{field}` |"))).collect();
    assert!(unexplained.is_empty(), "docs/protocol.md has no row for {unexplained:?}");
}

fn names(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            fields.insert(name.clone());
            names(value, fields);
        }),
        Value::Array(items) => items.iter().for_each(|item| names(item, fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
