//! What the edge has done so far, counted without locks.

use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers that `stats` shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub hits: u64,
    pub stale_hits: u64,
    pub misses: u64,
    pub passes: u64,
    pub coalesced: u64,
    pub revalidated: u64,
    pub stored: u64,
    pub evicted: u64,
    pub purged: u64,
    pub entries: u64,
    pub bytes: u64,
    pub bytes_max: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) hits: One,
    pub(crate) stale_hits: One,
    pub(crate) misses: One,
    pub(crate) passes: One,
    pub(crate) coalesced: One,
    pub(crate) revalidated: One,
    pub(crate) stored: One,
    pub(crate) purged: One,
}

#[derive(Debug, Default)]
pub(crate) struct One(AtomicU64);

impl One {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }
    pub(crate) fn count(&self) {
        self.add(1);
    }
    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
