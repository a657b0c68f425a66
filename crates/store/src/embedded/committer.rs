//! The one writer: every waiting job of every room in one batch, one sync, and only then the answers.
//!
//! A turn has four steps: check and build against the heads, write, sync, answer. Refusals too are answered after the
//! sync: whoever is refused looks at what beat it, and must find it. After a failed write or sync nothing is answered
//! any more.

use super::appending::Appending;
use super::book::Book;
use super::cache::Cache;
use super::disk::{Disk, DiskError, Pair, View};
use super::options::{Options, SWEEP_BUDGET, TURN_BYTES_MAX, TURN_COUNT_MAX, stops_here};
use super::queue::{Queue, Taken};
use super::shelf::WriteShelf;
use super::sweep::{Sweep, Swept};
use super::work::Work;
use crate::carry::{CarriedRoom, Over, Put};
use crate::clock::SharedClock;
use crate::error::StoreError;
use crate::records::{Applied, Batch, logic};
use crate::rooms::{CARRIER, Commit, NodeId, Wake};
use crate::shapes::Key;
use crate::watchers::Watchers;
use parlor_rules::position::Place;
use parlor_rules::time::{Millis, Span};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long without jobs before the committer sweeps, and at least how far apart sweeps are when it is busy.
const IDLE: Duration = Duration::from_millis(250);
const SWEEP_EVERY: Span = Span::seconds(1);

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

pub(super) enum Job {
    Append { room: Key, at: Option<Place>, commit: Commit, answer: Answer<Place> },
    Close { room: Key, at: Place, by: NodeId, answer: Answer<()> },
    Apply { batch: Batch, answer: Answer<Applied> },
    Place { room: Key, carried: CarriedRoom, over: Over, answer: Answer<Put> },
    Sweep { now: Millis, budget: usize, answer: Answer<Swept> },
}

/// What the committer and the readers share.
pub(super) struct Shared {
    pub(super) queue: Queue<Job>,
    pub(super) watchers: Arc<Watchers>,
    durable: RwLock<Arc<dyn View>>,
}

impl Shared {
    pub(super) fn new(queue: Queue<Job>, durable: Arc<dyn View>) -> Shared {
        Shared { queue, watchers: Arc::default(), durable: RwLock::new(durable) }
    }

