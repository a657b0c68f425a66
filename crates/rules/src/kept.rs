//! A room as it is kept: the game, the receipts and the room's end, moved forward by commits.
//!
//! `Kept::apply` is the only way any of it changes. A node that made a commit and a node that read it
//! from the stream call the same function, so they hold the same room.

use crate::ids::UserId;
use crate::kinds::{Event, State};
use crate::receipts::{Receipts, Ticket};
use crate::room::Lifetime;
use crate::time::{Millis, Span};

#[derive(Clone, PartialEq)]
pub struct Kept {
    pub state: State,
    pub receipts: Receipts,
    pub created: Millis,
    pub expires: Option<Millis>,
}

/// One step of a room's history.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    pub at: Millis,
    /// Whether a person did something that keeps the room alive.
    pub renews: bool,
    pub done: Vec<Done>,
}

/// One accepted act: its author, the ticket it was sent with, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    pub by: Option<UserId>,
    pub ticket: Option<Ticket>,
    pub events: Vec<Event>,
}

impl Kept {
    pub fn new(state: State, created: Millis) -> Kept {
        let expires = match state.lifetime() {
            Lifetime::Sliding(span) | Lifetime::Fixed(span) => Some(created + span),
            Lifetime::Forever => None,
        };
        Kept { state, receipts: Receipts::default(), created, expires }
    }

    pub fn apply(&mut self, seq: u64, commit: &Commit) {
        for done in &commit.done {
            for event in &done.events {
                self.state.apply(commit.at, event);
            }
            if let Some(ticket) = &done.ticket {
                self.receipts.keep(ticket, seq, commit.at);
            }
        }
        if commit.renews {
            self.renew(commit.at);
        }
    }

    /// The room's own deadline is the one that counts, whatever a store still shows.
    pub fn is_over(&self, now: Millis) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether enough of its life has passed that renewing it is worth a write of its own.
    pub fn wants_renewal(&self, at: Millis) -> bool {
        match (self.state.lifetime(), self.expires) {
            (Lifetime::Sliding(span), Some(expires)) => (at + span).since(expires) >= Span(span.0 / 100),
            (Lifetime::Sliding(_) | Lifetime::Fixed(_) | Lifetime::Forever, _) => false,
        }
    }

    fn renew(&mut self, at: Millis) {
        if let Lifetime::Sliding(span) = self.state.lifetime() {
            // A node whose clock is behind must not shorten the life another node gave.
            self.expires = self.expires.max(Some(at + span));
        }
    }
}
