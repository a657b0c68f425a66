//! A space in words: its commands, what it tells, and what one look at it shows.

pub mod change;
pub mod summary;
pub mod wish;
pub mod words;
pub mod written;

pub use summary::{Me, Summary};
pub use words::VERBS;
pub(crate) use words::read;
pub use written::write;
