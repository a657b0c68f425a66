//! The store on real servers.

mod conforms;
