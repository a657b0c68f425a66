//! What holds in every history: random people with random wishes, right and wrong, while time passes.
//!
//! Every card that can be laid belongs to one person and one round, so a card found where it should not be
//! says whose it is and since when.

use super::{Card, Class, Command, Deck, Event, Hand, Mine, Poker, Refusal, SEATS_MAX, Seat, Shared};
use crate::identity::{Credential, Proof, Viewer};
use crate::ids::{RoomId, UserId};
use crate::kept::{Commit, Done, Kept};
use crate::kinds;
use crate::receipts::{Holder, Ticket};
use crate::room::{Act, Room};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

const PEOPLE_MAX: usize = 6;
/// Cards of one round come back after this many rounds: a deck has no more places.
const ROUNDS: u64 = 3;
const BEGAN: Millis = Millis(1_700_000_000_000);

/// One thing that happens; people and cards are chosen when it happens, by what is there then.
#[derive(Clone, Debug)]
enum Step {
    Act {
        who: Index,
        host_key: Key,
        wish: Wish,
    },
    Wait(u64),
    /// The engine fires what is due.
    Tick,
    /// Another node fires for a deadline it remembers.
    StaleTick(u64),
}

#[derive(Clone, Copy, Debug)]
enum Key {
    None,
    Right,
    Wrong,
}

#[derive(Clone, Debug)]
enum Wish {
    Join(u8),
    /// One of a person's two cards of the round.
    Vote(bool),
    /// A card of no deck.
    VoteWrong(Index),
    TakeBack,
    Show,
    Reset,
    SetDeck(bool),
    StartTimer(u64),
    StopTimer,
    Kick(Index),
    Leave,
    Delete,
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        6 => (0u8..3).prop_map(Wish::Join),
        8 => any::<bool>().prop_map(Wish::Vote),
        1 => any::<Index>().prop_map(Wish::VoteWrong),
        2 => Just(Wish::TakeBack),
        3 => Just(Wish::Show),
        3 => Just(Wish::Reset),
        1 => any::<bool>().prop_map(Wish::SetDeck),
        2 => prop_oneof![Just(0u64), 1u64..90, Just(u64::MAX)].prop_map(Wish::StartTimer),
        1 => Just(Wish::StopTimer),
        1 => any::<Index>().prop_map(Wish::Kick),
        2 => Just(Wish::Leave),
        1 => Just(Wish::Delete),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![8 => Just(Key::None), 3 => Just(Key::Right), 1 => Just(Key::Wrong)];
    prop_oneof![
        12 => (any::<Index>(), key, wish()).prop_map(|(who, host_key, wish)| Step::Act { who, host_key, wish }),
        2 => (0u64..40_000).prop_map(Step::Wait),
        2 => Just(Step::Tick),
        1 => (0u64..90_000).prop_map(Step::StaleTick),
    ]
}

// `PROPTEST_CASES=100000 cargo test -p parlor-rules properties` plays longer.
proptest! {
    #[test]
    fn every_history_keeps_the_rules(people in 2..=PEOPLE_MAX, steps in prop::collection::vec(step(), 1..120)) {
        let mut play = Play::new(people);
        for step in &steps {
            play.step(step)?;
            play.nothing_hidden_shows()?;
            play.the_table_is_sound()?;
        }
        play.replaying_rebuilds_the_room()?;
    }

    #[test]
    fn the_table_is_never_overfull(steps in prop::collection::vec((0usize..20, any::<bool>()), 1..60)) {
        let mut table = table();
        let full_but = 8;
        for n in 0..SEATS_MAX - full_but {
            let by = table.recognise(&person(100 + n)).unwrap();
            let (user, proof) = (by.user.unwrap(), by.proof.unwrap());
            let sat = Event::Joined { user, proof, name: "Someone".parse().unwrap(), observer: false };
            table.apply(BEGAN, &sat);
        }
        for (who, joins) in steps {
            let by = table.recognise(&person(who)).unwrap();
            let command = if joins { Command::Join { name: "Someone".parse().ok(), observer: None } } else { Command::Leave };
            let full = table.seats.len() == SEATS_MAX;
            let (new, answer) = (!by.seated, table.decide(&Act { by, at: BEGAN, command }));
            prop_assert_eq!(answer == Err(Refusal::Full), joins && new && full);
            answer.unwrap_or_default().iter().for_each(|event| table.apply(BEGAN, event));
            prop_assert!(table.seats.len() <= SEATS_MAX);
        }
    }
}

