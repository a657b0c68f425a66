//! A database that does what a test tells it to.

use async_trait::async_trait;
use parlor_rows::{Columns, Source, SourceError};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::{Notify, oneshot};

#[derive(Default)]
pub(crate) struct Fake {
    inside: Mutex<Inside>,
    arrived: Notify,
}

#[derive(Default)]
struct Inside {
    rows: HashMap<String, Value>,
    moods: HashMap<String, Mood>,
    /// Every reading, in the order they began.
    reads: Vec<String>,
    waiting: Vec<(String, oneshot::Sender<()>)>,
    under_way: usize,
    most_under_way: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mood {
    Fails,
    Panics,
    Hangs,
    /// Takes the row as it is, then waits until it is released.
    Slow,
}

impl Fake {
    pub(crate) fn new() -> Arc<Fake> {
        Arc::default()
    }

    pub(crate) fn put(&self, row: &str, version: u64) {
        self.put_value(row, json!({ "version": version, "name": format!("row {row}") }));
    }

    pub(crate) fn put_value(&self, row: &str, value: Value) {
        self.inside().rows.insert(row.into(), value);
    }

    pub(crate) fn remove(&self, row: &str) {
        self.inside().rows.remove(row);
    }

    pub(crate) fn version(&self, row: &str) -> Option<u64> {
        self.inside().rows.get(row).map(|row| row["version"].as_u64().expect("a version"))
    }

    pub(crate) fn mood(&self, row: &str, mood: Option<Mood>) {
        let mut inside = self.inside();
        match mood {
            Some(mood) => inside.moods.insert(row.into(), mood),
            None => inside.moods.remove(row),
        };
    }

    pub(crate) fn reads(&self) -> Vec<String> {
        self.inside().reads.clone()
    }

    pub(crate) fn reads_of(&self, row: &str) -> usize {
        self.inside().reads.iter().filter(|read| *read == row).count()
    }

    pub(crate) fn most_under_way(&self) -> usize {
        self.inside().most_under_way
    }

    /// How many slow readings wait.
    pub(crate) fn waiting(&self) -> usize {
        let mut inside = self.inside();
        inside.waiting.retain(|(_, release)| !release.is_closed());
        inside.waiting.len()
    }

    /// Waits until this many slow readings wait.
    pub(crate) async fn until_waiting(&self, count: usize) {
        loop {
            let arrived = self.arrived.notified();
            if self.waiting() >= count {
                return;
            }
            arrived.await;
        }
    }

    /// Lets one slow reading go on: the one that has waited longest is 0.
    pub(crate) fn release(&self, index: usize) {
        let (_, release) = self.inside().waiting.remove(index);
        // Whoever read may have been ended meanwhile.
        let _ = release.send(());
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().expect("nobody panics here")
    }
}

struct UnderWay<'a>(&'a Fake);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.inside().under_way -= 1;
    }
}

#[async_trait]
impl Source for Fake {
    async fn read(&self, row: &str) -> Result<Option<Columns>, SourceError> {
        let (mood, value, wait) = {
            let mut inside = self.inside();
            inside.reads.push(row.into());
            inside.under_way += 1;
            inside.most_under_way = inside.most_under_way.max(inside.under_way);
            let mood = inside.moods.get(row).copied();
            let wait = (mood == Some(Mood::Slow)).then(|| {
                let (release, released) = oneshot::channel();
                inside.waiting.push((row.into(), release));
                released
            });
            (mood, inside.rows.get(row).cloned(), wait)
        };
        let _under_way = UnderWay(self);
        self.arrived.notify_waiters();
        match mood {
            Some(Mood::Fails) => return Err(SourceError::Unavailable("it is away".into())),
            Some(Mood::Panics) => panic!("this source panics on purpose"),
            Some(Mood::Hangs) => std::future::pending().await,
            Some(Mood::Slow) => drop(wait.expect("made above").await),
            None => tokio::task::yield_now().await,
        }
        Ok(value.map(|value| value.as_object().expect("a row is an object").clone()))
    }
}
