//! Free ports of 127.0.0.1, from below those that the kernel gives to connections.
//!
//! A port that the kernel gives away is no port to restart on: while the server is gone, a client that keeps connecting to it
//! is one day given that very port for its own end, talks to itself, and the server cannot come back.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST: u32 = 14_000;
const COUNT: u32 = 18_000;

/// A port on which nobody listens; somebody else may still be quicker, so who starts a server must be ready to try another.
pub(crate) fn free() -> u16 {
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    (0..COUNT).map(|_| next()).find(free).expect("some of thousands of ports is free")
}

/// Each process begins elsewhere and gives no port twice before all had their turn.
fn next() -> u16 {
    static BEGIN: OnceLock<u32> = OnceLock::new();
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let begin = *BEGIN.get_or_init(|| (RandomState::new().hash_one(std::process::id()) % u64::from(COUNT)) as u32);
    let port = FIRST + (begin + GIVEN.fetch_add(1, Ordering::Relaxed)) % COUNT;
    u16::try_from(port).expect("the range lies below 65536")
}
