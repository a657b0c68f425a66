//! Time as the rooms know it: a moment and a length, both in milliseconds, never read here.

use std::fmt;
use std::ops::{Add, Sub};

/// A moment, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

/// A length of time, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span(pub u64);

impl Span {
    pub const fn seconds(seconds: u64) -> Span {
        Span(seconds * 1000)
    }

    pub const fn minutes(minutes: u64) -> Span {
        Span::seconds(minutes * 60)
    }
}

impl Millis {
    /// How long after `earlier` this is; nothing when it is not after it.
    pub fn since(self, earlier: Millis) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Span> for Millis {
    type Output = Millis;
    fn add(self, span: Span) -> Millis {
        Millis(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Millis {
    type Output = Millis;
    fn sub(self, span: Span) -> Millis {
        Millis(self.0.saturating_sub(span.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
