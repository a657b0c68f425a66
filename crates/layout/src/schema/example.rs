//! The little histories that the schema page shows, one of each kind of room.
//!
//! It is played by the rules and laid down by the layout, like any other; only the keys and the clock are
//! fixed, so that the page is the same each time.

use super::{MARK, Row, Shape};
use crate::room::{Rest, creation, room_key, step};
use crate::shelf::Shelf;
use bytes::Bytes;
use parlor_rules::poker::{self, NewStory};
use parlor_rules::receipts::Holder;
use parlor_rules::space::{self, Op, Settings, Spot};
use parlor_rules::{
    Address, Command, Commit, Credential, Done, Json, Kept, Mark, Millis, Position, Right, SecretHash, Span, State, Ticket, Wish,
};
use parlor_store::{Field, Value};
use std::fmt::Write as _;

pub(super) struct Example {
    address: Address,
    kept: Kept,
    at: Position,
    entries: Vec<(Position, Vec<(Field, Bytes)>)>,
    shelf: Shelf,
}

/// The first second of 2026.
pub(super) const CREATED: Millis = Millis(1_767_225_600_000);

impl Example {
    pub(super) fn of_poker() -> Example {
        let ana = Credential::guest(b"ana's user key");
        let bo = Credential::guest(b"bo's user key");
        let mut example = Example::create("poker/12345", Wish::Poker(poker::Wish::default()));
        let mut commit = |seconds: u64, acts: &[(&Credential, u64, poker::Command)]| {
            let acts = acts.iter().map(|(who, number, command)| (*who, *number, Command::Poker(command.clone())));
            example.commit(seconds, &acts.collect::<Vec<_>>());
        };
        commit(12, &[(&ana, 1, join("Ana"))]);
        commit(15, &[(&bo, 1, join("Bo"))]);
        let stories = vec![story("Log in", Some("https://example.org/1")), story("Log out", None)];
        commit(20, &[(&ana, 2, poker::Command::AddStories { stories, at: None })]);
        commit(22, &[(&ana, 3, poker::Command::PickStory(Some(word("s1"))))]);
        commit(31, &[(&ana, 4, poker::Command::Vote(word("5"))), (&bo, 2, poker::Command::Vote(word("5")))]);
        commit(40, &[(&ana, 5, poker::Command::Show)]);
        example
    }

