//! What waits to be written to one connection: bounded in bytes, shared by all rooms it listens to.
//!
//! A view is replaceable, so only the newest of each room waits. A patch is not: it is taken only where what it
//! changes is gone out or goes out before it, and a few may wait; else the whole view takes their place. Ephemeral messages are the first to go.
//! A connection that still cannot keep up is closed with a reason; it never slows a room.

use crate::limits::Limits;
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Why nothing more will be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// The reader was too slow for what it asked to hear.
    TooSlow,
    /// The reader was sent away; what waits is still written, a farewell last.
    SentAway,
    /// The connection is gone or going.
    Done,
}

pub struct Outbox {
    inner: Mutex<Inner>,
    wake: Notify,
    bytes_max: usize,
    now_bytes_max: usize,
}

/// Bytes of patches of one room that may wait; more than that is better said as a view.
const PATCHES_BYTES_MAX: usize = 8 * 1024;

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Item>,
    bytes: usize,
    now_bytes: usize,
    closed: Option<Closed>,
}

enum Item {
    Kept(Bytes),
    View {
        slot: u64,
        frame: Bytes,
    },
    Patch {
        slot: u64,
        frame: Bytes,
    },
    Now(Bytes),
    /// Something larger is read out piece by piece: when this piece is taken, the next is asked for.
    Piece {
        frame: Bytes,
        next: Box<dyn FnOnce() + Send>,
    },
}

impl Outbox {
    pub fn new(limits: &Limits) -> Outbox {
        Outbox {
            inner: Mutex::default(),
            wake: Notify::new(),
            bytes_max: limits.outbox_bytes_max,
            now_bytes_max: limits.outbox_now_bytes_max,
        }
    }

    /// Something that must arrive, or the connection is closed.
    pub fn push(&self, frame: Bytes) {
        let mut inner = self.lock();
        if inner.closed.is_some() {
            return;
        }
        inner.bytes += frame.len();
        inner.waiting.push_back(Item::Kept(frame));
        self.settle(inner);
    }

    /// One piece of something that is read out; `next` is called when it has been taken to be written.
    pub fn push_piece(&self, frame: Bytes, next: impl FnOnce() + Send + 'static) {
        let mut inner = self.lock();
        if inner.closed.is_some() {
            return;
        }
        inner.bytes += frame.len();
        inner.waiting.push_back(Item::Piece { frame, next: Box::new(next) });
        self.settle(inner);
    }

    /// The last frame there will be: what waits goes out before it, nothing after it.
    pub fn send_away(&self, farewell: Bytes) {
        let mut inner = self.lock();
        if inner.closed.is_none() {
            inner.waiting.push_back(Item::Kept(farewell));
            inner.closed = Some(Closed::SentAway);
        }
        drop(inner);
        self.wake.notify_one();
    }

    /// The newest view of a room (`slot`); an older one still waiting is replaced where it stands.
    pub fn push_view(&self, slot: u64, frame: Bytes) {
        let mut inner = self.lock();
        if inner.closed.is_some() {
            return;
        }
        inner.replace(slot, frame);
        self.settle(inner);
    }

    /// What changed in a room since the view or patch pushed last, or the `whole` view if that one still waits as a
    /// view, or too many patches do.
    pub fn push_patch(&self, slot: u64, patch: Bytes, whole: impl FnOnce() -> Bytes) {
        let mut inner = self.lock();
        if inner.closed.is_some() {
            return;
        }
        let mut waiting = 0;
        let fits = inner.waiting.iter().all(|item| match item {
            Item::View { slot: other, .. } => *other != slot,
            Item::Patch { slot: other, frame } if *other == slot => {
                waiting += frame.len();
                waiting + patch.len() <= PATCHES_BYTES_MAX
            }
            Item::Patch { .. } | Item::Kept(_) | Item::Now(_) | Item::Piece { .. } => true,
        });
        if fits {
            inner.bytes += patch.len();
            inner.waiting.push_back(Item::Patch { slot, frame: patch });
        } else {
            inner.replace(slot, whole());
        }
        self.settle(inner);
    }