/// A game in progress, with all that is needed to play it again.
struct Play {
    people: usize,
    cards: Vec<(UserId, Card)>,
    kept: Kept,
    now: Millis,
    history: Vec<Commit>,
    /// The cards as they were turned over, until the next round.
    turned: Option<BTreeMap<UserId, Card>>,
}

impl Play {
    fn new(people: usize) -> Play {
        Play { people, cards: all_cards(people), kept: fresh(), now: BEGAN, history: Vec::new(), turned: None }
    }

    fn table(&self) -> &Poker {
        let kinds::State::Poker(table) = &self.kept.state;
        table
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Wait(millis) => self.now = self.now + Span(*millis),
            Step::Tick => {
                if let Some(due) = self.table().deadline().filter(|due| *due <= self.now) {
                    let events = self.table().tick(due);
                    prop_assert_eq!(&events, &[Event::Shown]);
                    self.commit(None, None, false, events);
                    prop_assert!(self.table().deadline().is_none_or(|next| next > self.now));
                }
            }
            Step::StaleTick(millis) => {
                let due = BEGAN + Span(*millis);
                if self.table().deadline() != Some(due) {
                    prop_assert!(self.table().tick(due).is_empty());
                }
            }
            Step::Act { who, host_key, wish } => self.act(who.index(self.people + 1), *host_key, wish)?,
        }
        Ok(())
    }

    fn act(&mut self, who: usize, host_key: Key, wish: &Wish) -> Result<(), TestCaseError> {
        let mut credential = person(who);
        if who == self.people {
            credential.user = None; // One more than there are people: nobody in particular.
        }
        credential.host = match host_key {
            Key::None => None,
            Key::Right => Some(SecretHash::of(b"host key")),
            Key::Wrong => Some(SecretHash::of(b"another key")),
        };
        let before = self.table().clone();
        let by = match before.recognise(&credential) {
            Err(refusal) => {
                prop_assert!(matches!(host_key, Key::Wrong), "{refusal:?} without a wrong key");
                return Ok(());
            }
            Ok(by) => by,
        };
        prop_assert!(!matches!(host_key, Key::Wrong), "a wrong host key was overlooked");
        let command = self.command(who, wish);
        let act = Act { by: by.clone(), at: self.now, command };
        let answer = before.decide(&act);
        prop_assert!(*self.table() == before, "deciding changed the room");
        prop_assert!(before.decide(&act) == answer, "the same act on the same room was answered otherwise");
        let Ok(events) = answer else { return Ok(()) };
        prop_assert!(by.user.is_some() || by.host, "an anonymous watcher was allowed {:?}", act.command);

        let holder = Holder { user: by.user.clone(), client: "tab".parse().unwrap() };
        let number = self.kept.receipts.find(&holder).map_or(1, |receipt| receipt.number + 1);
        let (changes, roles) = (!events.is_empty(), events.iter().any(Poker::changes_roles));
        let who_was_who = self.viewers();
        let expires = self.kept.expires;
        self.commit(by.user.clone(), Some(Ticket { holder, number }), Poker::renews(&act.command), events);
        if act.command == Command::Leave {
            prop_assert!(self.kept.expires == expires, "leaving renewed the room");
        } else {
            prop_assert_eq!(self.kept.expires, Some(self.now + super::LIFE));
        }
        prop_assert!(changes || *self.table() == before, "no event, and yet a change");
        let unchanged = who_was_who.iter().zip(self.viewers()).all(|(was, is)| was.same(&is));
        prop_assert!(roles || unchanged, "{:?} changed a role and did not say so", act.command);
        self.once_more(&credential, &act)
    }

    /// The same wish again at once: what is done stays done.
    fn once_more(&self, credential: &Credential, act: &Act<Command>) -> Result<(), TestCaseError> {
        let by = self.table().recognise(credential).expect("it was recognised a moment ago");
        let kicked = matches!(&act.command, Command::Kick(user) if !self.table().seats.contains_key(user));
        let again = self.table().decide(&Act { by: by.clone(), ..act.clone() });
        let expected = match act.command {
            Command::Join { .. } | Command::Vote(_) | Command::TakeBack | Command::Show | Command::StopTimer => Some(Ok(vec![])),
            Command::Kick(_) if kicked && by.host => Some(Err(Refusal::NoSuchUser)),
            Command::Leave => Some(Err(Refusal::NotSeated)),
            Command::Kick(_) | Command::Reset | Command::SetDeck(_) | Command::StartTimer { .. } | Command::Delete => None,
        };
        match expected {
            Some(expected) => prop_assert_eq!(again, expected, "{:?} again", act.command),
            None => prop_assert!(again.is_ok(), "{:?} again: {:?}", act.command, again),
        }
        Ok(())
    }

    fn commit(&mut self, by: Option<UserId>, ticket: Option<Ticket>, renews: bool, events: Vec<Event>) {
        for event in &events {
            match event {
                Event::Shown => {
                    self.turned = Some(votes(self.table()));
                }
                Event::Reset | Event::DeckSet(_) => self.turned = None,
                Event::Joined { .. } | Event::Renamed { .. } | Event::Voted { .. } | Event::TookBack { .. } => {}
                Event::TimerStarted { .. } | Event::TimerStopped | Event::Deleted => {}
                Event::Kicked { user } | Event::Left { user } => {
                    self.turned.as_mut().and_then(|turned| turned.remove(user));
                }
            }
        }
        let events = events.into_iter().map(kinds::Event::Poker).collect();
        let commit = Commit { at: self.now, renews, done: vec![Done { by, ticket, events }] };
        self.kept.apply(2 + self.history.len() as u64, &commit);
        self.history.push(commit);
    }

    fn command(&self, who: usize, wish: &Wish) -> Command {
        let round = self.table().round;
        match wish {
            Wish::Join(name) => Command::Join { name: ["Ana", "Bo", "Zoë B"][usize::from(*name)].parse().ok(), observer: None },
            Wish::Vote(other) => Command::Vote(card(who, round, *other)),
            Wish::VoteWrong(index) => Command::Vote(["4", "-1", "NaN", "r0"][index.index(4)].parse().unwrap()),
            Wish::TakeBack => Command::TakeBack,
            Wish::Show => Command::Show,
            Wish::Reset => Command::Reset,
            Wish::SetDeck(reversed) => Command::SetDeck(deck(*reversed)),
            Wish::StartTimer(seconds) => Command::StartTimer { seconds: *seconds },
            Wish::StopTimer => Command::StopTimer,
            Wish::Kick(whom) => Command::Kick(id(whom.index(self.people + 1))),
            Wish::Leave => Command::Leave,
            Wish::Delete => Command::Delete,
        }
    }

    /// Everyone who could be looking: each person, with the host key and without, and those who are nobody.
    fn viewers(&self) -> Vec<Viewer> {
        let host = Some(SecretHash::of(b"host key"));
        let users = (0..self.people).map(|who| person(who).user).chain([None]);
        let credentials = users.flat_map(|user| [None, host].map(|host| Credential { user, host, session: None }));
        credentials.map(|credential| self.table().recognise(&credential).expect("the keys are right")).collect()
    }

    fn nothing_hidden_shows(&self) -> Result<(), TestCaseError> {
        let table = self.table();
        let laid = votes(table);
        for viewer in self.viewers() {
            let shared = table.shared(table.class(&viewer));
            prop_assert!(shared.deck == table.deck);
            let seen = words(&shared);
            let own = table.mine(&viewer);
            let mine = words_of_mine(&own);
            for (user, canary) in &self.cards {
                let lies_here = laid.get(user) == Some(canary);
                let whose = viewer.user.as_ref() == Some(user);
                prop_assert_eq!(
                    seen.contains(canary.as_str()),
                    lies_here && table.open,
                    "{} in the shared view: {}",
                    canary,
                    seen
                );
                prop_assert_eq!(mine.contains(canary.as_str()), lies_here && whose, "{} in one person's view: {}", canary, mine);
            }
        }
        Ok(())
    }

    fn the_table_is_sound(&self) -> Result<(), TestCaseError> {
        let Poker { admin, seats, deck, open, round, timer, arrivals, .. } = self.table();
        let longest = seats.iter().min_by_key(|(_, seat)| seat.arrival).map(|(user, _)| user);
        prop_assert_eq!(admin.as_ref(), longest, "the admin is who has been here longest, or nobody when nobody is");
        prop_assert!(seats.len() <= self.people);
        prop_assert!(!(*open && timer.is_some()), "a timer over open cards");
        for (user, Seat { proof, arrival, vote, .. }) in seats {
            prop_assert!(*arrival <= *arrivals);
            let Proof::Key(key) = *proof else { panic!("only guests play here") };
            let credential = Credential { user: Some(key), ..Credential::default() };
            prop_assert!(credential.user_id(&self.table().id).as_ref() == Some(user), "a seat under another's id");
            if let Some(vote) = vote {
                prop_assert!(deck.holds(vote), "{} is not in the deck", vote);
                let own = (0..self.people).find(|who| id(*who) == *user).expect("one of us");
                prop_assert!(
                    [card(own, *round, false), card(own, *round, true)].contains(vote),
                    "{} is not {}'s card of round {}",
                    vote,
                    own,
                    round
                );
            }
        }
        let admins = self.viewers().iter().filter(|viewer| viewer.seated && viewer.user == *admin).count();
        prop_assert_eq!(admins, if seats.is_empty() { 0 } else { 2 }, "one person, looked at with the host key and without");
        prop_assert_eq!(self.turned.is_some(), *open);
        if let Some(turned) = &self.turned {
            prop_assert_eq!(&votes(self.table()), turned, "a card changed after it was turned over");
        }
        Ok(())
    }

    fn replaying_rebuilds_the_room(&self) -> Result<(), TestCaseError> {
        let mut again = fresh();
        for (index, commit) in self.history.iter().enumerate() {
            again.apply(2 + index as u64, commit);
        }
        prop_assert!(again == self.kept, "the same commits gave another room");
        Ok(())
    }
}

