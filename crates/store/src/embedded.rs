//! Rooms and records in one folder of this machine: fsynced by group commit before anything is acked.
//!
//! One committer writes; readers read what the last sync made safe and nothing newer. One process per folder. A failed
//! write or sync ends the process, because opening again is the only way to learn what is safe.

mod acked;
mod appending;
mod backup;
pub mod bare;
mod book;
mod cache;
mod carrying;
mod codec;
mod committer;
pub mod disk;
mod fjall_disk;
mod fjall_view;
mod folder;
mod journal;
mod keys;
mod layers;
mod log;
mod logged_disk;
mod manifest;
pub mod model_disk;
mod options;
mod placing;
mod queue;
mod quietly;
mod reading;
#[cfg(feature = "redb")]
mod redb_disk;
mod shelf;
mod sweep;
mod work;

#[cfg(test)]
mod tests;

pub use backup::{BackupError, BackupReport};
pub use committer::CommitLoop;
pub use disk::{Disk, DiskError, View};
pub use fjall_disk::FjallDisk;
pub use folder::OpenError;
pub use logged_disk::LoggedDisk;
pub use model_disk::ModelDisk;
pub use options::{LOG_BYTES, OnFatal, Options, Tuning};
#[cfg(feature = "redb")]
pub use redb_disk::RedbDisk;
pub use sweep::Swept;

use crate::clock::SharedClock;
use crate::error::StoreError;
use crate::hints::Watch;
use crate::limits::Limits;
use crate::records::{Answer, Applied, Batch, Query, Records, logic};
use crate::rooms::{Announced, Commit, Loaded, NodeId, RoomKey, Rooms, Since, Wake};
use crate::shapes::Field;
use async_trait::async_trait;
use bytes::Bytes;
use committer::{Job, Shared};
use parlor_rules::position::Place;
use parlor_rules::time::Millis;
use queue::Queue;
use shelf::ReadShelf;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A handle; the store closes when the last one is gone.
#[derive(Clone)]
pub struct Embedded {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    clock: SharedClock,
    limits: Limits,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Embedded {
    /// Opens a folder, creating it if it is not there, with the committer on a thread of its own.
    pub fn open(path: &Path, clock: SharedClock, options: Options) -> Result<Embedded, OpenError> {
        let disk = open_disk(path, &options)?;
        let (store, commits) = Embedded::with_disk(disk, clock, options).map_err(OpenError::from)?;
        let thread = std::thread::Builder::new()
            .name("committer".into())
            .spawn(move || commits.run_blocking())
            .map_err(|error| OpenError::Io { path: path.to_path_buf(), error })?;
        *store.inner.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(store)
    }

    /// The same over any disk; the caller runs the loop.
    pub fn with_disk(disk: Arc<dyn Disk>, clock: SharedClock, options: Options) -> Result<(Embedded, CommitLoop), DiskError> {
        let queue = Queue::new(options.queue_bytes_max, options.queue_count_max);
        let shared = Arc::new(Shared::new(queue, disk.durable()));
        let limits = options.limits;
        let commits = CommitLoop::new(disk, shared.clone(), clock.clone(), options)?;
        let inner = Inner { shared, clock, limits, thread: Mutex::new(None) };
        Ok((Embedded { inner: Arc::new(inner) }, commits))
    }

    /// Removes what has ended by `now`, looking at no more than `budget` keys. The committer also does this by itself
    /// when it runs on a thread; in a simulation this is how time passes for it.
    pub async fn sweep(&self, now: Millis, budget: usize) -> Result<Swept, StoreError> {
        self.ask(|answer| Job::Sweep { now, budget, answer }).await
    }

    /// Copies everything that is safe now into a new folder that opens as any other, while commits go on. Blocks;
    /// `progress` hears how many keys are copied.
    pub fn backup(&self, to: &Path, progress: &mut dyn FnMut(u64)) -> Result<BackupReport, BackupError> {
        backup::copy(&*self.inner.shared.durable(), to, progress)
    }

    async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job = job(answer);
        let bytes = job.bytes();
        self.inner.shared.queue.push(job, bytes)?;
        answered.await.unwrap_or_else(|_| Err(queue::stopped()))
    }
}

fn open_disk(path: &Path, options: &Options) -> Result<Arc<dyn Disk>, OpenError> {
    let log_bytes = options.tuning.log_bytes;
    let disk: Arc<dyn Disk> = Arc::new(FjallDisk::open(path, &options.tuning)?);
    if log_bytes == 0 && !LoggedDisk::stands_before(&*disk)? {
        return Ok(disk);
    }
    let logged = LoggedDisk::open(disk, path, log_bytes, options.on_fatal.clone()).map_err(|error| OpenError::of(path, error))?;
    Ok(Arc::new(logged))
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.queue.close();
        // The folder is free for the next process, and for a test that opens it again, once this returns.
        if let Some(thread) = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take()
            && thread.join().is_err()
        {
            tracing::error!("the committer ended by a panic");
        }
    }
}

#[async_trait]
impl Rooms for Embedded {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        reading::load(self.inner.shared.durable(), &room.spine, self.inner.clock.now()).await
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        self.inner.limits.check_commit(room, &commit)?;
        self.ask(|answer| Job::Append { room: room.spine.clone(), at, commit, answer }).await
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        reading::since(&*self.inner.shared.durable(), &room.spine, place, self.inner.clock.now())
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        self.ask(|answer| Job::Close { room: room.spine.clone(), at, by, answer }).await
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        Ok(self.inner.shared.watchers.add(&room.spine, node))
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        let now = self.inner.clock.now();
        let place = reading::place(&*self.inner.shared.durable(), &room.spine, now)?;
        let (others, holds_for) = self.inner.shared.watchers.announce(&room.spine, node, here, now);
        Ok(Announced { others, holds_for, place })
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.inner.shared.watchers.tell(&room.spine, by, &Wake::Told(what));
        Ok(())
    }

    fn limits(&self) -> Limits {
        self.inner.limits
    }
}

#[async_trait]
impl Records for Embedded {
    async fn read(&self, _tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let view = self.inner.shared.durable();
        let shelf = ReadShelf { source: &view, now: self.inner.clock.now() };
        let mut answers = Vec::with_capacity(queries.len());
        for query in &queries {
            // One of many is a few microseconds; many of them let other tasks run in between.
            if !answers.is_empty() {
                tokio::task::yield_now().await;
            }
            answers.push(logic::ask(&shelf, query)?);
        }
        Ok(answers)
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.inner.limits.check_batch(&batch)?;
        self.ask(|answer| Job::Apply { batch, answer }).await
    }
}
