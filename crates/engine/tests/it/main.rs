//! The engine on the reference store: rivals, weather, time, and who hears what. No door is open here.
//!
//! Time is paused where it matters, so nothing waits for real and nothing depends on how fast a machine is.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

mod audience;
mod hazards;
mod nodes;
mod patches;
mod presence;
mod rivals;
mod sessions;
mod time;
mod weather;
