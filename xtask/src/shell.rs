//! Starting other programs and saying what was started.

use crate::Outcome;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace, wherever the command was typed.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("xtask"), PathBuf::from);
    here.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that started us.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root());
    // Cargo sets these for us; a nested cargo that sees them would think its world had changed and rebuild it.
    for (name, _) in std::env::vars_os().filter(|(name, _)| ours(name.to_str().unwrap_or_default())) {
        command.env_remove(name);
    }
    command
}

fn ours(name: &str) -> bool {
    name == "CARGO" || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// A program of the workspace that has been built already: it lies beside this one.
pub(crate) fn built(name: &str, args: &[&str]) -> Result<Command, String> {
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let program = here.with_file_name(name);
    if !program.exists() {
        return Err(format!("{name} has not been built; `cargo build --workspace --all-targets` does that"));
    }
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    Ok(command)
}

/// Runs to the end, with its output as ours.
pub(crate) fn go(mut command: Command) -> Outcome {
    let said = said(&command);
    println!("$ {said}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{said}` failed ({status})")),
        Err(error) => Err(format!("`{said}` could not be started: {error}")),
    }
}

/// Whether a program can be started at all.
pub(crate) fn exists(mut command: Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn said(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
