//! Laying a whole room down as another store had it, in one job of the committer.

use super::appending::Appending;
use super::cache::Known;
use super::codec::{self, Head};
use super::keys::{self, Owner};
use crate::carry::{CarriedRoom, Over, Put, has_ended};
use crate::error::StoreError;
use crate::rooms::Entry;
use crate::shapes::{Key, Write};

impl Appending<'_> {
    /// On an error the job is to be taken back.
    pub(super) fn place(&mut self, room: &Key, carried: &CarriedRoom, over: Over) -> Result<Put, StoreError> {
        if has_ended(carried.deadline, self.now) {
            return Ok(Put::Ended);
        }
        let found = self.find(room)?;
        if let Some(known) = found {
            let head = &known.head;
            let is_live = head.is_live(self.now);
            let is_same = head.place == carried.place && head.deadline == carried.deadline;
            if is_live && (is_same || !over.allows(head.place)) {
                self.cache.put(room.clone(), known);
                return Ok(if is_same { Put::Same } else { Put::Other });
            }
            self.take_away(room, &known.head);
        }
        let number = self.book.number();
        let filed = self.book.file(self.work, Owner::Room, room, carried.deadline, None);
        let head = Head {
            number,
            place: carried.place,
            deadline: carried.deadline,
            filed,
            first: carried.tail.first().map_or(carried.place.position.seq, |oldest| oldest.place.position.seq),
            tail_bytes: carried.tail.iter().map(Entry::bytes).sum::<usize>() as u64,
        };
        let mut known = Known::created(head);
        for (key, value) in &carried.records {
            self.write(&mut known, &Write::Put { key: key.clone(), value: value.clone() })?;
        }
        for entry in &carried.tail {
            known.sizes.push_back(entry.bytes() as u32);
            self.work.put(keys::entry(number, entry.place.position.seq), codec::entry(entry.place, &entry.fields));
        }
        self.work.put(keys::room(room), known.head.encode());
        self.cache.put(room.clone(), known);
        Ok(Put::Kept)
    }
}
