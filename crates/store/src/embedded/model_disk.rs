//! A disk in memory that can lose its power: what is synced is kept apart from what is only written.
//!
//! After a crash there is the synced part and as many of the later batches, in order and whole, as the caller's dice
//! say. The old handle is dead then: a process that outlived its machine can neither read nor write.

use super::disk::{Disk, DiskError, Pair, View};
use bytes::Bytes;
use imbl::OrdMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the disk is about to do, for a caller that wants it to fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    Write,
    Sync,
    Rest,
}

type Faults = Box<dyn FnMut(Call) -> Option<io::Error> + Send>;

#[derive(Clone, Default)]
pub struct ModelDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    durable: OrdMap<Vec<u8>, Bytes>,
    unsynced: Vec<Vec<Pair>>,
    faults: Option<Faults>,
    free_bytes: Option<u64>,
    dead: bool,
}

impl ModelDisk {
    pub fn new() -> ModelDisk {
        ModelDisk::default()
    }

    /// Cuts the power. `keep` is told how many batches were not synced and says how many of them made it.
    pub fn crash(&self, keep: impl FnOnce(usize) -> usize) -> ModelDisk {
        let mut state = self.lock();
        let kept = keep(state.unsynced.len()).min(state.unsynced.len());
        let mut durable = std::mem::take(&mut state.durable);
        for batch in std::mem::take(&mut state.unsynced).iter().take(kept) {
            settle(&mut durable, batch);
        }
        state.dead = true;
        ModelDisk { state: Arc::new(Mutex::new(State { durable, free_bytes: state.free_bytes, ..State::default() })) }
    }

    /// Asked before each call from now on; an error it answers is what the call answers, and nothing is done.
    pub fn fail_when(&self, faults: impl FnMut(Call) -> Option<io::Error> + Send + 'static) {
        self.lock().faults = Some(Box::new(faults));
    }

    pub fn set_free_bytes(&self, free: Option<u64>) {
        self.lock().free_bytes = free;
    }

    pub fn unsynced_count(&self) -> usize {
        self.lock().unsynced.len()
    }

    /// Keys that are safe.
    pub fn len(&self) -> usize {
        self.lock().durable.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn ask(&mut self, call: Call) -> Result<(), DiskError> {
        if self.dead {
            return Err(DiskError::Io(io::Error::other("the power is off")));
        }
        match self.faults.as_mut().and_then(|faults| faults(call)) {
            Some(error) => Err(DiskError::Io(error)),
            None => Ok(()),
        }
    }
}

impl Disk for ModelDisk {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        let mut state = self.lock();
        state.ask(Call::Write)?;
        state.unsynced.push(batch);
        Ok(())
    }

    fn sync(&self) -> Result<(), DiskError> {
        let mut state = self.lock();
        state.ask(Call::Sync)?;
        let batches = std::mem::take(&mut state.unsynced);
        for batch in &batches {
            settle(&mut state.durable, batch);
        }
        Ok(())
    }

    fn durable(&self) -> Arc<dyn View> {
        Arc::new(ModelView(self.lock().durable.clone()))
    }

    fn rest(&self) -> Result<(), DiskError> {
        self.lock().ask(Call::Rest)
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(self.lock().free_bytes)
    }
}

fn settle(durable: &mut OrdMap<Vec<u8>, Bytes>, batch: &[Pair]) {
    for (key, value) in batch {
        match value {
            Some(value) => durable.insert(key.clone(), value.clone()),
            None => durable.remove(key),
        };
    }
}

struct ModelView(OrdMap<Vec<u8>, Bytes>);

impl View for ModelView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError> {
        if from >= to {
            return Ok(());
        }
        for (key, value) in self.0.range(from.to_vec()..to.to_vec()) {
            if !each(key, value) {
                break;
            }
        }
        Ok(())
    }
}
