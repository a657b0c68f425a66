//! The seconds between two readings of a row: a number that can neither make the scheduler run hot nor stop it.

use parlor_rules::time::Span;
use parlor_store::Score;

/// What is shorter is raised to this.
pub const DELAY_S_MIN: f64 = 1.0;
/// 30 days.
pub const DELAY_S_MAX: f64 = 30.0 * 24.0 * 3600.0;

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Delay(f64);

#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("a delay is a number of seconds up to {DELAY_S_MAX}; zero or less means that the row is not kept")]
pub struct DelayRefused;

impl Delay {
    /// Nothing for zero or less: the document's way to say that a row is not to be kept.
    pub fn new(seconds: f64) -> Result<Option<Delay>, DelayRefused> {
        if !seconds.is_finite() || seconds > DELAY_S_MAX {
            return Err(DelayRefused);
        }
        Ok((seconds > 0.0).then(|| Delay(seconds.max(DELAY_S_MIN))))
    }

    /// What a store has, which somebody else may have written: never refused, only brought within bounds.
    pub(crate) fn kept(score: Score) -> Option<Delay> {
        (score.get() > 0.0).then(|| Delay(score.get().clamp(DELAY_S_MIN, DELAY_S_MAX)))
    }

    pub fn seconds(self) -> f64 {
        self.0
    }

    pub fn span(self) -> Span {
        self.times(1.0)
    }

    pub(crate) fn times(self, factor: f64) -> Span {
        Span((self.0 * factor * 1000.0) as u64)
    }

    pub(crate) fn score(self) -> Score {
        Score::new(self.0).expect("a delay is a number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h157_no_number_makes_the_scheduler_run_hot() {
        for seconds in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, DELAY_S_MAX * 1.01] {
            assert_eq!(Delay::new(seconds), Err(DelayRefused), "{seconds}");
        }
        for seconds in [0.0, -0.0, -1.0, -1e-300, f64::MIN] {
            assert_eq!(Delay::new(seconds), Ok(None), "{seconds}");
        }
        for seconds in [f64::MIN_POSITIVE, 5e-324, 1e-9, 0.999, 1.0] {
            assert_eq!(Delay::new(seconds), Ok(Some(Delay(DELAY_S_MIN))), "{seconds}");
        }
        assert_eq!(Delay::new(10.5), Ok(Some(Delay(10.5))));
        let kept = |score| Delay::kept(Score::new(score).expect("a number"));
        assert_eq!(kept(f64::INFINITY), Some(Delay(DELAY_S_MAX)));
        assert_eq!(kept(1e-12), Some(Delay(DELAY_S_MIN)));
        assert_eq!(kept(-0.0), None);
        assert_eq!(kept(f64::NEG_INFINITY), None);
    }
}
