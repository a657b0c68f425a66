//! The committer's bookkeeping: numbers given out, what is to be removed, and what to look at when.
//!
//! Both cursors only spare work: below them nothing is filed, so a sweep need not walk over what was removed before.

use super::disk::DiskError;
use super::keys::{self, Owner};
use super::work::{Source, Work};
use bytes::Bytes;
use parlor_rules::time::Millis;

pub(super) struct Book {
    next_number: u64,
    kept_number: u64,
    pub(super) garbage_from: u64,
    pub(super) expiry_from: u64,
}

impl Book {
    pub(super) fn open(disk: &impl Source) -> Result<Book, DiskError> {
        let next_number = match disk.get(keys::COUNTER)? {
            Some(bytes) => bytes.as_ref().try_into().map(u64::from_le_bytes).map_err(|_| super::codec::broken())?,
            None => 1,
        };
        Ok(Book { next_number, kept_number: next_number, garbage_from: 0, expiry_from: 0 })
    }

    /// A number that no room or collection has had or will have.
    pub(super) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// Goes into the same batch as what has the numbers.
    pub(super) fn keep_numbers(&mut self, work: &mut Work) {
        if self.kept_number != self.next_number {
            work.put(keys::COUNTER.to_vec(), Bytes::copy_from_slice(&self.next_number.to_le_bytes()));
            self.kept_number = self.next_number;
        }
    }

    /// Leaves everything under a number to the sweeper.
    pub(super) fn bury(&mut self, work: &mut Work, number: u64) {
        work.put(keys::garbage(number), Bytes::new());
        self.garbage_from = self.garbage_from.min(number);
    }

    /// Files a deadline and answers where it is filed. A later deadline stays where it was filed: the sweeper moves it
    /// when that moment comes, so that a renewal writes nothing here.
    pub(super) fn file(
        &mut self,
        work: &mut Work,
        owner: Owner,
        name: &str,
        deadline: Option<Millis>,
        filed: Option<Millis>,
    ) -> Option<Millis> {
        let Some(deadline) = deadline else { return filed };
        if filed.is_some_and(|filed| filed <= deadline) {
            return filed;
        }
        self.unfile(work, owner, name, filed);
        work.put(keys::expiry(deadline.0, owner, name), Bytes::new());
        self.expiry_from = self.expiry_from.min(deadline.0);
        Some(deadline)
    }

    pub(super) fn unfile(&mut self, work: &mut Work, owner: Owner, name: &str, filed: Option<Millis>) {
        if let Some(filed) = filed {
            work.remove(keys::expiry(filed.0, owner, name));
        }
    }
}