    /// Everything acked so far, and nothing that is not safe.
    pub(super) fn durable(&self) -> Arc<dyn View> {
        self.durable.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(super) struct Committer {
    disk: Arc<dyn Disk>,
    shared: Arc<Shared>,
    clock: SharedClock,
    options: Options,
    cache: Cache,
    book: Book,
    view: Arc<dyn View>,
    swept_at: Millis,
    sweep_more: bool,
}

/// One turn between its steps.
struct Turn {
    /// Until it is written.
    batch: Vec<Pair>,
    writes: bool,
    answers: Vec<Ready>,
    hints: Vec<(Key, NodeId, Wake)>,
    commits: usize,
}

enum Ready {
    Append(Answer<Place>, Result<Place, StoreError>),
    Close(Answer<()>, Result<(), StoreError>),
    Apply(Answer<Applied>, Result<Applied, StoreError>),
    Place(Answer<Put>, Result<Put, StoreError>),
    Sweep(Answer<Swept>, Result<Swept, StoreError>),
}

/// The committer's life: on a thread of its own, or as a task in a simulation.
pub struct CommitLoop(Committer);

impl CommitLoop {
    pub(super) fn new(
        disk: Arc<dyn Disk>,
        shared: Arc<Shared>,
        clock: SharedClock,
        options: Options,
    ) -> Result<CommitLoop, DiskError> {
        let view = disk.durable();
        let book = Book::open(&view)?;
        let cache = Cache::new(options.cache_bytes_max);
        let swept_at = clock.now();
        Ok(CommitLoop(Committer { disk, shared, clock, options, cache, book, view, swept_at, sweep_more: true }))
    }

    /// Runs until the last handle is gone or the disk has failed.
    pub fn run_blocking(mut self) {
        loop {
            let committer = &mut self.0;
            let wait = if committer.sweep_more { Duration::ZERO } else { IDLE };
            let jobs = match committer.shared.queue.take_blocking(TURN_COUNT_MAX, TURN_BYTES_MAX, wait) {
                Taken::Jobs(jobs) => jobs,
                Taken::Idle => Vec::new(),
                Taken::Closed => return,
            };
            let idle = jobs.is_empty();
            let mut turn = committer.build(jobs, idle);
            let begun = Instant::now();
            let done = committer.write(&mut turn).and_then(|()| committer.sync(&turn));
            if turn.writes {
                metrics::histogram!("parlor_store_sync_seconds").record(begun.elapsed());
            }
            if !committer.finish(turn, done) {
                return;
            }
            if idle {
                // What was moved, flushed or merged since the last commit is not held in its old place any longer.
                committer.look_anew();
            }
        }
    }

    /// The same as a task, with no thread and no clock of its own. `pause` is awaited between write and sync, which is
    /// where a machine may lose its power.
    pub async fn run<F, P>(mut self, mut pause: F)
    where
        F: FnMut() -> P,
        P: Future<Output = ()>,
    {
        loop {
            let committer = &mut self.0;
            let jobs = match committer.shared.queue.take(TURN_COUNT_MAX, TURN_BYTES_MAX).await {
                Taken::Jobs(jobs) => jobs,
                Taken::Idle => continue,
                Taken::Closed => return,
            };
            let mut turn = committer.build(jobs, false);
            let mut done = committer.write(&mut turn);
            if done.is_ok() && turn.writes {
                pause().await;
                done = committer.sync(&turn);
            }
            if !committer.finish(turn, done) {
                return;
            }
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        // However the loop ended, by a panic too: nobody is left waiting for an answer that cannot come.
        self.shared.queue.die();
    }
}

impl Committer {
    fn build(&mut self, jobs: Vec<Job>, idle: bool) -> Turn {
        let now = self.clock.now();
        let mut work = Work::new(self.view.clone());
        let mut turn =
            Turn { batch: Vec::new(), writes: false, answers: Vec::with_capacity(jobs.len()), hints: Vec::new(), commits: 0 };
        if let Err(full) = self.room_on_disk() {
            turn.answers.extend(jobs.into_iter().map(|job| job.refuse(&full)));
            return turn;
        }
        // Whoever asks for a sweep gets all of it to its own count.
        let asked = jobs.iter().any(|job| matches!(job, Job::Sweep { .. }));
        for job in jobs {
            work.begin_job();
            self.job(job, now, &mut work, &mut turn);
        }
        if !asked && (idle || self.sweep_more || now.since(self.swept_at) >= SWEEP_EVERY) {
            work.begin_job();
            self.swept_at = now;
            let swept = self.sweep(&mut work, now, SWEEP_BUDGET);
            self.sweep_more = swept.is_ok_and(|swept| swept.more);
        }
        self.book.keep_numbers(&mut work);
        turn.writes = !work.is_empty();
        turn.batch = work.into_batch();
        turn
    }

    fn job(&mut self, job: Job, now: Millis, work: &mut Work, turn: &mut Turn) {
        turn.commits += 1;
        match job {
            Job::Append { room, at, commit, answer } => {
                let appended = self.rooms(work, now).append(&room, at, &commit);
                if appended.is_err() {
                    work.take_back_job();
                }
                if let Ok(appended) = &appended
                    && appended.moved
                {
                    turn.hints.push((room, commit.by, Wake::Moved(appended.place)));
                }
                turn.answers.push(Ready::Append(answer, appended.map(|appended| appended.place)));
            }
            Job::Close { room, at, by, answer } => {
                let closed = self.rooms(work, now).close(&room, at);
                match closed {
                    Ok(()) => turn.hints.push((room, by, Wake::Closed)),
                    Err(_) => work.take_back_job(),
                }
                turn.answers.push(Ready::Close(answer, closed));
            }
            Job::Apply { batch, answer } => {
                let applied = logic::apply(&mut WriteShelf { work, book: &mut self.book, now }, &batch);
                if applied.is_err() {
                    work.take_back_job();
                }
                turn.answers.push(Ready::Apply(answer, applied));
            }
            Job::Place { room, carried, over, answer } => {
                let placed = self.rooms(work, now).place(&room, &carried, over);
                match placed {
                    Ok(Put::Kept) => turn.hints.push((room, CARRIER, Wake::Moved(carried.place))),
                    Ok(Put::Same | Put::Other | Put::Ended) => {}
                    Err(_) => work.take_back_job(),
                }
                turn.answers.push(Ready::Place(answer, placed));
            }
            Job::Sweep { now, budget, answer } => {
                let swept = self.sweep(work, now, budget);
                turn.answers.push(Ready::Sweep(answer, swept));
            }
        }
    }

    fn rooms<'a>(&'a mut self, work: &'a mut Work, now: Millis) -> Appending<'a> {
        Appending { work, book: &mut self.book, cache: &mut self.cache, now }
    }

    fn sweep(&mut self, work: &mut Work, now: Millis, budget: usize) -> Result<Swept, StoreError> {
        let swept = Sweep { work, book: &mut self.book, cache: &mut self.cache, now }.run(budget);
        match &swept {
            Ok(swept) => {
                metrics::counter!("parlor_store_swept_rooms_total").increment(swept.rooms as u64);
                metrics::counter!("parlor_store_swept_records_total").increment(swept.records as u64);
            }
            Err(error) => {
                tracing::error!(%error, "what has ended could not be removed");
                work.take_back_job();
                (self.book.expiry_from, self.book.garbage_from) = (0, 0);
            }
        }
        Ok(swept?)
    }

    fn room_on_disk(&self) -> Result<(), StoreError> {
        match self.disk.free_bytes() {
            Ok(Some(free)) if free < self.options.free_bytes_min => Err(StoreError::Unavailable(format!(
                "the disk is full: {free} bytes are free and the store keeps {} in reserve; free some space, no restart is needed",
                self.options.free_bytes_min
            ))),
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::Unavailable(format!("the disk cannot say how much is free: {error}"))),
        }
    }

    fn write(&self, turn: &mut Turn) -> Result<(), DiskError> {
        if turn.writes { self.disk.write(std::mem::take(&mut turn.batch)) } else { Ok(()) }
    }

    fn sync(&self, turn: &Turn) -> Result<(), DiskError> {
        if turn.writes { self.disk.sync() } else { Ok(()) }
    }

    fn look_anew(&mut self) {
        self.view = self.disk.durable();
        *self.shared.durable.write().unwrap_or_else(PoisonError::into_inner) = self.view.clone();
    }

    /// Answers, if everything is safe; otherwise ends the store. Says whether to go on.
    fn finish(&mut self, turn: Turn, done: Result<(), DiskError>) -> bool {
        if let Err(error) = done {
            self.shared.queue.die();
            drop(turn);
            (self.options.on_fatal)(&stops_here(&error));
            return false;
        }
        if turn.writes {
            self.look_anew();
            metrics::histogram!("parlor_store_commits_per_sync").record(turn.commits as f64);
            metrics::gauge!("parlor_store_queue_bytes").set(self.shared.queue.bytes() as f64);
        }
        // Readable first, then acked, then hinted at.
        for ready in turn.answers {
            ready.send();
        }
        for (room, by, wake) in turn.hints {
            self.shared.watchers.tell(&room, by, &wake);
        }
        true
    }
}

impl Job {
    pub(super) fn bytes(&self) -> usize {
        const EACH: usize = 256;
        EACH + match self {
            Job::Append { commit, .. } => commit.bytes(),
            Job::Apply { batch, .. } => batch.bytes(),
            Job::Place { carried, .. } => carried.bytes(),
            Job::Close { .. } | Job::Sweep { .. } => 0,
        }
    }

    fn refuse(self, error: &StoreError) -> Ready {
        match self {
            Job::Append { answer, .. } => Ready::Append(answer, Err(error.clone())),
            Job::Close { answer, .. } => Ready::Close(answer, Err(error.clone())),
            Job::Apply { answer, .. } => Ready::Apply(answer, Err(error.clone())),
            Job::Place { answer, .. } => Ready::Place(answer, Err(error.clone())),
            Job::Sweep { answer, .. } => Ready::Sweep(answer, Err(error.clone())),
        }
    }
}

impl Ready {
    /// Whoever asked may have gone away meanwhile; what it asked for is done all the same.
    fn send(self) {
        match self {
            Ready::Append(answer, result) => drop(answer.send(result)),
            Ready::Close(answer, result) => drop(answer.send(result)),
            Ready::Apply(answer, result) => drop(answer.send(result)),
            Ready::Place(answer, result) => drop(answer.send(result)),
            Ready::Sweep(answer, result) => drop(answer.send(result)),
        }
    }
}

impl From<DiskError> for StoreError {
    fn from(error: DiskError) -> StoreError {
        match error {
            DiskError::Io(error) => StoreError::Unavailable(error.to_string()),
            DiskError::Damaged(what) => StoreError::Damaged(what),
        }
    }
}
