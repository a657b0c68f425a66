//! The bare engine with the same group commit, to measure the rest of the house against: prebuilt batches from many
//! submitters, joined, written, synced, acked. No rooms, no conditions, no encoding.

use super::disk::{Disk, Pair};
use super::fjall_disk::FjallDisk;
use super::folder::OpenError;
use super::logged_disk::LoggedDisk;
use super::options::{LOG_BYTES, Options, TURN_BYTES_MAX, TURN_COUNT_MAX, Tuning};
use super::queue::{Queue, Taken};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub submitters: usize,
    /// Pairs in one prebuilt batch.
    pub pairs: usize,
    pub value_bytes: usize,
    pub rooms: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    pub acks: u64,
    pub syncs: u64,
    pub took: Duration,
}

/// A disk by the name measurements know it by; with `+log` it is behind the log.
pub fn disk(name: &str, folder: &Path, tuning: &Tuning) -> Result<Arc<dyn Disk>, OpenError> {
    let disk: Arc<dyn Disk> = match name.trim_end_matches("+log") {
        "fjall" => Arc::new(FjallDisk::open(folder, tuning)?),
        #[cfg(feature = "redb")]
        "redb" => Arc::new(super::redb_disk::RedbDisk::open(folder, tuning)?),
        _ => {
            let error = io::Error::other(format!("there is no disk {name}"));
            return Err(OpenError::Io { path: folder.to_path_buf(), error });
        }
    };
    Ok(if name.ends_with("+log") {
        Arc::new(LoggedDisk::open(disk, folder, LOG_BYTES, Options::default().on_fatal)?)
    } else {
        disk
    })
}

type Submitted = (Vec<Pair>, oneshot::Sender<()>);

/// Runs on threads and a runtime of its own, for about this long.
pub fn run(folder: &Path, load: Load, time: Duration) -> Result<Measured, OpenError> {
    run_on(Arc::new(FjallDisk::open(folder, &Tuning::default())?), folder, load, time)
}

/// The same on any disk that keeps its files in this folder.
pub fn run_on(disk: Arc<dyn Disk>, folder: &Path, load: Load, time: Duration) -> Result<Measured, OpenError> {
    let queue: Arc<Queue<Submitted>> = Arc::new(Queue::new(usize::MAX, usize::MAX));
    let committed = {
        let queue = queue.clone();
        std::thread::spawn(move || commit(&*disk, &queue))
    };
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| OpenError::Io { path: folder.to_path_buf(), error })?;
    let acks = runtime.block_on(async {
        let submitters: Vec<_> =
            (0..load.submitters).map(|n| tokio::spawn(submit(queue.clone(), n, load, begun + time))).collect();
        let mut acks = 0;
        for submitter in submitters {
            acks += submitter.await.unwrap_or(0);
        }
        acks
    });
    let took = begun.elapsed();
    queue.close();
    let syncs = committed.join().unwrap_or(Ok(0))?;
    Ok(Measured { acks, syncs, took })
}

async fn submit(queue: Arc<Queue<Submitted>>, submitter: usize, load: Load, until: Instant) -> u64 {
    let value = Bytes::from(vec![b'x'; load.value_bytes]);
    let mut acks = 0;
    while Instant::now() < until {
        let room = (submitter + acks as usize * load.submitters) % load.rooms;
        let batch = (0..load.pairs).map(|pair| (format!("room:{room}:{pair}").into_bytes(), Some(value.clone()))).collect();
        let (answer, acked) = oneshot::channel();
        if queue.push((batch, answer), load.value_bytes).is_err() || acked.await.is_err() {
            break;
        }
        acks += 1;
    }
    acks
}

fn commit(disk: &dyn Disk, queue: &Queue<Submitted>) -> Result<u64, OpenError> {
    let mut syncs = 0;
    loop {
        let submitted = match queue.take_blocking(TURN_COUNT_MAX, TURN_BYTES_MAX, Duration::from_secs(1)) {
            Taken::Jobs(jobs) => jobs,
            Taken::Idle => continue,
            Taken::Closed => return Ok(syncs),
        };
        // The seam asks for each key once, in order, so joining is part of any group commit over it.
        let (batches, answers): (Vec<Vec<Pair>>, Vec<_>) = submitted.into_iter().unzip();
        let batch: BTreeMap<Vec<u8>, Option<Bytes>> = batches.into_iter().flatten().collect();
        disk.write(batch.into_iter().collect())?;
        disk.sync()?;
        syncs += 1;
        for answer in answers {
            let _ = answer.send(());
        }
    }
}

impl Measured {
    pub fn acks_per_second(&self) -> f64 {
        self.acks as f64 / self.took.as_secs_f64()
    }

    pub fn syncs_per_second(&self) -> f64 {
        self.syncs as f64 / self.took.as_secs_f64()
    }

    pub fn acks_per_sync(&self) -> f64 {
        self.acks as f64 / self.syncs.max(1) as f64
    }
}
