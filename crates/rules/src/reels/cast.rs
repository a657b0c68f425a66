//! Who plays: the senders of the chat, the seats of the game, and whose phone has which seat.

use super::{PlayerId, SenderId};
use crate::identity::Proof;
use crate::ids::UserId;
use crate::names::Name;

#[derive(Clone, PartialEq, Debug)]
pub struct Sender {
    pub id: SenderId,
    pub name: Name,
    pub active: bool,
    /// How many reels of theirs the import found; for the Master's eyes.
    pub reels_count: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    pub id: PlayerId,
    /// The sender who plays here; seats added by hand have none.
    pub sender: Option<SenderId>,
    pub active: bool,
    pub name: Name,
}

/// A seat is one device's: whoever shows the same key again.
#[derive(Clone, PartialEq)]
pub struct Claim {
    pub user: UserId,
    pub proof: Proof,
}

/// A device that no longer has its seat, until it takes another.
#[derive(Clone, PartialEq, Debug)]
pub struct Lost {
    pub player: PlayerId,
    pub why: Loss,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    Deactivated,
    Released,
    Reset,
    Deleted,
}

impl Loss {
    pub const ALL: [Loss; 4] = [Loss::Deactivated, Loss::Released, Loss::Reset, Loss::Deleted];

    pub fn name(self) -> &'static str {
        match self {
            Loss::Deactivated => "deactivated",
            Loss::Released => "released",
            Loss::Reset => "reset",
            Loss::Deleted => "deleted",
        }
    }
}
