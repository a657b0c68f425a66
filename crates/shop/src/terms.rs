//! What the shop goes by: lifetimes and bounds.

use parlor_rules::Span;
use parlor_rules::shop::Lifetimes;
use parlor_rules::shop::visit::VISITS_MAX;
use std::time::Duration;

/// Uses and views are kept this soon: what a crash may lose.
pub(crate) const NOTED_WITHIN: Span = Span(100);
/// On a store of one process, how long notes may wait in their groups before they are put into their places.
pub(crate) const FOLD_EVERY: Duration = Duration::from_secs(10);
pub(crate) const FOLD_FEW_EVERY: Duration = Duration::from_secs(1);
pub(crate) const FEW: usize = 4096;
/// How often a change tries again because a rival was faster.
pub(crate) const ATTEMPTS_MAX: usize = 32;
/// How many oldest visits are looked at together (document 004).
pub(crate) const CLEAN_BATCH: usize = 100;

#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub lifetimes: Lifetimes,
    /// Beyond so many the oldest end.
    pub visits_max: u64,
    /// Visits known in memory; the others are read when they come.
    pub known_max: usize,
    /// Notes that may wait; beyond that they are put into their places at once.
    pub notes_max: usize,
    /// A cart that nobody has changed for so long is abandoned.
    pub abandoned_after: Span,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            lifetimes: Lifetimes::default(),
            visits_max: VISITS_MAX,
            known_max: 200_000,
            notes_max: 200_000,
            abandoned_after: Span::minutes(60),
        }
    }
}
