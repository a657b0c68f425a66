//! The keys belong together: a store that lost or mixed up one of them must not wake as another game, nor as one that cannot be
//! played on.

use crate::damage::{Damaged, damaged};
use parlor_rules::reels::wish::{ITEMS_MAX, PLAYERS_MAX, SENDERS_MAX, VOTE_SECONDS_MAX, VOTE_SECONDS_MIN};
use parlor_rules::reels::{Item, PlayerId, Reels, SenderId, Stage};
use parlor_rules::{Millis, UserId};
use std::collections::BTreeSet;

/// Nothing is counted more often than every item by everyone, or for every sender.
const COUNT_MAX: u64 = (ITEMS_MAX * if PLAYERS_MAX > SENDERS_MAX { PLAYERS_MAX } else { SENDERS_MAX }) as u64;
/// More milliseconds than all votes of a game can take, and still far from the end of the numbers.
const MS_MAX: u64 = 1 << 53;
/// More than one vote can take, and little enough that all of them stay below that.
const VOTE_MS_MAX: u64 = 1 << 42;

pub(super) fn check(game: &Reels, key: &str) -> Result<(), Damaged> {
    let why = cast(game).or_else(|| played(game)).or_else(|| points(game)).or_else(|| stands(game)).or_else(|| counted(game));
    why.map_or(Ok(()), |why| Err(damaged(key, why)))
}

fn is_once<T: Ord>(all: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    all.into_iter().all(|one| seen.insert(one))
}

fn knows(game: &Reels, sender: &SenderId) -> bool {
    game.senders.iter().any(|other| other.id == *sender)
}

/// Who plays, and who has which seat.
fn cast(game: &Reels) -> Option<&'static str> {
    if !is_once(game.senders.iter().map(|sender| &sender.id)) || !is_once(game.players.iter().map(|player| &player.id)) {
        return Some("one of the senders or players stands there twice");
    }
    if game.players.iter().any(|player| player.sender.as_ref().is_some_and(|sender| !knows(game, sender))) {
        return Some("somebody plays for a sender who is not in the list");
    }
    if game.claims.keys().any(|player| !game.player(player).is_some_and(|player| player.active)) {
        return Some("a seat is claimed that is not in the game");
    }
    let users: BTreeSet<&UserId> = game.claims.values().map(|claim| &claim.user).collect();
    if users.len() != game.claims.len() {
        return Some("somebody has two seats");
    }
    game.avatars.keys().any(|player| game.player(player).is_none()).then_some("there is a face of somebody who does not play")
}

/// What is played. Whether senders were active when the game was made no longer matters.
fn played(game: &Reels) -> Option<&'static str> {
    if !is_once(game.rounds.iter().map(|round| &round.id)) {
        return Some("a round stands there twice");
    }
    if game.rounds.is_empty() || game.rounds.iter().any(|round| round.items.is_empty()) {
        return Some("there is nothing to play");
    }
    if game.rounds.iter().any(|round| !is_once(round.items.iter().map(|item| &item.id))) {
        return Some("an item stands twice in its round");
    }
    let answered = |item: &Item| {
        let true_senders = &item.true_senders;
        !true_senders.is_empty() && is_once(true_senders.iter()) && true_senders.iter().all(|sender| knows(game, sender))
    };
    if !game.rounds.iter().flat_map(|round| &round.items).all(answered) {
        return Some("an item's true senders are not some of the list, each once");
    }
    let seconds = game.settings.vote_seconds;
    let odd = seconds.is_some_and(|seconds| !(VOTE_SECONDS_MIN..=VOTE_SECONDS_MAX).contains(&seconds));
    odd.then_some("a vote is not open for so many seconds")
}

