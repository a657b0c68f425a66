//! What holds in every history: random devices with random wishes, right and wrong, while time passes.

pub(super) mod steps;

use super::evening::{BEGAN, Setup, take};
use super::sound::{points_due, progress, sound};
use super::{Command, Event, FORCE_SECONDS_MAX, Reels, Stage, Which};
use crate::identity::Viewer;
use crate::room::{Act, Room, When};
use crate::time::{Millis, Span};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use steps::{DEVICES, Key, LONG, Step, Where, Wish, device, seating, step};

/// Plays until now, with all that is needed to play it again.
struct Play {
    game: Reels,
    now: Millis,
    /// What was taken in, commit by commit, and the game after each.
    history: Vec<(When, Vec<Event>, Reels)>,
    counted: BTreeSet<(String, String)>,
    points: u64,
    /// Accepted commands that moved the game.
    moved: Vec<Command>,
}

// `PROPTEST_CASES=10000 cargo test -p parlor-rules reels::properties` plays longer; a failure prints the shortest history.
proptest! {
    #[test]
    fn every_history_keeps_the_rules(
        timed: bool,
        begun: bool,
        steps in prop::collection::vec(step(), 1..160),
        places in any::<[Index; 2]>(),
    ) {
        let mut play = Play::new(timed, begun);
        for step in &steps {
            play.step(step)?;
        }
        play.replaying_rebuilds_the_game()?;
        play.reading_late_and_taking_in_again_comes_to_the_same(places)?;
    }
}

/// Evenings that are too long to be told; a failure prints the seed that plays one again.
#[test]
fn h81_h83_ten_thousand_acts_leave_one_seat_to_a_device_and_one_device_to_a_seat() {
    for seed in 1..=4_u8 {
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
        let acts = (0..DEVICES, prop::bool::weighted(0.3), seating());
        let mut play = Play::new(false, false);
        for act in 0..10_000 {
            let (who, master, wish) = acts.new_tree(&mut runner).expect("nothing is filtered").current();
            let key = if master { Key::Right } else { Key::None };
            play.step(&Step::Act { who, key, wish }).unwrap_or_else(|wrong| panic!("seed {seed}, act {act}: {wrong}"));
        }
        println!("seed {seed}: {} of 10000 acts changed something", play.history.len());
        assert!(play.history.len() > 1000);
    }
}

#[test]
fn h94_h95_ten_thousand_acts_of_whole_evenings_count_each_reel_once() {
    for seed in 1..=4_u8 {
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
        let (acts, places) = ((any::<bool>(), step()), any::<[Index; 2]>());
        let (mut play, mut evenings, mut reels) = (Play::new(false, true), 0, 0);
        for act in 0..10_000 {
            let (timed, step) = acts.new_tree(&mut runner).expect("nothing is filtered").current();
            let places = places.new_tree(&mut runner).expect("nothing is filtered").current();
            let told = |wrong: TestCaseError| panic!("seed {seed}, act {act}: {wrong}");
            play.step(&step).unwrap_or_else(told);
            if play.game.stage == Stage::Over {
                play.reading_late_and_taking_in_again_comes_to_the_same(places).unwrap_or_else(told);
                (evenings, reels) = (evenings + 1, reels + play.counted.len());
                assert_eq!(play.counted.len(), 4, "seed {seed}, act {act}: a reel was not counted");
                play = Play::new(timed, true);
            }
        }
        println!("seed {seed}: 10000 acts, {evenings} evenings to their end, {reels} reels counted");
        assert!(evenings > 10);
    }
}

/// Every place a reader may have read at, and every place it may follow from.
#[track_caller]
fn read_late_from_everywhere(begun: bool, wishes: &[Wish]) {
    let mut play = Play::new(false, begun);
    for wish in wishes {
        let before = play.history.len();
        play.step(&Step::Act { who: DEVICES, key: Key::Right, wish: wish.clone() }).unwrap();
        assert_eq!(play.history.len(), before + 1, "{wish:?} was refused");
    }
    for seen in 0..play.history.len() {
        for from in 0..=seen {
            play.read_late(from, seen).unwrap();
        }
    }
}

#[test]
fn seats_that_come_and_go_stand_in_one_order_for_whoever_reads_late() {
    read_late_from_everywhere(false, &[Wish::Add(1), Wish::Delete(7), Wish::Add(3), Wish::Add(5)]);
}

