//! What the tests of the running server share.

#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod dice;
pub(crate) mod house;
pub(crate) mod line;
pub(crate) mod load;
pub(crate) mod player;
pub(crate) mod snapshot;
pub(crate) mod strace;
pub(crate) mod table;
