//! The narrow seam between the committer and whatever keeps bytes: write, sync, and read what the last sync made safe.
//!
//! A batch is whole or absent after a crash. A view never shows what is written but not yet synced.

use bytes::Bytes;
use std::io;
use std::sync::Arc;

/// One key and what it holds from now on; `None` removes it.
pub type Pair = (Vec<u8>, Option<Bytes>);

#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    #[error("the disk answered: {0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Damaged(String),
}

/// Everything as one sync left it: the last before the view was taken, or a later one before it was first read.
pub trait View: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError>;

    /// Every pair from `from` (with it) to `to` (without it), in order, until `each` says stop by answering false.
    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError>;
}

pub trait Disk: Send + Sync + 'static {
    /// Each key at most once, in order. Not safe until `sync` has returned.
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError>;

    /// Makes every batch written so far safe. An error means that nobody knows what is safe.
    fn sync(&self) -> Result<(), DiskError>;

    /// Asked by whoever writes and syncs, after a sync.
    fn durable(&self) -> Arc<dyn View>;

    /// Nothing was written for a while: a good moment to put away what is in memory. Asked by whoever writes, after a sync.
    fn rest(&self) -> Result<(), DiskError> {
        Ok(())
    }

    /// Free bytes where the store rests; `None` when that means nothing.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
}
