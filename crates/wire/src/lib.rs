//! HOW IT IS SAID: everything clients read and write, and the one table of error codes.
//!
//! Bytes ⇄ words, pure. The doors differ in how they carry words, never in the words.

pub mod status;
pub mod secret;
pub mod depth;
pub mod ask;
pub mod commands;
pub mod session;
pub mod shop;
pub mod csv;
pub mod export;
pub mod poker;
pub mod reels;
pub mod say;
pub mod space;
pub mod view;
pub mod wish;

pub use ask::{Ask, Enter, Fault, Hello};
pub use secret::Secret;
pub use session::Login;
pub use status::Status;