    /// Something that may be dropped under pressure; says whether it was taken.
    pub fn push_now(&self, frame: Bytes) -> bool {
        let mut inner = self.lock();
        if inner.closed.is_some() || inner.now_bytes + frame.len() > self.now_bytes_max {
            return false;
        }
        inner.bytes += frame.len();
        inner.now_bytes += frame.len();
        inner.waiting.push_back(Item::Now(frame));
        self.settle(inner);
        true
    }

    pub fn close(&self, why: Closed) {
        let mut inner = self.lock();
        inner.closed.get_or_insert(why);
        drop(inner);
        self.wake.notify_one();
    }

    /// Everything that waits, in order, into `frames`; says why when there will be no more.
    pub fn take(&self, frames: &mut Vec<Bytes>) -> Option<Closed> {
        let mut asked = Vec::new();
        let mut inner = self.lock();
        frames.extend(inner.waiting.drain(..).map(|item| match item {
            Item::Kept(frame) | Item::View { frame, .. } | Item::Patch { frame, .. } | Item::Now(frame) => frame,
            Item::Piece { frame, next } => {
                asked.push(next);
                frame
            }
        }));
        // An idle connection should not keep the room its busiest moment needed.
        if inner.waiting.capacity() > 8 {
            inner.waiting = VecDeque::new();
        }
        (inner.bytes, inner.now_bytes) = (0, 0);
        let closed = inner.closed;
        drop(inner);
        asked.into_iter().for_each(|next| next());
        closed
    }

    /// Waits until there is something to take.
    pub async fn ready(&self) {
        loop {
            let notified = self.wake.notified();
            {
                let inner = self.lock();
                if !inner.waiting.is_empty() || inner.closed.is_some() {
                    return;
                }
            }
            notified.await;
        }
    }

    /// Waits until the connection is given up, for a writer that is stuck.
    pub async fn overflown(&self) {
        loop {
            let notified = self.wake.notified();
            if self.closed().is_some() {
                return;
            }
            notified.await;
        }
    }

    pub fn closed(&self) -> Option<Closed> {
        self.lock().closed
    }

    fn settle(&self, mut inner: MutexGuard<'_, Inner>) {
        if inner.bytes > self.bytes_max && inner.bytes - inner.largest_view() > self.bytes_max {
            inner.waiting.clear();
            (inner.bytes, inner.now_bytes) = (0, 0);
            inner.closed = Some(Closed::TooSlow);
        }
        drop(inner);
        self.wake.notify_one();
    }

    /// A panic elsewhere leaves the queue whole: every change to it is one step.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// A room may have a view larger than the bound, and must be possible to enter.
    fn largest_view(&self) -> usize {
        let views = self.waiting.iter().filter_map(|item| match item {
            Item::View { frame, .. } => Some(frame.len()),
            Item::Patch { .. } | Item::Kept(_) | Item::Now(_) | Item::Piece { .. } => None,
        });
        views.max().unwrap_or(0)
    }

