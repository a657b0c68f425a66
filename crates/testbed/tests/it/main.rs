//! Each server started once, and each switch thrown: what other tests rely on when they say that something was hurt.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod alone;
mod cluster;
mod proxy;
mod sentinel;

use parlor_testbed::Reply;

fn ok() -> Reply {
    Reply::Simple("OK".into())
}

fn bulk(text: &str) -> Reply {
    Reply::Bulk(text.into())
}
