//! An evening played from a script: `ana takes p1 => ok`, one line after the other.
//!
//! Devices are named as `evening::credential` says. An answer is `ok`, `same` (accepted, nothing to change), the refusal's name,
//! or `Unreadable` for what the door could not parse. After every line the game is asked whether it is sound.

use crate::here::Here;
use crate::identity::Viewer;
use crate::ids::UserId;
use crate::kept::{Commit, Done, Kept};
use crate::kinds;
use crate::reels::avatar::tests::jpeg;
use crate::reels::evening::{BEGAN, FRIDAY, Setup, chosen, credential, user, which};
use crate::reels::sound::{progress, sound};
use crate::reels::{Avatar, Command, Event, Honoured, Mine, PlayerId, Reels, RoundId, Shared};
use crate::room::{Act, Room};
use crate::time::{Millis, Span};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Plays a script on Friday's game and panics at the first line that answers otherwise.
#[track_caller]
pub(crate) fn check(script: &str) {
    Evening::new(FRIDAY).play(script);
}

/// The same, after everyone took their seat and the game began.
#[track_caller]
pub(crate) fn check_game(script: &str) {
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    evening.play("master starts => ok");
    evening.play(script);
}

pub(crate) const SEATED: &str = "ana takes p1 => ok
                                 bo  takes p2 => ok
                                 cy  takes p3 => ok";

pub(crate) struct Evening {
    kept: Kept,
    now: Millis,
    seq: u64,
    /// Every device the script has named, to say ids as names.
    devices: BTreeMap<UserId, String>,
}

impl Evening {
    pub(crate) fn new(setup: Setup<'_>) -> Evening {
        let game = Kept::new(kinds::State::Reels(setup.game()), BEGAN);
        Evening { kept: game, now: BEGAN, seq: 1, devices: BTreeMap::new() }
    }

