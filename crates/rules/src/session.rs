//! A session: somebody is logged in under a name for as long as they use it (document 000).
//!
//! Only the hash of its token is known here. A session past its time is no session, and nothing brings it back:
//! whoever comes late logs in again.

use crate::identity::Member;
use crate::ids::UserId;
use crate::names::{FoldedName, Name};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};

/// How long a session lives after the last command of its holder (document 000, line 15).
pub const SESSION_LIFE: Span = Span::minutes(60);

/// A renewal is written at most this often; commands in between are written together, later.
pub const RENEWAL_EVERY: Span = Span::seconds(1);

#[derive(Clone)]
pub struct Session {
    pub member: Member,
    pub token: SecretHash,
    /// When it ends unless it is used.
    pub expires: Millis,
}

impl Session {
    pub fn new(id: UserId, name: Name, token: SecretHash, now: Millis) -> Session {
        Session { member: Member { id, name }, token, expires: now + SESSION_LIFE }
    }

    pub fn lives(&self, now: Millis) -> bool {
        now < self.expires
    }

    /// Nobody else may log in, or join as a guest, under a name with the same folded form.
    pub fn holds(&self) -> FoldedName {
        self.member.name.folded()
    }

    /// The same login, not only the same person: logging in again gives another token.
    pub fn is(&self, other: &Session) -> bool {
        self.member.id == other.member.id && self.token == other.token
    }
}

/// What is known of the renewals of one session: when it was last used, and until when it is written to live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Renewal {
    used: Millis,
    written: Millis,
    wrote: Millis,
}

impl Renewal {
    /// Used and written now.
    pub fn new(now: Millis) -> Renewal {
        Renewal { used: now, written: now, wrote: now }
    }

    /// Takes note of a command; says whether it is to be written now. If not, `due` says so later.
    pub fn note(&mut self, now: Millis) -> bool {
        self.used = self.used.max(now);
        self.due(now)
    }

    /// Whether something is noted that is not written, and a write is allowed again.
    pub fn due(&mut self, now: Millis) -> bool {
        let due = self.used > self.written && !self.is_fresh(now);
        if due {
            (self.written, self.wrote) = (self.used, now);
        }
        due
    }

    /// What was to be written now could not be; it is due again later.
    pub fn failed(&mut self) {
        self.written = Millis(0);
    }

    /// Nothing is left to be written, and the next command may be written at once: there is nothing to remember.
    pub fn is_over(&self, now: Millis) -> bool {
        self.used == self.written && !self.is_fresh(now)
    }

    /// Exactly a life after the last command, however late it is written: a key never shows more.
    pub fn expires(&self) -> Millis {
        self.used + SESSION_LIFE
    }

    /// A clock that was set back makes nothing fresh for longer than it would have been.
    fn is_fresh(&self, now: Millis) -> bool {
        now >= self.wrote && now < self.wrote + RENEWAL_EVERY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_session_lives_for_sixty_minutes_and_not_a_millisecond_longer() {
        let id = "user_id_1".parse().unwrap();
        let session = Session::new(id, "Ana".parse().unwrap(), SecretHash::of(b"token"), Millis(1000));
        assert!(session.lives(Millis(1000 + 3_600_000 - 1)));
        assert!(!session.lives(Millis(1000 + 3_600_000)));
    }

    #[test]
    fn the_first_command_of_a_second_is_written_at_once_and_the_others_together() {
        let mut renewal = Renewal::new(Millis(0));
        assert!(!renewal.note(Millis(1)) && !renewal.note(Millis(999)));
        assert!(!renewal.due(Millis(999)) && !renewal.is_over(Millis(999)));
        assert!(renewal.due(Millis(1000)));
        assert_eq!(renewal.expires(), Millis(999) + SESSION_LIFE);
        assert!(!renewal.due(Millis(2000)) && renewal.is_over(Millis(2000)));
        assert!(renewal.note(Millis(2000)));
        assert_eq!(renewal.expires(), Millis(2000) + SESSION_LIFE);
    }

    proptest! {
        #[test]
        fn every_command_is_written_within_two_seconds_and_never_twice_in_one(steps in prop::collection::vec((0u64..700, any::<bool>()), 1..200)) {
            let (mut now, mut last_write, mut unwritten_since) = (Millis(5000), Millis(5000), None);
            let mut renewal = Renewal::new(now);
            for (step, command) in steps {
                now = now + Span(step);
                // The house looks in between, at least twice a second; here with every step.
                let mut written = renewal.due(now);
                if command {
                    unwritten_since.get_or_insert(now);
                    written |= renewal.note(now);
                }
                if written {
                    prop_assert!(now.since(last_write) >= RENEWAL_EVERY);
                    (last_write, unwritten_since) = (now, None);
                }
                if command && !written && renewal.used == renewal.written {
                    unwritten_since = None; // In the very millisecond of the write.
                }
                prop_assert!(renewal.expires() <= now + SESSION_LIFE, "a key never shows more than a life");
                if let Some(since) = unwritten_since {
                    prop_assert!(now.since(since) < Span(1000 + 700));
                }
            }
        }
    }
}
