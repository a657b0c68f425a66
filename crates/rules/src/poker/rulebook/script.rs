//! A table played from a script: `ana votes 5 => ok`, one line after the other.
//!
//! People are named by their user key: `ana`. `ana+key` also shows the room's host key, `ana+wrong` another
//! room's; `host` has the host key and no user key, `nobody` has neither; `@mia` has a session under that name. An answer is `ok`, `same` (accepted,
//! nothing to change), the refusal's name, or `Unreadable` for what the door could not parse.

use crate::here::Here;
use crate::identity::{Credential, Member, Viewer};
use crate::ids::UserId;
use crate::kept::{Commit, Done, Kept};
use crate::kinds;
use crate::poker::command::StoryEdit;
use crate::poker::{Card, Change, Class, Command, Deck, Hand, Mine, NewStory, Poker, Shared, Tally};
use crate::rights::Right;
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
            [who, "stays", "away"] => self.away(who),
            ["tick", "at", length] => self.tick(Some(BEGAN + span(length))),
            ["lives"] if self.kept.is_over(self.now) => "no more".into(),
            ["lives"] => self.kept.expires.map_or("for ever".into(), |ends| length(ends.since(self.now))),
            ["timer"] => self.room().timer.map_or("none".into(), |timer| length(timer.ends.since(self.now))),
            ["admin"] => self.room().admin.as_ref().map_or("nobody".into(), |admin| self.named(admin)),
            ["round"] => self.room().round.to_string(),
            ["deck"] => self.room().deck.to_string(),
            ["cards"] => if self.room().open { "up" } else { "down" }.into(),
            ["names"] => self.shared().seats.iter().map(|seat| seat.name.to_string()).collect::<Vec<_>>().join(", "),
            ["sealed"] => self.room().sealed.to_string(),
            ["observers"] => {
                let shared = self.shared();
                let names = shared.seats.iter().filter(|seat| seat.observer).map(|seat| self.named(&seat.user));
                names.collect::<Vec<_>>().join(" ")
            }
            ["result"] => self.shared().result.map_or("none".into(), |tally| result(&tally)),
            ["stories"] => self.stories(),
            ["history"] => self.history(),
            [who, "exports"] => self.answer(who, |table, viewer| match table.room().export(viewer) {
                Ok(export) => format!("{} stories, {} rounds", export.stories.len(), export.rounds.len()),
                Err(refusal) => format!("{refusal:?}"),
            }),
            [who, "may"] => {
                self.answer(who, |table, viewer| if table.room().mine(viewer).may_reveal { "reveal" } else { "wait" }.into())
            }
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
        let kinds::State::Poker(room) = &self.kept.state else { unreachable!("a table") };
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
        let mut credential = Credential { user, host, ..Credential::default() };
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
            before.decide(&Act { by: by.clone(), at: self.now, dice: 0, command: command.clone() }).map(|events| (by, events))
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

    fn away(&mut self, who: &str) -> String {
        let user = self.id(who);
        let events = self.room().away_too_long(&user, self.now);
        self.commit(None, false, events)
    }

    fn commit(&mut self, by: Option<UserId>, renews: bool, events: Vec<super::super::Event>) -> String {
        let mut answer = String::from(if events.is_empty() { "same" } else { "ok" });
        for event in &events {
            for (user, name) in &self.names {
                let viewer = Viewer {
                    user: Some(user.clone()),
                    proof: None,
                    name: None,
                    seated: false,
                    host: false,
                    right: Right::None,
                    info: None,
                };
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
        let join = |name, observer| Command::Join { name, observer };
        let own_name =
            || if who.starts_with('@') { Ok(None) } else { who.split('+').next().unwrap_or_default().parse().map(Some) };
        let update = |change: Change| Command::Update(change);
        Some(match *wish {
            // Members join under their session's name, guests under their key's.
            ["joins"] => join(own_name().ok()?, None),
            ["joins", "nameless"] => join(None, None),
            ["joins", "as", "observer"] => join(own_name().ok()?, Some(true)),
            ["joins", "as", "voter"] => join(own_name().ok()?, Some(false)),
            ["joins", "as", ref name @ ..] => join(Some(spelled(&name.join(" ")).parse().ok()?), None),
            ["votes", card] => Command::Vote(spelled(card).parse().ok()?),
            ["takes", "back"] => Command::TakeBack,
            ["shows"] => Command::Show,
            ["hides"] => Command::Hide,
            ["resets"] => Command::Reset,
            ["deals", ref cards @ ..] => Command::SetDeck(Deck::from_str(&spelled(&cards.join(" "))).ok()?),
            ["observes"] => Command::SetObserver { observer: true, user: None },
            ["plays"] => Command::SetObserver { observer: false, user: None },
            ["lets", whom, "observe"] => Command::SetObserver { observer: true, user: Some(self.id(whom)) },
            ["lets", whom, "play"] => Command::SetObserver { observer: false, user: Some(self.id(whom)) },
            ["turns", "auto", on] => update(Change { auto_reveal: Some(on == "on"), ..Change::default() }),
            ["allows", "reveal", "by", who] => update(Change { reveal_by: Some(who.parse().ok()?), ..Change::default() }),
            ["unnames", "the", "room"] => update(Change { name: Some(None), ..Change::default() }),
            ["names", "the", "room", ref name @ ..] => {
                update(Change { name: Some(Some(name.join(" ").parse().ok()?)), ..Change::default() })
            }
            ["changes", "nothing"] => update(Change::default()),
            ["starts", length] => Command::StartTimer { seconds: span(length).0 / 1000, reveal: true },
            ["starts", length, "quietly"] => Command::StartTimer { seconds: span(length).0 / 1000, reveal: false },
            ["stops"] => Command::StopTimer,
            ["hands", "over", "to", whom] => Command::HandOver(self.id(whom)),
            ["kicks", whom] => Command::Kick { user: self.id(whom), ban: false },
            ["bans", whom] => Command::Kick { user: self.id(whom), ban: true },
            ["leaves"] => Command::Leave,
            ["forgets"] => Command::Forget(None),
            ["forgets", whom] => Command::Forget(Some(self.id(whom))),
            ["deletes"] => Command::Delete,
            ["adds", ref titles @ .., "at", place] => Command::AddStories { stories: stories(titles)?, at: place.parse().ok() },
            ["adds", ref titles @ ..] => Command::AddStories { stories: stories(titles)?, at: None },
            ["retitles", story, ref title @ ..] => edit(story, |edit| edit.title = title.join(" ").parse().ok())?,
            ["links", story, link] => edit(story, |edit| edit.link = Some(link.parse().ok()))?,
            ["estimates", story, "nothing"] => edit(story, |edit| edit.estimate = Some(None))?,
            ["estimates", story, card] => edit(story, |edit| edit.estimate = Some(card.parse().ok()))?,
            ["edits", story] => edit(story, |_| {})?,
            ["moves", story, "to", place] => Command::MoveStory { story: story.parse().ok()?, to: place.parse().ok()? },
            ["removes", story] => Command::RemoveStory(story.parse().ok()?),
            ["picks", "nothing"] => Command::PickStory(None),
            ["picks", story] => Command::PickStory(Some(story.parse().ok()?)),
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
        self.room().shared(Class::Everyone, &Here::default())
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

    /// `s1:Login=5 *s2:Search`: the star is at the story being estimated.
    fn stories(&self) -> String {
        let shared = self.shared();
        let stories = shared.stories.iter().map(|story| {
            let star = if shared.story == Some(story.id) { "*" } else { "" };
            let estimate = story.estimate.as_ref().map_or_else(String::new, |card| format!("={card}"));
            format!("{star}{}:{}{estimate}", story.id, story.title)
        });
        stories.collect::<Vec<_>>().join(" ")
    }

    /// `1 ana:5 bo:8; 2 [Login] ana:5`.
    fn history(&self) -> String {
        let rounds = self.room().history.0.iter().map(|round| {
            let story = round.story.as_ref().map_or_else(String::new, |(_, title)| format!(" [{title}]"));
            let votes = round.ballots.iter().map(|ballot| {
                let by = ballot.by.as_ref().map_or_else(|| "somebody".into(), |voter| self.named(&voter.id));
                format!(" {by}:{}", ballot.card)
            });
            format!("{}{story}{}", round.number, votes.collect::<String>())
        });
        rounds.collect::<Vec<_>>().join("; ")
    }

    fn named(&self, user: &UserId) -> String {
        self.names.get(user).cloned().unwrap_or_else(|| user.to_string())
    }
}

fn stories(titles: &[&str]) -> Option<Vec<NewStory>> {
    let titles = titles.iter().map(|title| Some(NewStory { title: title.parse().ok()?, link: None, estimate: None }));
    titles.collect()
}

fn edit(story: &str, change: impl FnOnce(&mut StoryEdit)) -> Option<Command> {
    let mut edit = StoryEdit { story: story.parse().ok()?, title: None, link: None, estimate: None };
    change(&mut edit);
    Some(Command::EditStory(edit))
}

/// `2 votes, 100%, all 5`.
fn result(tally: &Tally) -> String {
    let mode: Vec<_> = tally.mode.iter().map(Card::as_str).collect();
    let all = if tally.unanimous { "all " } else { "" };
    format!("{} votes, {}%, {all}{}", tally.votes, tally.agreement, mode.join(" ")).trim_end().into()
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
