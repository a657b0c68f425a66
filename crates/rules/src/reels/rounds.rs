//! What is played: rounds of reels, with the answers. Nothing here ever changes after the game was made.

use super::{ItemId, ReelId, RoundId, SenderId};
use crate::link::Link;

#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    pub id: RoundId,
    pub items: Vec<Item>,
}

#[derive(Clone, PartialEq)]
pub struct Item {
    pub id: ItemId,
    pub reel: Reel,
    /// The answer; how many there are is the document's `k`.
    pub true_senders: Vec<SenderId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Reel {
    pub id: ReelId,
    pub url: Link,
}

impl Item {
    pub fn k(&self) -> usize {
        self.true_senders.len()
    }
}

impl Round {
    pub fn place_of(&self, item: &ItemId) -> Option<usize> {
        self.items.iter().position(|other| other.id == *item)
    }
}

/// An item can be printed; its answer cannot.
impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Item({})", self.id)
    }
}
