//! What happened in a game. Each says what is there now, never by how much it changed: taken twice it is the same.

use super::stats::{Guesses, Suspicion};
use super::{Avatar, Loss, PlayerId, RoundId, SenderId, Which};
use crate::identity::Proof;
use crate::ids::UserId;
use crate::names::Name;
use crate::time::Millis;
use std::fmt;

#[derive(Clone, PartialEq)]
pub enum Event {
    Taken {
        player: PlayerId,
        user: UserId,
        proof: Proof,
    },
    /// `why` is nothing when its holder gave the seat up.
    Released {
        player: PlayerId,
        why: Option<Loss>,
    },
    Renamed {
        player: PlayerId,
        name: Name,
    },
    AvatarSet {
        player: PlayerId,
        avatar: Avatar,
    },
    AvatarDeleted {
        player: PlayerId,
    },
    /// Who is made inactive loses the seat as well.
    Toggled {
        player: PlayerId,
        active: bool,
    },
    PlayerAdded {
        player: PlayerId,
        name: Name,
    },
    PlayerDeleted {
        player: PlayerId,
    },
    ClaimsReset,
    Started,
    Opened {
        item: Which,
        expected: Vec<PlayerId>,
        closes: Option<Millis>,
    },
    Voted {
        player: PlayerId,
        selections: Vec<SenderId>,
    },
    /// The Master does not wait for ever.
    Hurried {
        closes: Millis,
    },
    Scored(Scored),
    ItemEnded {
        item: Which,
    },
    RoundStarted {
        round: RoundId,
    },
    GameEnded,
    Closed,
}

/// What a vote came to: totals, and what the awards count.
#[derive(Clone, PartialEq)]
pub struct Scored {
    pub item: Which,
    pub scores: Vec<Score>,
    pub guesses: Vec<(PlayerId, Guesses)>,
    pub suspicions: Vec<(SenderId, Suspicion)>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Score {
    pub player: PlayerId,
    pub total: u64,
    /// Of this round.
    pub delta: u64,
}

impl Event {
    pub(super) fn changes_roles(&self) -> bool {
        match self {
            Event::Taken { .. }
            | Event::Released { .. }
            | Event::Toggled { .. }
            | Event::PlayerDeleted { .. }
            | Event::ClaimsReset => true,
            Event::Renamed { .. }
            | Event::AvatarSet { .. }
            | Event::AvatarDeleted { .. }
            | Event::PlayerAdded { .. }
            | Event::Started
            | Event::Opened { .. }
            | Event::Voted { .. }
            | Event::Hurried { .. }
            | Event::Scored(_)
            | Event::ItemEnded { .. }
            | Event::RoundStarted { .. }
            | Event::GameEnded
            | Event::Closed => false,
        }
    }
}

/// An event can be printed by tests and failing seeds; keys, votes and what they came to cannot.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Taken { player, user, .. } => write!(f, "Taken({player}, {user})"),
            Event::Released { player, why } => write!(f, "Released({player}, {why:?})"),
            Event::Renamed { player, name } => write!(f, "Renamed({player}, {name})"),
            Event::AvatarSet { player, .. } => write!(f, "AvatarSet({player})"),
            Event::AvatarDeleted { player } => write!(f, "AvatarDeleted({player})"),
            Event::Toggled { player, active } => write!(f, "Toggled({player}, {active})"),
            Event::PlayerAdded { player, name } => write!(f, "PlayerAdded({player}, {name})"),
            Event::PlayerDeleted { player } => write!(f, "PlayerDeleted({player})"),
            Event::ClaimsReset => f.write_str("ClaimsReset"),
            Event::Started => f.write_str("Started"),
            Event::Opened { item, .. } => write!(f, "Opened({} {})", item.round, item.item),
            Event::Voted { player, .. } => write!(f, "Voted({player})"),
            Event::Hurried { closes } => write!(f, "Hurried({closes})"),
            Event::Scored(scored) => write!(f, "Scored({} {})", scored.item.round, scored.item.item),
            Event::ItemEnded { item } => write!(f, "ItemEnded({} {})", item.round, item.item),
            Event::RoundStarted { round } => write!(f, "RoundStarted({round})"),
            Event::GameEnded => f.write_str("GameEnded"),
            Event::Closed => f.write_str("Closed"),
        }
    }
}
