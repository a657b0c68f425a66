//! A disk in front of a disk: what is synced is in the log and in memory, and moves to the disk below a little later.
//!
//! A commit waits for one sync of the log and for nothing else: the disk below may take its time to flush, merge and
//! sync, on a thread of its own. What is in the log and not yet below is read from memory; opening again reads it from
//! the log. Nothing leaves the log before the disk below has said that it is safe there.

use super::acked::Acked;
use super::disk::{Disk, DiskError, Pair, View};
use super::layers::{Each, Layer, Layers};
use super::log::{self, Log, Mark, Record};
use super::options::{OnFatal, stops_here};
use bytes::Bytes;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How far the log is below, kept there with what it speaks of.
const BELOW_KEY: &[u8] = &[0, 1];
/// This part of the log, or what comes in this long, moves down together: what is overwritten meanwhile never goes down.
const MOVE_SHARE: u64 = 8;
const MOVE_AFTER: Duration = Duration::from_secs(1);
/// Rests in a row after which the disk below may rest too: small files, made whenever there is a pause, would be merged again
/// and again.
const QUIET: u32 = 10;
/// Pairs that move in one batch.
const BATCH_MAX: usize = 256;
/// The longest a sync is held up when the log is nearly full. It begins when it is half full, so that it never fills.
const SLOWEST: Duration = Duration::from_millis(20);

pub struct LoggedDisk {
    pen: Mutex<Pen>,
    shared: Arc<Shared>,
    mover: Option<JoinHandle<()>>,
}

/// The committer's side.
struct Pen {
    log: Log,
    acked: Acked,
    record: Record,
    written: Vec<Pair>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    move_bytes: u64,
    /// Told at once when the disk below fails: with nobody writing, no commit would find it.
    on_fatal: OnFatal,
    /// Dropped last, after what reads it.
    below: Arc<dyn Disk>,
}

struct State {
    /// Upper: synced since the last move began. Lower: being moved.
    layers: Layers,
    /// What may be shown while something larger than the log is on its way below, safe nowhere yet.
    safe: Option<Layers>,
    /// That goes down in one batch: a crash must find all of it or nothing.
    whole: bool,
    last: Mark,
    /// The number of the last record that is below.
    below: u64,
    /// Bytes of log ever taken by what is synced, by what began to move, and by what is below.
    synced: u64,
    moving: u64,
    moved: u64,
    hurry: bool,
    closing: bool,
    failed: Option<String>,
}

impl LoggedDisk {
    /// Whether a log stands in front of this disk; then it must be opened with it, for it may hold what was acked last.
    pub fn stands_before(below: &dyn Disk) -> Result<bool, DiskError> {
        Ok(below.durable().get(BELOW_KEY)?.is_some())
    }

    /// Makes the log if this disk never had one; otherwise it stays as long as it was.
    pub fn open(below: Arc<dyn Disk>, folder: &Path, log_bytes: u64, on_fatal: OnFatal) -> Result<LoggedDisk, DiskError> {
        let path = folder.join("log");
        let acked = Acked::open(&folder.join("log-acked"))?;
        let view = below.durable();
        let mut layers = Layers { upper: Layer::new(), lower: Arc::default(), below: view.clone() };
        let log = match view.get(BELOW_KEY)? {
            // Nothing was ever synced here: the log, or what there is of it, may be made again.
            None => {
                let log = Log::create(&path, log_bytes)?;
                acked.clear()?;
                super::folder::sync_folder(folder)?;
                below.write(vec![(BELOW_KEY.to_vec(), Some(log.last.encode()))])?;
                below.sync()?;
                log
            }
            Some(mark) => {
                let mark = Mark::decode(&mark).ok_or_else(|| log::damaged("where it begins cannot be read"))?;
                Log::open(&path, mark, acked.highest()?, |pairs| layers.lay(pairs))?
            }
        };
        let (last, found) = (log.last, !layers.upper.is_empty());
        let below_to = if found { 0 } else { last.number };
        let state = State {
            layers,
            safe: None,
            whole: false,
            last,
            below: below_to,
            synced: 0,
            moving: 0,
            moved: 0,
            hurry: found,
            closing: false,
            failed: None,
        };
        let (move_bytes, state) = (log.bytes() / MOVE_SHARE, Mutex::new(state));
        let shared = Arc::new(Shared { state, changed: Condvar::new(), move_bytes, on_fatal, below });
        let moving = shared.clone();
        let mover = std::thread::Builder::new().name("mover".into()).spawn(move || moving.run())?;
        let pen = Pen { log, acked, record: Record::new(), written: Vec::new() };
        let disk = LoggedDisk { pen: Mutex::new(pen), shared, mover: Some(mover) };
        // What was found in the log is below before anything new is.
        disk.shared.wait(|state| state.is_below(last))?;
        Ok(disk)
    }
}

