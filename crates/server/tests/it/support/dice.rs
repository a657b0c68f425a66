//! Dice with a seed: printed when thrown first, so that a failure can be looked at again with `PARLOR_SEED`.

use std::hash::{BuildHasher, RandomState};

pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(whose: &str) -> Dice {
        let given = std::env::var("PARLOR_SEED").ok().map(|seed| seed.parse().expect("PARLOR_SEED is a number"));
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(whose));
        eprintln!("{whose}: PARLOR_SEED={seed}");
        Dice(seed)
    }

    /// Other dice, which depend on these alone.
    pub(crate) fn child(&mut self) -> Dice {
        Dice(self.below(u64::MAX))
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ bits >> 31) % end.max(1)
    }
}
