//! A space played from a script: `ana sets board k 1 => ok`, one line after the other.
//!
//! People are named by their user key: `ana`. `ana+key` also shows the space's host key, `ana+wrong` another's; `host` has
//! the host key and no user key, `nobody` has neither; `@mia` has a session; `ana~read` has a token that gives this right.
//! Guests may write unless a line says otherwise. An answer is `ok`, `same` (accepted, nothing to change), the refusal's
//! name, or `Unreadable` for what the door could not parse. Several operations with ` ; ` between them are one batch.

use crate::identity::{Credential, Grant, Member};
use crate::json::{Json, VALUE_BYTES_MAX};
use crate::rights::Right;
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;
use crate::space::{Change, Command, Event, Op, PartName, Settings, Space, Spot, Wish};
use crate::time::Millis;

#[track_caller]
pub(crate) fn check(script: &str) {
    Board::new().play(script);
}

pub(crate) struct Board {
    pub(crate) space: Space,
    pub(crate) seq: u64,
}

impl Board {
    pub(crate) fn new() -> Board {
        let settings = Settings { guests: Right::Write, ..Settings::default() };
        Board { space: Space::create("12345".parse().unwrap(), SecretHash::of(b"host key"), Wish { settings }), seq: 1 }
    }

    #[track_caller]
    pub(crate) fn play(&mut self, script: &str) {
        for (number, line) in script.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (asked, expected) = line.split_once("=>").unwrap_or((line, ""));
            let answer = self.line(&asked.split_whitespace().collect::<Vec<_>>());
            assert_eq!(answer, expected.trim(), "line {}: {}", number + 1, asked.trim());
        }
    }

    fn line(&mut self, words: &[&str]) -> String {
        match *words {
            ["map", map] => self.map(map),
            ["list", list] => self.list(list),
            ["parts"] => self.parts(),
            ["bytes"] => self.space.bytes.to_string(),
            ["order", list, id] => {
                let list = &self.space.lists[&list.parse::<PartName>().unwrap()];
                list.get(&id.parse().unwrap()).unwrap().order.to_string()
            }
            [who, "may"] => match self.space.recognise(&credential(who)) {
                Ok(viewer) => viewer.right.to_string(),
                Err(refusal) => format!("{refusal:?}"),
            },
            [who, "speaks"] => match self.space.recognise(&credential(who)).and_then(|viewer| self.space.may_speak(&viewer)) {
                Ok(()) => "ok".into(),
                Err(refusal) => format!("{refusal:?}"),
            },
            [who, ref wish @ ..] => command(wish).map_or("Unreadable".into(), |command| self.act(&credential(who), command)),
            [] => String::new(),
        }
    }

    pub(crate) fn act(&mut self, credential: &Credential, command: Command) -> String {
        let decided = self
            .space
            .recognise(credential)
            .and_then(|by| self.space.decide(&Act { by, at: Millis(1_700_000_000_000), dice: self.seq, command }));
        match decided {
            Err(refusal) => format!("{refusal:?}"),
            Ok(events) if events.is_empty() => "same".into(),
            Ok(events) => {
                self.seq += 1;
                self.apply(&events);
                let over = events.iter().any(|event| Space::ends(event).is_some());
                if over { "ok, over" } else { "ok" }.into()
            }
        }
    }

    pub(crate) fn apply(&mut self, events: &[Event]) {
        let when = When { at: Millis(1_700_000_000_000), seq: self.seq };
        events.iter().for_each(|event| self.space.apply(when, event));
    }

    /// `k=1@2`: a key, its value and the commit that set it.
    fn map(&self, map: &str) -> String {
        let Some(map) = self.space.maps.get(&map.parse::<PartName>().unwrap()) else { return "none".into() };
        let entries = map.entries.iter().map(|(key, entry)| format!("{key}={}@{}", entry.value.as_str(), entry.version));
        said(entries.collect())
    }

    /// In their order, like a map's.
    fn list(&self, list: &str) -> String {
        let Some(list) = self.space.lists.get(&list.parse::<PartName>().unwrap()) else { return "none".into() };
        let items = list.iter_in_order().map(|(id, item)| format!("{id}={}@{}", item.value.as_str(), item.version));
        said(items.collect())
    }

    fn parts(&self) -> String {
        let maps = self.space.maps.keys().map(|name| format!("map:{name}"));
        let lists = self.space.lists.keys().map(|name| format!("list:{name}"));
        let presences = self.space.presences.iter().map(|(name, seconds)| format!("presence:{name}({seconds})"));
        said(maps.chain(lists).chain(presences).collect())
    }
}

fn said(words: Vec<String>) -> String {
    if words.is_empty() { "empty".into() } else { words.join(" ") }
}

