//! Rooms and records in plain maps: the reference the other backends must agree with.
//!
//! Nothing here is clever. What is past its deadline is not there; it is forgotten when its key is next written, and
//! all of it whenever the map has doubled.

mod carrying;
pub(crate) mod shelf;

use crate::clock::SharedClock;
use crate::error::StoreError;
use crate::hints::Watch;
use crate::limits::{LEASE, Limits, TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::records::{Answer, Applied, Batch, Query, Records, logic};
use crate::rooms::{Announced, Commit, Entry, Loaded, NodeId, RoomKey, Rooms, Since, Wake};
use crate::shapes::{Field, Key, Value, Write};
use crate::watchers::Watchers;
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::position::{Place, Position};
use parlor_rules::time::Millis;
use shelf::{Kept, MemoryShelf};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone)]
pub struct Memory {
    clock: SharedClock,
    shared: bool,
    watchers: Arc<Watchers>,
    maps: Arc<Mutex<Maps>>,
}

#[derive(Default)]
struct Maps {
    rooms: BTreeMap<Key, Room>,
    records: BTreeMap<Key, Kept>,
    /// How many of both there were when the expired ones were last forgotten.
    tidy_count: usize,
}

#[derive(Clone)]
struct Room {
    place: Place,
    deadline: Option<Millis>,
    records: BTreeMap<Key, Value>,
    tail: VecDeque<Entry>,
    tail_bytes: usize,
}

impl Memory {
    pub fn new(clock: SharedClock) -> Memory {
        Memory { clock, shared: false, watchers: Arc::default(), maps: Arc::default() }
    }

    /// For several engines at once, each of which believes that the others are on other machines.
    pub fn shared_by_nodes(clock: SharedClock) -> Memory {
        Memory { shared: true, ..Memory::new(clock) }
    }

    fn lock(&self) -> MutexGuard<'_, Maps> {
        // Changes are made on copies and put back whole, so a panic elsewhere leaves nothing half done.
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Rooms for Memory {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        let now = self.clock.now();
        Ok(self.lock().live(&room.spine, now).map(|room| Loaded {
            place: room.place,
            deadline: room.deadline,
            records: room.records.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            after: Vec::new(),
        }))
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        self.limits().check_commit(room, &commit)?;
        let now = self.clock.now();
        let by = commit.by;
        let place = self.lock().append(&room.spine, at, commit, now)?;
        if let Some(place) = place.moved {
            self.watchers.tell(&room.spine, by, &Wake::Moved(place));
        }
        Ok(place.answer)
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        let now = self.clock.now();
        let maps = self.lock();
        let Some(room) = maps.live(&room.spine, now) else { return Ok(Since::Absent) };
        Ok(match room.tail.iter().position(|entry| entry.place == place) {
            Some(index) => Since::Entries(room.tail.iter().skip(index + 1).cloned().collect()),
            None => Since::Lost,
        })
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut maps = self.lock();
        if maps.live(&room.spine, now).is_none_or(|room| room.place != at) {
            return Err(StoreError::Conflict);
        }
        maps.rooms.remove(&room.spine);
        drop(maps);
        self.watchers.tell(&room.spine, by, &Wake::Closed);
        Ok(())
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        Ok(self.watchers.add(&room.spine, node))
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        let now = self.clock.now();
        let place = self.lock().live(&room.spine, now).map(|room| room.place);
        let (others, holds_for) = self.watchers.announce(&room.spine, node, here, now);
        Ok(Announced { others, holds_for, place })
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.watchers.tell(&room.spine, by, &Wake::Told(what));
        Ok(())
    }

    fn limits(&self) -> Limits {
        Limits { lease: self.shared.then_some(LEASE), ..Limits::default() }
    }
}

#[async_trait]
impl Records for Memory {
    async fn read(&self, _tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let now = self.clock.now();
        let mut maps = self.lock();
        let shelf = MemoryShelf::new(&mut maps.records, now);
        queries.iter().map(|query| logic::ask(&shelf, query)).collect()
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.limits().check_batch(&batch)?;
        let now = self.clock.now();
        let mut maps = self.lock();
        maps.forget_expired(now);
        let mut shelf = MemoryShelf::new(&mut maps.records, now);
        let applied = logic::apply(&mut shelf, &batch);
        if applied.is_err() {
            shelf.take_back();
        }
        applied
    }
}

/// Where an append stands, and whether it is what moved the room there.
struct Appended {
    answer: Place,
    moved: Option<Place>,
}

impl Maps {
    fn live(&self, room: &Key, now: Millis) -> Option<&Room> {
        self.rooms.get(room).filter(|room| room.deadline.is_none_or(|deadline| deadline > now))
    }