    #[track_caller]
    pub(crate) fn play(&mut self, script: &str) {
        for (number, line) in script.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (asked, expected) = line.split_once("=>").unwrap_or((line, ""));
            let answer = self.line(&asked.split_whitespace().collect::<Vec<_>>());
            assert_eq!(answer, expected.trim(), "line {}: {}", number + 1, asked.trim());
            assert_eq!(sound(self.game()), Ok(()), "line {}: {}", number + 1, asked.trim());
        }
    }

    /// What one line answers.
    pub(crate) fn line(&mut self, words: &[&str]) -> String {
        match *words {
            [] => String::new(),
            ["after", length] => {
                self.now = self.now + span(length);
                String::new()
            }
            ["tick"] => self.tick(self.game().deadline().filter(|due| *due <= self.now)),
            ["tick", "at", length] => self.tick(Some(BEGAN + span(length))),
            ["lives"] if self.kept.is_over(self.now) => "no more".into(),
            ["lives"] => self.kept.expires.map_or("for ever".into(), |ends| format!("{}min", ends.since(self.now).0 / 60_000)),
            ["stage"] => format!("{:?}", self.game().stage),
            ["at"] => match (self.game().current(), self.game().round()) {
                (Some((round, item)), _) => format!("{} {}", round.id, item.id),
                (None, Some(round)) => format!("{} done", round.id),
                (None, None) => "nowhere".into(),
            },
            ["version"] => (self.game().version == self.seq).to_string(),
            ["closes"] => self.game().deadline().map_or("never".into(), |due| format!("{}s", due.since(self.now).0 / 1000)),
            ["claims"] => pairs(self.game().claims.iter().map(|(player, claim)| (player, self.named(&claim.user)))),
            ["scores"] => pairs(&self.game().scores),
            ["deltas", round] => pairs(self.game().deltas.get(&round.parse::<RoundId>().unwrap()).into_iter().flatten()),
            ["expected"] => list(self.game().vote.iter().flat_map(|vote| &vote.expected)),
            ["voted"] => list(self.game().ballots.keys()),
            ["players"] => list(self.game().players.iter().map(|player| format!("{}:{}", player.id, player.name))),
            ["senders"] => list(self.game().senders.iter().map(|sender| format!("{}:{}", sender.id, sender.name))),
            ["faces"] => list(self.game().avatars.keys()),
            [who, "is"] => self.seen(who, |viewer, _, _| match (viewer.seated, viewer.host) {
                (true, true) => "player and master".into(),
                (true, false) => "player".into(),
                (false, true) => "master".into(),
                (false, false) => "watching".into(),
            }),
            [who, "has"] => self.seen(who, |_, _, mine| mine.player.as_ref().map_or("nothing".into(), PlayerId::to_string)),
            [who, "may", "vote"] => self.seen(who, |_, _, mine| mine.expected.to_string()),
            [who, "named"] => self.seen(who, |_, _, mine| mine.selections.as_ref().map_or("no vote".into(), list)),
            [who, "lost"] => self.seen(who, |_, _, mine| {
                mine.lost.as_ref().map_or("nothing".into(), |lost| format!("{} {}", lost.player, lost.why.name()))
            }),
            [who, "sees", "seats"] => self.seen(who, |_, shared, _| {
                let seat =
                    |seat: &crate::reels::view::SeatView| format!("{}{}", seat.player.id, if seat.taken { "*" } else { "" });
                list(shared.seats.iter().map(seat))
            }),
            [who, "sees", "points"] => {
                self.seen(who, |_, shared, _| pairs(shared.seats.iter().map(|seat| (&seat.player.id, seat.score))))
            }
            [who, "sees", "senders"] => self.seen(who, |_, shared, _| {
                shared.senders.as_ref().map_or("nothing".into(), |senders| list(senders.iter().map(|sender| &sender.id)))
            }),
            [who, "sees", "item"] => self.seen(who, |_, shared, _| shared.item.as_ref().map_or("nothing".into(), item)),
            [who, "sees", "results"] => self.seen(who, |_, shared, _| results(shared)),
            [who, "sees", "ranking"] => self.seen(who, |_, shared, _| {
                list(
                    shared
                        .ranking
                        .iter()
                        .map(|ranked| format!("{}.{}:{}+{}", ranked.rank, ranked.player, ranked.score, ranked.delta)),
                )
            }),
            [who, "sees", "awards"] => self.seen(who, |_, shared, _| {
                list(shared.awards.iter().map(|honour| match &honour.given.to {
                    Honoured::Player(id) => format!("{}:{id}={}", honour.given.award.name(), honour.given.value),
                    Honoured::Sender(id) => format!("{}:{id}={}", honour.given.award.name(), honour.given.value),
                }))
            }),
            [who, "speaks"] => {
                self.seen_by(who, |game, viewer| game.may_speak(viewer).map_or_else(|refusal| word(&refusal), |()| "ok".into()))
            }
            [who, ref wish @ ..] => match command(wish) {
                Some(command) => self.act(who, &command),
                None => "Unreadable".into(),
            },
        }
    }

    pub(crate) fn game(&self) -> &Reels {
        let kinds::State::Reels(game) = &self.kept.state else { unreachable!("a party game") };
        game
    }

    /// One act, from the credential to the commit, as the engine does it.
    pub(crate) fn act(&mut self, who: &str, command: &Command) -> String {
        let credential = credential(who);
        if let Some(user) = credential.user_id(&self.game().code) {
            self.devices.insert(user, who.split('+').next().unwrap_or_default().into());
        }
        let before = self.game().clone();
        let decided = before.recognise(&credential).and_then(|by| {
            let act = Act { by: by.clone(), at: self.now, dice: 0, command: command.clone() };
            before.decide(&act).map(|events| (by, events))
        });
        assert!(*self.game() == before, "deciding changed the game");
        match decided {
            Err(refusal) => word(&refusal),
            Ok((by, events)) => self.commit(by.user, events),
        }
    }

    fn tick(&mut self, due: Option<Millis>) -> String {
        let events = due.map(|due| self.game().tick(due)).unwrap_or_default();
        self.commit(None, events)
    }

    fn commit(&mut self, by: Option<UserId>, events: Vec<Event>) -> String {
        if events.is_empty() {
            return "same".into();
        }
        let over = events.iter().any(|event| Reels::ends(event).is_some());
        let (before, ended) = (progress(self.game()), events.iter().map(kinds_event).collect());
        self.seq += 1;
        self.kept.apply(self.seq, &Commit { at: self.now, renews: false, done: vec![Done { by, ticket: None, events: ended }] });
        assert!((before..=before + 1).contains(&progress(self.game())), "a step was skipped or taken back");
        if over { "ok, over".into() } else { "ok".into() }
    }

    fn named(&self, user: &UserId) -> String {
        self.devices.get(user).cloned().unwrap_or_else(|| user.to_string())
    }

    fn seen(&self, who: &str, say: fn(&Viewer, &Shared, &Mine) -> String) -> String {
        self.seen_by(who, |game, viewer| {
            let here: Here = game.claims.values().map(|claim| claim.user.clone()).collect();
            say(viewer, &game.shared(game.class(viewer), &here), &game.mine(viewer))
        })
    }

    fn seen_by(&self, who: &str, say: impl Fn(&Reels, &Viewer) -> String) -> String {
        match self.game().recognise(&credential(who)) {
            Ok(viewer) => say(self.game(), &viewer),
            Err(refusal) => word(&refusal),
        }
    }
}

