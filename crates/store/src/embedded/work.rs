//! One turn's writes, laid over what the disk holds: later jobs of a turn see what earlier ones wrote.
//!
//! A job that fails is taken back, so a turn's batch holds whole jobs only.

use super::disk::{DiskError, Pair, View};
use super::layers::{between, scan_over};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where heads and records can be read from: a view, or a view with a turn's writes over it.
pub(super) trait Source {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError>;
    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError>;
}

impl Source for Arc<dyn View> {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        View::get(&**self, key)
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError> {
        View::scan(&**self, from, to, each)
    }
}

pub(super) struct Work {
    view: Arc<dyn View>,
    pending: BTreeMap<Vec<u8>, Option<Bytes>>,
    /// What the keys of the current job held in `pending` before it.
    undo: Vec<(Vec<u8>, Option<Option<Bytes>>)>,
}

impl Work {
    pub(super) fn new(view: Arc<dyn View>) -> Work {
        Work { view, pending: BTreeMap::new(), undo: Vec::new() }
    }

    pub(super) fn begin_job(&mut self) {
        self.undo.clear();
    }

    pub(super) fn take_back_job(&mut self) {
        while let Some((key, before)) = self.undo.pop() {
            match before {
                Some(value) => self.pending.insert(key, value),
                None => self.pending.remove(&key),
            };
        }
    }

    pub(super) fn put(&mut self, key: Vec<u8>, value: Bytes) {
        self.set(key, Some(value));
    }

    pub(super) fn remove(&mut self, key: Vec<u8>) {
        self.set(key, None);
    }

    fn set(&mut self, key: Vec<u8>, value: Option<Bytes>) {
        let before = self.pending.insert(key.clone(), value);
        self.undo.push((key, before));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn into_batch(self) -> Vec<Pair> {
        self.pending.into_iter().collect()
    }
}

impl Source for Work {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        match self.pending.get(key) {
            Some(value) => Ok(value.clone()),
            None => View::get(&*self.view, key),
        }
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError> {
        if from >= to {
            return Ok(());
        }
        let over = self.pending.range::<[u8], _>(between(from, to)).map(|(key, value)| (key.as_slice(), value));
        scan_over(over, |each| View::scan(&*self.view, from, to, each), each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::disk::Disk;
    use crate::embedded::model_disk::ModelDisk;
    use proptest::prelude::*;

    fn all(source: &impl Source, limit: usize) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        source
            .scan(b"\0", b"\xff", &mut |key, value| {
                assert_eq!(key, value);
                found.push(key.to_vec());
                found.len() < limit
            })
            .unwrap();
        found
    }

    proptest! {
        #[test]
        fn a_scan_shows_the_disk_with_the_turn_over_it(
            below in prop::collection::btree_set(1u8..30, 0..10),
            above in prop::collection::btree_map(1u8..30, any::<bool>(), 0..10),
            limit in 1usize..20,
        ) {
            let disk = ModelDisk::new();
            let batch: Vec<Pair> = below.iter().map(|key| (vec![*key], Some(Bytes::from(vec![*key])))).collect();
            disk.write(batch).unwrap();
            disk.sync().unwrap();
            let mut work = Work::new(disk.durable());
            let mut expected = below.clone();
            for (key, there) in &above {
                work.begin_job();
                if *there {
                    work.put(vec![*key], Bytes::from(vec![*key]));
                    expected.insert(*key);
                } else {
                    work.remove(vec![*key]);
                    expected.remove(key);
                }
            }
            let expected: Vec<Vec<u8>> = expected.iter().take(limit).map(|key| vec![*key]).collect();
            prop_assert_eq!(all(&work, limit), expected);
        }
    }

    #[test]
    fn a_job_taken_back_leaves_the_earlier_ones() {
        let mut work = Work::new(ModelDisk::new().durable());
        work.begin_job();
        work.put(b"a".to_vec(), Bytes::from_static(b"a"));
        work.begin_job();
        work.remove(b"a".to_vec());
        work.put(b"b".to_vec(), Bytes::from_static(b"b"));
        work.remove(b"b".to_vec());
        work.take_back_job();
        assert_eq!(work.into_batch(), vec![(b"a".to_vec(), Some(Bytes::from_static(b"a")))]);
    }
}
