//! The server's clock, as far as it is known here. Keys end by that clock, so the whole house goes by it: nodes whose
//! own clocks disagree still agree on when a room ends.

use super::link::Link;
use super::values::{many, number};
use crate::clock::SharedClock;
use parlor_rules::time::Millis;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Ahead {
    /// By how many milliseconds the server's clock is ahead of ours.
    ms: AtomicI64,
    own: SharedClock,
}

impl Ahead {
    pub(super) fn new(own: SharedClock) -> Arc<Ahead> {
        Arc::new(Ahead { ms: AtomicI64::new(0), own })
    }

    pub(super) fn now(&self) -> Millis {
        Millis(self.own.now().0.saturating_add_signed(self.ms.load(Ordering::Relaxed)))
    }

    /// Looks at the server's clock. An answer is as old as half of its way.
    pub(super) async fn look(&self, link: &Link) {
        let before = self.own.now();
        let Ok(answer) = link.send("", &redis::cmd("TIME")).await else { return };
        let after = self.own.now();
        let told = many(answer).and_then(|parts| parts.into_iter().map(number).collect::<Result<Vec<i64>, _>>());
        if let Ok([seconds, micros]) = told.as_deref() {
            let middle = i64::try_from(before.0.midpoint(after.0)).unwrap_or_default();
            self.ms.store(seconds * 1000 + micros / 1000 - middle, Ordering::Relaxed);
        }
    }
}

/// As long as the store is there.
pub(super) async fn keep(ahead: Arc<Ahead>, link: Weak<Link>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(link) = link.upgrade() else { return };
        ahead.look(&link).await;
    }
}
