//! What holds for files as files: their names, their length, their first line, and whose machine they mention.

use super::{File, Finding};

const LINES_MAX: usize = 600;
const SOURCE: &[&str] = &[".rs", ".ts", ".js", ".mjs", ".svelte", ".lua", ".proto", ".css"];
const SCRIPT: &[&str] = &[".ts", ".js", ".mjs", ".svelte"];

/// Written in halves, so that this file does not find itself.
const MACHINES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// A test runner's ways to leave tests out.
const LEFT_OUT: &[&str] =
    &["it.skip", "test.skip", "describe.skip", "it.only", "test.only", "describe.only", "it.todo", "test.todo"];

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let File { path, text } = file;
    let ends = |kinds: &[&str]| kinds.iter().any(|kind| path.ends_with(kind));
    let mut found = Vec::new();
    let mut find = |line: usize, why: String| found.push(Finding::new(path, line, why));

    if path.ends_with("/mod.rs") {
        find(0, "a mod.rs: `poker.rs` beside a folder `poker/` says what the module is".into());
    }
    let count = text.lines().count();
    if ends(SOURCE) && count > LINES_MAX {
        find(LINES_MAX, format!("{count} lines: a file is one thought, and at most {LINES_MAX} lines"));
    }
    if is_module(path) && !text.starts_with("//!") {
        find(1, "a module begins with `//!`: what it is, and what must not happen here".into());
    }
    for (index, line) in text.lines().enumerate() {
        if let Some(machine) = MACHINES.iter().find(|machine| begins_at(line, machine)) {
            find(index + 1, format!("`{machine}` is a path on somebody's machine"));
        }
        if let Some(way) = LEFT_OUT.iter().find(|way| ends(SCRIPT) && line.contains(*way)) {
            find(index + 1, format!("`{way}` leaves tests out: run it or delete it"));
        }
    }
    found
}

fn is_module(path: &str) -> bool {
    let in_source =
        path.starts_with("crates/") && path.contains("/src/") || path.starts_with("xtask/src/") || path.starts_with("bench/src/");
    in_source && path.ends_with(".rs")
}

/// Whether an absolute path starts here, and not the tail of a longer one.
fn begins_at(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | '*')))
    })
}
