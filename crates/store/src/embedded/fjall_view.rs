//! Reading fjall without waiting for it.
//!
//! The engine's own way to read takes a lock for every key, and the engine holds that lock while it syncs the tables it
//! adds: four syncs, tens of milliseconds on a slow disk. So a view takes what there is once, when it is made, and reads
//! from that: the tables, which never change, and the tables in memory, which only grow by numbers that the view leaves out.
//! Whoever makes a view waits for the lock; behind the log that is the mover, and no commit.
//!
//! This stands on functions that the engine keeps out of its documentation, hence its exact version in the manifest.

use super::disk::{DiskError, View};
use super::fjall_disk::broken;
use super::quietly::quietly;
use bytes::Bytes;
use fjall::{Keyspace, Snapshot};
use lsm_tree::table::filter::standard_bloom::Builder as Filter;
use lsm_tree::{AbstractTree, AnyTree, InternalValue, Memtable, SeqNo, Tree, UserKey, UserValue};
use std::collections::VecDeque;
use std::sync::Arc;

type Each<'a> = dyn FnMut(&[u8], &[u8]) -> bool + 'a;
type Pairs = dyn Iterator<Item = lsm_tree::Result<(UserKey, UserValue)>>;
// The engine does not let its versions be named, but they can be held.
type Tables = dyn Fn(&[u8], SeqNo) -> lsm_tree::Result<Option<InternalValue>> + Send + Sync;
type Ranges = dyn Fn(&[u8], &[u8], SeqNo) -> Box<Pairs> + Send + Sync;

pub(super) fn tree(keyspace: &Keyspace) -> &Tree {
    match &keyspace.tree {
        AnyTree::Standard(tree) => tree,
        AnyTree::Blob(_) => unreachable!("the keyspace is made without a file of its own for large values"),
    }
}

/// The engine's tables in memory that we know of, the newest last: what is written and may not be in a file yet.
#[derive(Default)]
pub(super) struct Memtables(VecDeque<Arc<Memtable>>);

impl Memtables {
    /// Looks which one is written to, after each batch. Says whether one may have come and gone unseen since the last look;
    /// then `catch_up` is to be asked until it succeeds.
    pub(super) fn look(&mut self, tree: &Tree) -> bool {
        let active = active(tree);
        match self.0.back() {
            Some(last) if Arc::ptr_eq(last, &active) => false,
            Some(last) if last.id() + 1 == active.id() => {
                self.0.push_back(active);
                self.forget_flushed(tree);
                false
            }
            _ => true,
        }
    }

    /// Begins anew with the one that is written to, if there is no other. Nobody else writes meanwhile.
    pub(super) fn catch_up(&mut self, tree: &Tree) -> bool {
        let active = active(tree);
        let alone = tree.sealed_memtable_count() == 0;
        if alone {
            self.0 = [active].into();
        }
        alone
    }

    fn forget_flushed(&mut self, tree: &Tree) {
        // They are flushed in order: all but the last so many, and the one that is written to, are in tables.
        let kept = tree.sealed_memtable_count() + 1;
        self.0.drain(..self.0.len().saturating_sub(kept));
    }

    /// What may not be in the tables that are taken after this, the newest first.
    fn unflushed(&mut self, tree: &Tree) -> Vec<Arc<Memtable>> {
        self.forget_flushed(tree);
        self.0.iter().rev().cloned().collect()
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// The one that is written to.
pub(super) fn active(tree: &Tree) -> Arc<Memtable> {
    tree.get_version_history_lock().latest_version().active_memtable
}

/// What was flushed stays in memory until the engine seals the next table, for those who read with a snapshot in the engine's
/// own way. Nobody here does: a view holds what it reads.
pub(super) fn forget_history(keyspace: &Keyspace, now: SeqNo) {
    if let Err(error) = tree(keyspace).get_version_history_lock().maintenance(keyspace.path(), now) {
        // The engine warns of it when it comes to the same.
        tracing::debug!(%error, "an old list of tables could not be removed");
    }
}

pub(super) struct FjallView {
    memtables: Vec<Arc<Memtable>>,
    tables: Box<Tables>,
    ranges: Box<Ranges>,
    /// Which writes there were; merges keep what it shows as long as it lives.
    snapshot: Snapshot,
    /// Dropped last: files that were merged away go with the last view of them, and until then nobody else may open the folder.
    _keyspace: Keyspace,
}

impl FjallView {
    /// Everything up to the snapshot. Only who writes may ask, and not while writing.
    pub(super) fn new(snapshot: Snapshot, keyspace: &Keyspace, memtables: &mut Memtables) -> FjallView {
        let tree = tree(keyspace);
        let memtables = memtables.unflushed(tree);
        FjallView { memtables, tables: tables(tree), ranges: ranges(tree), snapshot, _keyspace: keyspace.clone() }
    }

    fn find(&self, key: &[u8]) -> lsm_tree::Result<Option<InternalValue>> {
        let seqno = self.snapshot.seqno();
        match self.memtables.iter().find_map(|memtable| memtable.get(key, seqno)) {
            Some(found) => Ok(Some(found)),
            None => (self.tables)(key, seqno),
        }
    }
}

fn tables(tree: &Tree) -> Box<Tables> {
    let version = tree.current_version();
    Box::new(move |key, seqno| {
        let hash = Filter::get_hash(key);
        // The newest level first, and in it the newest run.
        let tables = version.iter_levels().flat_map(|level| level.iter()).filter_map(|run| run.get_for_key(key));
        tables.map(|table| table.get(key, seqno, hash)).find_map(Result::transpose).transpose()
    })
}

fn ranges(tree: &Tree) -> Box<Ranges> {
    let all = tree.get_version_history_lock().latest_version();
    Box::new(move |from, to, seqno| {
        let pairs = Tree::create_internal_range(all.clone(), &(from..to), seqno, None);
        Box::new(pairs.map(|pair| pair.map(|pair| (pair.key.user_key, pair.value))))
    })
}

impl View for FjallView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        let found = unpanicked(|| self.find(key))?;
        Ok(found.filter(|found| !found.is_tombstone()).map(|found| Bytes::copy_from_slice(&found.value)))
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut Each<'_>) -> Result<(), DiskError> {
        if from >= to {
            return Ok(());
        }
        unpanicked(|| {
            for pair in (self.ranges)(from, to, self.snapshot.seqno()) {
                let (key, value) = pair?;
                if !each(&key, &value) {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// A block that passes its checksum and yet cannot be read makes the engine panic; to a reader that is damage.
fn unpanicked<T>(read: impl FnOnce() -> lsm_tree::Result<T>) -> Result<T, DiskError> {
    match quietly(read) {
        Some(result) => result.map_err(|error| broken(error.into())),
        None => Err(DiskError::Damaged("a table of the store cannot be read; restore a backup".into())),
    }
}
