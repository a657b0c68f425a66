//! Who is at a room through other nodes, and when this node speaks up again.
//!
//! One call does both: it says who is here, and is answered with who is elsewhere. A word holds for a lease. A node
//! speaks when its word changes or another's has, at most every `SPEAK_EVERY`, and otherwise three times a lease, so
//! that what was lost on the way is noticed. What was heard holds for a lease too if nothing more is heard. No I/O here,
//! and no clock: time comes in as an argument.

use parlor_rules::{Here, UserId};
use std::time::Duration;
use tokio::time::Instant;

/// A room speaks at most this often, however fast people come and go.
const SPEAK_EVERY: Duration = Duration::from_millis(100);

/// How long a room waits before it speaks again to a store that did not answer.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

pub(crate) struct Elsewhere {
    lease: Duration,
    others: Here,
    /// When the first of their words lapses, unless it is given again.
    lapses: Option<Instant>,
    /// When the others were last heard of, if ever.
    heard: Option<Instant>,
    born: Instant,
    /// When this node last began to speak.
    spoke: Option<Instant>,
    /// Its last word that was taken, and the one that is on its way.
    said: Option<Word>,
    under_way: Option<Word>,
    /// Whether somebody there may have come or gone.
    curious: bool,
    failed: bool,
    /// Whether the store may still have a word of this node that names somebody.
    remembered: bool,
}

/// What an answer says that was not known before.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct News {
    /// Those who are not elsewhere any more.
    pub(crate) gone: Vec<UserId>,
    pub(crate) changed: bool,
    /// Nothing was heard for more than a lease: nobody knows who was where meanwhile.
    pub(crate) anew: bool,
}

/// Who is here at a node: the number of the change that made it so, and whether it is anybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word {
    change: u64,
    names: bool,
}

impl Elsewhere {
    pub(crate) fn new(lease: Duration, now: Instant) -> Elsewhere {
        Elsewhere {
            lease,
            others: Here::default(),
            lapses: None,
            heard: None,
            born: now,
            spoke: None,
            said: None,
            under_way: None,
            curious: false,
            failed: false,
            remembered: false,
        }
    }

    pub(crate) fn others(&self) -> &Here {
        &self.others
    }

    /// Somebody may have come or gone elsewhere: to be asked soon.
    pub(crate) fn wonder(&mut self) {
        self.curious = true;
    }

    /// Whether the others were asked at this moment or after it.
    pub(crate) fn heard_since(&self, moment: Instant) -> bool {
        self.heard.is_some_and(|heard| heard >= moment)
    }

    /// When to speak next, being at this change of who is here; nothing while a word is under way.
    pub(crate) fn speak_at(&self, change: u64) -> Option<Instant> {
        if self.under_way.is_some() {
            return None;
        }
        let has_reason = self.curious || self.said.is_none_or(|said| said.change != change);
        Some(match self.spoke {
            Some(spoke) if self.failed => spoke + AFTER_FAILURE.min(self.lease / 3),
            Some(spoke) if has_reason => spoke + SPEAK_EVERY,
            None if has_reason => self.born,
            spoke => {
                let spoke = spoke.unwrap_or(self.born);
                let next = spoke + self.lease / 3;
                // Who has not spoken up until its word lapses is gone: nobody is shown as here past that.
                self.lapses.map_or(next, |lapses| next.min(lapses.max(spoke + SPEAK_EVERY)))
            }
        })
    }

    /// When those who were last heard of are given up; nothing if there are none.
    pub(crate) fn doubt_at(&self) -> Option<Instant> {
        self.heard.filter(|_| !self.others.is_empty()).map(|heard| heard + self.lease)
    }

    /// The others were asked before anybody was here: whoever comes first is announced at once.
    pub(crate) fn begins_with(&mut self, others: Here, holds_for: Option<Duration>, now: Instant) {
        self.said = Some(Word { change: 0, names: false });
        self.heard = Some(now);
        self.others = others;
        self.lapses = holds_for.map(|span| now + span);
    }

    /// Whether a word of this node should be taken back before it goes.
    pub(crate) fn is_remembered(&self) -> bool {
        self.remembered
    }

    /// A word is on its way that says who is here at this change, and whether that is anybody.
    pub(crate) fn speaks(&mut self, change: u64, names: bool, now: Instant) {
        self.spoke = Some(now);
        self.under_way = Some(Word { change, names });
        self.remembered |= names;
        // What changes while it is on its way is asked for again.
        self.curious = false;
    }

    /// The word was taken and answered.
    pub(crate) fn hears(&mut self, others: Here, holds_for: Option<Duration>, now: Instant) -> News {
        let anew = self.heard.is_none_or(|heard| now > heard + self.lease);
        self.said = self.under_way.take();
        self.remembered = self.said.is_some_and(|said| said.names);
        self.failed = false;
        self.heard = Some(now);
        self.lapses = holds_for.map(|span| now + span);
        let changed = self.others != others;
        News { gone: self.replace(others), changed, anew }
    }

    /// The word was not answered: it is not known whether anybody took it.
    pub(crate) fn fails(&mut self) {
        self.under_way = None;
        self.said = None;
        self.failed = true;
    }