    pub(super) fn of_a_space() -> Example {
        let ana = Credential::guest(b"ana's user key");
        let bo = Credential::guest(b"bo's user key");
        let settings = Settings {
            name: Some(word("Board")),
            guests: Right::Write,
            life: space::Life::minutes(1440).ok(),
            ..Settings::default()
        };
        let address = "space/3f1c9c1e-6a5e-4b0a-9d6e-2f4c8a7b1d05";
        let mut example = Example::create(address, Wish::Space(space::Wish { settings }));
        let mut commit = |seconds: u64, who: &Credential, number: u64, ops: Vec<Op>| {
            example.commit(seconds, &[(who, number, Command::Space(space::Command::Edit(ops)))]);
        };
        commit(12, &ana, 1, vec![set("k1", r#"{"x":1,"y":2.50}"#)]);
        commit(15, &ana, 2, vec![set("a key with \"spaces\"", "[null,true]")]);
        commit(20, &bo, 1, vec![insert("i1", r#"{"text":"milk"}"#, Spot::Last)]);
        commit(22, &ana, 3, vec![insert("i2", r#"{"text":"bread"}"#, after("i1"))]);
        let up = Op::ListMove { list: word("todo"), id: word("i2"), to: Spot::First };
        commit(31, &bo, 2, vec![up, Op::MapClear { map: word("board") }, set("k2", "\"é\"")]);
        let made = vec![Op::MapCreate { map: word("empty") }, Op::PresenceCreate { presence: word("cursors"), seconds: 60 }];
        commit(40, &ana, 4, made);
        example
    }

    fn create(address: &str, wish: Wish) -> Example {
        let address: Address = word(address);
        let state = State::create(address.id.clone(), SecretHash::of(b"the host key"), wish);
        let mut kept = Kept::new(state, CREATED);
        let commit = Commit { at: CREATED, renews: true, done: vec![] };
        let at = Position::first(CREATED);
        kept.apply(at.seq, &commit);
        let rest = creation(&address, &kept, &commit);
        let mut example = Example { address, kept, at, entries: vec![], shelf: Shelf::default() };
        example.keep(rest);
        example
    }

    fn commit(&mut self, seconds: u64, acts: &[(&Credential, u64, Command)]) {
        let before = self.kept.clone();
        let at = CREATED + Span::seconds(seconds);
        let done = acts.iter().map(|(credential, number, command)| {
            let viewer = before.state.recognise(credential).expect("a guest's key opens these rooms");
            let events = before.state.decide(&viewer, at, 0, command).expect("the example is allowed");
            let holder = Holder { user: viewer.user.clone(), client: word("tab-1") };
            Done { by: viewer.user, ticket: Some(Ticket { holder, number: *number }), events }
        });
        let commit = Commit { at, renews: true, done: done.collect() };
        self.at = self.at.next();
        self.kept.apply(self.at.seq, &commit);
        self.keep(step(&self.address, self.at.seq, &before, &self.kept, &commit));
    }

    fn keep(&mut self, rest: Rest) {
        self.shelf.lay(&rest.writes);
        self.entries.push((self.at, rest.entry));
    }

    /// The key of this row as `redis-cli` shows it.
    pub(super) fn shown(&self, row: &Row) -> String {
        let mut shown = String::new();
        let room = room_key(&self.address);
        let spine = room.spine;
        let key = if row.is_for(&spine) { Some(&spine) } else { self.shelf.0.keys().find(|key| row.is_for(key)) };
        let key = key.expect("the example has every key of the table");
        let is_below = *key != spine && !room.records.contains(key);
        let name = if is_below { format!("{spine}/{key}") } else { key.to_string() };
        let _ = match row.shape {
            Shape::Stream => writeln!(shown, "> XRANGE {name} - +"),
            Shape::Hash => writeln!(shown, "> HGETALL {name}"),
            Shape::Text | Shape::Document => writeln!(shown, "> GET {name}"),
            Shape::List => writeln!(shown, "> LRANGE {name} 0 -1"),
            Shape::SortedSet => writeln!(shown, "> ZRANGE {name} 0 -1 WITHSCORES"),
        };
        match self.shelf.0.get(key) {
            None => self.entries.iter().for_each(|(at, fields)| entry(&mut shown, *at, fields)),
            Some(value) => self::value(&mut shown, value),
        }
        let expires = self.kept.expires.expect("the examples end");
        let _ = writeln!(shown, "> PEXPIRETIME {name}\n{expires}");
        shown
    }
}

fn entry(shown: &mut String, at: Position, fields: &[(Field, Bytes)]) {
    let _ = writeln!(shown, "{at}");
    for (field, value) in fields {
        let _ = writeln!(shown, "  {field}\n  {}", String::from_utf8_lossy(value));
    }
    // Any 64 bits would do; the store draws them.
    let mark = Mark(at.seq.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let _ = writeln!(shown, "  {MARK}\n  {mark}");
}

pub(super) fn value(shown: &mut String, value: &Value) {
    let text = String::from_utf8_lossy;
    match value {
        Value::Text(bytes) | Value::Document(bytes) => {
            let _ = writeln!(shown, "{}", text(bytes));
        }
        Value::Hash(fields) => fields.iter().for_each(|(field, value)| {
            let _ = writeln!(shown, "{field}\n{}", text(value));
        }),
        Value::List(items) => items.iter().for_each(|item| {
            let _ = writeln!(shown, "{}", text(item));
        }),
        Value::SortedSet(members) => members.iter().for_each(|(member, score)| {
            let _ = writeln!(shown, "{member}\n{}", score.get());
        }),
    }
}

fn story(title: &str, link: Option<&str>) -> NewStory {
    NewStory { title: word(title), link: link.map(word), estimate: None }
}

fn set(key: &str, value: &str) -> Op {
    Op::MapSet { map: word("board"), key: word(key), value: Json::kept(value), if_version: None }
}

fn insert(id: &str, value: &str, to: Spot) -> Op {
    Op::ListInsert { list: word("todo"), id: Some(word(id)), value: Json::kept(value), to }
}

fn after(id: &str) -> Spot {
    Spot::After { id: word(id), order: None, at: None }
}

fn join(name: &str) -> poker::Command {
    poker::Command::Join { name: Some(word(name)), observer: None }
}

pub(super) fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().expect("the example's words are well formed")
}