    fn append(&mut self, key: &Key, at: Option<Place>, commit: Commit, now: Millis) -> Result<Appended, StoreError> {
        self.forget_expired(now);
        let position = match (self.live(key, now), at) {
            (None, None) => Position::first(now),
            (Some(room), Some(at)) if room.place == at => at.position.next(),
            (Some(room), at) => {
                let mine = at.map_or(room.place.position.seq == 1, |at| at.position.next() == room.place.position);
                if mine && room.place.mark == commit.mark {
                    return Ok(Appended { answer: room.place, moved: None });
                }
                return Err(StoreError::Conflict);
            }
            (None, Some(_)) => return Err(StoreError::Conflict),
        };
        let place = Place { position, mark: commit.mark };
        let nothing = BTreeMap::new();
        check_shapes(self.live(key, now).map_or(&nothing, |room| &room.records), &commit.writes)?;
        if at.is_none() {
            self.rooms.insert(key.clone(), Room::new(place));
        }
        let room = self.rooms.get_mut(key).expect("it is live, or was created just now");
        room.place = place;
        room.deadline = commit.deadline;
        for write in commit.writes {
            room.write(write);
        }
        room.push(Entry { place, fields: commit.entry });
        Ok(Appended { answer: place, moved: Some(place) })
    }

    fn forget_expired(&mut self, now: Millis) {
        if self.rooms.len() + self.records.len() <= 2 * self.tidy_count + 1000 {
            return;
        }
        self.rooms.retain(|_, room| room.deadline.is_none_or(|deadline| deadline > now));
        self.records.retain(|_, kept| kept.deadline.is_none_or(|deadline| deadline > now));
        self.tidy_count = self.rooms.len() + self.records.len();
    }
}

impl Room {
    fn new(place: Place) -> Room {
        Room { place, deadline: None, records: BTreeMap::new(), tail: VecDeque::new(), tail_bytes: 0 }
    }

    fn write(&mut self, write: Write) {
        match write {
            Write::Put { key, value } if value.is_nothing() => {
                self.records.remove(&key);
            }
            Write::Put { key, value } => {
                self.records.insert(key, value);
            }
            Write::Drop { key } => {
                self.records.remove(&key);
            }
            Write::SetField { key, field, value } | Write::Lapse { key, field, value } => {
                if let Value::Hash(fields) = self.records.entry(key).or_insert_with(|| Value::Hash(BTreeMap::new())) {
                    fields.insert(field, value);
                }
            }
            Write::DropField { key, field } => {
                if let Some(Value::Hash(fields)) = self.records.get_mut(&key) {
                    fields.remove(&field);
                    if fields.is_empty() {
                        self.records.remove(&key);
                    }
                }
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        self.tail_bytes += entry.bytes();
        self.tail.push_back(entry);
        while self.tail.len() > 1 && (self.tail.len() > TAIL_COUNT_MAX || self.tail_bytes > TAIL_BYTES_MAX) {
            self.tail_bytes -= self.tail.pop_front().map_or(0, |oldest| oldest.bytes());
        }
    }
}

/// Fields go into hashes only; looked at before anything is written, so that a refused commit changes nothing.
fn check_shapes(records: &BTreeMap<Key, Value>, writes: &[Write]) -> Result<(), StoreError> {
    let mut is_other: BTreeMap<&Key, bool> = BTreeMap::new();
    for write in writes {
        let key = write.key();
        let other = is_other.entry(key).or_insert_with(|| records.get(key).is_some_and(|value| !matches!(value, Value::Hash(_))));
        match write {
            Write::Put { value, .. } => *other = !matches!(value, Value::Hash(_)) && !value.is_nothing(),
            Write::Drop { .. } => *other = false,
            Write::SetField { .. } | Write::DropField { .. } | Write::Lapse { .. } if *other => {
                return Err(logic::other_shape(key));
            }
            Write::SetField { .. } | Write::DropField { .. } | Write::Lapse { .. } => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Stepped, SteppedClock, carry_suite, suite};

    #[tokio::test]
    async fn the_reference_passes_its_own_suite() {
        suite(async || {
            let clock = SteppedClock::new(Millis(1_000_000));
            Stepped { store: Memory::new(clock.shared()), clock }
        })
        .await;
    }

    #[tokio::test]
    async fn the_reference_can_be_carried() {
        carry_suite(async || {
            let clock = SteppedClock::new(Millis(1_000_000));
            Stepped { store: Memory::new(clock.shared()), clock }
        })
        .await;
    }
}
