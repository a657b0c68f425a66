//! The folder around the engine's files: whose it is, which format it has, and whether it was ever finished.
//!
//! ```text
//! lock       held by the one process that uses the folder, with its number in it
//! format     which format this is; written last, when the folder is whole
//! copying    there while a backup is being written into the folder: it is not whole yet
//! creating   there while the folder is being made: nothing in it has been acked, so it may be begun again
//! acked      see `acked`
//! log        see `log`, with an `acked` of its own in log-acked
//! db/        the engine's
//! ```

use super::disk::DiskError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;
const COPYING: &str = "copying";

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("another parlor process (pid {pid}) is using the folder {}; stop it first, or use another folder", .path.display())]
    InUse { path: PathBuf, pid: String },
    #[error("the folder {} was written by a newer parlor (format {found}, this one knows up to {FORMAT}); use that one", .path.display())]
    NewerFormat { path: PathBuf, found: u32 },
    #[error("the folder {} holds something else than a parlor store; give an empty or a new folder", .path.display())]
    NotAStore { path: PathBuf },
    #[error("the folder {} is damaged: {what}", .path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("the folder {} cannot be used: {error}; check that it exists and that this user may write there", .path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("the store cannot be read: {0}")]
    Disk(#[from] DiskError),
}

impl OpenError {
    pub(super) fn of(path: &Path, error: DiskError) -> OpenError {
        let path = path.to_path_buf();
        match error {
            DiskError::Damaged(what) => OpenError::Damaged { path, what },
            DiskError::Io(error) => OpenError::Io { path, error },
        }
    }
}

/// A folder this process owns.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// It was empty or never finished: `finish` makes it a store.
    pub(super) is_new: bool,
    _lock: File,
}

impl Folder {
    pub(super) fn take(path: &Path) -> Result<Folder, OpenError> {
        if path.join(COPYING).exists() {
            let what = "the backup that was to make it was cut short; remove the folder and back up again";
            return Err(OpenError::Damaged { path: path.to_path_buf(), what: what.into() });
        }
        Folder::take_to_copy(path)
    }

    /// Also takes a folder that a backup is being written into, for the one who writes it.
    pub(super) fn take_to_copy(path: &Path) -> Result<Folder, OpenError> {
        let failed = |error| OpenError::Io { path: path.to_path_buf(), error };
        std::fs::create_dir_all(path).map_err(failed)?;
        let foreign = is_foreign(path).map_err(failed)?;
        if foreign {
            return Err(OpenError::NotAStore { path: path.to_path_buf() });
        }
        let lock = lock(path)?;
        let mut folder = Folder { path: path.to_path_buf(), is_new: false, _lock: lock };
        match read_format(path).map_err(failed)? {
            Some(Ok(found)) if found > FORMAT => Err(OpenError::NewerFormat { path: folder.path, found }),
            Some(Ok(_)) if !folder.creating().exists() => Ok(folder),
            Some(Err(text)) => {
                Err(OpenError::Damaged { path: folder.path, what: format!("its format file reads {text:?}; restore a backup") })
            }
            Some(Ok(_)) | None => {
                folder.is_new = true;
                folder.begin().map_err(failed)?;
                Ok(folder)
            }
        }
    }

    pub(super) fn db(&self) -> PathBuf {
        self.path.join("db")
    }

    pub(super) fn acked(&self) -> PathBuf {
        self.path.join("acked")
    }

    fn creating(&self) -> PathBuf {
        self.path.join("creating")
    }

    fn begin(&self) -> io::Result<()> {
        File::create(self.creating())?.sync_all()?;
        sync_folder(&self.path)?;
        for gone in [std::fs::remove_dir_all(self.db()), std::fs::remove_file(self.acked())] {
            match gone {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> io::Result<()> {
        let mut format = File::create(self.path.join("format"))?;
        writeln!(format, "parlor store, format {FORMAT}")?;
        format.sync_all()?;
        sync_folder(&self.path)?;
        std::fs::remove_file(self.creating())?;
        sync_folder(&self.path)
    }
}

/// Marks a folder as a backup under way, before there is anything else in it.
pub(super) fn begin_copy(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)?;
    File::create(path.join(COPYING))?.sync_all()?;
    sync_folder(path)
}

/// The backup is whole.
pub(super) fn finish_copy(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path.join(COPYING))?;
    sync_folder(path)
}

fn lock(path: &Path) -> Result<File, OpenError> {
    let failed = |error| OpenError::Io { path: path.to_path_buf(), error };
    let mut options = OpenOptions::new();
    let mut lock = options.read(true).write(true).create(true).truncate(false).open(path.join("lock")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            // Who it is only helps the message; the refusal stands without it.
            let _ = lock.read_to_string(&mut pid);
            let pid = pid.trim();
            let pid = if pid.is_empty() { "unknown" } else { pid };
            return Err(OpenError::InUse { path: path.to_path_buf(), pid: pid.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id())).map_err(failed)?;
    Ok(lock)
}

/// `None`: there is no such file. The inner error is the text of one that says something else.
fn read_format(path: &Path) -> io::Result<Option<Result<u32, String>>> {
    let text = match std::fs::read(path.join("format")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let number = text.strip_prefix("parlor store, format ").and_then(|number| number.parse().ok());
    // A crash can leave the file empty while `creating` is still there; then nothing was acked yet.
    if number.is_none() && path.join("creating").exists() {
        return Ok(None);
    }
    Ok(Some(number.ok_or(text)))
}

/// Whether something lies there that we did not put there: then nothing is touched.
fn is_foreign(path: &Path) -> io::Result<bool> {
    let (mut ours, mut others) = (false, false);
    for entry in std::fs::read_dir(path)? {
        match entry?.file_name().to_str() {
            Some("format" | "creating" | COPYING) => ours = true,
            // A lock alone is what a crash before `creating` leaves.
            Some("lock" | "lost+found") => {}
            _ => others = true,
        }
    }
    Ok(others && !ours)
}

pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
