//! What the tests of the running server share.

#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod house;
pub(crate) mod line;
