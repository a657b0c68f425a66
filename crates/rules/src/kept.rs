//! A room as it is kept: the game, the receipts and the room's end, moved forward by commits.
//!
//! `Kept::apply` is the only way any of it changes. A node that made a commit and a node that read it
//! from the stream call the same function, so they hold the same room.

use crate::ids::UserId;
use crate::kinds::{Event, State};
use crate::receipts::{Receipts, Ticket};
use crate::room::{Lifetime, When};
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
            Lifetime::Sliding(span) => Some(end_of(created, span)),
            Lifetime::Fixed(span) => Some(created + span),
            Lifetime::Forever => None,
        };
        Kept { state, receipts: Receipts::default(), created, expires }
    }

    pub fn apply(&mut self, seq: u64, commit: &Commit) {
        for done in &commit.done {
            for event in &done.events {
                self.state.apply(When { at: commit.at, seq }, event);
            }
            if let Some(ticket) = &done.ticket {
                let state = &self.state;
                self.receipts.keep(ticket, seq, commit.at, |user| state.sits(user));
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
            self.expires = self.expires.max(Some(end_of(at, span)));
        }
    }
}

/// To the next full second, so that commands which follow each other closely do not each move the deadline of every key
/// the room has.
fn end_of(at: Millis, span: Span) -> Millis {
    Millis((at + span).0.next_multiple_of(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ClientId;
    use crate::poker::{Deck, Poker};
    use crate::receipts::Holder;
    use crate::secret::SecretHash;

    const BEGAN: Millis = Millis(1_000_000);
    const HOUR: Span = Span::minutes(60);

    fn kept() -> Kept {
        let room = Poker::new("12345".parse().unwrap(), SecretHash::of(b"host"), Deck::default());
        Kept::new(State::Poker(room), BEGAN)
    }

    fn commit(at: Millis, renews: bool, done: Vec<Done>) -> Commit {
        Commit { at, renews, done }
    }

    fn ticket(client: &str, number: u64) -> Ticket {
        Ticket { holder: Holder { user: None, client: client.parse::<ClientId>().unwrap() }, number }
    }

    fn sent_with(ticket: Ticket) -> Done {
        Done { by: None, ticket: Some(ticket), events: vec![] }
    }

    #[test]
    fn a_room_is_over_at_its_deadline_and_not_before() {
        let kept = kept();
        assert!(!kept.is_over(BEGAN + HOUR - Span(1)));
        assert!(kept.is_over(BEGAN + HOUR));
    }

    #[test]
    fn only_a_commit_that_renews_moves_the_deadline() {
        let mut kept = kept();
        kept.apply(2, &commit(BEGAN + Span(5000), false, vec![sent_with(ticket("tab", 1))]));
        assert_eq!(kept.expires, Some(BEGAN + HOUR));
        kept.apply(3, &commit(BEGAN + Span(6000), true, vec![]));
        assert_eq!(kept.expires, Some(BEGAN + HOUR + Span(6000)));
    }

    #[test]
    fn commands_of_one_second_set_one_deadline_and_none_is_too_early() {
        let mut kept = kept();
        for ms in 6001..=7000 {
            kept.apply(ms, &commit(BEGAN + Span(ms), true, vec![]));
            assert_eq!(kept.expires, Some(BEGAN + HOUR + Span(7000)));
        }
    }

    #[test]
    fn a_clock_that_is_behind_never_shortens_a_life() {
        let mut kept = kept();
        kept.apply(2, &commit(BEGAN + Span(9000), true, vec![]));
        kept.apply(3, &commit(BEGAN, true, vec![]));
        assert_eq!(kept.expires, Some(BEGAN + HOUR + Span(9000)));
        assert!(!kept.wants_renewal(BEGAN));
    }

    #[test]
    fn a_renewal_is_worth_a_write_after_a_hundredth_of_the_life() {
        let kept = kept();
        assert!(!kept.wants_renewal(BEGAN));
        assert!(!kept.wants_renewal(BEGAN + Span(35_999)));
        assert!(kept.wants_renewal(BEGAN + Span(36_000)));
    }

    #[test]
    fn a_commit_keeps_the_receipt_of_every_act_in_it() {
        let mut kept = kept();
        let done = vec![sent_with(ticket("tab", 1)), sent_with(ticket("phone", 7)), sent_with(ticket("tab", 2))];
        kept.apply(5, &commit(BEGAN, true, done));
        let seq_of =
            |client, number| kept.receipts.answered(&ticket(client, number)).map(|receipt| (receipt.number, receipt.seq));
        assert_eq!(seq_of("tab", 1), Some((2, 5)));
        assert_eq!(seq_of("tab", 2), Some((2, 5)));
        assert_eq!(seq_of("phone", 7), Some((7, 5)));
        assert_eq!(seq_of("tab", 3), None);
        assert_eq!(seq_of("watch", 1), None);
    }

    #[test]
    fn nobody_answers_for_anothers_commands() {
        let mut kept = kept();
        let of = |user: &str| Ticket { holder: Holder { user: user.parse().ok(), client: "tab".parse().unwrap() }, number: 9 };
        kept.apply(2, &commit(BEGAN, true, vec![sent_with(of("ana"))]));
        assert!(kept.receipts.answered(&of("ana")).is_some());
        assert!(kept.receipts.answered(&of("bo")).is_none());
        assert!(kept.receipts.answered(&of("")).is_none());
    }
}