impl Drop for LoggedDisk {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(mover) = self.mover.take()
            && mover.join().is_err()
        {
            tracing::error!("what moves commits from the log to the disk below ended by a panic");
        }
    }
}

impl Disk for LoggedDisk {
    fn write(&self, mut batch: Vec<Pair>) -> Result<(), DiskError> {
        let mut pen = self.pen();
        for pair in &batch {
            pen.record.push(pair);
        }
        pen.written.append(&mut batch);
        Ok(())
    }

    fn sync(&self) -> Result<(), DiskError> {
        let pen = &mut *self.pen();
        if pen.record.is_empty() {
            return Ok(());
        }
        let cost = pen.log.cost(&pen.record);
        let mark = match cost {
            Some(cost) => {
                self.slow_down(pen.log.bytes());
                self.shared.wait(|state| state.synced - state.moved + cost <= pen.log.bytes())?;
                pen.log.append(&mut pen.record)?
            }
            // What is larger than the log goes straight below.
            None => pen.log.pass(),
        };
        let mut state = self.shared.lock();
        if cost.is_none() {
            state.safe = Some(state.layers.clone());
            state.whole = true;
        }
        state.layers.lay(pen.written.drain(..));
        state.last = mark;
        state.synced += cost.unwrap_or(0);
        state.hurry |= cost.is_none();
        let wake = state.hurry || state.synced - state.moving >= self.shared.move_bytes;
        drop(state);
        if wake {
            self.shared.changed.notify_all();
        }
        if cost.is_none() {
            self.shared.wait(|state| state.is_below(mark))?;
            self.shared.lock().safe = None;
        }
        pen.record.clear();
        pen.acked.set(mark.number)?;
        Ok(())
    }

    fn durable(&self) -> Arc<dyn View> {
        Arc::new(Glance { layers: OnceLock::new(), shared: self.shared.clone() })
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        self.shared.below.free_bytes()
    }
}

/// A view that takes hold of what it shows when it is first read. Most are never read: a commit to a room that is known
/// reads nothing, and layers that nobody holds are written in place instead of being copied.
struct Glance {
    layers: OnceLock<Layers>,
    /// Dropped last: with it the folder may be let go of.
    shared: Arc<Shared>,
}

impl Glance {
    fn layers(&self) -> &Layers {
        self.layers.get_or_init(|| {
            let state = self.shared.lock();
            state.safe.as_ref().unwrap_or(&state.layers).clone()
        })
    }
}

impl View for Glance {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        self.layers().get(key)
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut Each<'_>) -> Result<(), DiskError> {
        self.layers().scan(from, to, each)
    }
}

