//! Once, however often sent: the last numbered command each client was answered for.
//!
//! Receipts are part of what a room keeps, so they survive restarts and travel between nodes. A receipt
//! is never forgotten while its client may still be retrying; when the record is full of such receipts,
//! new clients are refused instead.

use crate::ids::{ClientId, UserId};
use crate::time::{Millis, Span};
use imbl::OrdMap;
use std::fmt;

/// How long after its last command a client may still retry it.
pub const RECEIPT_LIFE: Span = Span::minutes(10);
pub const RECEIPTS_MAX: usize = 4096;

/// The stub a client holds: who it is (person and program) and the number of the command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ticket {
    pub holder: Holder,
    pub number: u64,
}

/// A client program of an authenticated person; nobody can answer for another's commands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Holder {
    pub user: Option<UserId>,
    pub client: ClientId,
}

/// What was answered: the number, and the commit it became part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receipt {
    pub number: u64,
    pub seq: u64,
    pub at: Millis,
}

#[derive(Clone, PartialEq, Default)]
pub struct Receipts(OrdMap<Holder, Receipt>);

impl Receipts {
    pub fn find(&self, holder: &Holder) -> Option<&Receipt> {
        self.0.get(holder)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Holder, &Receipt)> {
        self.0.iter()
    }

    /// The receipt this ticket already has, when its number is not above the last.
    pub fn answered(&self, ticket: &Ticket) -> Option<&Receipt> {
        self.0.get(&ticket.holder).filter(|receipt| ticket.number <= receipt.number)
    }

    /// Whether a ticket can be kept without forgetting one that may still be retried.
    pub fn has_room_for(&self, ticket: &Ticket, at: Millis) -> bool {
        self.0.len() < RECEIPTS_MAX || self.0.contains_key(&ticket.holder) || self.outlived(at).next().is_some()
    }

    /// Those that keeping this ticket will push out.
    pub fn displaced(&self, ticket: &Ticket, at: Millis) -> Vec<Holder> {
        if self.0.len() < RECEIPTS_MAX || self.0.contains_key(&ticket.holder) {
            return Vec::new();
        }
        self.outlived(at).cloned().collect()
    }

    pub fn keep(&mut self, ticket: &Ticket, seq: u64, at: Millis) {
        for holder in self.displaced(ticket, at) {
            self.0.remove(&holder);
        }
        self.0.insert(ticket.holder.clone(), Receipt { number: ticket.number, seq, at });
    }

    /// For waking from records.
    pub fn insert(&mut self, holder: Holder, receipt: Receipt) {
        self.0.insert(holder, receipt);
    }

    fn outlived(&self, at: Millis) -> impl Iterator<Item = &Holder> {
        self.0.iter().filter(move |(_, receipt)| receipt.at + RECEIPT_LIFE < at).map(|(holder, _)| holder)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.user.as_ref().map_or("", UserId::as_str), self.client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(client: usize, number: u64) -> Ticket {
        Ticket { holder: Holder { user: None, client: format!("c{client}").parse().unwrap() }, number }
    }

    #[test]
    fn a_number_not_above_the_last_is_answered() {
        let mut receipts = Receipts::default();
        receipts.keep(&ticket(1, 5), 9, Millis(0));
        assert!(receipts.answered(&ticket(1, 5)).is_some());
        assert!(receipts.answered(&ticket(1, 4)).is_some());
        assert!(receipts.answered(&ticket(1, 6)).is_none());
        assert!(receipts.answered(&ticket(2, 1)).is_none());
    }

    #[test]
    fn a_full_record_refuses_rather_than_forgets() {
        let mut receipts = Receipts::default();
        for client in 0..RECEIPTS_MAX {
            receipts.keep(&ticket(client, 1), 1, Millis(1000));
        }
        assert!(!receipts.has_room_for(&ticket(RECEIPTS_MAX, 1), Millis(1000)));
        assert!(receipts.has_room_for(&ticket(0, 2), Millis(1000)));
        let later = Millis(1001) + RECEIPT_LIFE;
        assert!(receipts.has_room_for(&ticket(RECEIPTS_MAX, 1), later));
        receipts.keep(&ticket(RECEIPTS_MAX, 1), 2, later);
        assert_eq!(receipts.iter().count(), 1);
    }
}
