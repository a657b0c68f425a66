//! The shop itself: what it goes by, and what runs beside the requests.

use crate::error::Error;
use crate::folding::{Folding, Journal};
use crate::guestbook::Guestbook;
use crate::holding::Held;
use crate::popular::{Popular, Top};
use crate::terms::{FEW, FOLD_EVERY, FOLD_FEW_EVERY, NOTED_WITHIN, Terms};
use parlor_layout::shop::{SHARDS, visits as layout};
use parlor_rules::shop::{Item, Visit};
use parlor_rules::{Millis, SecretHash, Span};
use parlor_store::clock::SharedClock;
use parlor_store::{Answer, Applied, Batch, Key, Query, Records};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, MissedTickBehavior};

/// How long what the store said of a visit is trusted where other nodes may end it.
const TRUSTED_FOR: Span = Span::seconds(1);
/// Changes of carts that a slow listener may be behind before it must read anew.
const TOLD_MAX: usize = 1024;
const CLEAN_EVERY_MS: u64 = 1000;

pub struct Shop {
    pub(crate) records: Arc<dyn Records>,
    pub(crate) clock: SharedClock,
    pub(crate) terms: Terms,
    /// No other process uses the store: then notes may wait in groups, and what is known here is true.
    pub(crate) alone: bool,
    pub(crate) book: Guestbook,
    pub(crate) journal: Journal,
    pub(crate) top: RwLock<Arc<Top>>,
    pub(crate) folding: Folding,
    /// The token of a cart that has changed, or of a visit that has ended, wherever that was.
    pub(crate) told: broadcast::Sender<SecretHash>,
    /// The same, of what happened here.
    pub(crate) own: broadcast::Sender<SecretHash>,
    /// The newest changes of carts at this node.
    pub(crate) lately: Mutex<Vec<(SecretHash, Millis)>>,
    pub(crate) held: Held,
    /// Where cleaning goes on, a rank in each shard.
    pub(crate) swept: Mutex<Vec<usize>>,
    /// The rank in each shard before which there are shoppers, when guests were last looked for.
    pub(crate) guests_from: Mutex<Vec<usize>>,
}

/// How many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub visits: usize,
    pub logged_in: usize,
    /// Carts with something in them that are not abandoned.
    pub carts: usize,
}

