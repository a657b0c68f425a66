//! Peers that come from npm: packages in a folder of the user's cache, installed once, with a script of ours beside them.

use crate::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const INSTALL_WITHIN: Duration = Duration::from_secs(300);

/// A folder of this name among the peers.
pub fn folder(name: &str) -> Result<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).ok_or("there is no home folder to keep peers in")?;
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
    let folder = cache.join("parlor").join("peers").join(name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Writes a script into the folder, where it finds the packages.
pub fn script(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

pub fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    eprintln!("installing {} with npm …", packages.join(", "));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(folder).args(packages);
    output(&mut npm, INSTALL_WITHIN).map(|_| ())
}

/// The same unless exactly these packages were installed there before.
pub fn install_once(folder: &Path, packages: &[&str]) -> Result<()> {
    let (done, list) = (folder.join("installed"), packages.join("\n"));
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    install(folder, packages)?;
    std::fs::write(&done, list).map_err(|error| format!("{}: {error}", done.display()))
}

/// What a program prints, if it ends well and in time.
pub fn output(command: &mut Command, within: Duration) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{program}: {error}");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            let output = child.wait_with_output().map_err(failed)?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            return if status.success() { Ok(text) } else { Err(format!("{program} failed: {text}")) };
        }
        if begun.elapsed() > within {
            let _ = child.kill(); // It may have ended this moment.
            let _ = child.wait();
            return Err(format!("{program} took longer than {} s", within.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
