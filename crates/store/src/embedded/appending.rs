//! Appending to a room and closing it, as one turn of the committer sees them.
//!
//! Everything a refusal depends on is looked at before the head is written, and a failed job is taken back whole.

use super::book::Book;
use super::cache::{Cache, Known, Shape};
use super::codec::{self, Head};
use super::disk::DiskError;
use super::keys::{self, Owner};
use super::work::{Source, Work};
use crate::error::StoreError;
use crate::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::records::logic::other_shape;
use crate::rooms::{Commit, entry_bytes};
use crate::shapes::{Key, Value, Write};
use parlor_rules::position::{Place, Position};
use parlor_rules::time::Millis;

pub(super) struct Appending<'a> {
    pub(super) work: &'a mut Work,
    pub(super) book: &'a mut Book,
    pub(super) cache: &'a mut Cache,
    pub(super) now: Millis,
}

/// Where the room stands, and whether this append is what moved it there.
pub(super) struct Appended {
    pub(super) place: Place,
    pub(super) moved: bool,
}

impl Appending<'_> {
    pub(super) fn append(&mut self, room: &Key, at: Option<Place>, commit: &Commit) -> Result<Appended, StoreError> {
        let found = self.find(room)?;
        let (live, expired) = match found {
            Some(known) if known.head.is_live(self.now) => (Some(known), None),
            expired => (None, expired),
        };
        let (mut known, position) = match (live, at) {
            (None, None) => (self.create(room, expired), Position::first(self.now)),
            (Some(known), Some(at)) if known.head.place == at => (known, at.position.next()),
            (Some(known), at) => {
                let place = known.head.place;
                self.cache.put(room.clone(), known);
                let mine = at.map_or(place.position.seq == 1, |at| at.position.next() == place.position);
                if mine && place.mark == commit.mark {
                    return Ok(Appended { place, moved: false });
                }
                return Err(StoreError::Conflict);
            }
            (None, Some(_)) => return Err(StoreError::Conflict),
        };
        let place = Place { position, mark: commit.mark };
        for write in &commit.writes {
            self.write(&mut known, write)?;
        }
        self.trim(&mut known, position.seq, entry_bytes(&commit.entry))?;
        known.head.place = place;
        known.head.deadline = commit.deadline;
        known.head.filed = self.book.file(self.work, Owner::Room, room, commit.deadline, known.head.filed);
        self.work.put(keys::entry(known.head.number, position.seq), codec::entry(place, &commit.entry));
        self.work.put(keys::room(room), known.head.encode());
        self.cache.put(room.clone(), known);
        Ok(Appended { place, moved: true })
    }

    pub(super) fn close(&mut self, room: &Key, at: Place) -> Result<(), StoreError> {
        match self.find(room)? {
            Some(known) if known.head.is_live(self.now) && known.head.place == at => {
                self.take_away(room, &known.head);
                self.work.remove(keys::room(room));
                Ok(())
            }
            Some(known) => {
                self.cache.put(room.clone(), known);
                Err(StoreError::Conflict)
            }
            None => Err(StoreError::Conflict),
        }
    }

    pub(super) fn find(&mut self, room: &Key) -> Result<Option<Known>, StoreError> {
        if let Some(known) = self.cache.take(room) {
            return Ok(Some(known));
        }
        let bytes = self.work.get(&keys::room(room))?;
        Ok(bytes.map(|bytes| Head::decode(&bytes)).transpose()?.map(Known::read))
    }

    /// A new room; one that has expired under this name and is not swept yet is taken away in the same batch.
    fn create(&mut self, room: &Key, expired: Option<Known>) -> Known {
        if let Some(old) = expired {
            self.take_away(room, &old.head);
        }
        let position = Position { epoch: 0, seq: 0 };
        let place = Place { position, mark: parlor_rules::position::Mark(0) };
        let number = self.book.number();
        Known::created(Head { number, place, deadline: None, filed: None, first: 1, tail_bytes: 0 })
    }

    pub(super) fn take_away(&mut self, room: &Key, head: &Head) {
        self.book.unfile(self.work, Owner::Room, room, head.filed);
        self.book.bury(self.work, head.number);
    }

    pub(super) fn write(&mut self, known: &mut Known, write: &Write) -> Result<(), StoreError> {
        let number = known.head.number;
        let key = write.key();
        let shape = match known.shape(key) {
            Some(shape) => shape,
            None => self.shape_on_disk(number, key)?,
        };
        let left = match write {
            Write::Put { value, .. } if value.is_nothing() => {
                self.clear(number, key, shape)?;
                Shape::Absent
            }
            Write::Put { value: Value::Hash(fields), .. } => {
                self.clear(number, key, shape)?;
                for (field, value) in fields {
                    self.work.put(keys::room_field(number, key, field), value.clone());
                }
                Shape::Fields
            }
            Write::Put { value, .. } => {
                if shape == Shape::Fields {
                    self.clear(number, key, shape)?;
                }
                self.work.put(keys::room_whole(number, key), codec::whole(value));
                Shape::Whole
            }
            Write::Drop { .. } => {
                self.clear(number, key, shape)?;
                Shape::Absent
            }
            Write::SetField { .. } | Write::DropField { .. } | Write::Lapse { .. } if shape == Shape::Whole => {
                return Err(other_shape(key));
            }
            Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => {
                self.work.put(keys::room_field(number, key, field), value.clone());
                Shape::Fields
            }
            Write::DropField { field, .. } => {
                if shape == Shape::Fields {
                    self.work.remove(keys::room_field(number, key, field));
                }
                shape
            }
        };
        known.set_shape(key, left);
        Ok(())
    }

    fn clear(&mut self, number: u64, key: &Key, shape: Shape) -> Result<(), DiskError> {
        match shape {
            Shape::Absent => {}
            Shape::Whole => self.work.remove(keys::room_whole(number, key)),
            Shape::Fields => {
                let (from, to) = keys::room_fields(number, key);
                let mut fields = Vec::new();
                self.work.scan(&from, &to, &mut |field, _| {
                    fields.push(field.to_vec());
                    true
                })?;
                fields.into_iter().for_each(|field| self.work.remove(field));
            }
        }
        Ok(())
    }

    fn shape_on_disk(&self, number: u64, key: &Key) -> Result<Shape, DiskError> {
        if self.work.get(&keys::room_whole(number, key))?.is_some() {
            return Ok(Shape::Whole);
        }
        let (from, to) = keys::room_fields(number, key);
        let mut shape = Shape::Absent;
        self.work.scan(&from, &to, &mut |_, _| {
            shape = Shape::Fields;
            false
        })?;
        Ok(shape)
    }

    /// Makes room in the tail for a commit of this size. The ring's slot that the commit itself will take needs no
    /// removing; the others do.
    fn trim(&mut self, known: &mut Known, seq: u64, bytes: usize) -> Result<(), DiskError> {
        let number = known.head.number;
        known.head.tail_bytes += bytes as u64;
        known.sizes.push_back(bytes as u32);
        while known.head.first < seq {
            let count = seq - known.head.first + 1;
            if count <= TAIL_COUNT_MAX as u64 && known.head.tail_bytes <= TAIL_BYTES_MAX as u64 {
                break;
            }
            let oldest = keys::entry(number, known.head.first);
            let oldest_bytes = if known.sizes.len() as u64 == count {
                known.sizes.pop_front().map_or(0, u64::from)
            } else {
                let bytes = self.work.get(&oldest)?.ok_or_else(codec::broken)?;
                codec::decode_entry(&bytes)?.bytes() as u64
            };
            if oldest != keys::entry(number, seq) {
                self.work.remove(oldest);
            }
            known.head.tail_bytes = known.head.tail_bytes.saturating_sub(oldest_bytes);
            known.head.first += 1;
        }
        Ok(())
    }
}
