//! What comes from Python's index: a pinned list of packages in a folder of the user's cache, installed once.
//!
//! Nothing is installed beside the system's own packages, and a folder that was left half done is made anew.

use crate::Outcome;
use crate::shell::{exists, go};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Holds the list of what was installed, and is written last.
const DONE: &str = "installed";

/// In the user's cache, so that another checkout finds it too.
pub(crate) fn home(name: &str) -> Result<PathBuf, String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    cache.map(|cache| cache.join("parlor").join(name)).ok_or_else(|| "neither XDG_CACHE_HOME nor HOME is set".into())
}

/// Puts these packages, and with `needs` also what they need, below `packages` in this folder, unless they are there.
pub(crate) fn install(home: &Path, packages: &[&str], needs: Needs) -> Outcome {
    if is_there(home, packages) {
        return Ok(());
    }
    clear(home)?;
    if exists(system(&["-m", "venv", "--clear"], Some(home))) {
        return put(Command::new(home.join("bin/python")), home, packages, needs);
    }
    // On Debian a virtual environment is a package of its own; the system's pip serves as well.
    clear(home)?;
    put(system(&[], None), home, packages, needs)
}

/// The same for another Python than the system's.
pub(crate) fn install_for(python: &Path, home: &Path, packages: &[&str], needs: Needs) -> Outcome {
    if is_there(home, packages) {
        return Ok(());
    }
    clear(home)?;
    put(Command::new(python), home, packages, needs)
}

fn is_there(home: &Path, packages: &[&str]) -> bool {
    std::fs::read_to_string(home.join(DONE)).is_ok_and(|installed| installed == packages.join("\n"))
}

fn put(mut pip: Command, home: &Path, packages: &[&str], needs: Needs) -> Outcome {
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]).arg(home.join("packages"));
    match needs {
        Needs::Too => {}
        Needs::Not => _ = pip.arg("--no-deps"),
    }
    pip.args(packages);
    go(pip).map_err(|error| format!("{error}; it needs python3 with venv or pip, on Debian: apt-get install python3-venv"))?;
    std::fs::write(home.join(DONE), packages.join("\n")).map_err(|error| format!("{} cannot be written: {error}", home.display()))
}

/// Whether what a package needs is installed with it.
pub(crate) enum Needs {
    Too,
    Not,
}

/// The Python that finds the packages.
pub(crate) fn python(home: &Path) -> Command {
    let own = home.join("bin/python");
    let mut python = if own.exists() { Command::new(own) } else { system(&[], None) };
    python.env("PYTHONPATH", home.join("packages")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn clear(home: &Path) -> Outcome {
    match std::fs::remove_dir_all(home) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be cleared: {error}", home.display()))
        }
        _ => std::fs::create_dir_all(home).map_err(|error| format!("{} cannot be made: {error}", home.display())),
    }
}

fn system(args: &[&str], path: Option<&Path>) -> Command {
    let mut python = Command::new("python3");
    python.args(args.iter().map(OsString::from).chain(path.map(OsString::from)));
    python
}
