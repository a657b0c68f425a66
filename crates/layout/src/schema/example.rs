//! The little history that the schema page shows: a room is created, two join, one adds stories, both vote, one shows.
//!
//! It is played by the rules and laid down by the layout, like any other; only the keys and the clock are
//! fixed, so that the page is the same each time.

use super::{MARK, Row, Shape};
use crate::room::{Rest, creation, room_key, step};
use crate::shelf::Shelf;
use bytes::Bytes;
use parlor_rules::poker::{self, Deck, NewStory, Poker};
use parlor_rules::receipts::Holder;
use parlor_rules::{
    Address, Command, Commit, Credential, Done, Kept, Kind, Mark, Millis, Position, SecretHash, Span, State, Ticket,
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
    pub(super) fn play() -> Example {
        let ana = Credential::guest(b"ana's user key");
        let bo = Credential::guest(b"bo's user key");
        let mut example = Example::create();
        example.commit(12, &[(&ana, 1, join("Ana"))]);
        example.commit(15, &[(&bo, 1, join("Bo"))]);
        let stories = vec![story("Log in", Some("https://example.org/1")), story("Log out", None)];
        example.commit(20, &[(&ana, 2, poker::Command::AddStories { stories, at: None })]);
        example.commit(22, &[(&ana, 3, poker::Command::PickStory(Some(word("s1"))))]);
        example.commit(31, &[(&ana, 4, poker::Command::Vote(word("5"))), (&bo, 2, poker::Command::Vote(word("5")))]);
        example.commit(40, &[(&ana, 5, poker::Command::Show)]);
        example
    }

    fn create() -> Example {
        let address = Address { kind: Kind::Poker, id: word("12345") };
        let table = Poker::new(address.id.clone(), SecretHash::of(b"the host key"), Deck::default());
        let mut kept = Kept::new(State::Poker(table), CREATED);
        let commit = Commit { at: CREATED, renews: true, done: vec![] };
        let at = Position::first(CREATED);
        kept.apply(at.seq, &commit);
        let rest = creation(&address, &kept, &commit);
        let mut example = Example { address, kept, at, entries: vec![], shelf: Shelf::default() };
        example.keep(rest);
        example
    }

    fn commit(&mut self, seconds: u64, acts: &[(&Credential, u64, poker::Command)]) {
        let before = self.kept.clone();
        let at = CREATED + Span::seconds(seconds);
        let done = acts.iter().map(|(credential, number, command)| {
            let viewer = before.state.recognise(credential).expect("a guest's key opens every room");
            let events = before.state.decide(&viewer, at, 0, &Command::Poker(command.clone())).expect("the example is allowed");
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
        let spine = room_key(&self.address).spine;
        let key = if row.is_for(&spine) { Some(&spine) } else { self.shelf.0.keys().find(|key| row.is_for(key)) };
        let key = key.expect("the example has every key of the table");
        let _ = match row.shape {
            Shape::Stream => writeln!(shown, "> XRANGE {key} - +"),
            Shape::Hash => writeln!(shown, "> HGETALL {key}"),
            Shape::Text | Shape::Document => writeln!(shown, "> GET {key}"),
            Shape::List => writeln!(shown, "> LRANGE {key} 0 -1"),
            Shape::SortedSet => writeln!(shown, "> ZRANGE {key} 0 -1 WITHSCORES"),
        };
        match self.shelf.0.get(key) {
            None => self.entries.iter().for_each(|(at, fields)| entry(&mut shown, *at, fields)),
            Some(value) => self::value(&mut shown, value),
        }
        let expires = self.kept.expires.expect("a table ends");
        let _ = writeln!(shown, "> PEXPIRETIME {key}\n{expires}");
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

fn join(name: &str) -> poker::Command {
    poker::Command::Join { name: Some(word(name)), observer: None }
}

pub(super) fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().expect("the example's words are well formed")
}
