//! Stores that can be copied whole: everything there is, a page at a time, and each thing taken and put as it is.
//!
//! Places, marks and deadlines stay what they were, so whoever knew a room in one store knows it in the other. A room is
//! never seen half: what puts it shows it whole or not at all. What has ended is not carried.

use crate::error::StoreError;
use crate::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::records::{Answer, Applied, Batch, Condition, Operation, Query, Records};
use crate::rooms::{Entry, RoomKey, Rooms};
use crate::shapes::{Key, Value};
use async_trait::async_trait;
use parlor_rules::position::Place;
use parlor_rules::time::Millis;
use std::sync::Arc;

/// How often a record is looked at anew because somebody else wrote it in between.
const TRIES_MAX: usize = 8;

/// What keys are, which a store cannot know.
pub trait Catalogue: Send + Sync {
    /// Nothing for a key that nobody here has written.
    fn thing(&self, key: &str) -> Option<Thing>;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Thing {
    /// The spine of this room.
    Spine(RoomKey),
    /// A record of this room, carried with it.
    Part(RoomKey),
    /// A record of no room, and the tag it is kept under.
    Record { tag: Key },
}

/// A record of no room.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loose {
    pub tag: Key,
    pub key: Key,
}

/// Some of what there is. A thing may be on several pages; what comes or goes meanwhile may be on none.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub rooms: Vec<RoomKey>,
    pub records: Vec<Loose>,
    /// Names that the catalogue does not know.
    pub foreign: Vec<String>,
    /// Where the next page begins; nothing after the last.
    pub next: Option<Cursor>,
}

#[derive(Clone, Debug)]
pub struct Cursor(pub(crate) At);

#[derive(Clone, Debug)]
pub(crate) enum At {
    /// After the room with this spine.
    Room(Key),
    /// Among the records, after this one if there is one.
    Record(Option<Key>),
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "only servers are scanned"))]
    Scan { servers: Arc<[Server]>, index: usize, cursor: Vec<u8> },
    /// After this item of a table.
    #[cfg_attr(not(feature = "dynamodb"), expect(dead_code, reason = "only tables have items"))]
    Item { pk: String, sk: String },
}

/// One of the servers that a listing walks over, and which run of it that was.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Server {
    pub(crate) address: String,
    pub(crate) run: String,
}

/// All that a room is.
#[derive(Clone, PartialEq, Debug)]
pub struct CarriedRoom {
    pub place: Place,
    pub deadline: Option<Millis>,
    /// In the order of their keys.
    pub records: Vec<(Key, Value)>,
    /// The kept commits in order; the last stands at `place`.
    pub tail: Vec<Entry>,
}

/// All that a record of no room is.
#[derive(Clone, PartialEq, Debug)]
pub struct CarriedRecord {
    pub value: Value,
    pub deadline: Option<Millis>,
}

/// What a room that is put may take the place of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    Nothing,
    /// A room that stands here and nowhere else.
    At(Place),
    Anything,
}

/// What came of putting something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Put {
    /// It is there now.
    Kept,
    /// It was there already.
    Same,
    /// Something else is there, and is left alone.
    Other,
    /// By this store's clock it has ended.
    Ended,
}

#[async_trait]
pub trait Carry: Rooms + Records {
    /// What there is after a cursor, without stopping whoever else uses the store.
    async fn list(&self, catalogue: &dyn Catalogue, after: Option<Cursor>) -> Result<Page, StoreError>;

    /// A room as it was at one moment.
    async fn take_room(&self, room: &RoomKey) -> Result<Option<CarriedRoom>, StoreError>;

    /// Puts a room where none is, or what it may take the place of. The same place with the same deadline is the same room.
    async fn put_room(&self, room: &RoomKey, carried: CarriedRoom, over: Over) -> Result<Put, StoreError>;

    async fn take_record(&self, record: &Loose) -> Result<Option<CarriedRecord>, StoreError> {
        let queries = vec![Query::Whole(record.key.clone()), Query::Deadline(record.key.clone())];
        let mut answers = self.read(&record.tag, queries).await?.into_iter();
        Ok(match (answers.next(), answers.next()) {
            (Some(Answer::Whole(value)), Some(Answer::Deadline(deadline))) => Some(CarriedRecord { value, deadline }),
            _ => None,
        })
    }

    /// Puts a record where none is, or with `replace` in the place of whatever is there.
    async fn put_record(&self, record: &Loose, carried: CarriedRecord, replace: bool) -> Result<Put, StoreError> {
        if has_ended(carried.deadline, self.now()) {
            return Ok(Put::Ended);
        }
        for _ in 0..TRIES_MAX {
            let absent = match self.take_record(record).await {
                Ok(Some(there)) if there == carried => return Ok(Put::Same),
                Ok(None) => true,
                // A shape that no record has is something else too.
                Ok(Some(_)) | Err(StoreError::Shape(_)) if replace => false,
                Ok(Some(_)) | Err(StoreError::Shape(_)) => return Ok(Put::Other),
                Err(error) => return Err(error),
            };
            let (key, CarriedRecord { value, deadline }) = (record.key.clone(), carried.clone());
            let batch = Batch {
                tag: record.tag.to_string(),
                conditions: if absent { vec![Condition::Absent(key.clone())] } else { Vec::new() },
                operations: vec![Operation::Put { key, value, deadline }],
                ..Batch::default()
            };
            match self.apply_any_size(batch).await? {
                Applied::Done(_) => return Ok(Put::Kept),
                Applied::Refused(_) => {}
            }
        }
        Err(StoreError::Busy)
    }

    /// As `apply`, for what grew larger over time than one change may be.
    #[doc(hidden)]
    async fn apply_any_size(&self, batch: Batch) -> Result<Applied, StoreError>;

    /// The clock by which things end here.
    fn now(&self) -> Millis;
}

impl Over {
    pub(crate) fn allows(self, stands: Place) -> bool {
        match self {
            Over::Nothing => false,
            Over::At(place) => place == stands,
            Over::Anything => true,
        }
    }
}

impl CarriedRoom {
    /// Roughly what it carries.
    pub fn bytes(&self) -> usize {
        let records = self.records.iter().map(|(key, value)| key.len() + value.bytes());
        records.chain(self.tail.iter().map(Entry::bytes)).sum()
    }

    /// Whether it can be laid down as it is: an unbroken tail that leads to its place.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let leads = self.tail.last().is_some_and(|last| last.place == self.place);
        let unbroken = self.tail.windows(2).all(|two| two[0].place.position.next() == two[1].place.position);
        if leads && unbroken { Ok(()) } else { Err(StoreError::Damaged("a room's commits do not lead to its place".into())) }
    }
}

impl CarriedRecord {
    pub fn bytes(&self) -> usize {
        self.value.bytes()
    }
}

pub(crate) fn has_ended(deadline: Option<Millis>, now: Millis) -> bool {
    deadline.is_some_and(|deadline| deadline <= now)
}

/// The tail that every store promises, of one that may be longer.
pub(crate) fn promised(mut tail: Vec<Entry>) -> Vec<Entry> {
    let mut bytes = 0;
    let fits = |entry: &&Entry| {
        bytes += entry.bytes();
        bytes <= TAIL_BYTES_MAX
    };
    let count = tail.iter().rev().take(TAIL_COUNT_MAX).take_while(fits).count().max(1);
    tail.split_off(tail.len().saturating_sub(count))
}
