//! The doors from outside, on a server inside this process: quicker to start than a child, and its clock can be stepped.

mod grpc;
pub(crate) mod http;
pub(crate) mod inside;
mod script;
pub(crate) mod shelves;
pub(crate) mod socket;

mod auth;
mod bad_input;
mod bad_requests;
mod calls;
mod costs;
mod crowds;
mod differ;
mod keys;
mod leaks;
mod limits;
mod nodes;
mod parity;
mod rights;
mod scripts;
mod session_script;
mod sessions;
mod taking_home;
