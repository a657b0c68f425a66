//! The reference store with weather: replies that get lost, a gate that closes, a failover to another history.

use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::Place;
use parlor_store::hints::hints;
use parlor_store::{Announced, Commit, Field, Limits, Loaded, Memory, NodeId, RoomKey, Rooms, Since, StoreError, Teller, Watch};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

pub(crate) struct Weather {
    inner: Mutex<Memory>,
    /// So many of the next appends are kept and answered as if they were not.
    pub(crate) replies_to_lose: AtomicUsize,
    /// While set, nothing is read or written.
    pub(crate) down: AtomicBool,
    pub(crate) loads: AtomicUsize,
    pub(crate) appends: AtomicUsize,
    gate: watch::Sender<bool>,
    hints: Mutex<Vec<Teller>>,
}

impl Weather {
    pub(crate) fn over(inner: Memory) -> Arc<Weather> {
        Arc::new(Weather {
            inner: Mutex::new(inner),
            replies_to_lose: AtomicUsize::new(0),
            down: AtomicBool::new(false),
            loads: AtomicUsize::new(0),
            appends: AtomicUsize::new(0),
            gate: watch::Sender::new(true),
            hints: Mutex::default(),
        })
    }

    /// While the gate is closed, appends wait.
    pub(crate) fn open_gate(&self, open: bool) {
        self.gate.send_replace(open);
    }

    /// Another store takes over. Watches break, as a connection does, when `noticed`.
    pub(crate) fn fail_over(&self, to: Memory, noticed: bool) {
        *self.inner.lock().unwrap() = to;
        if noticed {
            self.hints.lock().unwrap().clear();
        }
    }

    fn inner(&self) -> Result<Memory, StoreError> {
        if self.down.load(Ordering::SeqCst) { Err(lost()) } else { Ok(self.inner.lock().unwrap().clone()) }
    }
}

#[async_trait]
impl Rooms for Weather {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        self.inner()?.load(room).await
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        let _ = self.gate.subscribe().wait_for(|open| *open).await;
        self.appends.fetch_add(1, Ordering::SeqCst);
        let kept = self.inner()?.append(room, at, commit).await;
        let lose = self.replies_to_lose.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if lose.is_ok() { Err(lost()) } else { kept }
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        self.inner()?.since(room, place).await
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        self.inner()?.close(room, at, by).await
    }

    async fn watch(&self, _room: &RoomKey, _node: NodeId) -> Result<Watch, StoreError> {
        self.inner()?;
        let (teller, watch) = hints(|| None);
        self.hints.lock().unwrap().push(teller);
        Ok(watch)
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        self.inner()?.announce(room, node, here).await
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.inner()?.tell(room, by, what).await
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }
}

fn lost() -> StoreError {
    StoreError::Unavailable("planted".into())
}
