//! Who changes a record in this process waits for who changes it already: otherwise they would only refuse each other.
//!
//! It is for speed alone: other processes are not kept out, and need not be.

use crate::shapes::Key;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use tokio::sync::{Mutex, MutexGuard};

const LOCKS: usize = 256;

pub(super) struct Locks {
    dice: RandomState,
    locks: Vec<Mutex<()>>,
}

impl Default for Locks {
    fn default() -> Locks {
        Locks { dice: RandomState::new(), locks: (0..LOCKS).map(|_| Mutex::new(())).collect() }
    }
}

impl Locks {
    pub(super) async fn hold(&self, tag: &str, keys: &BTreeSet<Key>) -> Vec<MutexGuard<'_, ()>> {
        let place = |name: &str| (self.dice.hash_one(name) % LOCKS as u64) as usize;
        // In one order, so that no two wait for each other.
        let places: BTreeSet<usize> =
            if tag.is_empty() { keys.iter().map(|key| place(key)).collect() } else { [place(tag)].into() };
        let mut held = Vec::new();
        for place in places {
            held.push(self.locks[place].lock().await);
        }
        held
    }
}
