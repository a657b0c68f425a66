//! The rows that are kept: what can be asked and told of them. The scheduler is what reads them.

use crate::claim::{Claim, Found, find, without};
use crate::delay::Delay;
use crate::error::RowsError;
use crate::held::{Held, Ticket};
use crate::push::Pushes;
use crate::reading;
use crate::row::{Row, RowSeen};
use crate::scheduler::Scheduler;
use crate::settle::{self, Outcome};
use crate::source::Source;
use crate::terms::Terms;
use parlor_layout::shop::rows as layout;
use parlor_rules::time::Millis;
use parlor_store::{Applied, Batch, Key, Operation, Records, Reply, SharedClock, StoreError};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{Notify, broadcast, watch};

pub const ROW_ID_BYTES_MAX: usize = 256;
/// Changes that wait for a slow listener; one that is slower is told how many it has missed.
const CHANGES_MAX: usize = 4096;

/// A handle; clones share everything.
#[derive(Clone)]
pub struct Rows {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) records: Arc<dyn Records>,
    pub(crate) clock: SharedClock,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) terms: Terms,
    pub(crate) held: Held,
    pub(crate) pushes: Pushes,
    /// Rings when a row may be due sooner than the scheduler thinks.
    pub(crate) wake: Notify,
    /// When each piece of the schedule must be looked at next, as far as this node knows.
    pub(crate) heads: Vec<AtomicU64>,
    changes: broadcast::Sender<Key>,
    dice: RandomState,
    rolls: AtomicU64,
}

/// What was heard of rows that changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changed {
    Row(Key),
    /// This many were missed: any row may have changed.
    Missed(u64),
}

/// Rows whose value really changed, in order; a reading that finds the same says nothing.
pub struct Changes(broadcast::Receiver<Key>);

/// What came of a claim.
#[derive(Debug)]
pub(crate) enum Settled {
    Kept(Outcome),
    /// Somebody has claimed the row since, or it is not kept any more.
    Lost,
}

impl Rows {
    pub fn new(records: Arc<dyn Records>, clock: SharedClock, source: Arc<dyn Source>, terms: Terms) -> Rows {
        let pieces = if records.is_scattered() { layout::PIECES } else { 1 };
        let inner = Inner {
            held: Held::new(terms.held_bytes_max, terms.look_every),
            heads: (0..pieces).map(|_| AtomicU64::new(0)).collect(),
            changes: broadcast::Sender::new(CHANGES_MAX),
            dice: RandomState::new(),
            rolls: AtomicU64::new(0),
            pushes: Pushes::default(),
            wake: Notify::new(),
            records,
            clock,
            source,
            terms,
        };
        Rows { inner: Arc::new(inner) }
    }

    /// Keeps a row from now on: its delay first, then its place in the schedule, which is now. Zero or less takes it away.
    /// Answers the row as it is kept then.
    pub async fn keep(&self, id: &str, delay_s: f64) -> Result<Option<RowSeen>, RowsError> {
        let id = row_id(id)?;
        let Some(delay) = Delay::new(delay_s)? else {
            self.unschedule(&id).await?;
            return Ok(None);
        };
        let set = |key, score| Operation::SetScore { key, member: id.clone(), score };
        let drop = |key| Operation::DropMember { key, member: id.clone() };
        let operations = vec![
            set(layout::delay_key(), delay.score()),
            set(layout::schedule_key(), layout::seconds(self.now())),
            drop(layout::failing_key()),
            drop(layout::missing_key()),
            // Whoever is reading the row now began before this was asked.
            Operation::Drop { key: layout::state_key(&id) },
        ];
        let tag = layout::tag(layout::piece(&id));
        self.inner.records.apply(Batch { tag, operations, ..Batch::default() }).await?;
        self.due(&id);
        self.seen(&id).await
    }

    /// Takes all of a row away in one step; nobody who is reading it now can bring it back. Answers whether it was kept.
    pub async fn unschedule(&self, id: &str) -> Result<bool, RowsError> {
        let id = row_id(id)?;
        let applied = self.inner.records.apply(without(&id)).await?;
        let was = |index: usize| matches!(&applied, Applied::Done(replies) if replies.get(index) == Some(&Reply::Was(true)));
        let (was_kept, had_value) = (was(0), was(5));
        let was_held = self.inner.held.put(&id, None, self.inner.held.ticket(), self.now());
        if had_value || was_held {
            self.tell(&id);
        }
        Ok(was_kept)
    }

    /// The row as the store has it; nothing when it is not kept.
    pub async fn seen(&self, id: &str) -> Result<Option<RowSeen>, RowsError> {
        Ok(self.find(&row_id(id)?).await?.seen())
    }

    /// The row from memory, for whoever cannot wait. A row that was never asked for is there a moment later.
    pub fn held(&self, id: &str) -> Option<Arc<Row>> {
        let (row, wants) = self.inner.held.find(id, self.now());
        if wants && row.is_none() {
            self.inner.wake.notify_one();
        }
        row
    }

    /// From now on, the rows that change.
    pub fn changed(&self) -> Changes {
        Changes(self.inner.changes.subscribe())
    }