pub(crate) fn credential(who: &str) -> Credential {
    let (who, right) = who.split_once('~').map_or((who, None), |(who, right)| (who, Some(right.parse().unwrap())));
    let (name, key) = who.split_once('+').unwrap_or((who, ""));
    let host = match (name, key) {
        ("host", "") | (_, "key") => Some(SecretHash::of(b"host key")),
        (_, "wrong") => Some(SecretHash::of(b"the key of another space")),
        (_, "") => None,
        (_, other) => panic!("nobody holds a {other}"),
    };
    let member = name.strip_prefix('@').map(|name| Member { id: name.parse().unwrap(), name: name.parse().unwrap() });
    let user = (name != "nobody" && name != "host" && member.is_none()).then(|| SecretHash::of(name.as_bytes()));
    Credential { session: member, user, host, grant: right.map(|right| Grant { right, info: None }) }
}

fn command(wish: &[&str]) -> Option<Command> {
    let update = |change: Change| Some(Command::Update(change));
    match *wish {
        ["deletes", "the", "space"] => Some(Command::Delete),
        ["changes", "nothing"] => update(Change::default()),
        ["unnames", "the", "space"] => update(Change { name: Some(None), ..Change::default() }),
        ["names", "the", "space", name] => update(Change { name: Some(Some(name.parse().ok()?)), ..Change::default() }),
        ["lets", "guests", right] => update(Change { guests: Some(right.parse().ok()?), ..Change::default() }),
        ["lets", "members", right] => update(Change { members: Some(right.parse().ok()?), ..Change::default() }),
        ["does", "nothing"] => Some(Command::Edit(vec![])),
        ref ops => ops.split(|word| *word == ";").map(op).collect::<Option<_>>().map(Command::Edit),
    }
}

fn op(words: &[&str]) -> Option<Op> {
    let (words, if_version) = match *words {
        [ref words @ .., "if", version] => (words, Some(version.parse().ok()?)),
        ref words => (words, None),
    };
    let value = |text: &str| Json::read(text, VALUE_BYTES_MAX).ok();
    Some(match *words {
        ["creates", "map", map] => Op::MapCreate { map: map.parse().ok()? },
        ["sets", map, key, text] => {
            Op::MapSet { map: map.parse().ok()?, key: key.parse().ok()?, value: value(text)?, if_version }
        }
        ["removes", map, key] => Op::MapRemove { map: map.parse().ok()?, key: key.parse().ok()?, if_version },
        ["clears", "map", map] => Op::MapClear { map: map.parse().ok()? },
        ["deletes", "map", map] => Op::MapDelete { map: map.parse().ok()? },
        ["creates", "list", list] => Op::ListCreate { list: list.parse().ok()? },
        ["inserts", list, "_", ref to @ ..] => {
            Op::ListInsert { list: list.parse().ok()?, id: None, value: value("1")?, to: spot(to)? }
        }
        ["inserts", list, id, ref to @ ..] => {
            Op::ListInsert { list: list.parse().ok()?, id: Some(id.parse().ok()?), value: value("1")?, to: spot(to)? }
        }
        ["fills", list, id, text] => {
            Op::ListSet { list: list.parse().ok()?, id: id.parse().ok()?, value: value(text)?, if_version }
        }
        ["moves", list, id, ref to @ ..] => Op::ListMove { list: list.parse().ok()?, id: id.parse().ok()?, to: spot(to)? },
        ["takes", list, id] => Op::ListRemove { list: list.parse().ok()?, id: id.parse().ok()? },
        ["clears", "list", list] => Op::ListClear { list: list.parse().ok()? },
        ["deletes", "list", list] => Op::ListDelete { list: list.parse().ok()? },
        ["creates", "presence", presence, "for", seconds] => {
            Op::PresenceCreate { presence: presence.parse().ok()?, seconds: seconds.parse().ok()? }
        }
        ["deletes", "presence", presence] => Op::PresenceDelete { presence: presence.parse().ok()? },
        ref other => panic!("the rulebook does not know what {other:?} means"),
    })
}

fn spot(words: &[&str]) -> Option<Spot> {
    Some(match *words {
        [] | ["last"] => Spot::Last,
        ["first"] => Spot::First,
        ["at", index] => Spot::At(index.parse().ok()?),
        ["after", id] => Spot::After { id: id.parse().ok()?, order: None, at: None },
        ["after", id, "seen", order] => Spot::After { id: id.parse().ok()?, order: Some(order.parse().ok()?), at: None },
        ["after", id, "or", "at", index] => Spot::After { id: id.parse().ok()?, order: None, at: Some(index.parse().ok()?) },
        ref other => panic!("the rulebook does not know where {other:?} is"),
    })
}
