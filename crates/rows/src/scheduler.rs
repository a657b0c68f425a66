//! Who reads what is due: as many rows at once and in a second as the terms allow, the longest due first.
//!
//! A tick looks at the head of the schedule alone. Rows whose last reading failed get a few of the places and never all of
//! them, so that rows which hang cannot keep the others waiting.

use crate::claim::{Found, find};
use crate::rows::{Rows, Settled};
use parlor_layout::shop::rows as layout;
use parlor_rules::time::{Millis, Span};
use parlor_store::{Answer, Key, Query, StoreError};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The longest pause between two looks: other nodes give rows to the schedule too.
const PAUSE_MAX: Duration = Duration::from_secs(1);
const PAUSE_MIN: Duration = Duration::from_millis(5);
/// Until rows that are due and had no place are looked at again, if nobody is done before.
const PAUSE_WAITING: Duration = Duration::from_millis(50);
/// Looked at beyond the free places, so that rows which must wait do not hide those behind them.
const LOOKS_BEYOND: usize = 64;
/// One in so many places is for rows whose last reading failed.
const SUSPECTS_SHARE: usize = 4;
/// A clock that went back by more than this has jumped.
const BACK_TOLERATED: Span = Span::seconds(2);

pub struct Scheduler {
    rows: Rows,
    tasks: JoinSet<()>,
    busy: HashMap<tokio::task::Id, Busy>,
    last: Option<Millis>,
    purse: Purse,
    /// Which piece is looked at first, another one each time.
    turn: usize,
}

struct Busy {
    id: Key,
    is_suspect: bool,
}

/// Readings that may still begin in this second, by a clock that does not jump.
struct Purse {
    left: f64,
    per_second: f64,
    filled: Instant,
}

impl Scheduler {
    pub fn new(rows: &Rows) -> Scheduler {
        let per_second = f64::from(rows.inner.terms.reads_per_second_max.max(1));
        let purse = Purse { left: per_second, per_second, filled: Instant::now() };
        Scheduler { rows: rows.clone(), tasks: JoinSet::new(), busy: HashMap::new(), last: None, purse, turn: 0 }
    }

    /// Begins to read what is due and may be read now; answers when to look again.
    pub async fn tick(&mut self) -> Duration {
        while let Some(done) = self.tasks.try_join_next_with_id() {
            self.forget(done);
        }
        match self.try_tick().await {
            Ok(pause) => pause.clamp(PAUSE_MIN, PAUSE_MAX),
            Err(error) => {
                tracing::warn!(%error, "the schedule of rows cannot be read");
                PAUSE_MAX
            }
        }
    }

