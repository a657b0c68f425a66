//! Looking at the engine's manifests before the engine does.
//!
//! Each keyspace has a file `current` that names its newest version and has that file's checksum. The engine writes the
//! checksum and does not look at it: a damaged version leads it anywhere, up to an end of the process that nothing can
//! catch. So it is looked at here.

use super::disk::DiskError;
use std::io::{self, ErrorKind};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// What the number of a version, its checksum and the checksum's kind take.
const CURRENT_BYTES: usize = 8 + 16 + 1;
const XXH3: u8 = 0;

pub(super) fn check(db: &Path) -> Result<(), DiskError> {
    for keyspace in there(std::fs::read_dir(db.join("keyspaces")))?.into_iter().flatten() {
        let folder = keyspace?.path();
        // What is not there the engine itself misses.
        let Some(current) = there(std::fs::read(folder.join("current")))? else { continue };
        let damaged = |what: &str| DiskError::Damaged(format!("{}: {what}; restore a backup", folder.display()));
        let current: &[u8; CURRENT_BYTES] =
            current.as_slice().try_into().map_err(|_| damaged("its file `current` has not the length that it should have"))?;
        let (version, rest) = current.split_first_chunk().expect("its length is known");
        let (checksum, kind) = rest.split_first_chunk().expect("its length is known");
        let version = u64::from_le_bytes(*version);
        let Some(bytes) = there(std::fs::read(folder.join(format!("v{version}"))))? else { continue };
        if kind != [XXH3] || xxh3_128(&bytes) != u128::from_le_bytes(*checksum) {
            return Err(damaged(&format!("its list of tables, v{version}, is not as it was written")));
        }
    }
    Ok(())
}

fn there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        // A file that somebody's file browser left is no keyspace.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        read => read.map(Some),
    }
}