impl LoggedDisk {
    fn pen(&self) -> MutexGuard<'_, Pen> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slow_down(&self, log_bytes: u64) {
        let state = self.shared.lock();
        let filled = (state.synced - state.moved) as f64 / log_bytes as f64;
        drop(state);
        if filled > 0.5 {
            std::thread::sleep(SLOWEST.mul_f64(filled * 2.0 - 1.0));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, until: impl Fn(&State) -> bool) -> Result<(), DiskError> {
        let mut state = self.lock();
        loop {
            if let Some(what) = &state.failed {
                return Err(DiskError::Io(io::Error::other(what.clone())));
            }
            if until(&state) {
                return Ok(());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Moves what is synced to the disk below until it is closed and nothing is left, or the disk below has failed.
    fn run(&self) {
        let mut retired = Retired::default();
        let mut quiet = 0u32;
        loop {
            let next = self.next();
            quiet = match next {
                Next::Move { .. } => 0,
                Next::Rest => quiet + 1,
                Next::Closed => return,
            };
            // A panic below must not leave the committer waiting for ever.
            let done = catch_unwind(AssertUnwindSafe(|| {
                if let Next::Move { mark, layer, whole } = &next {
                    self.put_below(*mark, layer, *whole)?;
                }
                if quiet >= QUIET {
                    self.below.rest()?;
                }
                retired.push(self.look_below(&next));
                Ok(())
            }));
            let done = done.unwrap_or_else(|_| Err(DiskError::Damaged("it ended by a panic".into())));
            if let Err(error) = done {
                let what = format!("below the log: {error}");
                self.lock().failed = Some(what.clone());
                self.changed.notify_all();
                (self.on_fatal)(&stops_here(&what));
                return;
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            let due = state.hurry || state.closing || state.synced - state.moving >= self.move_bytes;
            if due && !state.layers.upper.is_empty() {
                break;
            }
            if state.closing {
                return Next::Closed;
            }
            let (next, timeout) = self.changed.wait_timeout(state, MOVE_AFTER).unwrap_or_else(PoisonError::into_inner);
            state = next;
            if timeout.timed_out() {
                if state.layers.upper.is_empty() {
                    return Next::Rest;
                }
                break;
            }
        }
        state.hurry = false;
        state.moving = state.synced;
        state.layers.lower = Arc::new(std::mem::take(&mut state.layers.upper));
        Next::Move { mark: state.last, layer: state.layers.lower.clone(), whole: std::mem::take(&mut state.whole) }
    }

    fn put_below(&self, mark: Mark, layer: &Layer, whole: bool) -> Result<(), DiskError> {
        let mark = (BELOW_KEY.to_vec(), Some(mark.encode()));
        let pairs = layer.iter().map(|(key, value)| (key.to_vec(), value.clone()));
        if whole {
            // With the mark: what is older is in the log, and would be laid over some of it after a crash.
            self.below.write(std::iter::once(mark).chain(pairs).collect())?;
            return self.below.sync();
        }
        // In small batches, so that what is in memory is not there twice. They are absolute values, so moving some of them
        // again after a crash changes nothing; the mark, which says that all of them are below, comes last.
        let mut batch: Vec<Pair> = Vec::with_capacity(BATCH_MAX);
        for pair in pairs {
            batch.push(pair);
            if batch.len() == BATCH_MAX {
                self.below.write(std::mem::replace(&mut batch, Vec::with_capacity(BATCH_MAX)))?;
            }
        }
        if !batch.is_empty() {
            self.below.write(batch)?;
        }
        self.below.write(vec![mark])?;
        self.below.sync()
    }

    /// Reads from the disk below as it is now, and gives back what was read from until now. Also when nothing moved: what the
    /// disk below has flushed and merged since is not held in its old place any longer.
    fn look_below(&self, next: &Next) -> (Arc<Layer>, Arc<dyn View>) {
        let view = self.below.durable();
        let mut state = self.lock();
        let layer = std::mem::take(&mut state.layers.lower);
        let view = std::mem::replace(&mut state.layers.below, view);
        if let Next::Move { mark, .. } = next {
            state.moved = state.moving;
            state.below = mark.number;
        }
        drop(state);
        self.changed.notify_all();
        (layer, view)
    }
}

enum Next {
    Move {
        mark: Mark,
        layer: Arc<Layer>,
        /// In one batch.
        whole: bool,
    },
    /// Nothing was synced for a while.
    Rest,
    Closed,
}

/// What is read from no more, but may still be held by who reads. The mover lets go of it last: freeing megabytes takes
/// milliseconds, which no commit should wait for.
#[derive(Default)]
struct Retired(Vec<(Arc<Layer>, Arc<dyn View>)>);

impl Retired {
    fn push(&mut self, old: (Arc<Layer>, Arc<dyn View>)) {
        self.0.push(old);
        self.0.retain(|(layer, view)| Arc::strong_count(layer) > 1 || Arc::strong_count(view) > 1);
    }
}

impl State {
    fn is_below(&self, mark: Mark) -> bool {
        self.below >= mark.number
    }
}
