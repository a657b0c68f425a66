//! Whether docs/hazards.md is true: its tests exist, tests named after hazards are on it, no hazard is missing.

use super::{File, Finding};

const PAGE: &str = "docs/hazards.md";

/// The hazards of documents 000 to 004; some numbers were never given.
pub(super) fn all() -> impl Iterator<Item = String> {
    let given = |number: &u32| ![14, 27, 28, 50, 109, 112, 117, 135, 142, 148].contains(number);
    (1..=168).filter(given).map(|number| format!("H{number:02}"))
}

pub(super) fn findings(files: &[File]) -> Vec<Finding> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        let mut find = |why: String| found.push(Finding::new(PAGE, index + 1, why));
        for (path, name) in line.split('`').filter_map(|part| part.split_once("::")) {
            let source = files.iter().find(|file| file.path == path);
            if !source.is_some_and(|source| names(&source.text).any(|known| known == name)) {
                find(format!("there is no test {path}::{name}"));
            }
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if is_hazard(cells[0]) && cells.last().is_none_or(|cell| cell.is_empty()) {
            find(format!("{} has neither a test nor a reason", cells[0]));
        }
    }
    let listed = |id: &str| page.text.lines().filter(|line| line.starts_with(&format!("| {id} |"))).count();
    for id in all().filter(|id| listed(id) != 1) {
        found.push(Finding::new(PAGE, 0, format!("{id} is missing, or there twice")));
    }
    for file in files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with(".rs")) {
        for name in names(&file.text).filter(|name| name.split_once('_').is_some_and(|(id, _)| is_hazard(id))) {
            if !page.text.contains(&format!("`{}::{name}`", file.path)) {
                found.push(Finding::new(&file.path, 0, format!("{name} is not on the page of hazards ({PAGE})")));
            }
        }
    }
    found
}

/// `H01`, `x14`.
fn is_hazard(word: &str) -> bool {
    let digits = word.strip_prefix(['h', 'H', 'x', 'X']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The functions of a file.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub(super) ").or_else(|| line.strip_prefix("pub(crate) ")).unwrap_or(line);
        line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))
    });
    lines.filter_map(|rest| rest.split(['(', '<']).next())
}