fn room() -> RoomId {
    "12345".parse().unwrap()
}

fn table() -> Poker {
    Poker::new(room(), SecretHash::of(b"host key"), deck(false))
}

fn fresh() -> Kept {
    Kept::new(kinds::State::Poker(table()), BEGAN)
}

fn person(who: usize) -> Credential {
    Credential::guest(format!("key {who}").as_bytes())
}

fn id(who: usize) -> UserId {
    person(who).user_id(&room()).expect("a guest has an id")
}

/// `p2r1x`: the second of two cards that only person 2 lays, and only in round 1.
fn card(who: usize, round: u64, other: bool) -> Card {
    format!("p{who}r{}{}", round % ROUNDS, if other { "y" } else { "x" }).parse().unwrap()
}

fn all_cards(people: usize) -> Vec<(UserId, Card)> {
    let rounds = (0..people).flat_map(|who| (0..ROUNDS).map(move |round| (who, round)));
    rounds.flat_map(|(who, round)| [(id(who), card(who, round, false)), (id(who), card(who, round, true))]).collect()
}

fn deck(reversed: bool) -> Deck {
    let mut cards: Vec<String> = all_cards(PEOPLE_MAX).into_iter().map(|(_, card)| card.to_string()).collect();
    if reversed {
        cards.reverse();
    }
    cards.join(" ").parse().expect("36 cards are a deck")
}

