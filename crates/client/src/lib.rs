//! A Rust client, light to link: connect, enter rooms, act, and come back by itself after a cut.
//!
//! `connection` decides and never waits; `socket` waits and never decides. An act is answered once, however
//! often the connection broke meanwhile; a room shows its newest view, never a queue of old ones.

pub mod backoff;
pub mod client;
pub mod connection;
pub mod error;
pub mod frame;
mod mailbox;
mod socket;
pub mod screen;
pub mod told;
pub mod update;

pub use client::{Client, Created, Options, Room};
pub use error::ClientError;
pub use update::{Acted, Entered, Heard, Screened, Status, Update, View};
