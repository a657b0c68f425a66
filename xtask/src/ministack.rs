//! A server that speaks DynamoDB, for tests: it comes from Python's index.
//!
//! It is only put where `crates/testbed` looks for it; nothing is started here.

use crate::{Outcome, pip};

/// With this version it was seen to work; another one is installed anew.
const PACKAGES: &[&str] = &["ministack==1.5.33"];

pub(crate) fn install() -> Outcome {
    let home = pip::home("ministack")?;
    pip::install(&home, PACKAGES, pip::Needs::Too).map_err(|error| format!("the tests need ministack: {error}"))
}
