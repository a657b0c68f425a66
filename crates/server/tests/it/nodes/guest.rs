//! One person at one room through one node, with numbered commands; everything that is pushed is kept.

use crate::support::house::House;
use crate::support::line::{Gone, Line};
use crate::support::player::Table;
use parlor_rules::Position;
use serde_json::{Value, json};

pub(super) struct Guest {
    pub(super) line: Line,
    pub(super) room: String,
    pub(super) name: String,
    number: u64,
}

impl Guest {
    /// A guest who has entered and not joined; `entered` is what entering was answered with.
    pub(super) fn enter(house: &House, table: &Table, name: &str, with: Value) -> Result<(Guest, Value), Gone> {
        let line = Line::open(&house.ws_url(), &user_key(name), name)?;
        let mut guest = Guest { line, room: table.room.clone(), name: name.to_owned(), number: 0 };
        let entered = guest.line.ask(json!({ "do": "enter", "room": table.room, "with": with }))?;
        Ok((guest, entered))
    }

    /// A guest at the table.
    #[track_caller]
    pub(super) fn seated(house: &House, table: &Table, name: &str) -> Guest {
        let (mut guest, entered) = Guest::enter(house, table, name, json!({})).expect("the house is open");
        assert!(entered["ok"].is_object(), "{entered}");
        guest.does("join", json!({ "user_name": name }));
        guest
    }

    /// Logs in under this name, enters and sits down; the reply to the login has the token.
    #[track_caller]
    pub(super) fn member(house: &House, name: &str) -> (Guest, Value) {
        let mut line = Line::connect(&house.ws_url()).expect("the house is open");
        let login = line.ask(json!({ "do": "login", "with": { "user_name": name, "client": "tab" } })).unwrap();
        assert!(login["ok"].is_object(), "{login}");
        (Guest { line, room: String::new(), name: name.to_owned(), number: 0 }, login["ok"].clone())
    }

    /// A numbered command and its answer, whatever it is.
    pub(super) fn tries(&mut self, verb: &str, with: Value) -> Result<Value, Gone> {
        self.number += 1;
        self.again(verb, with)
    }

    /// The command before once more.
    pub(super) fn again(&mut self, verb: &str, with: Value) -> Result<Value, Gone> {
        self.line.ask(json!({ "do": verb, "room": self.room, "n": self.number, "with": with }))
    }

    /// A numbered command that must be acked; gives its position.
    #[track_caller]
    pub(super) fn does(&mut self, verb: &str, with: Value) -> Position {
        let reply = self.tries(verb, with).expect("the house is open");
        assert!(reply["ok"].is_object(), "{}: {verb}: {reply}", self.name);
        position(&reply["ok"]["at"])
    }

    /// Hears until there is a view at this position or after it, and gives that; all that came is in `line.pushed`.
    #[track_caller]
    pub(super) fn sees(&mut self, at: Position) -> Value {
        self.hears(|push| push["push"] == "view" && position(&push["at"]) >= at)
    }

    /// Hears until there is such a push, the ones that came already included.
    #[track_caller]
    pub(super) fn hears(&mut self, such: impl Fn(&Value) -> bool) -> Value {
        if let Some(heard) = self.line.pushed.iter().rev().find(|push| such(push)) {
            return heard.clone();
        }
        loop {
            let push = self.line.hear().unwrap_or_else(|gone| panic!("{}: {gone:?}", self.name));
            self.line.pushed.push(push.clone());
            if such(&push) {
                return push;
            }
        }
    }

    /// The room as this guest sees it now.
    #[track_caller]
    pub(super) fn looks(&mut self) -> Value {
        let seen = self.line.ask(json!({ "do": "look", "room": self.room })).expect("the house is open");
        assert!(seen["ok"].is_object(), "{seen}");
        seen["ok"].clone()
    }

    /// The views that were pushed so far, oldest first.
    pub(super) fn views(&self) -> impl Iterator<Item = &Value> {
        self.line.pushed.iter().filter(|push| push["push"] == "view")
    }
}

pub(super) fn user_key(name: &str) -> String {
    format!("the-user-key-that-only-{name}-has")
}

#[track_caller]
pub(super) fn position(at: &Value) -> Position {
    at.as_str().unwrap_or_else(|| panic!("{at} is no position")).parse().unwrap()
}

/// What everyone sees of a view, without who is connected, which is no part of the room's history.
pub(super) fn shared(view: &Value) -> Value {
    let mut shared = view["view"].clone();
    for user in shared["users"].as_array_mut().into_iter().flatten() {
        user["here"] = Value::Null;
    }
    shared
}