#[test]
fn a_late_seat_is_in_no_round_that_was_over_before_also_for_whoever_reads_late() {
    let item = [Wish::Open(Where::Here), Wish::Force(Where::Here, 0), Wish::End(Where::Here)];
    let round = [item.as_slice(), &item, &[Wish::Next(None)]].concat();
    read_late_from_everywhere(true, &[round.as_slice(), &[Wish::Add(5)], &round].concat());
}

#[test]
fn the_version_never_goes_back_for_whoever_reads_late() {
    read_late_from_everywhere(true, &[Wish::Open(Where::Here), Wish::Force(Where::Here, 9), Wish::Release(1, None)]);
}

impl Play {
    fn new(timed: bool, begun: bool) -> Play {
        let setup = Setup { vote_seconds: timed.then_some(30), ..LONG };
        let (game, counted) = (setup.game(), BTreeSet::new());
        let mut play = Play { game, now: BEGAN, history: Vec::new(), counted, points: 0, moved: Vec::new() };
        if begun {
            for n in 1..=LONG.people {
                play.act(device(n, Key::None), take(&format!("p{n}"))).expect("every seat is free");
            }
            play.act(device(DEVICES, Key::Right), Command::StartGame).expect("all have a seat");
        }
        play
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Wait(millis) => self.now = self.now + Span(*millis),
            Step::Tick => self.tick()?,
            Step::StaleTick(millis) => {
                let due = BEGAN + Span(*millis);
                prop_assert!(self.game.deadline() == Some(due) || self.game.tick(due).is_empty(), "an old alarm rang");
            }
            Step::Act { who, key, wish } => {
                let credential = device(*who, *key);
                let command = wish.command(&self.game, &credential);
                self.act(credential, command)?;
            }
            Step::Again(index) => {
                if !self.moved.is_empty() {
                    let command = index.get(&self.moved).clone();
                    let (before, name) = (self.game.clone(), command.name());
                    self.tick()?;
                    let ticked = self.game.clone();
                    self.act(device(DEVICES, Key::Right), command)?;
                    prop_assert!(self.game == ticked, "{} happened again, from {:?}", name, before.stage);
                }
            }
        }
        Ok(())
    }

    /// As the engine does it: what is overdue comes first.
    fn tick(&mut self) -> Result<(), TestCaseError> {
        if let Some(due) = self.game.deadline().filter(|due| *due <= self.now) {
            let events = self.game.tick(due);
            prop_assert!(matches!(events.as_slice(), [Event::Scored(_)]), "the time was up and nothing was counted");
            self.take_in(events)?;
            prop_assert_eq!(self.game.deadline(), None);
        }
        Ok(())
    }

    fn act(&mut self, credential: crate::identity::Credential, command: Command) -> Result<(), TestCaseError> {
        self.tick()?;
        let before = self.game.clone();
        let Ok(by) = self.game.recognise(&credential) else { return Ok(()) };
        let act = Act { by: by.clone(), at: self.now, dice: 0, command: command.clone() };
        let decided = self.game.decide(&act);
        prop_assert!(self.game == before, "deciding changed the game");
        prop_assert!(self.game.decide(&act) == decided, "deciding twice came to two things");
        let Ok(events) = decided else { return Ok(()) };
        may_do_that(&before, &by, &command, &events)?;
        self.take_in(events.clone())?;
        let moves =
            progress(&self.game) != progress(&before) || events.iter().any(|event| matches!(event, Event::Hurried { .. }));
        if moves && by.host && !matches!(command, Command::SubmitVote { .. } | Command::ReleasePlayer { .. }) {
            self.moved.push(command);
        }
        Ok(())
    }

    fn take_in(&mut self, events: Vec<Event>) -> Result<(), TestCaseError> {
        if events.is_empty() {
            return Ok(());
        }
        let when = When { at: self.now, seq: 2 + self.history.len() as u64 };
        let from = progress(&self.game);
        for event in &events {
            if let Event::Scored(scored) = event {
                let (item, points) = points_due(&self.game).expect("something is counted");
                prop_assert_eq!(&scored.item, &item);
                prop_assert!(self.counted.insert(words(&item)), "{} {} was counted twice", item.round, item.item);
                self.points += points;
            }
            self.game.apply(when, event);
            let once = self.game.clone();
            self.game.apply(when, event);
            prop_assert!(self.game == once, "{:?} taken twice is not the same as once", event);
        }
        let to = progress(&self.game);
        prop_assert!(to == from || to == from + 1, "from step {} to step {}", from, to);
        prop_assert_eq!(sound(&self.game), Ok(()));
        prop_assert_eq!(self.game.scores.values().sum::<u64>(), self.points);
        self.deadlines_are_kept()?;
        self.history.push((when, events, self.game.clone()));
        Ok(())
    }

    fn deadlines_are_kept(&self) -> Result<(), TestCaseError> {
        let Some(vote) = self.game.vote.as_ref().filter(|_| self.game.stage == Stage::Vote) else { return Ok(()) };
        let longest = self.game.settings.vote_seconds.map(|seconds| vote.opened + Span::seconds(seconds));
        prop_assert!(
            longest.is_none_or(|longest| vote.closes.is_some_and(|closes| closes <= longest)),
            "more time than there is"
        );
        prop_assert_eq!(vote.forced || longest.is_some(), vote.closes.is_some());
        let forced = self.now + Span::seconds(FORCE_SECONDS_MAX);
        prop_assert!(!vote.forced || vote.closes.is_some_and(|closes| closes <= forced), "a countdown without end");
        Ok(())
    }

    fn replaying_rebuilds_the_game(&self) -> Result<(), TestCaseError> {
        let timed = self.game.settings.vote_seconds;
        let mut again = Setup { vote_seconds: timed, ..LONG }.game();
        for (when, event) in self.history.iter().flat_map(|(when, events, _)| events.iter().map(move |event| (when, event))) {
            again.apply(*when, event);
        }
        prop_assert!(again == self.game, "the same events gave another game");
        Ok(())
    }

    /// A reader may see records that are newer than the place it reads on from, and then takes in once more what they hold.
    fn reading_late_and_taking_in_again_comes_to_the_same(&self, places: [Index; 2]) -> Result<(), TestCaseError> {
        if self.history.is_empty() {
            return Ok(());
        }
        let [a, b] = places.map(|place| place.index(self.history.len()));
        self.read_late(a.min(b), a.max(b))
    }

    fn read_late(&self, from: usize, seen: usize) -> Result<(), TestCaseError> {
        let mut again = self.history[seen].2.clone();
        for (when, events, _) in &self.history[from..] {
            events.iter().for_each(|event| again.apply(*when, event));
        }
        prop_assert!(again == self.game, "what was read after commit {} and followed from {} is another game", seen, from);
        Ok(())
    }
}

