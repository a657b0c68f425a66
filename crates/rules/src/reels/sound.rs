//! What holds in every game at every moment. Scripts, the exhaustive model and random histories all ask this.

use super::apply::LOST_MAX;
use super::wish::PLAYERS_MAX;
use super::{PlayerId, Reels, Stage, Which};
use crate::identity::Proof;
use std::collections::{BTreeMap, BTreeSet};

type Sound = Result<(), String>;

macro_rules! holds {
    ($condition:expr, $($words:tt)*) => {
        if !$condition {
            return Err(format!($($words)*));
        }
    };
}

/// Says what is wrong with a game, if anything is.
pub(super) fn sound(game: &Reels) -> Sound {
    seats_are_held_by_one_device_each(game)?;
    points_add_up(game)?;
    stage_and_vote_agree(game)?;
    votes_are_of_those_expected(game)?;
    names_are_told_apart(game)
}

fn seats_are_held_by_one_device_each(game: &Reels) -> Sound {
    let users: BTreeSet<_> = game.claims.values().map(|claim| &claim.user).collect();
    holds!(users.len() == game.claims.len(), "a device has two seats");
    let keys: BTreeSet<_> = game.claims.values().filter_map(|claim| key(&claim.proof)).collect();
    let guests = game.claims.values().filter(|claim| key(&claim.proof).is_some()).count();
    holds!(keys.len() == guests, "a key opens two seats");
    for player in game.claims.keys() {
        holds!(game.player(player).is_some_and(|player| player.active), "{player} is claimed and not in the game");
    }
    holds!(game.lost.keys().all(|user| !users.contains(user)), "a device that has a seat is told that it has none");
    holds!(game.lost.len() <= LOST_MAX && game.players.len() <= PLAYERS_MAX, "a bound is passed");
    let ids: BTreeSet<_> = game.players.iter().map(|player| &player.id).collect();
    holds!(ids.len() == game.players.len(), "two seats have one id");
    holds!(game.avatars.keys().all(|player| ids.contains(player)), "a face of nobody");
    Ok(())
}

fn key(proof: &Proof) -> Option<String> {
    match proof {
        Proof::Key(key) => Some(key.hex()),
        Proof::Session => None,
    }
}

fn points_add_up(game: &Reels) -> Sound {
    let mut sums: BTreeMap<&PlayerId, u64> = game.players.iter().map(|player| (&player.id, 0)).collect();
    for (player, delta) in game.deltas.values().flatten() {
        *sums.entry(player).or_default() += delta;
    }
    let scores: BTreeMap<&PlayerId, u64> = game.scores.iter().map(|(player, score)| (player, *score)).collect();
    holds!(scores == sums, "scores {scores:?} are not the sum of the rounds {sums:?}");
    let right = |player: &PlayerId| game.stats.guesses.get(player).map_or(0, |guesses| guesses.right);
    holds!(scores.iter().all(|(player, score)| right(player) == *score), "the awards count other points than the scores");
    let begun = game.at.map_or(0, |at| at.round + 1);
    let rounds = game.rounds.iter().map(|round| &round.id).take(begun).collect::<BTreeSet<_>>();
    holds!(
        game.deltas.keys().collect::<BTreeSet<_>>() == rounds,
        "points of a round that has not begun, or none of one that has"
    );
    for guesses in game.stats.guesses.values() {
        holds!(guesses.right <= guesses.asked, "more was found than asked");
    }
    for suspicion in game.stats.suspicions.values() {
        holds!(suspicion.found <= suspicion.chances, "somebody was found more often than sought");
    }
    Ok(())
}

fn stage_and_vote_agree(game: &Reels) -> Sound {
    let votes = matches!(game.stage, Stage::Vote | Stage::RevealWait);
    holds!(game.vote.is_some() == votes, "a vote in {:?}, or none", game.stage);
    holds!(votes || game.ballots.is_empty(), "ballots in {:?}", game.stage);
    holds!(game.at.is_none() == (game.stage == Stage::Lobby), "no place in {:?}, or one in the lobby", game.stage);
    let plays = matches!(game.stage, Stage::Idle | Stage::Vote | Stage::RevealWait);
    holds!(game.current().is_some() == plays, "no item in {:?}, or one too many", game.stage);
    if let Some(at) = game.at.filter(|_| !plays) {
        holds!(game.rounds.get(at.round).is_some_and(|round| round.items.len() == at.item), "a round ended too soon");
    }
    if game.stage == Stage::Over {
        holds!(game.at.is_some_and(|at| at.round + 1 == game.rounds.len()), "the game ended before its last round");
    }
    let closes = game.vote.as_ref().and_then(|vote| vote.closes);
    holds!(closes.is_none() || game.stage == Stage::Vote, "a vote that is counted is to close");
    holds!(super::Room::deadline(game) == closes, "the deadline is not when the vote closes");
    holds!(Stage::of(game.stage.phase(), game.stage.status()) == Some(game.stage), "phase and status disagree");
    Ok(())
}

fn votes_are_of_those_expected(game: &Reels) -> Sound {
    let Some(vote) = &game.vote else { return Ok(()) };
    let Some((_, item)) = game.current() else { return Err("a vote on nothing".into()) };
    for (player, ballot) in &game.ballots {
        holds!(vote.expected.contains(player), "{player} voted and was not expected");
        let different: BTreeSet<_> = ballot.selections.iter().collect();
        holds!(
            different.len() == ballot.selections.len() && different.len() <= item.k(),
            "{player} named somebody twice, or too many"
        );
        holds!(ballot.selections.iter().all(|sender| game.is_selectable(sender)), "{player} named somebody not in the game");
    }
    if game.stage == Stage::Vote {
        holds!(!game.is_complete(), "everyone has voted, and nothing was counted");
        for player in vote.expected.iter().filter(|player| !game.ballots.contains_key(*player)) {
            holds!(game.claims.contains_key(player), "the vote waits for {player}, whom nobody plays");
        }
    }
    Ok(())
}

fn names_are_told_apart(game: &Reels) -> Sound {
    let players: BTreeSet<_> = game.players.iter().map(|player| player.name.folded()).collect();
    holds!(players.len() == game.players.len(), "two players have one name");
    let senders: BTreeSet<_> = game.senders.iter().map(|sender| sender.name.folded()).collect();
    holds!(senders.len() == game.senders.len(), "two senders have one name");
    Ok(())
}

/// How far a game has come, one for each step there is: nothing may skip one or go back.
pub(super) fn progress(game: &Reels) -> usize {
    let Some(at) = game.at else { return 0 };
    let before: usize = game.rounds.iter().take(at.round).map(|round| 3 * round.items.len() + 1).sum();
    let within = match game.stage {
        Stage::Lobby | Stage::Idle | Stage::RoundRecap => 0,
        Stage::Vote | Stage::Over => 1,
        Stage::RevealWait => 2,
    };
    1 + before + 3 * at.item + within
}

/// How many steps a game has from the lobby to its end.
pub(super) fn steps(game: &Reels) -> usize {
    1 + game.rounds.iter().map(|round| 3 * round.items.len() + 1).sum::<usize>()
}

/// What a count that happens now must come to, worked out from the ballots and the answer alone.
pub(super) fn points_due(game: &Reels) -> Option<(Which, u64)> {
    let (round, item) = game.current()?;
    let right = |ballot: &super::Ballot| ballot.selections.iter().filter(|sender| item.true_senders.contains(sender)).count();
    let points = game.ballots.values().map(|ballot| right(ballot) as u64).sum();
    Some((Which { round: round.id.clone(), item: item.id.clone() }, points))
}