fn votes(table: &Poker) -> BTreeMap<UserId, Card> {
    table.seats.iter().filter_map(|(user, seat)| Some((user.clone(), seat.vote.clone()?))).collect()
}

/// All that the shared part says but the deck, which is no secret. A new field must say how it is written.
fn words(shared: &Shared) -> String {
    let Shared { room, deck: _, admin, revealed, round, timer_ends, seats } = shared;
    let mut words = format!("{room} {admin:?} {revealed} {round} {timer_ends:?}");
    for super::view::SeatView { user, name, hand } in seats {
        words += &match hand {
            Hand::Empty => format!(" {user} {name} -"),
            Hand::FaceDown => format!(" {user} {name} ?"),
            Hand::FaceUp(card) => format!(" {user} {name} {card}"),
        };
    }
    words
}

fn words_of_mine(mine: &Mine) -> String {
    let Mine { user, seated, host, vote } = mine;
    format!("{user:?} {seated} {host} {vote:?}")
}

#[test]
fn the_search_finds_a_card_that_shows() {
    let mut table = table();
    let by = table.recognise(&person(1)).unwrap();
    let user = by.user.clone().unwrap();
    let (proof, name) = (by.proof.unwrap(), "Bo".parse().unwrap());
    let sat = Event::Joined { user: user.clone(), proof, name, observer: false };
    for event in [sat, Event::Voted { user, card: card(1, 1, true) }] {
        table.apply(BEGAN, &event);
    }
    assert!(!words(&table.shared(Class::Everyone)).contains("p1r1y"));
    assert!(words_of_mine(&table.mine(&table.recognise(&person(1)).unwrap())).contains("p1r1y"));
    assert!(!words_of_mine(&table.mine(&table.recognise(&person(2)).unwrap())).contains("p1r1y"));
    table.apply(BEGAN, &Event::Shown);
    assert!(words(&table.shared(Class::Everyone)).contains("p1r1y"));
}
