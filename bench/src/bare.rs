//! The disk alone: the very pairs that votes become, through the same seam with the same group commit, and nothing else.
//!
//! First every room's vote is made once over a disk that notes its batch; a batch of one commit is that commit's pairs.
//! Then as many writers as there are rooms hand in their pairs and wait for the sync, again and again.

use crate::inside::{Counting, ROOMS};
use crate::options::Options;
use crate::{Result, fill};
use parlor_store::embedded::disk::Pair;
use parlor_store::embedded::{Disk, DiskError, FjallDisk, ModelDisk, Tuning, View};
use parlor_store::{Embedded, Options as StoreOptions};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Commits in one sync, as the store's own committer has it.
const TURN_COUNT_MAX: usize = 4096;

type Pairs = Arc<Vec<Pair>>;
type Job = (Pairs, oneshot::Sender<()>);

/// Prints commits per second; `acks` started this and reads it.
pub fn main(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let commits = runtime.block_on(noted())?;
    let bytes: usize = commits.iter().flat_map(|pairs| pairs.iter()).map(size).sum();
    eprintln!("bare: a vote is {} pairs, {} bytes", commits.first().map_or(0, |pairs| pairs.len()), bytes / commits.len().max(1));
    let disk = FjallDisk::open(&options.folder, &Tuning::default()).map_err(|error| error.to_string())?;
    let (queue, jobs) = channel::<Job>();
    let committer = std::thread::spawn(move || commit(&disk, &jobs));
    let per_second = runtime.block_on(async {
        let counting = Counting::new();
        for pairs in commits {
            let (queue, counting) = (queue.clone(), counting.clone());
            tokio::spawn(async move {
                loop {
                    let (answer, answered) = oneshot::channel();
                    if queue.send((pairs.clone(), answer)).is_err() || answered.await.is_err() {
                        return;
                    }
                    counting.one();
                }
            });
        }
        counting.measure(options.seconds).await
    });
    println!("{per_second}");
    drop(runtime); // With it the writers, and so the queue, and so the committer.
    drop(queue);
    committer.join().map_err(|_| "the committer failed".to_owned())?
}

fn size((key, value): &Pair) -> usize {
    key.len() + value.as_ref().map_or(0, bytes::Bytes::len)
}

fn commit(disk: &FjallDisk, jobs: &Receiver<Job>) -> Result<()> {
    while let Ok(first) = jobs.recv() {
        let mut turn = vec![first];
        turn.extend(jobs.try_iter().take(TURN_COUNT_MAX - 1));
        // Each key once and in order, as the seam asks.
        let merged: BTreeMap<&[u8], &Option<bytes::Bytes>> =
            turn.iter().flat_map(|(pairs, _)| pairs.iter()).map(|(key, value)| (key.as_slice(), value)).collect();
        let batch: Vec<Pair> = merged.into_iter().map(|(key, value)| (key.to_vec(), value.clone())).collect();
        disk.write(&batch).and_then(|()| disk.sync()).map_err(|error| error.to_string())?;
        for (_, answer) in turn {
            let _ = answer.send(()); // At the end the writers stop waiting.
        }
    }
    Ok(())
}

/// One vote of each room, as pairs.
async fn noted() -> Result<Vec<Pairs>> {
    let noting = Arc::new(Noting { disk: ModelDisk::default(), last: Mutex::default() });
    let (store, commits) =
        Embedded::with_disk(noting.clone(), Arc::new(fill::now), StoreOptions::default()).map_err(|error| error.to_string())?;
    tokio::spawn(commits.run(|| std::future::ready(())));
    let engine = fill::engine(Arc::new(store));
    let mut votes = Vec::with_capacity(ROOMS);
    for room in 0..ROOMS {
        fill::create(&engine, room).await?;
        let address = fill::address(room);
        // The second vote replaces one, as nearly all do.
        for request in [fill::join(room), fill::vote(room, 1), fill::vote(room, 2)] {
            engine.act(&address, request).await.map_err(|error| error.to_string())?;
        }
        votes.push(Arc::new(noting.last.lock().unwrap_or_else(PoisonError::into_inner).clone()));
    }
    Ok(votes)
}

struct Noting {
    disk: ModelDisk,
    last: Mutex<Vec<Pair>>,
}

impl Disk for Noting {
    fn write(&self, batch: &[Pair]) -> std::result::Result<(), DiskError> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = batch.to_vec();
        self.disk.write(batch)
    }

    fn sync(&self) -> std::result::Result<(), DiskError> {
        self.disk.sync()
    }

    fn durable(&self) -> Arc<dyn View> {
        self.disk.durable()
    }
}
