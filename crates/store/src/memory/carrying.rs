//! Rooms and records of the plain maps, taken and put whole.

use super::{Memory, Room};
use crate::carry::{At, CarriedRoom, Carry, Catalogue, Cursor, Loose, Over, Page, Put, Thing, has_ended};
use crate::error::StoreError;
use crate::records::{Applied, Batch, logic};
use crate::rooms::{CARRIER, Entry, RoomKey, Wake};
use crate::shapes::Key;
use async_trait::async_trait;
use parlor_rules::time::Millis;
use std::collections::BTreeMap;
use std::ops::Bound;

const PAGE: usize = 500;

#[async_trait]
impl Carry for Memory {
    async fn list(&self, catalogue: &dyn Catalogue, after: Option<Cursor>) -> Result<Page, StoreError> {
        let now = self.clock.now();
        let maps = self.lock();
        let mut page = Page::default();
        let after = match after {
            None => Ok(None),
            Some(Cursor(At::Room(name))) => Ok(Some(name)),
            Some(Cursor(At::Record(name))) => Err(name),
            Some(Cursor(At::Scan { .. } | At::Item { .. })) => unreachable!("only servers and tables are scanned"),
        };
        match after {
            Ok(after) => {
                let mut last = None;
                for (name, room) in following(&maps.rooms, after.as_ref()).take(PAGE) {
                    last = Some(name.clone());
                    match catalogue.thing(name) {
                        _ if has_ended(room.deadline, now) => {}
                        Some(Thing::Spine(room)) => page.rooms.push(room),
                        Some(Thing::Part(_) | Thing::Record { .. }) | None => page.foreign.push(name.to_string()),
                    }
                }
                page.next = Some(Cursor(last.map_or(At::Record(None), At::Room)));
            }
            Err(after) => {
                let mut last = None;
                for (name, kept) in following(&maps.records, after.as_ref()).take(PAGE) {
                    last = Some(name.clone());
                    match catalogue.thing(name) {
                        _ if has_ended(kept.deadline, now) => {}
                        Some(Thing::Record { tag }) => page.records.push(Loose { tag, key: name.clone() }),
                        Some(Thing::Part(_) | Thing::Spine(_)) | None => page.foreign.push(name.to_string()),
                    }
                }
                page.next = last.map(|last| Cursor(At::Record(Some(last))));
            }
        }
        Ok(page)
    }

    async fn take_room(&self, room: &RoomKey) -> Result<Option<CarriedRoom>, StoreError> {
        let now = self.clock.now();
        Ok(self.lock().live(&room.spine, now).map(|room| CarriedRoom {
            place: room.place,
            deadline: room.deadline,
            records: room.records.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            tail: room.tail.iter().cloned().collect(),
        }))
    }

    async fn put_room(&self, room: &RoomKey, carried: CarriedRoom, over: Over) -> Result<Put, StoreError> {
        carried.check()?;
        let now = self.clock.now();
        if has_ended(carried.deadline, now) {
            return Ok(Put::Ended);
        }
        let mut maps = self.lock();
        match maps.live(&room.spine, now) {
            Some(there) if there.place == carried.place && there.deadline == carried.deadline => return Ok(Put::Same),
            Some(there) if !over.allows(there.place) => return Ok(Put::Other),
            Some(_) | None => {}
        }
        let CarriedRoom { place, deadline, records, tail } = carried;
        let tail_bytes = tail.iter().map(Entry::bytes).sum();
        let laid = Room { place, deadline, records: records.into_iter().collect(), tail: tail.into(), tail_bytes };
        maps.rooms.insert(room.spine.clone(), laid);
        drop(maps);
        self.watchers.tell(&room.spine, CARRIER, &Wake::Moved(place));
        Ok(Put::Kept)
    }

    async fn apply_any_size(&self, batch: Batch) -> Result<Applied, StoreError> {
        let now = self.clock.now();
        let mut maps = self.lock();
        let mut shelf = super::MemoryShelf::new(&mut maps.records, now);
        let applied = logic::apply(&mut shelf, &batch);
        if applied.is_err() {
            shelf.take_back();
        }
        applied
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }
}

fn following<'a, T>(map: &'a BTreeMap<Key, T>, after: Option<&'a Key>) -> impl Iterator<Item = (&'a Key, &'a T)> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    map.range::<Key, _>((from, Bound::Unbounded))
}
