//! THE DOORS: the binary `parlor`. Sockets, REST, configuration, shutdown; all lead to the same engine calls.
//!
//! Only this crate listens, reads the environment, or knows what an HTTP header is. It decides nothing about
//! a room: it turns bytes into words (`wire`), words into engine calls, and answers back into bytes.

pub mod settings;
pub mod config;
pub mod limits;
pub mod host;
pub mod keys;
pub mod words;
pub mod throttle;
pub mod cookies;
pub mod attendance;
pub mod bulletin;
pub mod auth;
pub mod doors;
mod few;
pub mod logins;
pub mod caller;
pub mod conversation;
pub mod talk;
pub mod line;
pub mod ws;
pub mod rest;
pub mod openapi;
pub mod grpc;
pub mod health;
pub mod pages;
pub mod headers;
pub mod shop;
#[cfg(feature = "dynamodb")]
pub mod nodes;
pub mod listen;
pub mod control;
pub mod serve;
pub mod cli;