    /// Reads what is due, until told that the process is going.
    pub async fn run(&self, mut going: watch::Receiver<bool>) {
        let mut scheduler = Scheduler::new(self);
        loop {
            let pause = scheduler.tick().await;
            tokio::select! {
                // Claims that are open are due again when their lease ends.
                _ = going.wait_for(|going| *going) => return,
                () = self.inner.wake.notified() => {}
                () = scheduler.freed() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.inner.clock.now()
    }

    pub(crate) async fn find(&self, id: &Key) -> Result<Found, StoreError> {
        let found = find(&*self.inner.records, &layout::tag(layout::piece(id)), std::slice::from_ref(id)).await?;
        Ok(found.into_iter().next().expect("one was asked for"))
    }

    /// Claims a row as it was found, reads it and keeps what came of it; nothing when the claim was refused.
    pub(crate) async fn take(&self, found: Found) -> Result<Option<Settled>, StoreError> {
        // Drawn between the look and the claim: see `held`.
        let ticket = self.inner.held.ticket();
        let claimed = found.claim(&*self.inner.records, self.roll(), self.now(), self.inner.terms.lease).await?;
        let Some(claim) = claimed else { return Ok(None) };
        let outcome = reading::read(&self.inner.source, &claim, &self.inner.terms, self.now()).await;
        self.settle(&claim, outcome, ticket).await.map(Some)
    }

    async fn settle(&self, claim: &Claim, outcome: Outcome, ticket: Ticket) -> Result<Settled, StoreError> {
        let now = self.now();
        let batch = settle::batch(claim, &outcome, &self.inner.terms, now, self.luck());
        if let Applied::Refused(_) = self.inner.records.apply(batch).await? {
            return Ok(Settled::Lost);
        }
        let before = claim.found.row.as_ref();
        let is_new = match &outcome {
            Outcome::Read(row) => {
                let differs = self.inner.held.put(&claim.id, Some(Arc::new(row.clone())), ticket, now);
                differs || before.is_none_or(|before| before.json != row.json)
            }
            Outcome::Missing => self.inner.held.put(&claim.id, None, ticket, now) || before.is_some(),
            Outcome::Failed(error) => {
                tracing::warn!(row = %claim.id, %error, "a row could not be read");
                false
            }
        };
        if is_new {
            self.tell(&claim.id);
        }
        Ok(Settled::Kept(outcome))
    }

    /// Compares what is held and asked for with the store.
    pub(crate) async fn look_again(&self) -> Result<(), StoreError> {
        let mut wanted = self.inner.held.wanted();
        wanted.sort_by_cached_key(|id| self.head_of(id));
        for ids in wanted.chunk_by(|one, other| self.head_of(one) == self.head_of(other)) {
            for ids in ids.chunks(LOOKS_AT_ONCE_MAX) {
                let before: Vec<_> = ids.iter().map(|id| self.inner.held.before_look(id)).collect();
                let tag = layout::tag(layout::piece(&ids[0]));
                for (found, before) in find(&*self.inner.records, &tag, ids).await?.into_iter().zip(before) {
                    let row = found.row.filter(|_| found.delay.is_some()).map(Arc::new);
                    if self.inner.held.put_seen(&found.id, row, before.as_ref(), self.now()) {
                        self.tell(&found.id);
                    }
                }
            }
        }
        Ok(())
    }

    /// Which piece of the schedule has a row, among those that this store has.
    pub(crate) fn head_of(&self, id: &str) -> usize {
        layout::piece(id) as usize % self.inner.heads.len()
    }

    /// A row is due now.
    pub(crate) fn due(&self, id: &str) {
        self.inner.heads[self.head_of(id)].store(0, Ordering::SeqCst);
        self.inner.wake.notify_one();
    }

    pub(crate) fn tell(&self, id: &Key) {
        // Nobody need be listening.
        let _ = self.inner.changes.send(id.clone());
    }

    pub(crate) fn roll(&self) -> u64 {
        self.inner.dice.hash_one(self.inner.rolls.fetch_add(1, Ordering::Relaxed))
    }

    /// A number from 0 to 1.
    pub(crate) fn luck(&self) -> f64 {
        (self.roll() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Rows that one look asks a store for.
const LOOKS_AT_ONCE_MAX: usize = 100;

impl Changes {
    /// Nothing when no rows are kept any more.
    pub async fn next(&mut self) -> Option<Changed> {
        match self.0.recv().await {
            Ok(id) => Some(Changed::Row(id)),
            Err(broadcast::error::RecvError::Lagged(count)) => Some(Changed::Missed(count)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// What has been heard already, without waiting.
    pub fn heard(&mut self) -> Option<Changed> {
        match self.0.try_recv() {
            Ok(id) => Some(Changed::Row(id)),
            Err(broadcast::error::TryRecvError::Lagged(count)) => Some(Changed::Missed(count)),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}

pub(crate) fn row_id(id: &str) -> Result<Key, RowsError> {
    if id.is_empty() || id.len() > ROW_ID_BYTES_MAX { Err(RowsError::Id) } else { Ok(Key::from(id)) }
}
