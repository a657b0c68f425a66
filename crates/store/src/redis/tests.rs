//! The store on real servers.

mod carries;
mod conforms;
