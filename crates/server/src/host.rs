//! What the operating system gives: the time, randomness and memory. Everything else gets the first two passed in.

use parlor_rules::Millis;
use std::time::{SystemTime, UNIX_EPOCH};

/// The allocator asks for huge pages, of which a small server uses a little each: without them it takes half the memory.
#[cfg(target_os = "linux")]
pub fn small_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true); // Where that cannot be asked for, it is only larger.
}

#[cfg(not(target_os = "linux"))]
pub fn small_pages() {}

pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(since.as_millis() as u64)
}

/// Without randomness no key is safe, so there is nothing to go on with.
pub fn bits() -> u64 {
    getrandom::u64().expect("the operating system gives random numbers")
}
