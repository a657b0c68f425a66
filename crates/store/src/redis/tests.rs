//! The store on real servers.

mod clocks;
mod conforms;
