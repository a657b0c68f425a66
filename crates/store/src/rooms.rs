//! Rooms at rest: a stream of commits, the spine, and the records that the last commit left.

use crate::error::StoreError;
use crate::limits::Limits;
use crate::shapes::{Field, Key, Value, Write};
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::position::{Mark, Place};
use parlor_rules::time::Millis;
use std::sync::Arc;

/// Where a room rests: its stream, and the keys its records can have that are known from its id alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoomKey {
    pub spine: Key,
    pub records: Arc<[Key]>,
}

/// Which process writes, so that a watcher is not woken by its own commits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u64);

/// What one append keeps, whole or not at all.
#[derive(Clone, PartialEq, Debug)]
pub struct Commit {
    pub by: NodeId,
    pub mark: Mark,
    /// The stream entry's fields, in order; the mark is added to them by the backend.
    pub entry: Vec<(Field, Bytes)>,
    pub writes: Vec<Write>,
    /// When the room ends, for every key of it.
    pub deadline: Option<Millis>,
}

/// One commit as the stream keeps it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub place: Place,
    pub fields: Vec<(Field, Bytes)>,
}

/// A room read at or after `place`: applying `after` in order makes it exact.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded {
    pub place: Place,
    pub deadline: Option<Millis>,
    pub records: Vec<(Key, Value)>,
    pub after: Vec<Entry>,
}

/// What happened to a room after a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Since {
    /// Every commit after it, in order; none when it is still the last.
    Entries(Vec<Entry>),
    /// That place is not in the kept tail, or never was part of this history.
    Lost,
    /// There is no such room now.
    Absent,
}

/// Something another node did. A hint: the stream is the truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wake {
    Moved(Place),
    Closed,
}

/// Hints about one room, the newest replacing the older.
pub struct Watch {
    hints: tokio::sync::watch::Receiver<Option<Wake>>,
    /// Dropped with the watch, so that a backend can forget who listened.
    _guard: Option<Box<dyn Send + Sync>>,
}

/// Rooms at rest. Every backend passes `conformance::suite`.
#[async_trait]
pub trait Rooms: Send + Sync + 'static {
    /// The live records of a room and the place they stand at; a room past its deadline reads as absent.
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError>;

    /// The commit that follows `at` (`None`: creates the room, its epoch being now), whole or not at all.
    /// `Conflict` when the room is not at `at`; that includes being gone, or, for a creation, being there.
    /// Asking again for what is already kept, with the same mark, answers as the first time.
    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError>;

    /// The commits after a place.
    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError>;

    /// Takes the room away with all its keys, if it is still at `at`. Costs the same however many rooms there are.
    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError>;

    /// Hints about what nodes other than `node` do to a room.
    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError>;

    fn limits(&self) -> Limits;
}

impl Watch {
    pub fn new(hints: tokio::sync::watch::Receiver<Option<Wake>>, guard: Option<Box<dyn Send + Sync>>) -> Watch {
        Watch { hints, _guard: guard }
    }

    /// The newest hint not seen yet; `None` when the backend can give no more and the room must be read again.
    pub async fn next(&mut self) -> Option<Wake> {
        loop {
            self.hints.changed().await.ok()?;
            if let Some(wake) = *self.hints.borrow_and_update() {
                return Some(wake);
            }
        }
    }
}

impl Commit {
    pub fn bytes(&self) -> usize {
        entry_bytes(&self.entry) + self.writes.iter().map(Write::bytes).sum::<usize>()
    }
}

impl Entry {
    /// What the entry counts for in the kept tail.
    pub fn bytes(&self) -> usize {
        entry_bytes(&self.fields)
    }
}

pub(crate) fn entry_bytes(fields: &[(Field, Bytes)]) -> usize {
    fields.iter().map(|(field, value)| field.len() + value.len()).sum()
}
