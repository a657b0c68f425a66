//! What HTTP says about caches, as functions of headers and time: no I/O, no clock, no state.
//!
//! RFC 9111 (caching), 9110 (validators, ranges), 5861 (stale), 9213 (targeted fields), 9875 (groups), 8941 (structured fields).

pub mod directives;
pub mod structured;
pub mod dates;
pub mod freshness;
pub mod storable;
pub mod reuse;
pub mod vary;
pub mod conditional;
pub mod range;
pub mod merge;
pub mod tags;
pub mod hops;
pub mod visit;
