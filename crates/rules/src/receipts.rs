//! Once, however often sent: the last numbered command each client was answered for.
//!
//! Receipts are part of what a room keeps, so they survive restarts and travel between nodes. A receipt
//! is never forgotten while its client may still be retrying; when the record is full of such receipts,
//! new clients are refused instead.

use crate::ids::{ClientId, UserId};
use crate::time::{Millis, Span};
use imbl::OrdMap;
use std::fmt;
use std::sync::Arc;

/// How long after its last command a client may still retry it.
pub const RECEIPT_LIFE: Span = Span::minutes(10);
pub const RECEIPTS_MAX: usize = 4096;
pub const RECEIPTS_PER_USER_MAX: usize = 128;
/// So that one commit never writes more than a store takes at once.
pub const DISPLACED_MAX: usize = 16;

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
pub struct Receipts {
    /// Each person's few programs, sorted; shared until changed, so that a clone of the map stays cheap.
    by_user: OrdMap<Option<UserId>, Arc<Vec<(ClientId, Receipt)>>>,
    count: usize,
}

impl Receipts {
    pub fn find(&self, holder: &Holder) -> Option<&Receipt> {
        let own = self.by_user.get(&holder.user)?;
        place(own, &holder.client).ok().map(|index| &own[index].1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Holder, &Receipt)> {
        let holder = |user: &Option<UserId>, client: &ClientId| Holder { user: user.clone(), client: client.clone() };
        self.by_user.iter().flat_map(move |(user, own)| own.iter().map(move |(client, receipt)| (holder(user, client), receipt)))
    }

    /// The receipt this ticket already has, when its number is not above the last.
    pub fn answered(&self, ticket: &Ticket) -> Option<&Receipt> {
        self.find(&ticket.holder).filter(|receipt| ticket.number <= receipt.number)
    }

    /// Whether a ticket can be kept without forgetting one that may still be retried.
    pub fn has_room_for(&self, ticket: &Ticket, at: Millis) -> bool {
        !self.lacks_room(&ticket.holder) || !self.displaced(ticket, at).is_empty()
    }

    /// Those that keeping this ticket will push out: some of the longest unused, never one still in use.
    pub fn displaced(&self, ticket: &Ticket, at: Millis) -> Vec<Holder> {
        if !self.lacks_room(&ticket.holder) {
            return Vec::new();
        }
        let crowded = self.crowds(&ticket.holder);
        let outlived = self.iter().filter(|(_, receipt)| receipt.at + RECEIPT_LIFE < at).map(|(holder, _)| holder);
        outlived.filter(|holder| !crowded || holder.user == ticket.holder.user).take(DISPLACED_MAX).collect()
    }

    pub fn keep(&mut self, ticket: &Ticket, seq: u64, at: Millis) {
        for holder in self.displaced(ticket, at) {
            self.remove(&holder);
        }
        self.insert(ticket.holder.clone(), Receipt { number: ticket.number, seq, at });
    }

    /// For waking from records.
    pub fn insert(&mut self, holder: Holder, receipt: Receipt) {
        let own = Arc::make_mut(self.by_user.entry(holder.user).or_default());
        match place(own, &holder.client) {
            Ok(index) => own[index].1 = receipt,
            Err(index) => {
                own.reserve_exact(1); // Nearly everybody has one program.
                own.insert(index, (holder.client, receipt));
                self.count += 1;
            }
        }
    }

    fn remove(&mut self, holder: &Holder) {
        let Some(own) = self.by_user.get_mut(&holder.user) else { return };
        if let Ok(index) = place(own, &holder.client) {
            Arc::make_mut(own).remove(index);
            self.count -= 1;
        }
        if own.is_empty() {
            self.by_user.remove(&holder.user);
        }
    }

    fn lacks_room(&self, holder: &Holder) -> bool {
        self.find(holder).is_none() && (self.count >= RECEIPTS_MAX || self.crowds(holder))
    }

    /// One person's programs must not use up what all share.
    fn crowds(&self, holder: &Holder) -> bool {
        self.by_user.get(&holder.user).is_some_and(|own| own.len() >= RECEIPTS_PER_USER_MAX)
    }
}

/// Where a program's receipt is, or where it belongs.
fn place(own: &[(ClientId, Receipt)], client: &ClientId) -> Result<usize, usize> {
    own.binary_search_by(|(other, _)| other.cmp(client))
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.user.as_ref().map_or("", UserId::as_str), self.client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(user: usize, client: usize, number: u64) -> Ticket {
        let user = Some(format!("u{user}").parse().unwrap());
        Ticket { holder: Holder { user, client: format!("c{client}").parse().unwrap() }, number }
    }

    #[test]
    fn a_number_not_above_the_last_is_answered() {
        let mut receipts = Receipts::default();
        receipts.keep(&ticket(1, 1, 5), 9, Millis(0));
        assert!(receipts.answered(&ticket(1, 1, 5)).is_some());
        assert!(receipts.answered(&ticket(1, 1, 4)).is_some());
        assert!(receipts.answered(&ticket(1, 1, 6)).is_none());
        assert!(receipts.answered(&ticket(1, 2, 1)).is_none());
        assert!(receipts.answered(&ticket(2, 1, 1)).is_none());
    }

    #[test]
    fn a_full_record_refuses_rather_than_forgets() {
        let mut receipts = Receipts::default();
        for user in 0..RECEIPTS_MAX {
            receipts.keep(&ticket(user, 0, 1), 1, Millis(1000));
        }
        assert!(!receipts.has_room_for(&ticket(RECEIPTS_MAX, 0, 1), Millis(1000)));
        assert!(receipts.has_room_for(&ticket(0, 0, 2), Millis(1000)));
        let later = Millis(1001) + RECEIPT_LIFE;
        assert!(receipts.has_room_for(&ticket(RECEIPTS_MAX, 0, 1), later));
        receipts.keep(&ticket(RECEIPTS_MAX, 0, 1), 2, later);
        assert_eq!(receipts.iter().count(), RECEIPTS_MAX - DISPLACED_MAX + 1);
    }

    #[test]
    fn one_person_cannot_use_up_what_all_share() {
        let mut receipts = Receipts::default();
        for client in 0..RECEIPTS_PER_USER_MAX {
            receipts.keep(&ticket(1, client, 1), 1, Millis(1000));
        }
        assert!(!receipts.has_room_for(&ticket(1, RECEIPTS_PER_USER_MAX, 1), Millis(1000)));
        assert!(receipts.has_room_for(&ticket(2, 0, 1), Millis(1000)));
        receipts.keep(&ticket(2, 0, 1), 1, Millis(1000));
        let later = Millis(1001) + RECEIPT_LIFE;
        receipts.keep(&ticket(1, RECEIPTS_PER_USER_MAX, 1), 2, later);
        assert!(receipts.find(&ticket(2, 0, 1).holder).is_some(), "another's receipt is not touched");
    }
}
