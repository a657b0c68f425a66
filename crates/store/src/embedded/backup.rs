//! A copy of a live store: everything in one durable view, written as a fresh folder.
//!
//! Copying the files would not do: they change while they are copied. The view does not.

use super::disk::{Disk, DiskError, Pair, View};
use super::fjall_disk::FjallDisk;
use super::folder::{Folder, OpenError, begin_copy, finish_copy};
use super::options::Tuning;
use bytes::Bytes;
use std::io;
use std::path::{Path, PathBuf};

const BATCH_BYTES: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("the folder {} is not empty; give a new one", .0.display())]
    NotEmpty(PathBuf),
    #[error(transparent)]
    Target(#[from] OpenError),
    #[error("the copy in {} is not complete: {error}; remove it and try again", .path.display())]
    Failed { path: PathBuf, error: DiskError },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BackupReport {
    pub keys: u64,
    pub bytes: u64,
}

pub(super) fn copy(view: &dyn View, to: &Path, progress: &mut dyn FnMut(u64)) -> Result<BackupReport, BackupError> {
    let is_empty = match std::fs::read_dir(to) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(OpenError::Io { path: to.to_path_buf(), error }.into()),
    };
    if !is_empty {
        return Err(BackupError::NotEmpty(to.to_path_buf()));
    }
    let failed = |error| BackupError::from(OpenError::Io { path: to.to_path_buf(), error });
    begin_copy(to).map_err(failed)?;
    let target = FjallDisk::open_in(Folder::take_to_copy(to)?, &Tuning::default())?;
    let report = copy_all(view, &target, progress).map_err(|error| BackupError::Failed { path: to.to_path_buf(), error })?;
    finish_copy(to).map_err(failed)?;
    Ok(report)
}

fn copy_all(view: &dyn View, target: &FjallDisk, progress: &mut dyn FnMut(u64)) -> Result<BackupReport, DiskError> {
    let mut report = BackupReport::default();
    // Below 1 lies only the source's own batch number; the copy has its own.
    let mut from = Some(vec![1]);
    while let Some(begin) = from.take() {
        let (mut batch, mut bytes): (Vec<Pair>, usize) = (Vec::new(), 0);
        view.scan(&begin, &[255], &mut |key, value| {
            if bytes >= BATCH_BYTES {
                from = Some(key.to_vec());
                return false;
            }
            bytes += key.len() + value.len();
            batch.push((key.to_vec(), Some(Bytes::copy_from_slice(value))));
            true
        })?;
        report.keys += batch.len() as u64;
        report.bytes += bytes as u64;
        target.write(batch)?;
        progress(report.keys);
    }
    target.sync()?;
    Ok(report)
}
