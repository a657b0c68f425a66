//! Autobahn's WebSocket suite, run against the line of the server that the build lane has built.
//!
//! The suite comes from Python's index and is written for Python 2.7, which systems no longer carry: one is looked for,
//! and where there is none the lane fails and says what brings one.

use crate::shell::{built, exists, go, root};
use crate::{Outcome, pip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// With these it was seen to work; another list is installed anew.
const PACKAGES: &[&str] = &["autobahntestsuite==25.10.1"];

pub(crate) fn lane() -> Outcome {
    let python = python2()?;
    let home = pip::home("autobahn")?;
    pip::install_for(&python, &home, PACKAGES, pip::Needs::Too)?;
    let echo = built("examples/echo", &[])?;
    let mut suite = Command::new("python3");
    suite.current_dir(root()).arg("crates/server/tests/python/autobahn.py").arg(echo.get_program());
    suite.arg(python).arg(home.join("packages")).arg(home.join("run"));
    go(suite)
}

/// On the path, or among pyenv's.
fn python2() -> Result<PathBuf, String> {
    let home = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv")));
    let versions = home.and_then(|home| home.join("versions").read_dir().ok()).into_iter().flatten().flatten();
    let pyenv = versions.map(|version| version.path().join("bin/python2.7"));
    let runs = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import ssl, pip"]);
        exists(command)
    };
    std::iter::once(PathBuf::from("python2.7"))
        .chain(pyenv)
        .find(runs)
        .ok_or_else(|| "Autobahn's suite needs a Python 2.7 with pip, for example from `pyenv install 2.7.18`".into())
}
