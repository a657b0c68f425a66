//! Time, as the edge sees it: milliseconds since 1970, asked of a clock that tests turn by hand.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub type Millis = u64;

/// What time it is.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Millis;
}

/// The machine's own clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Millis {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct HandClock(AtomicU64);

impl HandClock {
    pub fn at(now: Millis) -> Self {
        Self(AtomicU64::new(now))
    }

    pub fn forward(&self, by: Millis) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}

impl<C: Clock> Clock for std::sync::Arc<C> {
    fn now(&self) -> Millis {
        (**self).now()
    }
}
