//! A stopped store's folder held in memory, to be laid out again as often as a test likes, also damaged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Clone)]
pub(crate) struct Snapshot {
    folders: Vec<PathBuf>,
    pub(crate) files: Vec<File>,
}

#[derive(Clone)]
pub(crate) struct File {
    /// Relative to the folder.
    pub(crate) path: PathBuf,
    /// Without the zeros at the end.
    pub(crate) bytes: Vec<u8>,
    pub(crate) length: u64,
}

/// The names of all files below a folder, except the short-lived ones.
pub(crate) fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if entry.path().is_dir() {
            found.extend(names(&entry.path()));
        } else if !entry.file_name().to_string_lossy().starts_with(".tmp") {
            found.insert(entry.path());
        }
    }
    found
}

impl Snapshot {
    pub(crate) fn of(folder: &Path) -> Snapshot {
        let mut snapshot = Snapshot { folders: Vec::new(), files: Vec::new() };
        snapshot.gather(folder, Path::new(""));
        snapshot.files.sort_by(|one, other| one.path.cmp(&other.path));
        snapshot
    }

    /// Lays it out in a folder that is not there yet.
    pub(crate) fn lay_out(&self, folder: &Path) {
        std::fs::create_dir(folder).unwrap();
        for path in &self.folders {
            std::fs::create_dir(folder.join(path)).unwrap();
        }
        for file in &self.files {
            std::fs::write(folder.join(&file.path), &file.bytes).unwrap();
            // What is left is a hole: journals are allocated long before they are full.
            std::fs::OpenOptions::new().write(true).open(folder.join(&file.path)).unwrap().set_len(file.length).unwrap();
        }
    }

    fn gather(&mut self, root: &Path, below: &Path) {
        for entry in std::fs::read_dir(root.join(below)).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (below.join(entry.file_name()), entry.file_type().unwrap());
            if kind.is_dir() {
                self.folders.push(path.clone());
                self.gather(root, &path);
            } else if kind.is_file() {
                let mut bytes = std::fs::read(root.join(&path)).unwrap();
                let length = bytes.len() as u64;
                bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
                bytes.shrink_to_fit();
                self.files.push(File { path, bytes, length });
            }
        }
    }
}