impl Shop {
    /// `alone`: no other process uses the store.
    pub async fn open(records: Arc<dyn Records>, clock: SharedClock, alone: bool, terms: Terms) -> Result<Shop, Error> {
        let shop = Shop {
            records,
            clock,
            terms,
            alone,
            book: Guestbook::new(terms.known_max, alone),
            journal: Journal::default(),
            top: RwLock::default(),
            folding: Folding::default(),
            told: broadcast::channel(TOLD_MAX).0,
            own: broadcast::channel(TOLD_MAX).0,
            lately: Mutex::default(),
            held: Held::default(),
            swept: Mutex::new(vec![0; SHARDS]),
            guests_from: Mutex::new(vec![0; SHARDS]),
        };
        if alone {
            shop.remember().await?;
        }
        shop.look_at_popular().await?;
        Ok(shop)
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Whether a visit with this token would lie where the shopper's things lie: a login draws until it does.
    pub fn is_place_of(&self, shopper: &str, token: &SecretHash) -> bool {
        !self.records.is_scattered() || layout::shard_of_name(shopper) == layout::shard_of_token(token)
    }

    /// The visit as it is known in memory; nothing when the store must be asked.
    pub fn known(&self, token: &SecretHash) -> Option<Visit> {
        let now = self.now();
        // Alone, nobody else can have ended it.
        let since = if self.alone { Millis(0) } else { now - TRUSTED_FOR };
        self.book.find(token, since).filter(|visit| visit.lives(&self.terms.lifetimes, now))
    }

    /// A visit used its token, and looked at an item. Memory first. False: not known here, ask `visit` first.
    pub fn touch(&self, token: &SecretHash, item: Option<&Item>) -> bool {
        let known = self.book.touch(token, item, self.now());
        if let Some(item) = item.filter(|_| known) {
            self.held.viewed(token, item);
        }
        known
    }

    /// A visit that begins now, kept within `NOTED_WITHIN`.
    pub fn begin_soon(&self, token: SecretHash) -> Visit {
        let now = self.now();
        let visit = Visit { token, shopper: None, cart: token, since: now, last_used: now };
        self.book.begin(visit.clone(), now);
        visit
    }

    /// Tokens of carts that change and of visits that end; whoever is too slow must read anew.
    pub fn listen(&self) -> broadcast::Receiver<SecretHash> {
        self.told.subscribe()
    }

    /// The same, of this node alone, to be passed on to others.
    pub fn listen_here(&self) -> broadcast::Receiver<SecretHash> {
        self.own.subscribe()
    }

    /// Another node has changed a cart or ended a visit.
    pub fn heard(&self, token: SecretHash) {
        self.book.forget(&token);
        self.held.forget(&token);
        let _ = self.told.send(token);
    }

    pub fn popular(&self) -> Arc<Top> {
        self.top.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The first `n` of what is popular.
    pub fn most_popular(&self, n: usize) -> Vec<Popular> {
        self.popular().first(n)
    }

    pub async fn totals(&self) -> Result<Totals, Error> {
        let mut totals = Totals::default();
        for shard in self.shards() {
            let counts = [layout::recent(), layout::login(), layout::carts()].map(|key| self.count(shard, key));
            let [visits, logged_in, carts] = counts;
            totals.visits += visits.await?;
            totals.logged_in += logged_in.await?;
            totals.carts += carts.await?;
        }
        Ok(totals)
    }

    /// The carts that changed last at this node, the newest first.
    pub fn lately(&self) -> Vec<(SecretHash, Millis)> {
        self.lately.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What runs beside the requests, until the server goes: notes are kept, what is over is cleaned up, what is popular
    /// is looked at and halved.
    pub async fn run(&self, going: watch::Receiver<bool>) {
        let notes = async {
            let mut beat = Beat::every(NOTED_WITHIN.0 / 2, &going);
            while beat.next().await {
                // Where others use the store, notes go to their places at once.
                let kept = if self.alone { self.keep_group().await } else { self.fold().await };
                warn(kept, "uses and views are kept later");
            }
        };
        let folds = async {
            let mut beat = Beat::every(NOTED_WITHIN.0, &going);
            let mut folded = Instant::now();
            while beat.next().await {
                let noted = self.book.noted();
                // A few cost nothing; many are cheaper the more often each was noted again meanwhile.
                let wait = if noted <= FEW { FOLD_FEW_EVERY } else { FOLD_EVERY };
                let due = folded.elapsed() >= wait || noted >= self.terms.notes_max;
                if self.alone && due {
                    warn(self.fold().await, "uses and views are put into their places later");
                    folded = Instant::now();
                }
            }
        };
        let cleaning = async {
            let mut beat = Beat::every(CLEAN_EVERY_MS, &going);
            while beat.next().await {
                warn(self.clean().await, "what is over is cleaned up later");
                warn(self.halve().await, "popular items are halved later");
                warn(self.look_at_popular().await, "what is popular is looked at later");
            }
        };
        tokio::join!(notes, folds, cleaning);
        warn(self.fold().await, "uses and views of the last moment are lost");
    }

    /// Each place that the global keys are in.
    pub(crate) fn shards(&self) -> std::ops::Range<usize> {
        0..if self.records.is_scattered() { SHARDS } else { 1 }
    }

    pub(crate) async fn count(&self, shard: usize, key: Key) -> Result<usize, Error> {
        let answers = self.records.read(&layout::tag(shard), vec![Query::Count(key)]).await?;
        Ok(if let Some(Answer::Count(count)) = answers.first() { *count } else { 0 })
    }

    /// The one place that changes records. Says whether the conditions held.
    pub(crate) async fn keep(&self, batch: Batch) -> Result<bool, Error> {
        Ok(matches!(self.records.apply(batch).await?, Applied::Done(_)))
    }
}

/// Again and again until the server goes.
struct Beat {
    tick: Interval,
    going: watch::Receiver<bool>,
}

impl Beat {
    fn every(ms: u64, going: &watch::Receiver<bool>) -> Beat {
        let mut tick = tokio::time::interval(Duration::from_millis(ms));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Beat { tick, going: going.clone() }
    }

    /// False when the server goes.
    async fn next(&mut self) -> bool {
        tokio::select! {
            biased;
            _ = self.going.wait_for(|going| *going) => false,
            _ = self.tick.tick() => true,
        }
    }
}

fn warn(done: Result<(), Error>, what: &str) {
    if let Err(error) = done {
        tracing::warn!(%error, "{what}");
    }
}
