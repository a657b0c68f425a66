//! What is popular: every view makes an item's score lower by one, and every so often all scores are halved.
//!
//! Scores are negative so that the most popular come first (document 004); what is trimmed is the other end.

use crate::time::{Millis, Span};

/// How often scores are halved.
pub const HALVE_EVERY: Span = Span::seconds(300);
/// How many items are kept then.
pub const KEPT_MAX: usize = 20_000;
/// An item that ranks below this has its page cached.
pub const CACHED_BELOW: usize = 10_000;
/// How long such a page is kept.
pub const CACHED_FOR: Span = Span::seconds(300);
/// One visit counts once for an item in this time, however often it reloads.
pub const COUNTS_AGAIN_AFTER: Span = Span::seconds(1800);

/// Which halving a moment belongs to: the same number at every node.
pub fn period(now: Millis) -> u64 {
    now.0 / HALVE_EVERY.0
}
