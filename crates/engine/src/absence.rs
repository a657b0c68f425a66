//! How long those who sit and do not listen have been away.
//!
//! Someone is away since their last listener went, at whichever node, their last accepted command, or the moment this
//! task loaded the room, whichever was last. It is known here only: a room that is asleep removes nobody, and one that
//! wakes up, or hears of the other nodes again after a long silence, begins to count anew.

use parlor_rules::{Millis, State, UserId};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

pub(crate) struct Absence {
    /// Nothing when nobody is ever removed.
    away_after: Option<Duration>,
    loaded: Instant,
    seen: HashMap<UserId, Instant>,
    look_at: Instant,
}

impl Absence {
    pub(crate) fn new(away_after: Duration) -> Absence {
        let now = Instant::now();
        let away_after = (!away_after.is_zero()).then_some(away_after);
        Absence { away_after, loaded: now, seen: HashMap::new(), look_at: now + away_after.unwrap_or_default() }
    }

    /// As when the room was loaded: everybody has the whole time again.
    pub(crate) fn count_anew(&mut self) {
        *self = Absence::new(self.away_after.unwrap_or_default());
    }

    /// These gave a sign of life.
    pub(crate) fn saw(&mut self, users: impl IntoIterator<Item = UserId>) {
        if self.away_after.is_some() {
            let now = Instant::now();
            self.seen.extend(users.into_iter().map(|user| (user, now)));
        }
    }

    /// When to look again: until then nobody can have been away too long.
    pub(crate) fn look_at(&self) -> Option<Instant> {
        self.away_after.map(|_| self.look_at)
    }

    /// Those whose time is up, and for whom that means something in this room.
    pub(crate) fn overdue(&mut self, state: &State, at: Millis, is_here: impl Fn(&UserId) -> bool) -> Vec<UserId> {
        let now = Instant::now();
        let Some(away_after) = self.away_after.filter(|_| self.look_at <= now) else { return Vec::new() };
        let seated = state.seated();
        let mut overdue = Vec::new();
        // Whoever goes later than now is due later than that.
        self.look_at = now + away_after;
        for user in seated.iter().filter(|user| !is_here(user)) {
            let due = *self.seen.get(user).unwrap_or(&self.loaded) + away_after;
            if due > now {
                self.look_at = self.look_at.min(due);
            } else if !state.away_too_long(user, at).is_empty() {
                // Should the store refuse, there is still something to do.
                self.look_at = now;
                overdue.push(user.clone());
            }
        }
        let seated: std::collections::BTreeSet<UserId> = seated.into_iter().collect();
        self.seen.retain(|user, _| seated.contains(user));
        overdue
    }
}
