//! What the operating system gives: the time and randomness. Everything else gets them passed in.

use parlor_rules::Millis;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(since.as_millis() as u64)
}

/// Without randomness no key is safe, so there is nothing to go on with.
pub fn bits() -> u64 {
    getrandom::u64().expect("the operating system gives random numbers")
}
