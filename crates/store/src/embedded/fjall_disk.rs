//! The disk: fjall, a log-structured tree, with everything in one keyspace.
//!
//! It does not sync unless told to; `sync` is an fdatasync of its journal. It verifies the checksum of every block it
//! reads from a table, so values carry none of their own; what it does with a damaged journal is seen to in `journal`.
//! Nothing is compressed: a wrong length in front of compressed bytes is the one thing its checksums do not cover.

use super::acked::Acked;
use super::disk::{Disk, DiskError, Pair, View};
use super::fjall_view::{FjallView, Memtables, active, forget_history, tree};
use super::folder::{Folder, OpenError};
use super::journal::{self, NUMBER_KEY};
use super::manifest;
use super::options::Tuning;
use super::quietly::quietly;
use fjall::config::{CompressionPolicy, PartitioningPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Unflushed tables at which writing waits here, in small steps, rather than in the engine, which sleeps 100 ms at a
/// time at 4 and does not look up when its worker has failed.
const SEALED_MAX: usize = 3;
const SEALED_WAIT: Duration = Duration::from_micros(500);
/// This part of what a table in memory may hold is worth a file in a quiet moment; less would be one small file after the other.
const REST_SHARE: u64 = 16;
/// It is done when the disk has room for it so many times.
const REST_ROOM: u64 = 8;

pub struct FjallDisk {
    keyspace: Keyspace,
    db: Database,
    memtables: Mutex<Memtables>,
    rest_bytes_min: u64,
    acked: Acked,
    /// The number of the last batch written.
    number: AtomicU64,
    /// Dropped last: the folder is ours until the engine is closed.
    folder: Folder,
}

impl FjallDisk {
    pub fn open(path: &Path, tuning: &Tuning) -> Result<FjallDisk, OpenError> {
        FjallDisk::open_in(Folder::take(path)?, tuning)
    }

    pub(super) fn open_in(folder: Folder, tuning: &Tuning) -> Result<FjallDisk, OpenError> {
        let path = &folder.path.clone();
        let failed = |error| OpenError::Io { path: path.to_path_buf(), error };
        let damaged = |what: String| OpenError::Damaged { path: path.to_path_buf(), what };
        let acked = Acked::open(&folder.acked()).map_err(failed)?;
        let highest = acked.highest().map_err(failed)?;
        let in_journals = if folder.is_new {
            None
        } else {
            let checked = manifest::check(&folder.db()).and_then(|()| journal::check(&folder.db(), highest));
            checked.map_err(|error| OpenError::of(path, error))?
        };
        // The engine asserts what it expects of its files; a damaged one must be a sentence, not a panic.
        let opened = quietly(|| open_engine(&folder.db(), tuning));
        let (db, keyspace) = match opened {
            Some(Ok(opened)) => opened,
            Some(Err(fjall::Error::Io(error))) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(failed(error)),
            Some(Err(error)) => return Err(damaged(format!("{error}; restore a backup"))),
            None => return Err(damaged("its files contradict each other; restore a backup".into())),
        };
        let rest_bytes_min = tuning.memtable_bytes / REST_SHARE;
        let number = AtomicU64::new(0);
        let disk = FjallDisk { keyspace, db, memtables: Mutex::default(), rest_bytes_min, acked, number, folder };
        disk.look()?;
        if disk.folder.is_new {
            disk.write(Vec::new())?;
            disk.sync()?;
            disk.acked.sync().and_then(|()| disk.folder.finish()).map_err(failed)?;
            return Ok(disk);
        }
        let kept = disk.durable().get(NUMBER_KEY)?.and_then(|bytes| bytes.as_ref().try_into().ok().map(u64::from_le_bytes));
        match kept {
            Some(kept) if kept >= highest && in_journals.is_none_or(|number| number == kept) => {
                disk.number.store(kept, Ordering::Relaxed);
                Ok(disk)
            }
            _ => Err(damaged(format!(
                "it holds writes up to number {}, but {} were acknowledged; restore a backup",
                kept.unwrap_or(0),
                highest.max(in_journals.unwrap_or(0))
            ))),
        }
    }

    fn memtables(&self) -> MutexGuard<'_, Memtables> {
        self.memtables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self) -> Result<(), DiskError> {
        let mut memtables = self.memtables();
        if memtables.look(tree(&self.keyspace)) {
            self.wait(|| memtables.catch_up(tree(&self.keyspace)))?;
        }
        Ok(())
    }

    fn wait(&self, mut until: impl FnMut() -> bool) -> Result<(), DiskError> {
        while !until() {
            // Errors when the engine's worker has failed, in which case waiting would never end.
            self.db.persist(PersistMode::Buffer).map_err(broken)?;
            std::thread::sleep(SEALED_WAIT);
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    /// A short word on how the engine stands, for measurements.
    pub fn describe(&self) -> String {
        format!(
            "{} tables ({} at level 0), {} sealed, {} journals, {} compactions",
            self.keyspace.table_count(),
            self.keyspace.l0_table_count(),
            self.keyspace.sealed_memtable_count(),
            self.db.journal_count(),
            self.db.compactions_completed(),
        )
    }
}

fn open_engine(path: &Path, tuning: &Tuning) -> fjall::Result<(Database, Keyspace)> {
    let db = Database::builder(path)
        .cache_size(tuning.block_cache_bytes)
        .journal_compression(CompressionType::None)
        .manual_journal_persist(true)
        .max_journaling_size(tuning.journal_bytes_max)
        .worker_threads(tuning.worker_threads)
        .open()?;
    let keyspace = db.keyspace("parlor", || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(tuning.memtable_bytes)
            .data_block_compression_policy(CompressionPolicy::disabled())
            // The filter and the index of a large table are larger than what the cache takes: in one piece they are read
            // from the disk, all of them, for every key that is asked for.
            .filter_block_partitioning_policy(in_pieces())
            .index_block_partitioning_policy(in_pieces())
            .manual_journal_persist(true)
    })?;
    Ok((db, keyspace))
}

/// Fresh tables are small and their filters stay in memory; from the next level on, pieces.
fn in_pieces() -> PartitioningPolicy {
    PartitioningPolicy::new([false, true])
}

impl Disk for FjallDisk {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        self.wait(|| self.keyspace.sealed_memtable_count() < SEALED_MAX)?;
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let mut write = fjall::OwnedWriteBatch::with_capacity(self.db.clone(), batch.len() + 1).durability(None);
        write.insert(&self.keyspace, NUMBER_KEY, number.to_le_bytes());
        for (key, value) in batch {
            match value {
                Some(value) => write.insert(&self.keyspace, key, &value[..]),
                None => write.remove(&self.keyspace, key),
            }
        }
        write.commit().map_err(broken)?;
        self.look()
    }

    fn sync(&self) -> Result<(), DiskError> {
        self.db.persist(PersistMode::SyncData).map_err(broken)?;
        self.acked.set(self.number.load(Ordering::Relaxed))?;
        Ok(())
    }

    fn durable(&self) -> Arc<dyn View> {
        // Only who writes asks, and after its sync: what is visible is what is safe.
        Arc::new(FjallView::new(self.db.snapshot(), &self.keyspace, &mut self.memtables()))
    }

    fn rest(&self) -> Result<(), DiskError> {
        // Errors when the engine's worker has failed: with nobody writing, nobody else would find out.
        self.db.persist(PersistMode::Buffer).map_err(broken)?;
        let bytes = active(tree(&self.keyspace)).size();
        // Nothing needs it now, so on a disk that is nearly full, or does not say, it is left alone.
        let fits = || matches!(self.free_bytes(), Ok(Some(free)) if free >= bytes * REST_ROOM);
        if bytes >= self.rest_bytes_min && fits() {
            self.keyspace.rotate_memtable().map_err(broken)?;
        }
        self.look()?;
        forget_history(&self.keyspace, self.db.snapshot().seqno());
        Ok(())
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let stat = rustix::fs::statvfs(&self.folder.path)?;
        Ok(Some(stat.f_bavail.saturating_mul(stat.f_frsize)))
    }
}

pub(super) fn broken(error: fjall::Error) -> DiskError {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => DiskError::Io(error),
        other => DiskError::Damaged(format!("{other}; restore a backup if this stays after a restart")),
    }
}
