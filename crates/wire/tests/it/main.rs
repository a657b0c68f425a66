//! Every word that goes over the wire: what it looks like, that anything else is refused politely, and that the
//! protocol's page says the same.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod csv;
mod examples;
mod golden;
mod page;
mod patches;
mod reels;
mod rubbish;
mod spaces;
mod typescript;