/// Every player has a score, which is what the rounds that have begun add up to.
fn points(game: &Reels) -> Option<&'static str> {
    if game.scores.len() != game.players.len() || game.scores.keys().any(|player| game.player(player).is_none()) {
        return Some("the scores are not those of the players");
    }
    let begun = game.at.map_or(0, |at| at.round + 1);
    let has_points = |place: usize| game.rounds.get(place).is_some_and(|round| game.deltas.contains_key(&round.id));
    if (0..game.rounds.len()).any(|place| has_points(place) != (place < begun)) {
        return Some("the rounds with points are not those that have begun");
    }
    let now = game.round().and_then(|round| game.deltas.get(&round.id));
    if now.is_some_and(|deltas| game.scores.keys().any(|player| !deltas.contains_key(player))) {
        return Some("somebody has no points in this round");
    }
    if game.deltas.values().flat_map(|deltas| deltas.keys()).any(|player| !game.scores.contains_key(player)) {
        return Some("somebody has points who does not play");
    }
    let sum = |player: &PlayerId| {
        let mut rounds = game.deltas.values().filter_map(|deltas| deltas.get(player));
        rounds.try_fold(0_u64, |sum, points| sum.checked_add(*points))
    };
    let odd = game.scores.iter().any(|(player, score)| sum(player) != Some(*score) || *score > COUNT_MAX);
    odd.then_some("a score is not the points that the rounds add up to")
}

/// Where the game stands, and the vote there.
fn stands(game: &Reels) -> Option<&'static str> {
    let voting = matches!(game.stage, Stage::Vote | Stage::RevealWait);
    if voting != game.vote.is_some() || (game.at.is_none() != (game.stage == Stage::Lobby)) {
        return Some("its status has no such vote or item");
    }
    let items = game.round().map_or(0, |round| round.items.len());
    let fits = game.at.is_none_or(|at| match game.stage {
        Stage::Lobby => false,
        Stage::Idle | Stage::Vote | Stage::RevealWait => at.item < items,
        Stage::RoundRecap => at.item == items,
        Stage::Over => at.item == items && at.round + 1 == game.rounds.len(),
    });
    if !fits {
        return Some("the round has no such item");
    }
    let expected = |player| game.vote.as_ref().is_some_and(|vote| vote.expected.contains(player));
    if game.vote.iter().flat_map(|vote| &vote.expected).any(|player| game.player(player).is_none()) {
        return Some("somebody is expected to vote who does not play");
    }
    if game.ballots.keys().any(|player| !expected(player)) {
        return Some("somebody voted who was not expected to");
    }
    let opened = game.vote.as_ref().map_or(Millis(0), |vote| vote.opened);
    if game.ballots.values().any(|ballot| ballot.at.since(opened).0 > VOTE_MS_MAX) {
        return Some("a vote was cast at a time that is not near");
    }
    let k = game.current().map_or(0, |(_, item)| item.k());
    let may_be = |sender: &SenderId| game.senders.iter().any(|other| other.active && other.id == *sender);
    let odd = |selections: &[SenderId]| selections.len() > k || !is_once(selections.iter()) || !selections.iter().all(may_be);
    game.ballots.values().any(|ballot| odd(&ballot.selections)).then_some("a vote is not for those who may be named")
}

/// Figures that no game comes to would break the awards.
fn counted(game: &Reels) -> Option<&'static str> {
    let of_player = game.stats.guesses.iter().all(|(player, of)| {
        game.player(player).is_some() && of.right <= of.asked && of.asked <= COUNT_MAX && of.votes <= COUNT_MAX && of.ms <= MS_MAX
    });
    let of_sender =
        game.stats.suspicions.iter().all(|(sender, of)| {
            knows(game, sender) && of.found <= of.chances && of.chances <= COUNT_MAX && of.accused <= COUNT_MAX
        });
    let too_soon = game.stage == Stage::Lobby && !(game.stats.guesses.is_empty() && game.stats.suspicions.is_empty());
    (!of_player || !of_sender || too_soon).then_some("what was counted for the awards cannot be")
}
