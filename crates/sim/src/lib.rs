//! THE WEATHER: the whole house on one thread, with fake time, seeded clients and seeded faults.
//!
//! A seed is a whole history: who came when, which frames were late, twice or lost, when the power went. The same
//! seed gives the same history to the byte, so a failure is replayed by its number. What is real here is everything
//! but the socket and the disk: rules, layout, embedded store, engine, conversations, words.

pub mod dice;
pub mod trace;
pub mod plan;
pub mod history;
pub mod witness;
pub mod bugs;
pub mod world;
pub mod house;
pub mod line;
pub mod ear;
pub mod words;
pub mod client;
pub mod weather;
pub mod run;

pub use bugs::Bug;
pub use plan::Plan;
pub use run::{Report, run, run_aloud};
pub use trace::{Check, Failure};
