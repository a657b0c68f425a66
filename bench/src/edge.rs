//! The storefront's edge beside Debian's nginx: a page that is kept, one with slots, many asking for a cold page at once, and
//! a flood of addresses against a bound of memory.
//!
//! Origin and generator are this process, on its own core; what is measured is the cache's process on the other.

pub mod cold;
pub mod flood;
pub mod hits;
pub mod load;
pub mod nginx;
pub mod origin;
pub mod program;
