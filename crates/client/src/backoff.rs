//! How long to wait before trying again: doubling, bounded, and never in step with others.

use std::time::Duration;

pub const FIRST: Duration = Duration::from_millis(100);
pub const LONGEST: Duration = Duration::from_secs(10);

/// Between half of the step and the whole of it; `dice` chooses.
pub fn backoff(attempt: u32, dice: u64) -> Duration {
    let step = FIRST.saturating_mul(1 << attempt.min(10)).min(LONGEST);
    step / 2 + spread(step / 2, dice)
}

/// Somewhere from nothing to `most`; `dice` chooses.
pub fn spread(most: Duration, dice: u64) -> Duration {
    most.mul_f64(dice as f64 / u64::MAX as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_keep_their_jitter() {
        let most: Vec<_> = (0..9).map(|attempt| backoff(attempt, u64::MAX).as_millis()).collect();
        assert_eq!(most, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
        for attempt in [0, 3, 7, 100, u32::MAX] {
            assert_eq!(backoff(attempt, 0) * 2, backoff(attempt, u64::MAX));
        }
    }
}
