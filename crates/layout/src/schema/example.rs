//! The little histories that the schema page shows, one of each kind of room.
//!
//! It is played by the rules and laid down by the layout, like any other; only the keys and the clock are
//! fixed, so that the page is the same each time.

use super::{MARK, Row, Shape};
use crate::items::{Documents, Table};
use crate::room::{Rest, creation, room_key, step};
use crate::shelf::Shelf;
use bytes::Bytes;
use parlor_rules::poker::{self, NewStory};
use parlor_rules::receipts::Holder;
use parlor_rules::reels;
use parlor_rules::space::{self, Op, Settings, Spot};
use parlor_rules::{
    Address, Command, Commit, Credential, Done, Json, Kept, Mark, Millis, Position, Right, SecretHash, Span, State, Ticket, Wish,
};
use parlor_store::items::Form as _;
use parlor_store::{Field, Value};
use std::fmt::Write as _;

pub(super) struct Example {
    address: Address,
    kept: Kept,
    at: Position,
    now: Millis,
    entries: Vec<(Position, Vec<(Field, Bytes)>)>,
    shelf: Shelf,
    table: Table,
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

    pub(super) fn of_a_game() -> Example {
        let master = Credential { host: Some(SecretHash::of(b"the host key")), ..Credential::default() };
        let [ana, bo, eve] = ["ana", "bo", "eve"].map(|name| Credential::guest(format!("{name}'s user key").as_bytes()));
        let mut example = Example::create("reels/ABCD2345", Wish::Reels(game()));
        let mut commit = |seconds: u64, who: &Credential, number: u64, command: reels::Command| {
            example.commit(seconds, &[(who, number, Command::Reels(command))]);
        };
        let take = |player: &str| reels::Command::TakePlayer(word(player));
        let which = |item: &str| reels::Which { round: word("r1"), item: word(item) };
        let vote = |item: &str, selections: &[&str]| {
            let selections = selections.iter().map(|id| word(id)).collect();
            reels::Command::SubmitVote { item: which(item), player: None, selections }
        };
        commit(10, &ana, 1, take("p1"));
        commit(12, &bo, 1, take("p2"));
        let avatar = reels::Avatar::new(FACE).expect("as much of a JPEG as is measured");
        commit(15, &ana, 2, reels::Command::UpdateAvatar { player: word("p1"), avatar });
        commit(16, &eve, 1, take("p3"));
        commit(20, &master, 1, reels::Command::DeletePlayer(word("p3")));
        commit(22, &master, 2, reels::Command::StartGame);
        commit(25, &master, 3, reels::Command::ReelOpened(which("i1")));
        commit(31, &ana, 3, vote("i1", &["s2"]));
        commit(33, &bo, 2, vote("i1", &["s1"]));
        commit(40, &master, 4, reels::Command::EndItem(which("i1")));
        commit(44, &master, 5, reels::Command::ReelOpened(which("i2")));
        commit(50, &bo, 3, vote("i2", &["s1", "s2"]));
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
        let mut example =
            Example { address, kept, at, now: CREATED, entries: vec![], shelf: Shelf::default(), table: Table::default() };
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
        let renews = acts.iter().any(|(_, _, command)| command.renews());
        let commit = Commit { at, renews, done: done.collect() };
        (self.at, self.now) = (self.at.next(), at);
        self.kept.apply(self.at.seq, &commit);
        self.keep(step(&self.address, self.at.seq, &before, &self.kept, &commit));
    }

    fn keep(&mut self, rest: Rest) {
        self.shelf.lay(&rest.writes);
        let room = room_key(&self.address);
        self.table.lay(&Documents, &room, &rest.writes, self.now).expect("the example is laid down as any other");
        self.entries.push((self.at, rest.entry));
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn partition(&self) -> String {
        Documents.partition(&room_key(&self.address))
    }

    /// The key of this row as `redis-cli` shows it.
    pub(super) fn shown(&self, row: &Row) -> String {
        let mut shown = String::new();
        let room = room_key(&self.address);
        let spine = room.spine.clone();
        let key = if row.is_for(&spine) { Some(&spine) } else { self.shelf.0.keys().find(|key| row.is_for(key)) };
        let key = key.expect("the example has every key of the table");
        let is_below = *key != spine && !room.names(key);
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
        // A picture, as `redis-cli` shows it.
        Value::Text(bytes) if std::str::from_utf8(bytes).is_err() => {
            let _ = writeln!(shown, "\"{}\"", bytes.escape_ascii());
        }
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

/// The head of a JPEG of 300 × 300, and its end.
const FACE: &[u8] =
    b"\xff\xd8\xff\xe0\x00\x04JF\xff\xc0\x00\x0b\x08\x01\x2c\x01\x2c\x01\x01\x11\x00\xff\xda\x00\x03\x00\x00\xff\xd9";

fn game() -> reels::Wish {
    let sender = |(id, name): (&str, &str)| reels::Sender { id: word(id), name: word(name), active: true, reels_count: 7 };
    let item = |id: &str, reel: &str, true_senders: &[&str]| {
        let url = word(&format!("https://www.instagram.com/reel/{reel}/"));
        let true_senders = true_senders.iter().map(|id| word(id)).collect();
        reels::Item { id: word(id), reel: reels::Reel { id: word(reel), url }, true_senders }
    };
    let senders = [("s1", "Ana"), ("s2", "Bo"), ("s3", "Eve")].map(sender).to_vec();
    let rounds = vec![reels::Round {
        id: word("r1"),
        items: vec![item("i1", "reel_abc", &["s2"]), item("i2", "reel_def", &["s1", "s2"])],
    }];
    let settings = reels::Settings { title: Some(word("Friday")), vote_seconds: Some(30) };
    reels::Wish::new(settings, senders, None, rounds).expect("the example is a game")
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
