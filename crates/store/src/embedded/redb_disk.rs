//! Another disk, for measurements: redb, a copy-on-write tree in one file.
//!
//! What is written waits in memory for `sync`, which is one transaction. Nothing below it looks for damage as `journal`
//! does for fjall: redb trusts the pages it reads.

use super::disk::{Disk, DiskError, Pair, View};
use super::folder::{Folder, OpenError};
use super::options::Tuning;
use bytes::Bytes;
use redb::{Database, ReadOnlyTable, ReadableDatabase, TableDefinition};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("parlor");

pub struct RedbDisk {
    db: Database,
    written: Mutex<Vec<Pair>>,
    folder: Folder,
}

impl RedbDisk {
    pub fn open(path: &Path, tuning: &Tuning) -> Result<RedbDisk, OpenError> {
        let folder = Folder::take(path)?;
        let failed = |error| OpenError::Io { path: path.to_path_buf(), error };
        std::fs::create_dir_all(folder.db()).map_err(failed)?;
        let file = folder.db().join("parlor.redb");
        let opened = Database::builder().set_cache_size(tuning.block_cache_bytes as usize).create(file);
        let db = opened.map_err(|error| OpenError::of(path, broken(error)))?;
        let disk = RedbDisk { db, written: Mutex::default(), folder };
        // A view needs the table to be there.
        disk.sync()?;
        if disk.folder.is_new {
            disk.folder.finish().map_err(failed)?;
        }
        Ok(disk)
    }

    fn commit(&self, pairs: &[Pair]) -> Result<(), redb::Error> {
        let transaction = self.db.begin_write()?;
        let mut table = transaction.open_table(TABLE)?;
        for (key, value) in pairs {
            match value {
                Some(value) => drop(table.insert(key.as_slice(), &value[..])?),
                None => drop(table.remove(key.as_slice())?),
            }
        }
        drop(table);
        Ok(transaction.commit()?)
    }

    fn table(&self) -> Result<ReadOnlyTable<&'static [u8], &'static [u8]>, redb::Error> {
        Ok(self.db.begin_read()?.open_table(TABLE)?)
    }
}

impl Disk for RedbDisk {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).extend(batch);
        Ok(())
    }

    fn sync(&self) -> Result<(), DiskError> {
        let pairs = std::mem::take(&mut *self.written.lock().unwrap_or_else(PoisonError::into_inner));
        self.commit(&pairs).map_err(broken)
    }

    fn durable(&self) -> Arc<dyn View> {
        Arc::new(RedbView(self.table()))
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let stat = rustix::fs::statvfs(&self.folder.path)?;
        Ok(Some(stat.f_bavail.saturating_mul(stat.f_frsize)))
    }
}

struct RedbView(Result<ReadOnlyTable<&'static [u8], &'static [u8]>, redb::Error>);

impl RedbView {
    fn table(&self) -> Result<&ReadOnlyTable<&'static [u8], &'static [u8]>, DiskError> {
        self.0.as_ref().map_err(|error| DiskError::Damaged(error.to_string()))
    }
}

impl View for RedbView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        let value = self.table()?.get(key).map_err(broken)?;
        Ok(value.map(|value| Bytes::copy_from_slice(value.value())))
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError> {
        if from >= to {
            return Ok(());
        }
        for pair in self.table()?.range(from..to).map_err(broken)? {
            let (key, value) = pair.map_err(broken)?;
            if !each(key.value(), value.value()) {
                break;
            }
        }
        Ok(())
    }
}

fn broken(error: impl Into<redb::Error>) -> DiskError {
    match error.into() {
        redb::Error::Io(error) => DiskError::Io(error),
        other => DiskError::Damaged(format!("{other}; restore a backup if this stays after a restart")),
    }
}
