//! What a new game is to be, checked whole before anything is made of it.

use super::{Player, PlayerId, Round, Sender, SenderId};
use crate::names::{FoldedName, Title};
use std::collections::BTreeSet;

pub const SENDERS_MAX: usize = 100;
pub const PLAYERS_MAX: usize = 100;
pub const ROUNDS_MAX: usize = 100;
pub const ITEMS_PER_ROUND_MAX: usize = 100;
pub const ITEMS_MAX: usize = 1000;
pub const VOTE_SECONDS_MIN: u64 = 5;
pub const VOTE_SECONDS_MAX: u64 = 600;

#[derive(Clone, PartialEq, Debug)]
pub struct Wish {
    pub settings: Settings,
    pub senders: Vec<Sender>,
    pub players: Vec<Player>,
    pub rounds: Vec<Round>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    pub title: Option<Title>,
    /// After how many seconds a vote closes by itself.
    pub vote_seconds: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAGame {
    #[error("a game has 1 to {SENDERS_MAX} senders")]
    Senders,
    #[error("a game has at most {PLAYERS_MAX} players")]
    Players,
    #[error("a game has 1 to {ROUNDS_MAX} rounds of 1 to {ITEMS_PER_ROUND_MAX} items, and at most {ITEMS_MAX} items in all")]
    Rounds,
    #[error("a vote is open for {VOTE_SECONDS_MIN} to {VOTE_SECONDS_MAX} seconds, or until everyone has voted")]
    VoteSeconds,
    #[error("{0} stands there twice")]
    Twice(String),
    #[error("two {what} are called {name}; give one of them another name")]
    SameName { what: &'static str, name: String },
    #[error("player {0} plays for a sender who is not in the list")]
    StrangeSender(PlayerId),
    #[error("two players play for sender {0}")]
    SharedSender(SenderId),
    #[error("the address of item {0} may not have a user name in it")]
    Address(String),
    #[error("item {0} needs at least one true sender, each of them once, all of them active senders of the list")]
    Answer(String),
}

impl Wish {
    /// Without players there is a seat for every sender: `p12` for `s12`.
    pub fn new(
        settings: Settings,
        senders: Vec<Sender>,
        players: Option<Vec<Player>>,
        rounds: Vec<Round>,
    ) -> Result<Wish, NotAGame> {
        let players = players.unwrap_or_else(|| seats(&senders));
        let wish = Wish { settings, senders, players, rounds };
        wish.check()?;
        Ok(wish)
    }

    fn check(&self) -> Result<(), NotAGame> {
        let Wish { settings, senders, players, rounds } = self;
        let items = || rounds.iter().flat_map(|round| &round.items);
        let odd = |round: &Round| !(1..=ITEMS_PER_ROUND_MAX).contains(&round.items.len());
        if !(1..=SENDERS_MAX).contains(&senders.len()) {
            return Err(NotAGame::Senders);
        }
        if players.len() > PLAYERS_MAX {
            return Err(NotAGame::Players);
        }
        if !(1..=ROUNDS_MAX).contains(&rounds.len()) || rounds.iter().any(odd) || items().count() > ITEMS_MAX {
            return Err(NotAGame::Rounds);
        }
        if settings.vote_seconds.is_some_and(|seconds| !(VOTE_SECONDS_MIN..=VOTE_SECONDS_MAX).contains(&seconds)) {
            return Err(NotAGame::VoteSeconds);
        }
        once(senders.iter().map(|sender| &sender.id))?;
        once(players.iter().map(|player| &player.id))?;
        once(rounds.iter().map(|round| &round.id))?;
        for round in rounds {
            once(round.items.iter().map(|item| &item.id))?;
        }
        named_once("senders", senders.iter().map(|sender| sender.name.folded()))?;
        named_once("players", players.iter().map(|player| player.name.folded()))?;
        let known = |id: &SenderId| senders.iter().any(|sender| sender.id == *id);
        if let Some(player) = players.iter().find(|player| player.sender.as_ref().is_some_and(|sender| !known(sender))) {
            return Err(NotAGame::StrangeSender(player.id.clone()));
        }
        let mut bound = BTreeSet::new();
        if let Some(twice) = players.iter().filter_map(|player| player.sender.as_ref()).find(|sender| !bound.insert(*sender)) {
            return Err(NotAGame::SharedSender(twice.clone()));
        }
        let active: BTreeSet<&SenderId> = senders.iter().filter(|sender| sender.active).map(|sender| &sender.id).collect();
        if let Some(item) = items().find(|item| item.reel.url.names_a_user()) {
            return Err(NotAGame::Address(item.id.to_string()));
        }
        for item in items() {
            let answer: BTreeSet<&SenderId> = item.true_senders.iter().collect();
            if answer.is_empty() || answer.len() != item.true_senders.len() || !answer.is_subset(&active) {
                return Err(NotAGame::Answer(item.id.to_string()));
            }
        }
        Ok(())
    }
}

fn seats(senders: &[Sender]) -> Vec<Player> {
    let seat = |sender: &Sender| {
        let number = sender.id.as_str().strip_prefix('s').unwrap_or(sender.id.as_str());
        let id = format!("p{number}").parse().or_else(|_| sender.id.as_str().parse());
        id.ok().map(|id| Player { id, sender: Some(sender.id.clone()), active: sender.active, name: sender.name.clone() })
    };
    senders.iter().filter_map(seat).collect()
}

fn once<'a, T: Ord + ToString + 'a>(ids: impl Iterator<Item = &'a T>) -> Result<(), NotAGame> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(NotAGame::Twice(id.to_string()));
        }
    }
    Ok(())
}

fn named_once(what: &'static str, names: impl Iterator<Item = FoldedName>) -> Result<(), NotAGame> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            return Err(NotAGame::SameName { what, name: name.as_str().to_owned() });
        }
    }
    Ok(())
}
