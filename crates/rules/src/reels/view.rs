//! What leaves a game. The Master's screen is in everybody's sight and the host may play, so neither it nor a phone is told
//! an answer before the vote on it is counted; phones are not told it at all, and learn their points when the item has ended.

use super::score::{Guess, guesses};
use super::stats::Given;
use super::{ItemId, Lost, Player, PlayerId, Reel, Reels, RoundId, Sender, SenderId, Settings, Stage, Vote};
use crate::here::Here;
use crate::identity::Viewer;
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use imbl::Vector;
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Master,
    Phone,
}

pub struct Shared {
    pub code: RoomId,
    pub settings: Settings,
    pub stage: Stage,
    pub round_order: Vec<RoundId>,
    /// The round that is played, by its place.
    pub round: Option<usize>,
    pub item_index: Option<usize>,
    pub items_total: Option<usize>,
    pub seats: Vec<SeatView>,
    /// For the Master: those of the chat.
    pub senders: Option<Vector<Sender>>,
    pub item: Option<ItemView>,
    pub vote: Option<Vote>,
    /// Who has voted on the item; not what.
    pub voted: Vec<PlayerId>,
    /// For the Master, when the vote is counted.
    pub results: Option<Results>,
    /// At the end of a round and of the game, best first.
    pub ranking: Vec<Ranked>,
    pub awards: Vec<Honour>,
}

#[derive(Clone, PartialEq)]
pub struct SeatView {
    /// Which sender it plays for is for the Master.
    pub player: Player,
    /// Of its picture, if it has one.
    pub avatar: Option<String>,
    pub taken: bool,
    /// For the Master: whose device has it.
    pub holder: Option<UserId>,
    pub here: bool,
    pub score: u64,
    pub delta: u64,
}

pub struct ItemView {
    pub round: RoundId,
    pub id: ItemId,
    pub index: usize,
    /// What can be seen of it: for phones, once it is open.
    pub open: Option<OpenItem>,
}

pub struct OpenItem {
    pub reel: Reel,
    pub k: usize,
    pub selectable: Vec<(SenderId, Name)>,
}

pub struct Results {
    pub true_senders: Vec<(SenderId, Name)>,
    pub guesses: Vec<(Guess, u64)>,
}

pub struct Ranked {
    pub rank: u64,
    pub player: PlayerId,
    pub name: Name,
    pub score: u64,
    pub delta: u64,
}

pub struct Honour {
    pub given: Given,
    pub name: Name,
}

pub struct Mine {
    pub user: Option<UserId>,
    pub host: bool,
    pub player: Option<PlayerId>,
    /// May vote now.
    pub expected: bool,
    pub selections: Option<Vec<SenderId>>,
    pub lost: Option<Lost>,
}

/// Nothing is taken home.
pub enum Export {}

pub(super) fn shared(game: &Reels, class: Class, here: &Here) -> Shared {
    let master = class == Class::Master;
    let unseen = if master { BTreeMap::new() } else { unseen_points(game) };
    let seat = |player: &Player| {
        let seat = seat(game, player, here, unseen.get(&player.id).copied().unwrap_or_default());
        if master { seat } else { for_phones(seat) }
    };
    let ended = matches!(game.stage, Stage::RoundRecap | Stage::Over);
    Shared {
        code: game.code.clone(),
        settings: game.settings.clone(),
        stage: game.stage,
        round_order: game.rounds.iter().map(|round| round.id.clone()).collect(),
        round: game.at.map(|at| at.round),
        item_index: game.at.map(|at| at.item),
        items_total: game.round().map(|round| round.items.len()),
        seats: game.players.iter().filter(|player| master || player.active).map(seat).collect(),
        senders: master.then(|| game.senders.clone()),
        item: item(game, master),
        vote: game.vote.clone().filter(|_| game.stage == Stage::Vote),
        voted: game.ballots.keys().cloned().collect(),
        results: results(game).filter(|_| master),
        ranking: if ended { ranking(game) } else { vec![] },
        awards: if game.stage == Stage::Over { awards(game) } else { vec![] },
    }
}

