//! The edge around a scripted origin, in one process and with a clock turned by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod house;
mod sharing;
mod staleness;
mod purging;
mod scheme;
mod slots;
mod admission;
mod second;
mod wire;
