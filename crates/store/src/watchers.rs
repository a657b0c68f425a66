//! Who wants hints about which room, within one process; shared by the backends that have no other nodes to ask.
//!
//! A watch that is dropped takes its entry with it: the list is never longer than what listens.

use crate::rooms::{NodeId, Wake, Watch};
use crate::shapes::Key;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

#[derive(Default)]
pub(crate) struct Watchers {
    /// How many listen at all, so that a commit with no listeners takes no lock.
    count: AtomicUsize,
    rooms: Mutex<Listeners>,
}

#[derive(Default)]
struct Listeners {
    next_id: u64,
    by_room: BTreeMap<Key, Vec<Listener>>,
}

struct Listener {
    id: u64,
    node: NodeId,
    hints: watch::Sender<Option<Wake>>,
}

struct Guard {
    watchers: Arc<Watchers>,
    room: Key,
    id: u64,
}

impl Watchers {
    pub(crate) fn add(self: &Arc<Watchers>, room: &Key, node: NodeId) -> Watch {
        let (hints, listen) = watch::channel(None);
        let mut listeners = self.lock();
        let id = listeners.next_id;
        listeners.next_id += 1;
        listeners.by_room.entry(room.clone()).or_default().push(Listener { id, node, hints });
        self.count.fetch_add(1, Ordering::Release);
        Watch::new(listen, Some(Box::new(Guard { watchers: self.clone(), room: room.clone(), id })))
    }

    /// Tells everyone but the node that did it.
    pub(crate) fn tell(&self, room: &Key, by: NodeId, wake: Wake) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        for listener in self.lock().by_room.get(room).into_iter().flatten() {
            if listener.node != by {
                listener.hints.send_replace(Some(wake));
            }
        }
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

impl Drop for Guard {
    fn drop(&mut self) {
        let mut listeners = self.watchers.lock();
        if let Some(list) = listeners.by_room.get_mut(&self.room) {
            list.retain(|listener| listener.id != self.id);
            if list.is_empty() {
                listeners.by_room.remove(&self.room);
            }
        }
        self.watchers.count.fetch_sub(1, Ordering::Release);
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
}