fn words(which: &Which) -> (String, String) {
    (which.round.to_string(), which.item.to_string())
}

/// Whoever changed something was allowed to: seats and votes are one's own, the rest is the Master's.
fn may_do_that(game: &Reels, by: &Viewer, command: &Command, events: &[Event]) -> Result<(), TestCaseError> {
    let own = game.seat_of(by);
    for event in events {
        match event {
            Event::Taken { player, user, proof } => {
                prop_assert!(by.user.as_ref() == Some(user) && by.proof == Some(*proof), "{} was taken for another", player);
                prop_assert!(own.is_none() && !game.claims.contains_key(player));
            }
            Event::Voted { player, .. } => prop_assert_eq!(own, Some(player), "somebody voted for another"),
            Event::Released { player, .. }
            | Event::Renamed { player, .. }
            | Event::AvatarSet { player, .. }
            | Event::AvatarDeleted { player } => prop_assert!(by.host || own == Some(player), "{:?} by a stranger", event),
            Event::Scored(_) => {
                let ends = matches!(
                    command,
                    Command::SubmitVote { .. } | Command::ReleasePlayer { .. } | Command::ForceCloseVote { seconds: 0, .. }
                );
                prop_assert!(ends && game.stage == Stage::Vote, "{:?} counted a vote", command);
            }
            Event::Toggled { .. }
            | Event::PlayerAdded { .. }
            | Event::PlayerDeleted { .. }
            | Event::ClaimsReset
            | Event::Started
            | Event::Opened { .. }
            | Event::Hurried { .. }
            | Event::ItemEnded { .. }
            | Event::RoundStarted { .. }
            | Event::GameEnded
            | Event::Closed => prop_assert!(by.host, "{:?} without the master key", event),
        }
    }
    Ok(())
}
