//! What a vote comes to: a point for each right sender, none taken away. Whoever did not vote named nobody.

use super::event::{Score, Scored};
use super::{Guesses, Item, PlayerId, Reels, SenderId, Suspicion, Which};
use std::collections::BTreeMap;
use std::fmt;

/// One player's answer to one item, seen beside the truth.
#[derive(Clone, PartialEq)]
pub struct Guess {
    pub player: PlayerId,
    pub selections: Vec<SenderId>,
    pub correct: Vec<SenderId>,
    pub incorrect: Vec<SenderId>,
}

impl Guess {
    pub fn points(&self) -> u64 {
        self.correct.len() as u64
    }
}

/// A guess can be printed; whom it names cannot.
impl fmt::Debug for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guess({})", self.player)
    }
}

/// What everyone who was expected said of the item that is being voted on.
pub(super) fn guesses(game: &Reels, item: &Item) -> Vec<Guess> {
    let expected = game.vote.iter().flat_map(|vote| &vote.expected);
    let guess = |player: &PlayerId| {
        let selections = game.ballots.get(player).map(|ballot| ballot.selections.clone()).unwrap_or_default();
        let (correct, incorrect) = selections.iter().cloned().partition(|sender| item.true_senders.contains(sender));
        Guess { player: player.clone(), selections, correct, incorrect }
    };
    expected.map(guess).collect()
}

/// All totals as they are when this vote is counted; nothing when no vote is open.
pub(super) fn scored(game: &Reels) -> Option<Scored> {
    let (round, item) = game.current()?;
    let vote = game.vote.as_ref()?;
    let delta = |player: &PlayerId| game.deltas.get(&round.id).and_then(|deltas| deltas.get(player)).copied();
    let guesses = guesses(game, item);
    let scores = guesses.iter().map(|guess| Score {
        player: guess.player.clone(),
        total: game.scores.get(&guess.player).copied().unwrap_or_default() + guess.points(),
        delta: delta(&guess.player).unwrap_or_default() + guess.points(),
    });
    let counted = guesses.iter().map(|guess| {
        let mut so_far = game.stats.guesses.get(&guess.player).copied().unwrap_or_default();
        so_far.asked += item.k() as u64;
        so_far.right += guess.points();
        if let Some(ballot) = game.ballots.get(&guess.player).filter(|ballot| !ballot.selections.is_empty()) {
            so_far.votes += 1;
            so_far.ms += ballot.at.since(vote.opened).0;
        }
        (guess.player.clone(), so_far)
    });
    Some(Scored {
        item: Which { round: round.id.clone(), item: item.id.clone() },
        scores: scores.collect(),
        guesses: counted.collect::<Vec<(PlayerId, Guesses)>>(),
        suspicions: suspicions(game, item, &guesses),
    })
}

/// Those who voted; nobody has to find themselves.
fn suspicions(game: &Reels, item: &Item, guesses: &[Guess]) -> Vec<(SenderId, Suspicion)> {
    let mut changed: BTreeMap<SenderId, Suspicion> = BTreeMap::new();
    let plays_for = |player: &PlayerId| game.player(player).and_then(|player| player.sender.clone());
    for guess in guesses.iter().filter(|guess| game.ballots.contains_key(&guess.player)) {
        let own = plays_for(&guess.player);
        let mut of = |sender: &SenderId, change: fn(&mut Suspicion)| {
            let known = || game.stats.suspicions.get(sender).copied().unwrap_or_default();
            change(changed.entry(sender.clone()).or_insert_with(known));
        };
        for sender in item.true_senders.iter().filter(|sender| own.as_ref() != Some(*sender)) {
            of(sender, |suspicion| suspicion.chances += 1);
            if guess.correct.contains(sender) {
                of(sender, |suspicion| suspicion.found += 1);
            }
        }
        for sender in &guess.incorrect {
            of(sender, |suspicion| suspicion.accused += 1);
        }
    }
    changed.into_iter().collect()
}
