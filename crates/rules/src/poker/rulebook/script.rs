//! A table played from a script: `ana votes 5 => ok`, one line after the other.
//!
//! People are named by their user key: `ana`. `ana+key` also shows the room's host key, `ana+wrong` another
//! room's; `host` has the host key and no user key, `nobody` has neither; `@mia` has a session under that name. An answer is `ok`, `same` (accepted,
//! nothing to change), the refusal's name, or `Unreadable` for what the door could not parse.

use crate::identity::{Credential, Member, Viewer};
use crate::ids::UserId;
use crate::kept::{Commit, Done, Kept};
use crate::kinds;
use crate::poker::{Class, Command, Deck, Hand, Mine, Poker, Shared};
use crate::room::{Act, Room};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
use std::collections::BTreeMap;
use std::str::FromStr;

const BEGAN: Millis = Millis(1_700_000_000_000);

/// Plays a script on a fresh table and panics at the first line that answers otherwise.
#[track_caller]
pub(crate) fn check(script: &str) {
    Table::new().play(script);
}

pub(crate) struct Table {
    kept: Kept,
    now: Millis,
    seq: u64,
    /// Everyone the script has named, to say ids as names.
    names: BTreeMap<UserId, String>,
}

impl Table {
    pub(crate) fn new() -> Table {
        let room = Poker::new("12345".parse().unwrap(), SecretHash::of(b"host key"), Deck::default());
        Table { kept: Kept::new(kinds::State::Poker(room), BEGAN), now: BEGAN, seq: 1, names: BTreeMap::new() }
    }

