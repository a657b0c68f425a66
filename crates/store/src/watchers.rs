//! Who wants hints about which room and who announced whom, within one process; for the backends that have no other
//! processes to ask.
//!
//! A watch that is dropped takes its entry with it: the list is never longer than what listens.

use crate::hints::{Teller, Watch, hints};
use crate::limits::LEASE;
use crate::rooms::{NodeId, Wake};
use crate::shapes::{Field, Key};
use parlor_rules::time::{Millis, Span};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(crate) struct Watchers {
    /// How many listen at all, so that a commit with no listeners takes no lock.
    count: AtomicUsize,
    rooms: Mutex<Listeners>,
}

#[derive(Default)]
struct Listeners {
    next_id: u64,
    by_room: HashMap<Key, Vec<Listener>>,
    /// Each node's word with the moment until which it holds.
    announced: BTreeMap<Key, BTreeMap<NodeId, (Millis, Vec<Field>)>>,
}

struct Listener {
    id: u64,
    node: NodeId,
    teller: Teller,
}

struct Guard {
    watchers: Arc<Watchers>,
    room: Key,
    id: u64,
}

impl Watchers {
    pub(crate) fn add(self: &Arc<Watchers>, room: &Key, node: NodeId) -> Watch {
        let mut listeners = self.lock();
        let id = listeners.next_id;
        listeners.next_id += 1;
        let (teller, watch) = hints(|| Some(Box::new(Guard { watchers: self.clone(), room: room.clone(), id })));
        listeners.by_room.entry(room.clone()).or_default().push(Listener { id, node, teller });
        self.count.fetch_add(1, Ordering::Release);
        watch
    }

    /// Tells everyone but the node that did it.
    pub(crate) fn tell(&self, room: &Key, by: NodeId, wake: &Wake) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        self.lock().tell(room, by, wake);
    }

    /// Takes a node's word, and answers what the others' words are.
    pub(crate) fn announce(&self, room: &Key, node: NodeId, mut here: Vec<Field>, now: Millis) -> (Vec<Field>, Option<Span>) {
        here.sort_unstable();
        let mut listeners = self.lock();
        let words = listeners.announced.entry(room.clone()).or_default();
        words.retain(|_, (until, _)| *until > now);
        let before = words.remove(&node).map(|(_, here)| here).unwrap_or_default();
        let changed = before != here;
        if !here.is_empty() {
            words.insert(node, (now + LEASE, here));
        }
        let others = || words.iter().filter(|(other, _)| **other != node).map(|(_, word)| word);
        let holds_for = others().map(|(until, _)| until.since(now)).min();
        let others = others().flat_map(|(_, here)| here.iter().cloned()).collect();
        if words.is_empty() {
            listeners.announced.remove(room);
        }
        if changed {
            listeners.tell(room, node, &Wake::Here);
        }
        (others, holds_for)
    }

    /// Whether anybody watches the room.
    #[cfg(feature = "redis")]
    pub(crate) fn has(&self, room: &str) -> bool {
        self.lock().by_room.contains_key(room)
    }

    /// Nothing more is known of the room: whoever watched must ask again.
    #[cfg(feature = "redis")]
    pub(crate) fn end(&self, room: &Key) {
        // Told after the lock is let go: what is dropped may drop more.
        let ended = self.lock().by_room.remove(room);
        self.count.fetch_sub(ended.as_ref().map_or(0, Vec::len), Ordering::Release);
    }

    #[cfg(feature = "redis")]
    pub(crate) fn end_all(&self) {
        let ended = std::mem::take(&mut self.lock().by_room);
        self.count.fetch_sub(ended.values().map(Vec::len).sum(), Ordering::Release);
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().by_room.values().map(Vec::len).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        // Every change below is whole before the lock is let go, so a panic elsewhere leaves nothing half done.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listeners {
    fn tell(&self, room: &Key, by: NodeId, wake: &Wake) {
        for listener in self.by_room.get(room).into_iter().flatten().filter(|listener| listener.node != by) {
            listener.teller.tell(wake.clone());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut listeners = self.watchers.lock();
        let Some(list) = listeners.by_room.get_mut(&self.room) else { return };
        let Some(index) = list.iter().position(|listener| listener.id == self.id) else { return };
        let gone = list.swap_remove(index);
        if list.is_empty() {
            listeners.by_room.remove(&self.room);
        }
        self.watchers.count.fetch_sub(1, Ordering::Release);
        drop(listeners);
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_watch_leaves_nothing_behind() {
        let watchers = Arc::new(Watchers::default());
        let watches: Vec<Watch> = (0..10).map(|n| watchers.add(&Key::from("room"), NodeId(n))).collect();
        assert_eq!(watchers.len(), 10);
        drop(watches);
        assert_eq!(watchers.len(), 0);
        assert_eq!(watchers.count.load(Ordering::Acquire), 0);
        assert!(watchers.lock().by_room.is_empty());
    }

    #[test]
    fn a_word_that_is_taken_back_leaves_nothing_behind() {
        let watchers = Watchers::default();
        let room = Key::from("room");
        assert_eq!(watchers.announce(&room, NodeId(1), vec![Field::from("ana")], Millis(0)), (vec![], None));
        let (others, holds_for) = watchers.announce(&room, NodeId(2), vec![], Millis(1000));
        assert_eq!((others, holds_for), (vec![Field::from("ana")], Some(Span(LEASE.0 - 1000))));
        assert_eq!(watchers.announce(&room, NodeId(1), vec![], Millis(2000)), (vec![], None));
        assert!(watchers.lock().announced.is_empty());
    }
}