    /// Waits until a reading is done; for ever when there is none.
    pub async fn freed(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(done) => self.forget(done),
            None => std::future::pending().await,
        }
    }

    /// Waits until nothing is being read.
    pub async fn idle(&mut self) {
        while let Some(done) = self.tasks.join_next_with_id().await {
            self.forget(done);
        }
    }

    /// How many rows are being read.
    pub fn busy(&self) -> usize {
        self.busy.len()
    }

    async fn try_tick(&mut self) -> Result<Duration, StoreError> {
        let now = self.rows.now();
        // At the start nobody knows what happened to the clock meanwhile.
        if self.last.is_none_or(|last| now + BACK_TOLERATED < last) {
            self.rows.mend(now).await?;
        }
        self.last = Some(now);
        self.rows.look_again().await?;
        let pieces = self.rows.inner.heads.len();
        self.turn = (self.turn + 1) % pieces;
        let (mut soonest, first) = (PAUSE_MAX, self.turn);
        for piece in (0..pieces).map(|piece| (piece + first) % pieces) {
            let places = self.rows.inner.terms.at_once_max.max(1).saturating_sub(self.busy.len());
            if places == 0 {
                break; // Whoever is done says so.
            }
            let allowed = places.min(self.purse.count());
            if allowed == 0 {
                return Ok(soonest.min(self.purse.wait()));
            }
            soonest = soonest.min(self.take_from(piece, allowed).await?);
        }
        Ok(soonest)
    }

    /// Takes rows that are due from one piece of the schedule; answers when to look at it again.
    async fn take_from(&mut self, piece: usize, allowed: usize) -> Result<Duration, StoreError> {
        let now = self.rows.now();
        let rows = self.rows.clone();
        let head = &rows.inner.heads[piece];
        let known = head.load(Ordering::SeqCst);
        if Millis(known) > now && known <= (now + Span(PAUSE_MAX.as_millis() as u64)).0 {
            return Ok(until(Millis(known), now));
        }
        // Whoever gives a row to the piece from here on puts the 0 back.
        let forget = (now + Span(PAUSE_MAX.as_millis() as u64)).0;
        head.store(forget, Ordering::SeqCst);
        let take = allowed + self.busy.len() + LOOKS_BEYOND;
        let query = Query::Lowest { key: layout::schedule_key(), skip: 0, take };
        let answers = self.rows.inner.records.read(&layout::tag(piece as u64), vec![query]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok(PAUSE_MAX) };
        let next = members.iter().map(|(_, score)| layout::moment(*score)).find(|at| *at > now);
        let is_due = |(id, score): &(Key, _)| layout::moment(*score) <= now && !self.is_busy(id);
        let due: Vec<Key> = members.iter().filter(|member| is_due(member)).map(|(id, _)| id.clone()).collect();
        let taken = self.begin(piece, &due, allowed).await?;
        if taken < due.len() || next.is_none() && members.len() == take {
            head.store(0, Ordering::SeqCst);
            // Those that must wait for a place are begun when somebody is done.
            return Ok(PAUSE_WAITING);
        }
        let _ = next.map(|next| head.compare_exchange(forget, next.0.min(forget), Ordering::SeqCst, Ordering::SeqCst));
        Ok(next.map_or(PAUSE_MAX, |next| until(next, now)))
    }

    /// Begins to read these, no more than allowed; answers how many of them need no second look.
    async fn begin(&mut self, piece: usize, due: &[Key], allowed: usize) -> Result<usize, StoreError> {
        if due.is_empty() {
            return Ok(0);
        }
        let (mut taken, mut begun, now) = (0, 0, self.rows.now());
        for found in find(&*self.rows.inner.records, &layout::tag(piece as u64), due).await? {
            let is_suspect = found.failures > 0;
            // Between the look at the schedule and the look at the row, another node may have read it.
            if found.schedule.is_none_or(|at| layout::moment(at) > now) {
                taken += 1;
            } else if found.delay().is_none() {
                // The document's way to end it; or somebody forgot the delay, and the row would be due for ever.
                let id = found.id.clone();
                if found.clear(&*self.rows.inner.records).await? {
                    self.rows.inner.held.put(&id, None, self.rows.inner.held.ticket(), self.rows.now());
                    self.rows.tell(&id);
                }
                taken += 1;
            } else if begun < allowed && !(is_suspect && self.suspects() >= self.suspects_max()) {
                begun += 1;
                taken += 1;
                self.read(found, is_suspect);
            }
        }
        Ok(taken)
    }

    fn read(&mut self, found: Found, is_suspect: bool) {
        self.purse.left -= 1.0;
        let (rows, id) = (self.rows.clone(), found.id.clone());
        let task = self.tasks.spawn(async move {
            let id = found.id.clone();
            match rows.take(found).await {
                Ok(Some(Settled::Kept(_))) => {}
                Ok(Some(Settled::Lost) | None) => tracing::debug!(row = %id, "somebody else was quicker"),
                // The lease ends by itself.
                Err(error) => tracing::warn!(row = %id, %error, "a row that was read cannot be kept"),
            }
        });
        self.busy.insert(task.id(), Busy { id, is_suspect });
    }

    fn forget(&mut self, done: Result<(tokio::task::Id, ()), tokio::task::JoinError>) {
        let task = match done {
            Ok((task, ())) => task,
            Err(error) => error.id(),
        };
        self.busy.remove(&task);
    }

    fn is_busy(&self, id: &Key) -> bool {
        self.busy.values().any(|busy| busy.id == *id)
    }

    fn suspects(&self) -> usize {
        self.busy.values().filter(|busy| busy.is_suspect).count()
    }

    fn suspects_max(&self) -> usize {
        (self.rows.inner.terms.at_once_max / SUSPECTS_SHARE).max(1)
    }
}

impl Purse {
    /// How many may begin now.
    fn count(&mut self) -> usize {
        let now = Instant::now();
        let earned = now.duration_since(self.filled).as_secs_f64() * self.per_second;
        (self.left, self.filled) = ((self.left + earned).min(self.per_second), now);
        self.left.max(0.0) as usize
    }

    /// How long until another one may.
    fn wait(&self) -> Duration {
        Duration::from_secs_f64(((1.0 - self.left) / self.per_second).clamp(0.0, 1.0))
    }
}

fn until(at: Millis, now: Millis) -> Duration {
    Duration::from_millis(at.since(now).0)
}
