//! What comes from npm for the tests alone: a pinned list of packages in a folder of the user's cache, installed once.

use crate::Outcome;
use crate::shell::go;
use std::path::Path;
use std::process::Command;

/// Holds the list of what was installed, and is written last.
const DONE: &str = "installed";

/// Puts these packages and what they need below `node_modules` in this folder, unless they are there.
pub(crate) fn install(home: &Path, packages: &[&str]) -> Outcome {
    let list = packages.join("\n");
    if std::fs::read_to_string(home.join(DONE)).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    std::fs::create_dir_all(home).map_err(|error| format!("{} cannot be made: {error}", home.display()))?;
    let mut npm = Command::new("npm");
    // Nothing of what is fetched runs while it is being installed.
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix"]).arg(home).args(packages);
    go(npm)?;
    std::fs::write(home.join(DONE), list).map_err(|error| format!("{} cannot be written: {error}", home.display()))
}
