//! HOW IT IS SAID TO gRPC: `proto/parlor/v1` as Rust, and the words of `wire` as its messages.
//!
//! Messages here say what `wire` says and nothing more: requests become the words that every door reads, views are
//! made from `wire`'s views. What may be asked or seen is decided elsewhere.

pub mod frame;
pub mod view;
pub mod words;

#[allow(clippy::all, clippy::unwrap_used, unreachable_pub, reason = "written by the build script")]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/parlor.v1.rs"));
}

pub use frame::Frame;
pub use words::Words;

/// Both files, as reflection tells them.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parlor.bin"));
