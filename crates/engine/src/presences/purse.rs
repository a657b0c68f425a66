//! A budget of bytes that fills with time.

use tokio::time::Instant;

pub(crate) struct Purse {
    per_second: usize,
    /// Below nothing when something that could not be divided cost more than there was.
    left: i64,
    filled: Instant,
}

/// So much of a second may be spent at once.
const SAVED_MILLIS: u128 = 500;

impl Purse {
    pub(crate) fn of(per_second: usize) -> Purse {
        Purse { per_second, left: per_second as i64 / 2, filled: Instant::now() }
    }

    /// What may be spent now.
    pub(crate) fn look(&mut self) -> usize {
        let now = Instant::now();
        let millis = now.duration_since(self.filled).as_millis();
        // Time too short to be worth a byte is left to add up.
        let gained = millis * self.per_second as u128 / 1000;
        if gained > 0 {
            let most = (self.per_second as u128 * SAVED_MILLIS / 1000).max(1);
            self.left = (self.left + gained as i64).min(most as i64);
            self.filled = now;
        }
        usize::try_from(self.left).unwrap_or(0)
    }

    pub(crate) fn spend(&mut self, bytes: usize) {
        self.left -= bytes as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn it_fills_with_time_and_is_never_over_full() {
        let mut purse = Purse::of(1000);
        assert_eq!(purse.look(), 500);
        purse.spend(800);
        assert_eq!(purse.look(), 0);
        tokio::time::advance(Duration::from_millis(300)).await;
        assert_eq!(purse.look(), 0, "what was overspent is paid back first");
        tokio::time::advance(Duration::from_millis(100)).await;
        assert_eq!(purse.look(), 100);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(purse.look(), 500);
    }
}