    /// Puts a view in the place of the first that waits of its room, be it a view or a patch; the others go.
    fn replace(&mut self, slot: u64, frame: Bytes) {
        let mut view = Some(frame);
        let mut bytes = self.bytes;
        self.waiting.retain_mut(|item| match item {
            Item::View { slot: other, frame } | Item::Patch { slot: other, frame } if *other == slot => {
                bytes -= frame.len();
                let Some(view) = view.take() else { return false };
                bytes += view.len();
                *item = Item::View { slot, frame: view };
                true
            }
            Item::View { .. } | Item::Patch { .. } | Item::Kept(_) | Item::Now(_) | Item::Piece { .. } => true,
        });
        self.bytes = bytes;
        if let Some(frame) = view {
            self.bytes += frame.len();
            self.waiting.push_back(Item::View { slot, frame });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox() -> Outbox {
        Outbox::new(&Limits { outbox_bytes_max: 100, outbox_now_bytes_max: 30, ..Limits::default() })
    }

    fn taken(outbox: &Outbox) -> (Vec<String>, Option<Closed>) {
        let mut frames = Vec::new();
        let closed = outbox.take(&mut frames);
        (frames.iter().map(|frame| String::from_utf8_lossy(frame).into_owned()).collect(), closed)
    }

    #[test]
    fn only_the_newest_view_of_a_room_waits_and_keeps_its_place() {
        let outbox = outbox();
        outbox.push_view(1, "one".into());
        outbox.push("reply".into());
        outbox.push_view(2, "other".into());
        outbox.push_view(1, "one again".into());
        assert_eq!(taken(&outbox), (vec!["one again".into(), "reply".into(), "other".into()], None));
        assert_eq!(taken(&outbox), (vec![], None));
    }

    #[test]
    fn ephemeral_messages_are_the_first_to_go() {
        let outbox = outbox();
        assert!(outbox.push_now("x".repeat(30).into()));
        assert!(!outbox.push_now("y".into()));
        outbox.push("reply".into());
        assert_eq!(taken(&outbox).0.len(), 2);
        assert!(outbox.push_now("y".into()));
    }

    #[test]
    fn a_reader_that_cannot_keep_up_is_closed_with_a_reason() {
        let outbox = outbox();
        outbox.push("x".repeat(60).into());
        outbox.push("x".repeat(60).into());
        assert_eq!(taken(&outbox), (vec![], Some(Closed::TooSlow)));
        outbox.push("late".into());
        assert_eq!(taken(&outbox), (vec![], Some(Closed::TooSlow)));
    }

    #[test]
    fn whoever_is_sent_away_hears_what_waits_then_the_farewell_and_nothing_after_it() {
        let outbox = outbox();
        outbox.push("reply".into());
        outbox.send_away("bye".into());
        outbox.push("late".into());
        outbox.push_view(1, "late".into());
        assert!(!outbox.push_now("late".into()));
        outbox.send_away("again".into());
        assert_eq!(taken(&outbox), (vec!["reply".into(), "bye".into()], Some(Closed::SentAway)));
    }

    fn patch(outbox: &Outbox, slot: u64, patch: &str, whole: &str) {
        let (patch, whole) = (Bytes::copy_from_slice(patch.as_bytes()), Bytes::copy_from_slice(whole.as_bytes()));
        outbox.push_patch(slot, patch, || whole);
    }

    #[test]
    fn a_patch_follows_what_was_taken_or_is_a_whole_view() {
        let outbox = outbox();
        outbox.push_view(1, "one".into());
        outbox.push("reply".into());
        patch(&outbox, 1, "+1", "two");
        assert_eq!(taken(&outbox).0, ["two", "reply"], "what it would change was not taken yet");
        patch(&outbox, 1, "+2", "three");
        outbox.push("reply".into());
        patch(&outbox, 2, "+9", "other");
        patch(&outbox, 1, "+3", "four");
        assert_eq!(taken(&outbox).0, ["+2", "reply", "+9", "+3"]);
        patch(&outbox, 1, "+4", "five");
        patch(&outbox, 1, "+5", "six");
        outbox.push_view(1, "seven".into());
        patch(&outbox, 1, "+6", "eight");
        assert_eq!(taken(&outbox), (vec!["eight".into()], None), "a view takes the place of all that waits of its room");
    }

    #[test]
    fn patches_that_pile_up_become_a_view() {
        let outbox = Outbox::new(&Limits::default());
        for _ in 0..100 {
            patch(&outbox, 1, &"+".repeat(1000), "whole");
        }
        let frames = taken(&outbox).0;
        assert_eq!(frames, ["whole"]);
        patch(&outbox, 1, &"+".repeat(100_000), "whole");
        assert_eq!(taken(&outbox).0[0].len(), 100_000, "one alone is never in the way");
    }

    #[test]
    fn one_large_view_is_no_reason_to_close() {
        let outbox = outbox();
        outbox.push("welcome".into());
        outbox.push_view(1, "x".repeat(5000).into());
        assert_eq!(taken(&outbox).0.len(), 2);
        outbox.push_view(1, "x".repeat(5000).into());
        outbox.push_view(2, "x".repeat(5000).into());
        assert_eq!(taken(&outbox), (vec![], Some(Closed::TooSlow)), "two of them are");
    }

    #[test]
    fn replacing_views_never_counts_twice() {
        let outbox = outbox();
        for _ in 0..1000 {
            outbox.push_view(1, "x".repeat(90).into());
        }
        assert_eq!(taken(&outbox).1, None);
    }
}
