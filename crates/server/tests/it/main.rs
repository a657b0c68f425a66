//! The whole house as a real process: `parlor serve` started, used, hurt and looked at from outside.
//!
//! One test program, so that it is linked once. No test sleeps to wait: each waits for what it needs, with a limit.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod backup;
mod damage;
mod doors;
mod faults;
mod full_disk;
mod going;
mod kill;
mod moving;
mod nodes;
mod reels;
mod refusals;
mod shop;
mod spaces;
mod support;
mod trace;
