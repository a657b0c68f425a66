//! What holds in every history: random people with random wishes, right and wrong, while time passes.
//!
//! Every card that can be laid belongs to one person and one round, so a card found where it should not be
//! says whose it is and since when.

mod steps;
mod words;

use super::command::StoryEdit;
use super::history::ROUNDS_MAX;
use super::stories::STORIES_MAX;
use super::{
    Card, Change, Class, Command, Deck, Event, Life, NewStory, Poker, Refusal, RevealBy, SEATS_MAX, Seat, Shared, StoryId, Tally,
};
use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::{RoomId, UserId};
use crate::kept::{Commit, Done, Kept};
use crate::kinds;
use crate::receipts::{Holder, Ticket};
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use steps::{Key, Step, Wish, step};
use words::{words, words_of_mine};

const PEOPLE_MAX: usize = 6;
/// Cards of one round come back after this many rounds: a deck has no more places.
const ROUNDS: u64 = 3;
const BEGAN: Millis = Millis(1_700_000_000_000);

// `PROPTEST_CASES=100000 cargo test -p parlor-rules properties` plays longer.
proptest! {
    #[test]
    fn h12_h123_h124_every_history_keeps_the_rules(people in 2..=PEOPLE_MAX, steps in prop::collection::vec(step(), 1..120)) {
        let mut play = Play::new(people);
        for step in &steps {
            play.step(step)?;
            play.nothing_hidden_shows()?;
            play.the_table_is_sound()?;
        }
        play.replaying_rebuilds_the_room()?;
    }

    #[test]
    fn the_table_is_never_overfull(steps in prop::collection::vec((1usize..21, any::<bool>()), 1..60)) {
        let mut table = table();
        let full_but = 8;
        for n in 0..SEATS_MAX - full_but {
            let by = table.recognise(&person(100 + n)).unwrap();
            let (user, proof) = (by.user.unwrap(), by.proof.unwrap());
            let sat = Event::Joined { user, proof, name: "Someone".parse().unwrap(), observer: false };
            table.apply(When { at: BEGAN, seq: 2 }, &sat);
        }
        for (who, joins) in steps {
            let by = table.recognise(&person(who)).unwrap();
            let command = if joins { Command::Join { name: "Someone".parse().ok(), observer: None } } else { Command::Leave };
            let full = table.seats.len() == SEATS_MAX;
            let (new, answer) = (!by.seated, table.decide(&Act { by, at: BEGAN, dice: 0, command }));
            prop_assert_eq!(answer == Err(Refusal::Full), joins && new && full);
            answer.unwrap_or_default().iter().for_each(|event| table.apply(When { at: BEGAN, seq: 2 }, event));
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
    /// The rounds that were shown, with their cards in the order of the alphabet.
    shown: Vec<(u64, Vec<Card>)>,
    /// Who was made admin by somebody's hand and not by having been here longest.
    handed: Option<UserId>,
}

impl Play {
    fn new(people: usize) -> Play {
        Play {
            people,
            cards: all_cards(people),
            kept: fresh(),
            now: BEGAN,
            history: Vec::new(),
            turned: None,
            shown: Vec::new(),
            handed: None,
        }
    }

    fn table(&self) -> &Poker {
        let kinds::State::Poker(table) = &self.kept.state else { unreachable!("a table") };
        table
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Wait(millis) => self.now = self.now + Span(*millis),
            Step::Tick => {
                if let Some(due) = self.table().deadline().filter(|due| *due <= self.now) {
                    let events = self.table().tick(due);
                    let reveals = self.table().timer.is_some_and(|timer| timer.reveals);
                    prop_assert_eq!(&events, &[if reveals { Event::Shown } else { Event::TimerStopped }]);
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
            Step::Away(who) => {
                let user = person(who.index(self.people)).user_id(&self.table().id).expect("a person with a key");
                let events = self.table().away_too_long(&user, self.now);
                prop_assert_eq!(self.table().seats.contains_key(&user), events.first() == Some(&Event::Left { user }));
                self.commit(None, None, false, events);
            }
            Step::Act { who, host_key, wish } => self.act(who.index(self.people + 1), *host_key, wish)?,
        }
        Ok(())
    }

    fn act(&mut self, who: usize, host_key: Key, wish: &Wish) -> Result<(), TestCaseError> {
        // One more than there are people: nobody in particular.
        let mut credential = if who == self.people { Credential::anonymous() } else { person(who) };
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
        let act = Act { by: by.clone(), at: self.now, dice: 0, command };
        let answer = before.decide(&act);
        prop_assert!(*self.table() == before, "deciding changed the room");
        prop_assert!(before.decide(&act) == answer, "the same act on the same room was answered otherwise");
        let Ok(events) = answer else { return Ok(()) };
        prop_assert!(!events.contains(&Event::Shown) || act.command == Command::Show || all_voted(&before, self.now, &events));
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
            let (ends, least) = (self.kept.expires, self.now + Life::default().span());
            prop_assert!(ends.is_some_and(|ends| ends >= least && ends < least + Span::seconds(1)), "{ends:?} for {least:?}");
        }
        prop_assert!(changes || *self.table() == before, "no event, and yet a change");
        let unchanged = who_was_who.iter().zip(self.viewers()).all(|(was, is)| was.same(&is));
        prop_assert!(roles || unchanged, "{:?} changed a role and did not say so", act.command);
        self.once_more(&credential, &act)
    }

    /// The same wish again at once: what is done stays done.
    fn once_more(&self, credential: &Credential, act: &Act<Command>) -> Result<(), TestCaseError> {
        let by = self.table().recognise(credential).expect("it was recognised a moment ago");
        let table = self.table();
        let again = table.decide(&Act { by: by.clone(), ..act.clone() });
        let expected = match &act.command {
            // It was the last vote, and the cards have opened.
            Command::Vote(_) if table.open => Some(Err(Refusal::AlreadyShown)),
            Command::Join { .. } | Command::Vote(_) | Command::TakeBack | Command::Show | Command::Hide | Command::StopTimer => {
                Some(Ok(vec![]))
            }
            Command::SetObserver { .. } | Command::Update(_) => Some(Ok(vec![])),
            Command::EditStory(_) | Command::MoveStory { .. } | Command::PickStory(_) => Some(Ok(vec![])),
            Command::HandOver(_) if by.host => Some(Ok(vec![])),
            Command::HandOver(_) => Some(Err(Refusal::HostOnly)),
            Command::Kick { user, .. } if !table.seats.contains_key(user) && by.host => Some(Err(Refusal::NoSuchUser)),
            Command::RemoveStory(_) => Some(Err(Refusal::NoSuchStory)),
            Command::Forget(_) => Some(Err(Refusal::NoSuchUser)),
            Command::Leave => Some(Err(Refusal::NotSeated)),
            Command::Kick { .. } | Command::Reset | Command::SetDeck(_) | Command::StartTimer { .. } | Command::Delete => None,
            Command::AddStories { .. } => None,
        };
        match expected {
            Some(expected) => prop_assert_eq!(again, expected, "{:?} again", act.command),
            None => prop_assert!(again.is_ok(), "{:?} again: {:?}", act.command, again),
        }
        Ok(())
    }

    fn commit(&mut self, by: Option<UserId>, ticket: Option<Ticket>, renews: bool, events: Vec<Event>) {
        let mut table = self.table().clone();
        for event in &events {
            match event {
                Event::Shown => {
                    let cards = votes(&table).into_values().collect::<Vec<_>>();
                    if !table.sealed && !cards.is_empty() {
                        self.shown.push((table.round, in_order(cards)));
                    }
                    self.turned = Some(votes(&table));
                }
                Event::Reset | Event::DeckSet(_) | Event::StoryPicked(_) => self.turned = None,
                Event::HandedOver { user } => self.handed = Some(user.clone()),
                Event::ObserverSet { user, observer: true } => {
                    self.turned.as_mut().and_then(|turned| turned.remove(user));
                }
                Event::Kicked { user, .. } | Event::Left { user } | Event::Forgotten { user, .. } => {
                    self.turned.as_mut().and_then(|turned| turned.remove(user));
                    self.handed = self.handed.take().filter(|handed| handed != user);
                }
                Event::Joined { .. } | Event::Renamed { .. } | Event::Voted { .. } | Event::TookBack { .. } => {}
                Event::ObserverSet { observer: false, .. } | Event::Hidden | Event::Updated(_) => {}
                Event::TimerStarted { .. } | Event::TimerStopped | Event::Deleted => {}
                Event::StoriesAdded { .. } | Event::StoryEdited(_) | Event::StoryMoved { .. } | Event::StoryRemoved { .. } => {}
            }
            table.apply(When { at: self.now, seq: 2 }, event);
        }
        let events = events.into_iter().map(kinds::Event::Poker).collect();
        let commit = Commit { at: self.now, renews, done: vec![Done { by, ticket, events }] };
        self.kept.apply(2 + self.history.len() as u64, &commit);
        self.history.push(commit);
    }

    fn command(&self, who: usize, wish: &Wish) -> Command {
        let round = self.table().round;
        let whom = |whom: &Index| id(whom.index(self.people + 1));
        match wish {
            Wish::Join(name, observer) => {
                // The last of the names is none.
                let name = ["Ana", "Bo", "Zoë B", "Mia"].get(*name).map(|name| name.parse().unwrap());
                Command::Join { name, observer: *observer }
            }
            Wish::Vote(other) => Command::Vote(card(who, round, *other)),
            Wish::VoteAlike => Command::Vote(ALIKE.parse().unwrap()),
            Wish::VoteWrong(index) => Command::Vote(["4", "-1", "NaN", "r0"][index.index(4)].parse().unwrap()),
            Wish::TakeBack => Command::TakeBack,
            Wish::Show => Command::Show,
            Wish::Hide => Command::Hide,
            Wish::Reset => Command::Reset,
            Wish::SetDeck(reversed) => Command::SetDeck(deck(*reversed)),
            Wish::Observe(observer, user) => Command::SetObserver { observer: *observer, user: user.as_ref().map(whom) },
            Wish::Auto(on) => Command::Update(Change { auto_reveal: Some(*on), ..Change::default() }),
            Wish::RevealByEveryone(everyone) => {
                let reveal_by = Some(if *everyone { RevealBy::Everyone } else { RevealBy::Host });
                Command::Update(Change { reveal_by, ..Change::default() })
            }
            Wish::StartTimer(seconds, reveal) => Command::StartTimer { seconds: *seconds, reveal: *reveal },
            Wish::StopTimer => Command::StopTimer,
            Wish::HandOver(user) => Command::HandOver(whom(user)),
            Wish::Kick(user, ban) => Command::Kick { user: whom(user), ban: *ban },
            Wish::Leave => Command::Leave,
            Wish::Forget(user) => Command::Forget(user.as_ref().map(whom)),
            Wish::Delete => Command::Delete,
            Wish::AddStories(count) => {
                let story = NewStory { title: "A story".parse().unwrap(), link: None, estimate: None };
                Command::AddStories { stories: vec![story; *count], at: Some(1) }
            }
            Wish::EditStory(story) => {
                let estimate = Some("9".parse().ok());
                Command::EditStory(StoryEdit { story: StoryId(*story), title: None, link: None, estimate })
            }
            Wish::MoveStory(story, to) => Command::MoveStory { story: StoryId(*story), to: *to },
            Wish::RemoveStory(story) => Command::RemoveStory(StoryId(*story)),
            Wish::PickStory(story) => Command::PickStory(story.map(StoryId)),
        }
    }

    /// Everyone who could be looking: each person, with the host key and without, and those who are nobody.
    fn viewers(&self) -> Vec<Viewer> {
        let host = Some(SecretHash::of(b"host key"));
        let people = (0..self.people).map(person).chain([Credential::anonymous()]);
        let credentials = people.flat_map(|one| [one.clone(), Credential { host, ..one }]);
        credentials.map(|credential| self.table().recognise(&credential).expect("the keys are right")).collect()
    }

    fn nothing_hidden_shows(&self) -> Result<(), TestCaseError> {
        let table = self.table();
        let laid = votes(table);
        for viewer in self.viewers() {
            let shared = table.shared(table.class(&viewer), &Here::default());
            prop_assert!(shared.deck == table.deck);
            prop_assert_eq!(history_of(&shared), self.remembered(), "the history is not what was shown");
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

    /// What the history should hold: the newest rounds that were shown.
    fn remembered(&self) -> Vec<(u64, Vec<Card>)> {
        self.shown[self.shown.len().saturating_sub(ROUNDS_MAX)..].to_vec()
    }

    fn the_table_is_sound(&self) -> Result<(), TestCaseError> {
        let table = self.table();
        let Poker { admin, seats, deck, open, sealed, round, timer, .. } = table;
        let longest = seats.iter().min_by_key(|(_, seat)| seat.arrival).map(|(user, _)| user);
        let expected = self.handed.as_ref().or(longest);
        prop_assert_eq!(admin.as_ref(), expected, "the admin was chosen, or is who has been here longest, or nobody is here");
        prop_assert!(seats.len() <= self.people);
        prop_assert!(!(*open && timer.is_some()), "a timer over open cards");
        prop_assert!(*sealed || !open, "open cards that count as unseen");
        prop_assert!(!table.is_complete(), "all have voted, and the cards did not open");
        let mut arrivals: Vec<u64> = seats.values().map(|seat| seat.arrival).collect();
        arrivals.sort_unstable();
        arrivals.dedup();
        prop_assert_eq!(arrivals.len(), seats.len(), "two came at once");
        for (user, Seat { proof, vote, observer, .. }) in seats {
            prop_assert!(!table.banned.contains(user), "somebody banned sits at the table");
            prop_assert!(!(*observer && vote.is_some()), "an observer voted");
            let own = (0..self.people).find(|who| id(*who) == *user).expect("one of us");
            prop_assert!(person(own).proof() == Some(*proof), "a seat under another's id");
            if let Some(vote) = vote {
                prop_assert!(deck.holds(vote), "{} is not in the deck", vote);
                prop_assert!(
                    vote.as_str() == ALIKE || [card(own, *round, false), card(own, *round, true)].contains(vote),
                    "{} is not {}'s card of round {}",
                    vote,
                    own,
                    round
                );
            }
        }
        let admins = self.viewers().iter().filter(|viewer| viewer.seated && viewer.user == *admin).count();
        prop_assert_eq!(admins, if seats.is_empty() { 0 } else { 2 }, "one person, looked at with the host key and without");
        prop_assert_eq!(self.turned.is_some(), *sealed);
        if let Some(turned) = &self.turned {
            prop_assert_eq!(&votes(table), turned, "a card changed after it was turned over");
        }
        for by in self.viewers().into_iter().filter(|_| *sealed) {
            let vote = Command::Vote(ALIKE.parse().unwrap());
            prop_assert!(
                table.decide(&Act { by, at: self.now, dice: 0, command: vote }).is_err(),
                "a vote after the cards were seen"
            );
        }
        self.the_stories_are_sound()
    }

    fn the_stories_are_sound(&self) -> Result<(), TestCaseError> {
        let Poker { stories, story, history, .. } = self.table();
        prop_assert!(stories.list.len() <= STORIES_MAX && history.0.len() <= ROUNDS_MAX);
        let mut ids: Vec<StoryId> = stories.list.iter().map(|story| story.id).collect();
        prop_assert!(ids.iter().all(|id| id.0 <= stories.made));
        prop_assert!(story.is_none_or(|picked| ids.contains(&picked)), "a story is estimated that is not in the list");
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), stories.list.len(), "two stories under one id");
        for round in &history.0 {
            let Tally { votes, distribution, .. } = &*round.tally;
            prop_assert_eq!(distribution.iter().map(|(_, count)| count).sum::<usize>(), *votes);
            prop_assert_eq!(round.ballots.len(), *votes);
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

/// The first of them is logged in, the others are guests.
fn person(who: usize) -> Credential {
    match who {
        0 => Credential::member("member-0".parse().unwrap(), "Mia".parse().unwrap()),
        _ => Credential::guest(format!("person {who}").as_bytes()),
    }
}

fn id(who: usize) -> UserId {
    person(who).user_id(&room()).expect("a guest has an id")
}

/// The one card that several people lay.
const ALIKE: &str = "alike";

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
    cards.push(ALIKE.to_owned());
    cards.join(" ").parse().expect("37 cards are a deck")
}

fn votes(table: &Poker) -> BTreeMap<UserId, Card> {
    table.seats.iter().filter_map(|(user, seat)| Some((user.clone(), seat.vote.clone()?))).collect()
}

fn in_order(mut cards: Vec<Card>) -> Vec<Card> {
    cards.sort();
    cards
}

/// Whether what happened left nobody to wait for.
fn all_voted(before: &Poker, at: Millis, events: &[Event]) -> bool {
    let mut after = before.clone();
    events.iter().for_each(|event| after.apply(When { at, seq: 2 }, event));
    let voters: Vec<&Seat> = after.seats.values().filter(|seat| !seat.observer).collect();
    after.settings.auto_reveal && voters.len() >= 2 && voters.iter().all(|seat| seat.vote.is_some())
}

fn history_of(shared: &Shared) -> Vec<(u64, Vec<Card>)> {
    let cards = |tally: &Tally| -> Vec<Card> {
        tally.distribution.iter().flat_map(|(card, count)| std::iter::repeat_n(card.clone(), *count)).collect()
    };
    shared.history.iter().map(|round| (round.number, in_order(cards(&round.tally)))).collect()
}

#[test]
fn the_search_finds_a_card_that_shows() {
    let mut table = table();
    let by = table.recognise(&person(1)).unwrap();
    let user = by.user.clone().unwrap();
    let (proof, name) = (by.proof.unwrap(), "Bo".parse().unwrap());
    let sat = Event::Joined { user: user.clone(), proof, name, observer: false };
    for event in [sat, Event::Voted { user, card: card(1, 1, true) }] {
        table.apply(When { at: BEGAN, seq: 2 }, &event);
    }
    assert!(!words(&table.shared(Class::Everyone, &Here::default())).contains("p1r1y"));
    assert!(words_of_mine(&table.mine(&table.recognise(&person(1)).unwrap())).contains("p1r1y"));
    assert!(!words_of_mine(&table.mine(&table.recognise(&person(2)).unwrap())).contains("p1r1y"));
    assert_eq!(history_of(&table.shared(Class::Everyone, &Here::default())), []);
    table.apply(When { at: BEGAN, seq: 2 }, &Event::Shown);
    assert!(words(&table.shared(Class::Everyone, &Here::default())).contains("p1r1y"));
    assert_eq!(history_of(&table.shared(Class::Everyone, &Here::default())), [(1, vec![card(1, 1, true)])]);
    table.apply(When { at: BEGAN, seq: 2 }, &Event::Hidden);
    assert!(!words(&table.shared(Class::Everyone, &Here::default())).contains("p1r1y"));
}
