//! THE WEATHER: the whole house on one thread, with fake time, seeded clients and seeded faults.
//!
//! A seed is a whole history: who came when, which frames were late, twice or lost, when the power went. The same
//! seed gives the same history to the byte, so a failure is replayed by its number. What is real here is everything
//! but the socket and the disk: rules, layout, embedded store, engine, conversations, words.

pub mod bugs;
pub mod client;
pub mod dice;
pub mod ear;
pub mod history;
pub mod house;
pub mod line;
pub mod plan;
pub mod run;
pub mod trace;
pub mod weather;
pub mod witness;
pub mod words;
pub mod world;

pub use bugs::Bug;
pub use plan::Plan;
pub use run::{Report, run, run_aloud};
pub use trace::{Check, Failure};
