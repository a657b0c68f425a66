//! Waiting for what another process does: asked again and again, with a limit, and a panic that says what never came.

use std::time::{Duration, Instant};

/// Elections and resyncs take seconds, on a busy machine several times as many.
const LIMIT: Duration = Duration::from_secs(40);
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until `look` answers; panics with `what` and the last excuse when it does not for long.
pub fn until<T>(what: &str, look: impl FnMut() -> Result<T, String>) -> T {
    within(LIMIT, look).unwrap_or_else(|excuse| panic!("waited {} s for {what}: {excuse}", LIMIT.as_secs()))
}

/// What `look` answers within this time, or its last excuse.
pub fn within<T>(limit: Duration, mut look: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    let began = Instant::now();
    loop {
        match look() {
            Err(_) if began.elapsed() < limit => std::thread::sleep(PAUSE),
            seen => return seen,
        }
    }
}
