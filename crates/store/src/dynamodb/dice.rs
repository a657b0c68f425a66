//! Random numbers for what must only differ: lives, tokens, and how long to wait.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(super) struct Dice {
    seed: RandomState,
    rolled: AtomicU64,
}

impl Dice {
    pub(super) fn roll(&self) -> u64 {
        self.seed.hash_one(self.rolled.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn below(&self, bound: u64) -> u64 {
        self.roll() % bound.max(1)
    }
}
