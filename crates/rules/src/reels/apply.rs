//! How events change a game. Nothing is refused here, and the same event on the same game always does the same.

use super::{Ballot, Claim, Event, Loss, Lost, Player, PlayerId, Reels, Scored, Spot, Stage, Vote};
use crate::names::Name;
use crate::room::When;
use imbl::OrdSet;

/// Of the devices that lost their seat, so many are told why.
pub(super) const LOST_MAX: usize = 200;

pub(super) fn apply(game: &mut Reels, when: When, event: &Event) {
    match event {
        Event::Taken { player, user, proof } => {
            game.lost.remove(user);
            game.claims.insert(player.clone(), Claim { user: user.clone(), proof: *proof });
        }
        Event::Released { player, why } => {
            release(game, player, *why);
            excuse(game, when, player);
        }
        Event::Renamed { player, name } => rename(game, player, name),
        Event::AvatarSet { player, avatar } => {
            game.avatars.insert(player.clone(), avatar.clone());
        }
        Event::AvatarDeleted { player } => {
            game.avatars.remove(player);
        }
        Event::Toggled { player, active } => {
            change(game, player, |player| player.active = *active);
            if !active {
                release(game, player, Some(Loss::Deactivated));
            }
        }
        Event::PlayerAdded { player, name } => add(game, player, name),
        Event::PlayerDeleted { player } => {
            release(game, player, Some(Loss::Deleted));
            game.players.retain(|other| other.id != *player);
            game.avatars.remove(player);
            game.scores.remove(player);
        }
        Event::ClaimsReset => {
            for player in game.claims.keys().cloned().collect::<Vec<_>>() {
                release(game, &player, Some(Loss::Reset));
            }
        }
        Event::Started => begin_round(game, when, 0),
        Event::Opened { item, expected, closes } => {
            let expected = expected.iter().cloned().collect();
            game.vote = Some(Vote { expected, opened: when.at, closes: *closes, forced: false, left: OrdSet::new() });
            game.ballots.clear();
            game.at = game.spot(item).or(game.at);
            enter(game, when, Stage::Vote);
        }
        Event::Voted { player, selections } => {
            game.ballots.insert(player.clone(), Ballot { selections: selections.clone(), at: when.at });
        }
        Event::Hurried { closes } => {
            if let Some(vote) = &mut game.vote {
                (vote.closes, vote.forced) = (Some(*closes), true);
            }
            moved(game, when);
        }
        Event::Scored(scored) => score(game, when, scored),
        Event::ItemEnded { item } => {
            game.vote = None;
            game.ballots.clear();
            let Some(ended) = game.spot(item) else { return };
            let next = Spot { item: ended.item + 1, ..ended };
            let more = game.rounds.get(next.round).is_some_and(|round| next.item < round.items.len());
            game.at = Some(next);
            enter(game, when, if more { Stage::Idle } else { Stage::RoundRecap });
        }
        Event::RoundStarted { round } => {
            if let Some(index) = game.place_of(round) {
                begin_round(game, when, index);
            }
        }
        Event::GameEnded => enter(game, when, Stage::Over),
        Event::Closed => {}
    }
}

fn enter(game: &mut Reels, when: When, stage: Stage) {
    game.stage = stage;
    moved(game, when);
}

/// Who reads late takes in what they have seen already; that is no step back.
fn moved(game: &mut Reels, when: When) {
    game.version = game.version.max(when.seq);
}

fn begin_round(game: &mut Reels, when: When, index: usize) {
    let Some(round) = game.rounds.get(index).map(|round| round.id.clone()) else { return };
    let everybody = || game.players.iter().map(|player| (player.id.clone(), 0_u64)).collect();
    // Who reads late may have the round's points already, and seats that were not there when it began.
    game.deltas.entry(round).or_insert_with(everybody);
    game.at = Some(Spot { round: index, item: 0 });
    enter(game, when, Stage::Idle);
}

fn release(game: &mut Reels, player: &PlayerId, why: Option<Loss>) {
    let Some(claim) = game.claims.remove(player) else { return };
    let Some(why) = why else { return };
    game.lost.insert(claim.user, Lost { player: player.clone(), why });
    // Any will do: it is a courtesy, and the order of ids is the same everywhere.
    while let Some(first) = game.lost.keys().next().filter(|_| game.lost.len() > LOST_MAX).cloned() {
        game.lost.remove(&first);
    }
}

/// Whoever goes before they have voted is not waited for; a vote that was cast counts, and is nobody's to change.
fn excuse(game: &mut Reels, when: When, player: &PlayerId) {
    let voted = game.ballots.contains_key(player);
    let Some(vote) = game.vote.as_mut().filter(|_| game.stage == Stage::Vote) else { return };
    if voted {
        vote.left.insert(player.clone());
    } else if vote.expected.remove(player).is_some() {
        moved(game, when);
    }
}

fn rename(game: &mut Reels, id: &PlayerId, name: &Name) {
    change(game, id, |player| player.name = name.clone());
    let bound = game.player(id).and_then(|player| player.sender.clone());
    game.senders.iter_mut().filter(|sender| Some(&sender.id) == bound.as_ref()).for_each(|sender| sender.name = name.clone());
}

fn change(game: &mut Reels, id: &PlayerId, change: impl Fn(&mut Player)) {
    game.players.iter_mut().filter(|player| player.id == *id).for_each(change);
}

/// The newest seat is the last: also when one of that id was there before, for whoever reads late.
fn add(game: &mut Reels, id: &PlayerId, name: &Name) {
    game.players.retain(|other| other.id != *id);
    game.players.push_back(Player { id: id.clone(), sender: None, active: true, name: name.clone() });
    game.added = game.added.max(id.number().unwrap_or_default());
    game.scores.entry(id.clone()).or_insert(0);
    if let Some(round) = game.round().map(|round| round.id.clone()) {
        game.deltas.entry(round).or_default().entry(id.clone()).or_insert(0);
    }
}

fn score(game: &mut Reels, when: When, scored: &Scored) {
    let deltas = game.deltas.entry(scored.item.round.clone()).or_default();
    for score in &scored.scores {
        deltas.insert(score.player.clone(), score.delta);
        game.scores.insert(score.player.clone(), score.total);
    }
    for (player, guesses) in &scored.guesses {
        game.stats.guesses.insert(player.clone(), *guesses);
    }
    for (sender, suspicion) in &scored.suspicions {
        game.stats.suspicions.insert(sender.clone(), *suspicion);
    }
    if let Some(vote) = &mut game.vote {
        vote.closes = None;
    }
    enter(game, when, Stage::RevealWait);
}