/// What was won by the vote that the big screen is just showing: nobody knows of it yet.
fn unseen_points(game: &Reels) -> BTreeMap<PlayerId, u64> {
    match game.current() {
        Some((_, item)) if game.stage == Stage::RevealWait => {
            guesses(game, item).into_iter().map(|guess| (guess.player.clone(), guess.points())).collect()
        }
        Some(_) | None => BTreeMap::new(),
    }
}

fn seat(game: &Reels, player: &Player, here: &Here, unseen: u64) -> SeatView {
    let claim = game.claims.get(&player.id);
    SeatView {
        player: player.clone(),
        avatar: game.avatars.get(&player.id).map(|avatar| avatar.tag().to_owned()),
        taken: claim.is_some(),
        holder: claim.map(|claim| claim.user.clone()),
        here: claim.is_some_and(|claim| here.holds(&claim.user)),
        score: game.score_of(&player.id).saturating_sub(unseen),
        delta: game.delta_of(&player.id).saturating_sub(unseen),
    }
}

fn for_phones(seat: SeatView) -> SeatView {
    SeatView { player: Player { sender: None, ..seat.player }, holder: None, ..seat }
}

fn item(game: &Reels, master: bool) -> Option<ItemView> {
    let (round, item) = game.current().filter(|_| matches!(game.stage, Stage::Idle | Stage::Vote | Stage::RevealWait))?;
    let open = (master || game.stage != Stage::Idle).then(|| OpenItem {
        reel: item.reel.clone(),
        k: item.k(),
        selectable: game.senders.iter().filter(|sender| sender.active).map(named).collect(),
    });
    Some(ItemView { round: round.id.clone(), id: item.id.clone(), index: game.at?.item, open })
}

fn results(game: &Reels) -> Option<Results> {
    let (_, item) = game.current().filter(|_| game.stage == Stage::RevealWait)?;
    let truth = game.senders.iter().filter(|sender| item.true_senders.contains(&sender.id)).map(named).collect();
    let guesses = guesses(game, item).into_iter().map(|guess| {
        let total = game.score_of(&guess.player);
        (guess, total)
    });
    Some(Results { true_senders: truth, guesses: guesses.collect() })
}

/// Best first; equals share a rank and stand in the order of the seats.
fn ranking(game: &Reels) -> Vec<Ranked> {
    let mut players: Vec<&Player> = game.players.iter().filter(|player| player.active).collect();
    players.sort_by_key(|player| Reverse(game.score_of(&player.id)));
    let better = |score: u64| players.iter().filter(|player| game.score_of(&player.id) > score).count() as u64;
    let ranked = players.iter().map(|player| {
        let score = game.score_of(&player.id);
        let (id, name) = (player.id.clone(), player.name.clone());
        Ranked { rank: better(score) + 1, player: id, name, score, delta: game.delta_of(&player.id) }
    });
    ranked.collect()
}

fn awards(game: &Reels) -> Vec<Honour> {
    let name = |given: &Given| match &given.to {
        super::Honoured::Player(id) => game.player(id).map(|player| player.name.clone()),
        super::Honoured::Sender(id) => game.senders.iter().find(|sender| sender.id == *id).map(|sender| sender.name.clone()),
    };
    game.stats.awards().into_iter().filter_map(|given| Some(Honour { name: name(&given)?, given })).collect()
}

fn named(sender: &Sender) -> (SenderId, Name) {
    (sender.id.clone(), sender.name.clone())
}

pub(super) fn mine(game: &Reels, viewer: &Viewer) -> Mine {
    let own = game.seat_of(viewer);
    let vote = game.vote.as_ref();
    let others = |own: &&PlayerId| vote.is_some_and(|vote| vote.left.contains(*own));
    let ballot = own.filter(|own| !others(own)).and_then(|own| game.ballots.get(own));
    let expected = |own: &PlayerId| game.stage == Stage::Vote && vote.is_some_and(|vote| vote.awaits(own));
    Mine {
        user: viewer.user.clone(),
        host: viewer.host,
        player: own.cloned(),
        expected: own.is_some_and(expected),
        selections: ballot.map(|ballot| ballot.selections.clone()),
        lost: viewer.user.as_ref().filter(|_| own.is_none()).and_then(|user| game.lost.get(user)).cloned(),
    }
}