    /// Gives up those of whom nothing was heard for a lease.
    pub(crate) fn doubts(&mut self, now: Instant) -> Vec<UserId> {
        if self.doubt_at().is_none_or(|doubt_at| doubt_at > now) {
            return Vec::new();
        }
        self.replace(Here::default())
    }

    fn replace(&mut self, others: Here) -> Vec<UserId> {
        let before = std::mem::replace(&mut self.others, others);
        before.iter().filter(|user| !self.others.holds(user)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    fn here(names: &[&str]) -> Here {
        names.iter().map(|name| name.parse::<UserId>().unwrap()).collect()
    }

    /// Has spoken at this change and was answered with these, all at the same moment.
    fn after(change: u64, others: &[&str]) -> (Elsewhere, Instant) {
        let now = Instant::now();
        let mut elsewhere = Elsewhere::new(LEASE, now);
        elsewhere.speaks(change, true, now);
        elsewhere.hears(here(others), None, now);
        (elsewhere, now)
    }

    #[test]
    fn the_first_word_is_said_at_once() {
        let now = Instant::now();
        let mut elsewhere = Elsewhere::new(LEASE, now);
        assert_eq!(elsewhere.speak_at(0), Some(now));
        elsewhere.begins_with(here(&["ana"]), None, now);
        assert_eq!(elsewhere.speak_at(0), Some(now + LEASE / 3), "there is nothing to say");
        assert_eq!(elsewhere.speak_at(1), Some(now), "there is");
    }

    #[test]
    fn a_change_is_said_soon_and_the_same_word_three_times_a_lease() {
        let (mut elsewhere, now) = after(1, &[]);
        assert_eq!(elsewhere.speak_at(1), Some(now + LEASE / 3));
        assert_eq!(elsewhere.speak_at(2), Some(now + SPEAK_EVERY));
        elsewhere.wonder();
        assert_eq!(elsewhere.speak_at(1), Some(now + SPEAK_EVERY), "also when another may have changed");
    }

    #[test]
    fn a_word_that_lapses_is_asked_after_at_that_moment() {
        let (mut elsewhere, now) = after(1, &["ana"]);
        elsewhere.speaks(1, true, now);
        elsewhere.hears(here(&["ana"]), Some(LEASE / 5), now);
        assert_eq!(elsewhere.speak_at(1), Some(now + LEASE / 5));
        elsewhere.speaks(1, true, now + LEASE / 5);
        elsewhere.hears(here(&[]), None, now + LEASE / 5);
        assert_eq!(elsewhere.speak_at(1), Some(now + LEASE / 5 + LEASE / 3));
    }

    #[test]
    fn one_word_is_under_way_at_a_time_and_what_changed_meanwhile_is_said_after_it() {
        let (mut elsewhere, now) = after(1, &[]);
        elsewhere.speaks(2, true, now);
        assert_eq!(elsewhere.speak_at(3), None);
        elsewhere.wonder();
        elsewhere.hears(here(&[]), None, now);
        assert_eq!(elsewhere.speak_at(2), Some(now + SPEAK_EVERY), "it wondered after it had asked");
    }

    #[test]
    fn what_was_heard_holds_for_a_lease_when_nothing_more_is_heard() {
        let (mut elsewhere, now) = after(1, &["ana", "bo"]);
        elsewhere.speaks(1, true, now + LEASE / 3);
        elsewhere.fails();
        assert_eq!(elsewhere.speak_at(1), Some(now + LEASE / 3 + AFTER_FAILURE));
        assert!(elsewhere.doubts(now + LEASE - Duration::from_millis(1)).is_empty());
        assert!(elsewhere.others().holds(&"ana".parse().unwrap()));
        assert_eq!(elsewhere.doubts(now + LEASE).len(), 2);
        assert!(elsewhere.others().is_empty() && elsewhere.doubt_at().is_none());
    }

    #[test]
    fn a_word_that_was_perhaps_taken_is_remembered_until_an_empty_one_is() {
        let (mut elsewhere, now) = after(1, &[]);
        assert!(elsewhere.is_remembered());
        elsewhere.speaks(2, false, now);
        assert!(elsewhere.is_remembered());
        elsewhere.fails();
        assert!(elsewhere.is_remembered());
        elsewhere.speaks(2, false, now);
        elsewhere.hears(here(&[]), None, now);
        assert!(!elsewhere.is_remembered());
    }

    #[test]
    fn who_is_no_longer_elsewhere_is_named() {
        let (mut elsewhere, now) = after(1, &["ana", "bo"]);
        elsewhere.speaks(1, true, now);
        let news = elsewhere.hears(here(&["bo", "cy"]), None, now);
        assert_eq!(news, News { gone: vec!["ana".parse().unwrap()], changed: true, anew: false });
        let news = elsewhere.hears(here(&["bo", "cy"]), None, now + LEASE);
        assert_eq!(news, News { gone: vec![], changed: false, anew: false });
        assert!(elsewhere.hears(here(&[]), None, now + LEASE * 3).anew, "it was silent for too long");
    }
}
