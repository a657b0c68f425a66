//! The rounds that were shown. A round comes in when its cards are turned over, so nothing in here is secret;
//! what was never shown is never here.

use super::{Card, Deck, StoryId, Tally};
use crate::ids::UserId;
use crate::names::{Name, Title};
use crate::time::Millis;
use imbl::Vector;
use std::sync::Arc;

pub const ROUNDS_MAX: usize = 100;
/// Forgetting somebody rewrites the rounds they were in: all of them must fit in one commit, with their longest names.
pub const BALLOTS_MAX: usize = 10_000;

/// Oldest first.
#[derive(Clone, PartialEq, Default)]
pub struct History(pub Vector<Round>);

#[derive(Clone, PartialEq)]
pub struct Round {
    pub number: u64,
    pub at: Millis,
    /// The deck it was played with, which gives its cards their order.
    pub deck: Deck,
    pub story: Option<(StoryId, Title)>,
    /// In the order people came.
    pub ballots: Arc<[Ballot]>,
    pub tally: Arc<Tally>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Ballot {
    /// Nobody, once they asked to be forgotten; the card still counts.
    pub by: Option<Voter>,
    pub card: Card,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Voter {
    pub id: UserId,
    pub name: Name,
}

impl Round {
    pub fn new(number: u64, at: Millis, deck: Deck, story: Option<(StoryId, Title)>, ballots: Vec<Ballot>) -> Round {
        let tally = Arc::new(Tally::of(&deck, ballots.iter().map(|ballot| &ballot.card)));
        Round { number, at, deck, story, ballots: ballots.into(), tally }
    }

    fn names(&self, user: &UserId) -> bool {
        self.ballots.iter().any(|ballot| ballot.by.as_ref().is_some_and(|voter| voter.id == *user))
    }
}

impl History {
    pub fn names(&self, user: &UserId) -> bool {
        self.0.iter().any(|round| round.names(user))
    }

    pub fn find(&self, number: u64) -> Option<&Round> {
        self.0.iter().find(|round| round.number == number)
    }

    /// The oldest make way when there are too many.
    pub(super) fn add(&mut self, round: Round) {
        self.0.push_back(round);
        let mut ballots: usize = self.0.iter().map(|round| round.ballots.len()).sum();
        while self.0.len() > ROUNDS_MAX || ballots > BALLOTS_MAX {
            ballots -= self.0.pop_front().map_or(ballots, |oldest| oldest.ballots.len());
        }
    }

    pub(super) fn forget(&mut self, user: &UserId) {
        for round in self.0.iter_mut().filter(|round| round.names(user)) {
            let mut ballots = round.ballots.to_vec();
            ballots.iter_mut().filter(|ballot| ballot.by.as_ref().is_some_and(|voter| voter.id == *user)).for_each(|ballot| {
                ballot.by = None;
            });
            round.ballots = ballots.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(number: u64, voters: usize) -> Round {
        let ballot = |voter: usize| Ballot {
            by: Some(Voter { id: format!("u{voter}").parse().unwrap(), name: "Somebody".parse().unwrap() }),
            card: "5".parse().unwrap(),
        };
        Round::new(number, Millis(0), Deck::default(), None, (0..voters).map(ballot).collect())
    }

    #[test]
    fn the_newest_rounds_are_kept() {
        let mut history = History::default();
        (1..=ROUNDS_MAX as u64 + 3).for_each(|number| history.add(round(number, 2)));
        assert_eq!(history.0.len(), ROUNDS_MAX);
        assert_eq!(history.0.front().map(|round| round.number), Some(4));
        assert!(history.find(3).is_none() && history.find(103).is_some());
    }

    #[test]
    fn rounds_of_large_tables_are_bounded_by_their_ballots() {
        let mut history = History::default();
        (1..=50).for_each(|number| history.add(round(number, 500)));
        assert_eq!(history.0.len(), BALLOTS_MAX / 500);
        assert_eq!(history.0.back().map(|round| round.number), Some(50));
    }

    #[test]
    fn who_is_forgotten_leaves_the_card_and_no_name() {
        let mut history = History::default();
        history.add(round(1, 2));
        let user: UserId = "u1".parse().unwrap();
        assert!(history.names(&user));
        history.forget(&user);
        assert!(!history.names(&user));
        assert_eq!((history.0[0].ballots.len(), history.0[0].tally.votes), (2, 2));
        assert!(history.names(&"u0".parse().unwrap()));
    }
}
