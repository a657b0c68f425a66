//! `cargo xtask check`: what can be said about a change without running it.

use crate::shell::{cargo, go};
use crate::{Outcome, tidy};

pub(crate) fn run(_: &[String]) -> Outcome {
    go(cargo(&["fmt", "--all", "--check"]))?;
    tidy::run(&[])?;
    go(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut docs = cargo(&["doc", "--workspace", "--no-deps"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    go(docs)
}
