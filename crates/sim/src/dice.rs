//! Dice that a seed decides. One step of a counter and a good mixer each throw (splitmix64): nothing to depend on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Clones share the same sequence; `fork` gives another one.
#[derive(Clone)]
pub struct Dice(Arc<AtomicU64>);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Arc::new(AtomicU64::new(mix(seed ^ GOLDEN))))
    }

    /// Dice of their own for one purpose, so that one more throw here changes nothing there.
    pub fn fork(&self, purpose: u64) -> Dice {
        Dice::new(self.bits() ^ mix(purpose))
    }

    pub fn bits(&self) -> u64 {
        mix(self.0.fetch_add(GOLDEN, Ordering::Relaxed).wrapping_add(GOLDEN))
    }

    /// From `low` to `high`, both included.
    pub fn between(&self, low: u64, high: u64) -> u64 {
        low + self.bits() % (high - low + 1)
    }

    /// True in so many of a thousand throws.
    pub fn per_mille(&self, chance: u64) -> bool {
        self.bits() % 1000 < chance
    }

    pub fn pick<'a, T>(&self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get((self.bits() % from.len() as u64) as usize) }
    }
}

impl parlor_engine::Dice for Dice {
    fn bits(&self) -> u64 {
        Dice::bits(self)
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
