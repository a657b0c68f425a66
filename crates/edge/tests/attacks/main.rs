//! What an adversary would try against the edge: over real sockets, with bytes made by hand on both sides.
//!
//! Most cases ask one question: does a cache that somebody else has used answer as an empty one would?

#![allow(clippy::unwrap_used, reason = "a test may")]

mod client;
mod cloaking;
mod deception;
mod down;
mod head;
mod house;
mod lies;
mod mixed;
mod origin;
mod poison;
mod purging;
mod ranges;
mod smuggling;
mod vary;
