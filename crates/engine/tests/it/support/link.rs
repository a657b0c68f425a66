//! One node's line to a store that several share. It can go deaf, break, hang and count what passes.

use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::Place;
use parlor_store::hints::hints;
use parlor_store::{Announced, Commit, Field, Limits, Loaded, Memory, NodeId, RoomKey, Rooms, Since, StoreError, Watch};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tokio::task::AbortHandle;

pub(crate) struct Link {
    inner: Memory,
    /// While set, hints do not come through, and nobody notices.
    pub(crate) deaf: Arc<AtomicBool>,
    /// While set, no call is answered but with an error.
    pub(crate) down: AtomicBool,
    /// While set, nothing new can be watched.
    pub(crate) blind: AtomicBool,
    /// While set, who is here is not passed on.
    pub(crate) mute: AtomicBool,
    pub(crate) announces: AtomicUsize,
    pub(crate) tells: AtomicUsize,
    pub(crate) watches: AtomicUsize,
    gate: watch::Sender<bool>,
    ears: Mutex<Vec<AbortHandle>>,
}

impl Link {
    pub(crate) fn to(inner: &Memory) -> Arc<Link> {
        Arc::new(Link {
            inner: inner.clone(),
            deaf: Arc::default(),
            down: AtomicBool::new(false),
            blind: AtomicBool::new(false),
            mute: AtomicBool::new(false),
            announces: AtomicUsize::new(0),
            tells: AtomicUsize::new(0),
            watches: AtomicUsize::new(0),
            gate: watch::Sender::new(true),
            ears: Mutex::default(),
        })
    }

    /// While the gate is closed, what is told or announced waits.
    pub(crate) fn open_gate(&self, open: bool) {
        self.gate.send_replace(open);
    }

    /// Every watch ends, as when a connection breaks.
    pub(crate) fn break_watches(&self) {
        self.ears.lock().unwrap().drain(..).for_each(|ear| ear.abort());
    }

    async fn pass(&self) {
        let _ = self.gate.subscribe().wait_for(|open| *open).await;
    }

    fn inner(&self) -> Result<&Memory, StoreError> {
        if self.down.load(Ordering::SeqCst) { Err(lost()) } else { Ok(&self.inner) }
    }
}

#[async_trait]
impl Rooms for Link {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        self.inner()?.load(room).await
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        self.inner()?.append(room, at, commit).await
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        self.inner()?.since(room, place).await
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        self.inner()?.close(room, at, by).await
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        self.watches.fetch_add(1, Ordering::SeqCst);
        if self.blind.load(Ordering::SeqCst) {
            return Err(lost());
        }
        let mut heard = self.inner()?.watch(room, node).await?;
        let (teller, watch) = hints(|| None);
        let deaf = self.deaf.clone();
        let ear = tokio::spawn(async move {
            while let Some(wake) = heard.next().await {
                if !deaf.load(Ordering::SeqCst) {
                    teller.tell(wake);
                }
            }
        });
        self.ears.lock().unwrap().push(ear.abort_handle());
        Ok(watch)
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        self.announces.fetch_add(1, Ordering::SeqCst);
        self.pass().await;
        if self.mute.load(Ordering::SeqCst) {
            return Err(lost());
        }
        self.inner()?.announce(room, node, here).await
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.tells.fetch_add(1, Ordering::SeqCst);
        self.pass().await;
        self.inner()?.tell(room, by, what).await
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }
}

fn lost() -> StoreError {
    StoreError::Unavailable("planted".into())
}
