//! A space in words: its commands, what people show, what it tells, and what one look at it shows.

pub mod change;
pub mod pages;
pub mod people;
pub mod showing;
pub mod snapshot;
pub mod summary;
pub mod told;
pub mod wish;
pub mod words;
pub mod written;

pub use showing::SHOWINGS;
pub use summary::{About, Me, Summary};
pub use words::VERBS;
pub(crate) use words::read;
pub use written::write;
