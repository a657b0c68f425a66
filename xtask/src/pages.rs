//! The pages and the SDK, with the Node.js that is there: installing, building, checking, and journeys in a real browser.

use crate::Outcome;
use crate::shell::{exists, go, root};
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn has_node() -> bool {
    exists(npm(&["--version"]))
}

/// What the binary will carry.
pub(crate) fn build() -> Outcome {
    install()?;
    go(npm(&["run", "--silent", "build"]))
}

/// Where `build` leaves the shop's browser helper.
pub(crate) fn shop_helper() -> PathBuf {
    root().join("sdk/js/dist/parlor-shop.js")
}

/// Types, tests of the SDK and of the pages' own logic, and the build with its size.
pub(crate) fn lane() -> Outcome {
    build()?;
    go(npm(&["run", "--silent", "check"]))?;
    go(npm(&["run", "--silent", "test"]))
}

/// The SDK in Node.js, with real sockets.
pub(crate) fn sdk() -> Outcome {
    go(with_server(npm(&["-w", "sdk/js", "run", "--silent", "real"]))?)
}

/// People at a table or in a space, each in a browser.
pub(crate) fn journeys() -> Outcome {
    go(with_server(npm(&["run", "--silent", "e2e"]))?)
}

/// Against the server that the build lane has built.
fn with_server(mut command: Command) -> Result<Command, String> {
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    command.env("PARLOR_BIN", here.with_file_name("parlor"));
    Ok(command)
}

/// Only when the list of packages is newer than what is installed: a second run should not wait for it.
fn install() -> Outcome {
    let installed = age(root().join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= age(root().join("package-lock.json")) {
        return Ok(());
    }
    go(npm(&["ci", "--no-audit", "--no-fund"]))
}

fn age(path: PathBuf) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(args).current_dir(root());
    command
}
