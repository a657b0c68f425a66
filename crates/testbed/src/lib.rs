//! Servers for tests: Redis and Valkey alone, under Sentinel or as a cluster, PostgreSQL, one that speaks DynamoDB, and a proxy
//! that does harm on request.
//!
//! Each starts on free ports in a folder of its own and is ended when dropped. Everything blocks and panics like a test
//! does, needs no runtime, and can be shared between threads. No wait is without a limit; nothing here is part of what serves.

mod child;
mod cluster;
mod ministack;
mod ports;
mod postgres;
mod proxy;
mod redis;
mod resp;
mod sentinel;
mod wait;

pub use cluster::Cluster;
pub use ministack::Ministack;
pub use postgres::Postgres;
pub use proxy::Proxy;
pub use redis::{Flavour, Redis};
pub use resp::{Connection, Reply};
pub use sentinel::Sentinels;
pub use wait::{until, within};
