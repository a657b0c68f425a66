//! Rows in memory for whoever cannot wait, bounded in bytes. What is not there is looked for in the store soon after.
//!
//! Everything put here carries a ticket. Tickets are drawn after the store was looked at and before a row is claimed, so of two
//! readings the one that was claimed later has the higher ticket, however late its reader comes here.

use crate::row::Row;
use parlor_rules::time::{Millis, Span};
use parlor_store::Key;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows that wait to be looked for.
const WANTED_MAX: usize = 4096;
/// What an entry takes beside its row.
const ENTRY_BYTES: usize = 128;
/// A guess that only sizes the cache's tables.
const ROW_BYTES_GUESS: usize = 512;
/// How long it is taken for granted that a row is not there.
const ABSENT_FOR: Span = Span::seconds(1);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Ticket(u64);

pub(crate) struct Held {
    cache: Cache<Key, Arc<Entry>, Bytes>,
    look_every: Option<Span>,
    tickets: AtomicU64,
    wanted: Mutex<HashSet<Key>>,
    /// Taken by whoever changes an entry, so that comparing and replacing are one step.
    changing: Mutex<()>,
}

pub(crate) struct Entry {
    row: Option<Arc<Row>>,
    ticket: Ticket,
    /// When it was last known to be what the store has, or when that was last asked for.
    looked: AtomicU64,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Key, Arc<Entry>> for Bytes {
    fn weight(&self, key: &Key, entry: &Arc<Entry>) -> u64 {
        (ENTRY_BYTES + key.len() + entry.row.as_ref().map_or(0, |row| row.bytes())) as u64
    }
}

impl Held {
    pub(crate) fn new(bytes_max: usize, look_every: Option<Span>) -> Held {
        let cache = Cache::with_weighter(bytes_max / ROW_BYTES_GUESS, bytes_max as u64, Bytes);
        Held { cache, look_every, tickets: AtomicU64::new(1), wanted: Mutex::default(), changing: Mutex::default() }
    }

    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::SeqCst))
    }

    /// What is known of a row; asks for a look at the store when that is too long ago. Answers whether a look is new.
    pub(crate) fn find(&self, id: &str, now: Millis) -> (Option<Arc<Row>>, bool) {
        let Some(entry) = self.cache.get(id) else { return (None, self.want(Key::from(id))) };
        let look_every = if entry.row.is_some() { self.look_every } else { Some(ABSENT_FOR) };
        let looked = entry.looked.load(Ordering::Relaxed);
        let is_old = look_every.is_some_and(|every| now.0.abs_diff(looked) >= every.0);
        let wants = is_old && entry.looked.swap(now.0, Ordering::Relaxed) == looked && self.want(Key::from(id));
        (entry.row.clone().filter(|row| row.until > now), wants)
    }

    /// Puts what was read under a claim; answers whether that differs from what was held, if anything was.
    pub(crate) fn put(&self, id: &Key, row: Option<Arc<Row>>, ticket: Ticket, now: Millis) -> bool {
        let _one = self.changing();
        let before = self.cache.peek(id);
        if before.as_ref().is_some_and(|before| before.ticket > ticket) {
            return false;
        }
        let differs = before.is_some_and(|before| !is_same(before.row.as_deref(), row.as_deref()));
        self.cache.insert(id.clone(), Arc::new(Entry { row, ticket, looked: AtomicU64::new(now.0) }));
        differs
    }

    /// What is held, to be given to `put_seen` with what the store had afterwards.
    pub(crate) fn before_look(&self, id: &Key) -> Option<Arc<Entry>> {
        self.cache.peek(id)
    }

    /// Puts what the store had, unless something was put since `before`; answers whether it differs from that.
    pub(crate) fn put_seen(&self, id: &Key, row: Option<Arc<Row>>, before: Option<&Arc<Entry>>, now: Millis) -> bool {
        let _one = self.changing();
        let is = self.cache.peek(id);
        match (&is, before) {
            (Some(is), Some(before)) if Arc::ptr_eq(is, before) => {}
            (None, None) => {}
            _ => return false,
        }
        let ticket = is.as_ref().map_or(Ticket(0), |is| is.ticket);
        let differs = is.is_some_and(|is| !is_same(is.row.as_deref(), row.as_deref()));
        self.cache.insert(id.clone(), Arc::new(Entry { row, ticket, looked: AtomicU64::new(now.0) }));
        differs
    }

    /// The rows that wait to be looked for.
    pub(crate) fn wanted(&self) -> Vec<Key> {
        self.wants().drain().collect()
    }

    #[cfg(test)]
    fn bytes(&self) -> u64 {
        self.cache.weight()
    }

    fn want(&self, id: Key) -> bool {
        let mut wanted = self.wants();
        wanted.len() < WANTED_MAX && wanted.insert(id)
    }

    /// A panic elsewhere leaves the set whole: every change to it is one step.
    fn wants(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two readings that say the same.
fn is_same(one: Option<&Row>, other: Option<&Row>) -> bool {
    one.map(|row| &row.json) == other.map(|row| &row.json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, text: &str) -> Arc<Row> {
        let json = serde_json::to_vec(&serde_json::json!({ "text": text })).expect("JSON");
        Arc::new(Row::wake(&Key::from(id), json.into(), Millis(5), Millis(1_000)).expect("an object"))
    }

    #[test]
    fn what_is_held_is_bounded_in_bytes() {
        let held = Held::new(256 * 1024, None);
        for n in 0..10_000 {
            let id = Key::from(n.to_string());
            held.put(&id, Some(row(&id, &"x".repeat(n % 900))), held.ticket(), Millis(0));
            assert!(held.bytes() <= 256 * 1024);
        }
        assert!(held.bytes() > 64 * 1024, "{} bytes are hardly worth it", held.bytes());
    }

    #[test]
    fn a_reader_that_comes_late_does_not_put_an_older_row_over_a_newer() {
        let held = Held::new(1024 * 1024, None);
        let id = Key::from("1");
        let (older, newer) = (held.ticket(), held.ticket());
        assert!(!held.put(&id, Some(row("1", "newer")), newer, Millis(7)));
        assert!(!held.put(&id, Some(row("1", "older")), older, Millis(8)));
        assert_eq!(held.find("1", Millis(9)).0, Some(row("1", "newer")));
        let before = held.before_look(&id);
        assert!(held.put(&id, Some(row("1", "newest")), held.ticket(), Millis(9)));
        assert!(!held.put_seen(&id, Some(row("1", "newer")), before.as_ref(), Millis(10)), "the look was too early");
        assert_eq!(held.find("1", Millis(9)).0, Some(row("1", "newest")));
        assert_eq!(held.find("1", Millis(1_000)).0, None, "it is too old to be shown");
    }

    #[test]
    fn what_is_asked_for_is_looked_at_once_in_a_while() {
        let held = Held::new(1024 * 1024, Some(Span(100)));
        assert_eq!(held.find("1", Millis(0)), (None, true));
        assert_eq!(held.find("1", Millis(0)), (None, false), "it waits already");
        assert_eq!(held.wanted(), [Key::from("1")]);
        held.put_seen(&Key::from("1"), Some(row("1", "a")), None, Millis(0));
        assert_eq!(held.find("1", Millis(99)), (Some(row("1", "a")), false));
        assert_eq!(held.find("1", Millis(100)), (Some(row("1", "a")), true));
        assert_eq!(held.find("1", Millis(150)), (Some(row("1", "a")), false));
        assert_eq!(held.find("2", Millis(0)), (None, true));
        let many: usize = (0..2 * WANTED_MAX).filter(|n| held.find(&format!("x{n}"), Millis(0)).1).count();
        assert_eq!(many, WANTED_MAX - 2, "the queue is bounded");
    }
}
