//! The store on real servers.

mod carries;
mod clocks;
mod conforms;
mod waits;