    #[track_caller]
    pub(crate) fn play(&mut self, script: &str) {
        for (number, line) in script.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (asked, expected) = line.split_once("=>").unwrap_or((line, ""));
            let answer = self.line(&asked.split_whitespace().collect::<Vec<_>>());
            assert_eq!(answer, expected.trim(), "line {}: {}", number + 1, asked.trim());
        }
    }

    /// What one line answers.
    pub(crate) fn line(&mut self, words: &[&str]) -> String {
        match *words {
            ["after", length] => {
                self.now = self.now + span(length);
                String::new()
            }
            ["tick"] => self.tick(self.room().deadline().filter(|due| *due <= self.now)),
            ["tick", "at", length] => self.tick(Some(BEGAN + span(length))),
            ["lives"] if self.kept.is_over(self.now) => "no more".into(),
            ["lives"] => self.kept.expires.map_or("for ever".into(), |ends| length(ends.since(self.now))),
            ["timer"] => self.room().timer.map_or("none".into(), |ends| length(ends.since(self.now))),
            ["admin"] => self.room().admin.as_ref().map_or("nobody".into(), |admin| self.named(admin)),
            ["round"] => self.room().round.to_string(),
            ["deck"] => self.room().deck.to_string(),
            ["cards"] => if self.room().open { "up" } else { "down" }.into(),
            ["names"] => self.shared().seats.iter().map(|seat| seat.name.to_string()).collect::<Vec<_>>().join(", "),
            [who, "sees"] => self.answer(who, Table::picture),
            [who, "speaks"] => self.answer(who, |table, viewer| match table.room().may_speak(viewer) {
                Ok(()) => "ok".into(),
                Err(refusal) => format!("{refusal:?}"),
            }),
            [who, "is"] => self.answer(who, |_, viewer| role(viewer)),
            [who, ref wish @ ..] => {
                let credential = self.credential(who);
                match self.command(who, wish) {
                    Some(command) => self.act(&credential, &command),
                    None => "Unreadable".into(),
                }
            }
            [] => String::new(),
        }
    }

    pub(crate) fn room(&self) -> &Poker {
        let kinds::State::Poker(room) = &self.kept.state;
        room
    }

    /// What a person may prove; naming somebody makes them known.
    pub(crate) fn credential(&mut self, who: &str) -> Credential {
        let (name, key) = who.split_once('+').unwrap_or((who, ""));
        let user = (name != "nobody" && name != "host").then(|| SecretHash::of(name.as_bytes()));
        let host = match (name, key) {
            ("host", "") | (_, "key") => Some(SecretHash::of(b"host key")),
            (_, "wrong") => Some(SecretHash::of(b"the key of another room")),
            (_, "") => None,
            (_, other) => panic!("nobody holds a {other}"),
        };
        let mut credential = Credential { user, host, session: None };
        if let Some(member) = name.strip_prefix('@') {
            credential.session = Some(Member { id: member.parse().unwrap(), name: member.parse().unwrap() });
        }
        if let Some(id) = credential.user_id(&self.room().id) {
            self.names.insert(id, name.into());
        }
        credential
    }

    pub(crate) fn id(&mut self, who: &str) -> UserId {
        self.credential(who).user_id(&self.room().id).expect("a person with a user key")
    }

    /// One act, from the credential to the commit, as the engine does it.
    pub(crate) fn act(&mut self, credential: &Credential, command: &Command) -> String {
        let before = self.room().clone();
        let events = before.recognise(credential).and_then(|by| {
            before.decide(&Act { by: by.clone(), at: self.now, command: command.clone() }).map(|events| (by, events))
        });
        match events {
            Err(refusal) => format!("{refusal:?}"),
            Ok((by, events)) => self.commit(by.user, Poker::renews(command), events),
        }
    }

    fn tick(&mut self, due: Option<Millis>) -> String {
        let events = due.map(|due| self.room().tick(due)).unwrap_or_default();
        self.commit(None, false, events)
    }

    fn commit(&mut self, by: Option<UserId>, renews: bool, events: Vec<super::super::Event>) -> String {
        let mut answer = String::from(if events.is_empty() { "same" } else { "ok" });
        for event in &events {
            for (user, name) in &self.names {
                let viewer = Viewer { user: Some(user.clone()), proof: None, name: None, seated: false, host: false };
                if Poker::sends_out(event, &viewer).is_some() {
                    answer += &format!(", {name} out");
                }
            }
            if Poker::ends(event).is_some() {
                answer += ", over";
            }
        }
        // An act that changes nothing is worth a write only when the room's life needs it.
        if !events.is_empty() || (renews && self.kept.wants_renewal(self.now)) {
            let events = events.into_iter().map(kinds::Event::Poker).collect();
            self.seq += 1;
            self.kept.apply(self.seq, &Commit { at: self.now, renews, done: vec![Done { by, ticket: None, events }] });
        }
        answer
    }

    fn command(&mut self, who: &str, wish: &[&str]) -> Option<Command> {
        Some(match *wish {
            // Members join under their session's name, guests under their key's.
            ["joins"] if who.starts_with('@') => Command::Join { name: None, observer: None },
            ["joins"] => Command::Join { name: Some(who.split('+').next()?.parse().ok()?), observer: None },
            ["joins", "nameless"] => Command::Join { name: None, observer: None },
            ["joins", "as", ref name @ ..] => {
                Command::Join { name: Some(spelled(&name.join(" ")).parse().ok()?), observer: None }
            }
            ["votes", card] => Command::Vote(spelled(card).parse().ok()?),
            ["takes", "back"] => Command::TakeBack,
            ["shows"] => Command::Show,
            ["resets"] => Command::Reset,
            ["deals", ref cards @ ..] => Command::SetDeck(Deck::from_str(&spelled(&cards.join(" "))).ok()?),
            ["starts", length] => Command::StartTimer { seconds: span(length).0 / 1000 },
            ["stops"] => Command::StopTimer,
            ["kicks", whom] => Command::Kick(self.id(whom)),
            ["leaves"] => Command::Leave,
            ["deletes"] => Command::Delete,
            ref other => panic!("the rulebook does not know what {other:?} means"),
        })
    }

    fn answer(&mut self, who: &str, say: fn(&Table, &Viewer) -> String) -> String {
        let credential = self.credential(who);
        match self.room().recognise(&credential) {
            Ok(viewer) => say(self, &viewer),
            Err(refusal) => format!("{refusal:?}"),
        }
    }

    fn shared(&self) -> Shared {
        self.room().shared(Class::Everyone)
    }

    /// `ana:_ bo:? cy:(5)`: no card, a card face down, and one's own card face down.
    fn picture(&self, viewer: &Viewer) -> String {
        let Mine { user, vote, .. } = self.room().mine(viewer);
        let seats = self.shared().seats.into_iter().map(|seat| {
            let hand = match (seat.hand, &vote) {
                (Hand::Empty, _) => "_".into(),
                (Hand::FaceUp(card), _) => card.to_string(),
                (Hand::FaceDown, Some(card)) if user.as_ref() == Some(&seat.user) => format!("({card})"),
                (Hand::FaceDown, _) => "?".into(),
            };
            format!("{}:{hand}", self.named(&seat.user))
        });
        let seats: Vec<_> = seats.collect();
        if seats.is_empty() { "an empty table".into() } else { seats.join(" ") }
    }

    fn named(&self, user: &UserId) -> String {
        self.names.get(user).cloned().unwrap_or_else(|| user.to_string())
    }
}

fn role(viewer: &Viewer) -> String {
    match (viewer.seated, viewer.host) {
        (true, true) => "seated host",
        (true, false) => "seated",
        (false, true) => "host",
        (false, false) => "watching",
    }
    .into()
}

/// Scripts write what cannot be seen as `\u{…}`.
fn spelled(text: &str) -> String {
    let mut spelled = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once("\\u{") {
        let (digits, after) = escape.split_once('}').expect("an escape is closed");
        let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).expect("an escape names a character");
        spelled += before;
        spelled.push(letter);
        rest = after;
    }
    spelled + rest
}

fn span(text: &str) -> Span {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let number: u64 = digits.parse().expect("a length of time is a number and a unit");
    match &text[digits.len()..] {
        "ms" => Span(number),
        "s" => Span::seconds(number),
        "m" => Span::minutes(number),
        unit => panic!("no such unit of time: {unit:?}"),
    }
}

fn length(span: Span) -> String {
    let (minutes, seconds, millis) = (span.0 / 60_000, span.0 / 1000 % 60, span.0 % 1000);
    let parts = [(minutes, "m"), (seconds, "s"), (millis, "ms")];
    let parts: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    if parts.is_empty() { "0s".into() } else { parts.join(" ") }
}
