//! The disk alone: the very pairs that votes become, through the same seam with the same group commit, and nothing else.
//!
//! First every room's votes are made one at a time over a disk that notes its batches: a batch of one commit is that
//! commit's pairs. Enough of them that a room's ring of kept commits comes round. Then as many writers as there are
//! rooms hand in their commits, one after the other, and wait for each one's sync.

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

/// One after the other, these touch every key that a room's votes ever touch.
const VOTES_NOTED: usize = parlor_store::limits::TAIL_COUNT_MAX;

/// Prints commits per second; `acks` started this and reads it.
pub fn main(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let rooms = runtime.block_on(noted())?;
    if let Some(vote) = rooms.first().and_then(|votes| votes.last()) {
        eprintln!("bare: a vote is {} pairs, {} bytes", vote.len(), vote.iter().map(size).sum::<usize>());
    }
    let disk = FjallDisk::open(&options.folder, &Tuning::default()).map_err(|error| error.to_string())?;
    let (queue, jobs) = channel::<Job>();
    let committer = std::thread::spawn(move || commit(&disk, &jobs));
    let per_second = runtime.block_on(async {
        let counting = Counting::new();
        for votes in rooms {
            let (queue, counting) = (queue.clone(), counting.clone());
            tokio::spawn(async move {
                for pairs in votes.iter().cycle() {
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
        disk.write(batch).and_then(|()| disk.sync()).map_err(|error| error.to_string())?;
        for (_, answer) in turn {
            let _ = answer.send(()); // At the end the writers stop waiting.
        }
    }
    Ok(())
}

/// Each room's votes, as pairs.
async fn noted() -> Result<Vec<Vec<Pairs>>> {
    let noting = Arc::new(Noting { disk: ModelDisk::default(), last: Mutex::default() });
    let (store, commits) =
        Embedded::with_disk(noting.clone(), Arc::new(fill::now), StoreOptions::default()).map_err(|error| error.to_string())?;
    tokio::spawn(commits.run(|| std::future::ready(())));
    let engine = fill::engine(Arc::new(store));
    let mut rooms = Vec::with_capacity(ROOMS);
    for room in 0..ROOMS {
        fill::create(&engine, room).await?;
        let address = fill::address(room);
        engine.act(&address, fill::join(room)).await.map_err(|error| error.to_string())?;
        let mut votes = Vec::with_capacity(VOTES_NOTED);
        // Once round the ring first: from then on every commit replaces one, as nearly all do.
        for number in 1..=2 * VOTES_NOTED as u64 {
            engine.act(&address, fill::vote(room, number)).await.map_err(|error| error.to_string())?;
            if number > VOTES_NOTED as u64 {
                votes.push(Arc::new(std::mem::take(&mut *noting.last.lock().unwrap_or_else(PoisonError::into_inner))));
            }
        }
        rooms.push(votes);
    }
    Ok(rooms)
}

struct Noting {
    disk: ModelDisk,
    last: Mutex<Vec<Pair>>,
}

impl Disk for Noting {
    fn write(&self, batch: Vec<Pair>) -> std::result::Result<(), DiskError> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = batch.clone();
        self.disk.write(batch)
    }

    fn sync(&self) -> std::result::Result<(), DiskError> {
        self.disk.sync()
    }

    fn durable(&self) -> Arc<dyn View> {
        self.disk.durable()
    }
}
