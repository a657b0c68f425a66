//! Rooms at rest: a stream of commits, the spine, and the records that the last commit left.

use crate::error::StoreError;
use crate::hints::Watch;
use crate::limits::Limits;
use crate::shapes::{Field, Key, Value, Write};
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::position::{Mark, Place};
use parlor_rules::time::{Millis, Span};
use std::sync::Arc;

/// Where a room rests: its stream, and the keys its records can have that are known from its id alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoomKey {
    /// The room's id, a part of all these keys: a backend that spreads keys over machines keeps together what shares it.
    pub tag: Key,
    pub spine: Key,
    /// Nobody else's, in no other room: they rest under exactly these names.
    pub records: Arc<[Key]>,
    /// What the names of further records begin with that are nobody else's either: they too rest under exactly their names.
    /// Records with any other key are the room's own all the same, under names that a backend makes for them.
    pub below: Option<Key>,
}

impl RoomKey {
    /// Whether a record of this key rests under exactly that name.
    pub fn names(&self, key: &str) -> bool {
        self.records.iter().any(|named| **named == *key) || self.below.as_ref().is_some_and(|below| key.starts_with(&**below))
    }
}

/// Which process writes, so that a watcher is not woken by its own commits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u64);

/// Nobody: a room that was carried here was put by no node.
pub(crate) const CARRIER: NodeId = NodeId(0);

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wake {
    Moved(Place),
    Closed,
    /// Another node announced somebody else than before.
    Here,
    /// What another node told, as it was told.
    Told(Bytes),
}

/// What an announcement is answered with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Announced {
    /// What other nodes announced, as long as their word holds.
    pub others: Vec<Field>,
    /// How long until the first of these words lapses, if it is not given again.
    pub holds_for: Option<Span>,
    /// Where the room stands, for whoever missed a hint.
    pub place: Option<Place>,
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

    /// Who is at the room through this node: all of them each time, for as long as `Limits::lease` says. Never durable,
    /// never part of a commit. Whoever watches under another node hears of it if it is another word than before.
    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError>;

    /// This node is not at the room any more. `named`: its last word named somebody. Best effort: a word lapses by itself.
    async fn leave(&self, room: &RoomKey, node: NodeId, named: bool) -> Result<(), StoreError> {
        if named {
            self.announce(room, node, Vec::new()).await?;
        }
        Ok(())
    }

    /// Tells those who watch the room under another node something that nobody keeps.
    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError>;

    /// Puts what people show in one presence where whoever looks into the store finds it. Never part of a commit, never read
    /// back, at most as often as `Limits::mirror_every` says: `Busy` when that was too soon.
    async fn mirror(&self, room: &RoomKey, presence: &str, shown: Vec<(Field, Bytes)>) -> Result<(), StoreError> {
        let _ = (room, presence, shown);
        Ok(())
    }

    fn limits(&self) -> Limits;
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
