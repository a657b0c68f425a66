//! Removing what has ended, a bounded piece at a time.
//!
//! First what is due in the expiry index: what lives longer by now is filed anew, what has ended loses its head. Then
//! the data under buried numbers. Whoever reads meanwhile sees nothing of it: what is past its deadline is not there.

use super::book::Book;
use super::cache::Cache;
use super::codec::{Head, RecordHead};
use super::disk::DiskError;
use super::keys::{self, Owner};
use super::work::{Source, Work};
use crate::shapes::Key;
use parlor_rules::time::Millis;

/// What a sweep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    pub rooms: usize,
    pub records: usize,
    /// Physical keys looked at or removed.
    pub keys: usize,
    /// The budget ended before the work did.
    pub more: bool,
}

pub(super) struct Sweep<'a> {
    pub(super) work: &'a mut Work,
    pub(super) book: &'a mut Book,
    pub(super) cache: &'a mut Cache,
    pub(super) now: Millis,
}

impl Sweep<'_> {
    /// Looks at or removes at most `budget` keys.
    pub(super) fn run(&mut self, budget: usize) -> Result<Swept, DiskError> {
        let mut swept = Swept::default();
        self.due(budget, &mut swept)?;
        self.garbage(budget, &mut swept)?;
        Ok(swept)
    }

    fn due(&mut self, budget: usize, swept: &mut Swept) -> Result<(), DiskError> {
        if self.book.expiry_from > self.now.0 {
            return Ok(());
        }
        let mut due: Vec<(u64, Owner, Key)> = Vec::new();
        // The first that stays: nothing is looked for before its time comes.
        let mut next = u64::MAX;
        self.work.scan(&keys::expiry_from(self.book.expiry_from), &keys::past(b'x'), &mut |key, _| {
            let Some((at, owner, name)) = keys::parse_expiry(key) else { return true };
            if at > self.now.0 || due.len() == budget {
                next = at;
                return false;
            }
            due.push((at, owner, Key::from(name)));
            true
        })?;
        // Filing anew below lowers this again where needed.
        self.book.expiry_from = next;
        for (at, owner, name) in due {
            swept.keys += 1;
            self.work.remove(keys::expiry(at, owner, &name));
            match owner {
                Owner::Room => self.due_room(at, &name, swept)?,
                Owner::Record => self.due_record(at, &name, swept)?,
            }
        }
        swept.more |= next <= self.now.0;
        Ok(())
    }

    fn due_room(&mut self, at: u64, room: &Key, swept: &mut Swept) -> Result<(), DiskError> {
        let place = keys::room(room);
        let Some(mut head) = self.work.get(&place)?.map(|bytes| Head::decode(&bytes)).transpose()? else { return Ok(()) };
        if head.filed != Some(Millis(at)) {
            return Ok(());
        }
        self.cache.take(room);
        if head.is_live(self.now) {
            head.filed = self.book.file(self.work, Owner::Room, room, head.deadline, None);
            self.work.put(place, head.encode());
        } else {
            self.work.remove(place);
            self.book.bury(self.work, head.number);
            swept.rooms += 1;
        }
        Ok(())
    }

    fn due_record(&mut self, at: u64, key: &Key, swept: &mut Swept) -> Result<(), DiskError> {
        let place = keys::record(key);
        let head = self.work.get(&place)?.map(|bytes| RecordHead::decode(&bytes)).transpose()?;
        let Some(mut head) = head.filter(|head| head.filed == Some(Millis(at))) else { return Ok(()) };
        if head.is_live(self.now) {
            head.filed = self.book.file(self.work, Owner::Record, key, head.deadline, None);
            self.work.put(place, head.encode());
        } else {
            self.work.remove(place);
            if let Some(number) = head.number() {
                self.book.bury(self.work, number);
            }
            swept.records += 1;
        }
        Ok(())
    }

    fn garbage(&mut self, budget: usize, swept: &mut Swept) -> Result<(), DiskError> {
        while swept.keys < budget {
            if self.book.garbage_from == u64::MAX {
                return Ok(());
            }
            let mut first = None;
            self.work.scan(&keys::garbage(self.book.garbage_from), &keys::past(b'g'), &mut |key, _| {
                first = keys::parse_garbage(key);
                false
            })?;
            let Some(number) = first else {
                self.book.garbage_from = u64::MAX;
                return Ok(());
            };
            self.book.garbage_from = number;
            let room_left = budget - swept.keys;
            let mut gone = Vec::new();
            self.work.scan(&keys::data(number), &keys::data_past(number), &mut |key, _| {
                gone.push(key.to_vec());
                gone.len() < room_left
            })?;
            let whole = gone.len() < room_left;
            swept.keys += gone.len() + 1;
            gone.into_iter().for_each(|key| self.work.remove(key));
            if whole {
                self.work.remove(keys::garbage(number));
                self.book.garbage_from = number.saturating_add(1);
            }
        }
        swept.more = true;
        Ok(())
    }
}