fn kinds_event(event: &Event) -> kinds::Event {
    kinds::Event::Reels(event.clone())
}

pub(crate) fn command(wish: &[&str]) -> Option<Command> {
    let id = |word: &str| word.parse::<PlayerId>().ok();
    Some(match *wish {
        ["takes", player] => Command::TakePlayer(id(player)?),
        ["gives", "up", player] | ["releases", player] => Command::ReleasePlayer { player: id(player)?, user: None },
        ["releases", player, "from", who] => Command::ReleasePlayer { player: id(player)?, user: Some(user(who)) },
        ["renames", player, "to", ref name @ ..] => {
            Command::RenamePlayer { player: id(player)?, name: spelled(&name.join(" ")).parse().ok()? }
        }
        ["draws", player, face] => {
            let avatar = Avatar::new(&jpeg(300, 300, face.parse().ok()?)).ok()?;
            Command::UpdateAvatar { player: id(player)?, avatar }
        }
        ["wipes", player] => Command::DeleteAvatar(id(player)?),
        ["benches", player] => Command::TogglePlayer { player: id(player)?, active: false },
        ["unbenches", player] => Command::TogglePlayer { player: id(player)?, active: true },
        ["adds", ref name @ ..] => Command::AddPlayer(spelled(&name.join(" ")).parse().ok()?),
        ["deletes", player] => Command::DeletePlayer(id(player)?),
        ["resets"] => Command::ResetClaims,
        ["starts"] => Command::StartGame,
        ["opens", round, item] => Command::ReelOpened(which(round, item)),
        ["votes", round, item, "as", player, ref senders @ ..] => {
            Command::SubmitVote { item: which(round, item), player: Some(id(player)?), selections: chosen(&senders.join(" ")) }
        }
        ["votes", round, item, ref senders @ ..] => {
            Command::SubmitVote { item: which(round, item), player: None, selections: chosen(&senders.join(" ")) }
        }
        ["forces", round, item, length] => Command::ForceCloseVote { item: which(round, item), seconds: span(length).0 / 1000 },
        ["ends", round, item] => Command::EndItem(which(round, item)),
        ["goes", "on", "after", round] => Command::StartNextRound(round.parse().ok()?),
        ["closes", "the", "room"] => Command::RoomClosed,
        ref other => panic!("the rulebook does not know what {other:?} means"),
    })
}

/// What a refusal is called; what it says beside that is for people.
pub(crate) fn word(refusal: &crate::reels::Refusal) -> String {
    format!("{refusal:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect()
}

fn item(item: &crate::reels::view::ItemView) -> String {
    let open = item.open.as_ref().map_or("closed".into(), |open| {
        let names = open.selectable.iter().map(|(sender, _)| sender.as_str()).collect::<Vec<_>>();
        format!("k={} of {}", open.k, names.join(" "))
    });
    format!("{} {} {open}", item.round, item.id)
}

fn results(shared: &Shared) -> String {
    let Some(results) = &shared.results else { return "nothing".into() };
    let truth = results.true_senders.iter().map(|(sender, _)| sender.as_str()).collect::<Vec<_>>().join(" ");
    let guesses = results.guesses.iter().map(|(guess, total)| {
        let (right, wrong) = (list(&guess.correct), list(&guess.incorrect));
        format!(" {}[{right}/{wrong}]{total}", guess.player)
    });
    format!("{truth}:{}", guesses.collect::<String>())
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

fn pairs<K: Display, V: Display>(items: impl IntoIterator<Item = (K, V)>) -> String {
    list(items.into_iter().map(|(key, value)| format!("{key}:{value}")))
}

/// `10s`, `5min`.
fn span(text: &str) -> Span {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let number: u64 = digits.parse().expect("a length of time");
    match &text[digits.len()..] {
        "s" => Span::seconds(number),
        "ms" => Span(number),
        "min" => Span::minutes(number),
        other => panic!("no such unit: {other}"),
    }
}

/// `\u{202e}` as the character it stands for.
fn spelled(text: &str) -> String {
    let mut pieces = text.split("\\u{");
    let mut spelled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once('}').expect("an escape ends");
        spelled.push(char::from_u32(u32::from_str_radix(code, 16).expect("hexadecimal")).expect("a character"));
        spelled += rest;
    }
    spelled
}
