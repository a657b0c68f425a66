//! What an embedded store can be told, with a named bound for everything that waits or grows.

use crate::limits::Limits;
use std::sync::{Arc, Mutex};

pub(super) const QUEUE_BYTES_MAX: usize = 64 * 1024 * 1024;
pub(super) const QUEUE_COUNT_MAX: usize = 65_536;
pub(super) const CACHE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// What the engine's own flushes and merges need to finish when nothing new is let in.
pub(super) const FREE_BYTES_MIN: u64 = 256 * 1024 * 1024;
/// Jobs and bytes that one turn, and so one sync, takes from the queue.
pub(super) const TURN_COUNT_MAX: usize = 4096;
pub(super) const TURN_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Holds a second of what a fast disk takes.
pub const LOG_BYTES: u64 = 32 * 1024 * 1024;
/// Keys one turn sweeps beside its jobs.
pub(super) const SWEEP_BUDGET: usize = 512;

/// Told what went wrong when a write or a sync failed. The store answers nothing after that.
pub type OnFatal = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Clone)]
pub struct Options {
    pub limits: Limits,
    /// Bytes of commits that may wait for a sync; beyond that the answer is `Busy`.
    pub queue_bytes_max: usize,
    pub queue_count_max: usize,
    /// Bytes of room heads kept in memory.
    pub cache_bytes_max: usize,
    /// Below this many free bytes on the disk nothing is written.
    pub free_bytes_min: u64,
    /// The default ends the process: after a failed sync nobody knows what is safe, and opening again finds out.
    pub on_fatal: OnFatal,
    /// How the engine under it is set up; only measurements have a reason to differ.
    pub tuning: Tuning,
}

#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    pub memtable_bytes: u64,
    pub journal_bytes_max: u64,
    pub block_cache_bytes: u64,
    pub worker_threads: usize,
    /// How long the log in front of the engine is made; 0 makes none. See docs/decisions/0005.
    pub log_bytes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            queue_bytes_max: QUEUE_BYTES_MAX,
            queue_count_max: QUEUE_COUNT_MAX,
            cache_bytes_max: CACHE_BYTES_MAX,
            free_bytes_min: FREE_BYTES_MIN,
            on_fatal: Arc::new(end_process),
            tuning: Tuning::default(),
        }
    }
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            memtable_bytes: 16 * 1024 * 1024,
            journal_bytes_max: 256 * 1024 * 1024,
            block_cache_bytes: 32 * 1024 * 1024,
            worker_threads: 1,
            log_bytes: LOG_BYTES,
        }
    }
}

/// What is told to `on_fatal`, whoever met the failure.
pub(super) fn stops_here(error: &impl std::fmt::Display) -> String {
    format!(
        "the store could not be written and stops here, so that nothing is promised that may be lost: {error}; \
         check the disk and start again"
    )
}

/// `EX_IOERR` of sysexits: what a supervisor sees when the disk failed.
const EXIT_IO_ERROR: i32 = 74;

fn end_process(what: &str) {
    // Whoever else meets the failure meanwhile waits here for the end: it is told of once.
    static TELLING: Mutex<()> = Mutex::new(());
    let _telling = TELLING.lock();
    tracing::error!("{what}");
    eprintln!("parlor: {what}");
    std::process::exit(EXIT_IO_ERROR);
}
