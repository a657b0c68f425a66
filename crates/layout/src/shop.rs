//! The shop at rest: document 004's keys, one function each, in the document's order; then those that Parlor adds.
//!
//! Tokens are known by their hash alone, also in keys. On a store of one place the document's global keys (`login:`,
//! `recent:`, `viewed:`, `schedule:`, `delay:`) are one each; on a cluster each is in pieces, named by the tag: rows have their own.

pub mod pages;
pub mod rows;
pub mod visits;

/// Into how many pieces the global keys are cut on a cluster.
pub const SHARDS: usize = 16;
