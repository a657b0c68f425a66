//! `cargo xtask tidy`: the absences are the architecture, so something must look for what should not be there.
//!
//! It reads the tree as text and runs nothing. Each finding names a file, a line and the reason.

mod absences;
mod arrows;
mod hazards;
mod rust;
mod text;

#[cfg(test)]
mod samples;

use crate::{Outcome, shell};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// One file of the tree; the path is relative to the root and written with `/`.
pub(crate) struct File {
    path: String,
    text: String,
}

/// Something that should not be there. Line 0 means the file as a whole.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    why: String,
}

pub(crate) fn run(_: &[String]) -> Outcome {
    let root = shell::root();
    let mut files = Vec::new();
    walk(&root, "", &mut files).map_err(|error| format!("cannot read the tree: {error}"))?;
    let findings = findings(&files);
    findings.iter().for_each(|finding| eprintln!("{finding}"));
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing that should not be there", files.len());
            Ok(())
        }
        1 => Err("tidy found one thing that should not be there".into()),
        count => Err(format!("tidy found {count} things that should not be there")),
    }
}

fn findings(files: &[File]) -> Vec<Finding> {
    let sources: Vec<rust::Source<'_>> = files.iter().filter(|file| file.path.ends_with(".rs")).map(rust::Source::read).collect();
    let tests = rust::test_modules(&sources);
    let mut all = BTreeSet::new();
    files.iter().for_each(|file| all.extend(text::findings(file)));
    files.iter().for_each(|file| all.extend(arrows::findings(file)));
    sources.iter().for_each(|source| all.extend(absences::findings(source, &tests)));
    all.extend(hazards::findings(files));
    all.into_iter().collect()
}

/// Every text file that belongs to the project; what is built, fetched or kept by a running server does not.
fn walk(root: &Path, under: &str, files: &mut Vec<File>) -> std::io::Result<()> {
    const NOT_OURS: &[&str] = &[".git", "target", "node_modules", "parlor-data", "dist"];
    for entry in root.join(under).read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if under.is_empty() { name.clone() } else { format!("{under}/{name}") };
        let kind = entry.file_type()?;
        if NOT_OURS.contains(&name.as_str()) || name.ends_with(".log") {
            continue;
        } else if kind.is_dir() {
            walk(root, &path, files)?;
        } else if kind.is_file() {
            // What is not text has no lines to complain about.
            if let Ok(text) = String::from_utf8(std::fs::read(entry.path())?) {
                files.push(File { path, text });
            }
        }
    }
    Ok(())
}

impl Finding {
    fn new(path: &str, line: usize, why: impl Into<String>) -> Finding {
        Finding { path: path.into(), line, why: why.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line.max(1), self.why)
    }
}
