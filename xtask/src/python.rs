//! The door that speaks gRPC, tried by a client that was not written here: Python's, in a folder of its own.

use crate::Outcome;
use crate::shell::{exists, go, root};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// With these versions it was seen to work; another list is installed anew.
const PACKAGES: &[&str] = &[
    "grpcio==1.85.1",
    "grpcio-health-checking==1.85.1",
    "grpcio-reflection==1.85.1",
    "grpcio-status==1.85.1",
    "grpcio-tools==1.85.1",
];

/// Two people estimate a story, against the server that the build lane has built.
pub(crate) fn lane() -> Outcome {
    let home = home()?;
    install(&home)?;
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let mut play = python(&home);
    play.arg("crates/server/tests/python/estimate.py").arg(here.with_file_name("parlor")).arg("proto");
    go(play)
}

/// In the user's cache, so that another checkout finds it too.
fn home() -> Result<PathBuf, String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    cache.map(|cache| cache.join("parlor/python")).ok_or_else(|| "neither XDG_CACHE_HOME nor HOME is set".into())
}

fn install(home: &Path) -> Outcome {
    let (done, list) = (home.join("installed"), PACKAGES.join("\n"));
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    clear(home)?;
    let mut pip = if exists(system(&["-m", "venv", "--clear"], Some(home))) {
        let mut pip = Command::new(home.join("bin/python"));
        pip.args(["-m", "pip", "install"]);
        pip
    } else {
        // On Debian a virtual environment is a package of its own; packages in a plain folder serve as well.
        clear(home)?;
        system(&["-m", "pip", "install", "--target"], Some(&home.join("packages")))
    };
    pip.args(["--quiet", "--disable-pip-version-check"]).args(PACKAGES);
    go(pip).map_err(|error| format!("{error}; it needs python3 with venv or pip, on Debian: apt-get install python3-venv"))?;
    std::fs::write(done, list).map_err(|error| format!("{} cannot be written: {error}", home.display()))
}

fn clear(home: &Path) -> Outcome {
    match std::fs::remove_dir_all(home) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be cleared: {error}", home.display()))
        }
        _ => std::fs::create_dir_all(home).map_err(|error| format!("{} cannot be made: {error}", home.display())),
    }
}

/// The Python that finds the packages.
fn python(home: &Path) -> Command {
    let own = home.join("bin/python");
    let mut python = if own.exists() { Command::new(own) } else { system(&[], None) };
    python.current_dir(root()).env("PYTHONPATH", home.join("packages")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn system(args: &[&str], path: Option<&Path>) -> Command {
    let mut python = Command::new("python3");
    python.args(args.iter().map(OsString::from).chain(path.map(OsString::from)));
    python
}
