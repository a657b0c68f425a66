//! Where a game stands. The document's `phase` and `status` are two words for this one thing, so they cannot disagree.

use super::{PlayerId, SenderId};
use crate::time::Millis;
use imbl::OrdSet;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    Lobby,
    /// The next reel waits to be opened.
    Idle,
    Vote,
    /// Scored; the big screen shows what came of it.
    RevealWait,
    RoundRecap,
    Over,
}

impl Stage {
    pub const ALL: [Stage; 6] = [Stage::Lobby, Stage::Idle, Stage::Vote, Stage::RevealWait, Stage::RoundRecap, Stage::Over];

    pub fn phase(self) -> &'static str {
        match self {
            Stage::Lobby => "lobby",
            Stage::Idle | Stage::Vote | Stage::RevealWait | Stage::RoundRecap => "game",
            Stage::Over => "over",
        }
    }

    pub fn status(self) -> &'static str {
        match self {
            Stage::Lobby | Stage::Idle | Stage::Over => "idle",
            Stage::Vote => "vote",
            Stage::RevealWait => "reveal_wait",
            Stage::RoundRecap => "round_recap",
        }
    }

    pub fn of(phase: &str, status: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.phase() == phase && stage.status() == status)
    }
}

/// A round and an item of it, by their places. After a round's last item, the place past it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    pub round: usize,
    pub item: usize,
}

/// The vote on one item, from the opening of the reel until the item ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Vote {
    /// Who had a seat when the reel was opened, less those who gave theirs up before they voted.
    pub expected: OrdSet<PlayerId>,
    pub opened: Millis,
    /// When it closes by itself.
    pub closes: Option<Millis>,
    /// Whether the Master asked for that.
    pub forced: bool,
    /// Seats whose voter gave them up after voting: the vote counts, and nobody else sees or changes it.
    pub left: OrdSet<PlayerId>,
}

impl Vote {
    /// Whether whoever has this seat may vote.
    pub fn awaits(&self, player: &PlayerId) -> bool {
        self.expected.contains(player) && !self.left.contains(player)
    }
}

#[derive(Clone, PartialEq)]
pub struct Ballot {
    pub selections: Vec<SenderId>,
    /// By the server's clock.
    pub at: Millis,
}
