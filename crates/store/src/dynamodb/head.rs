//! A room's head: where the room stands, until when, and which items its last commits wrote.

use super::attribute::{Attribute, Attributes};
use super::form::{Change, OWN};
use crate::error::StoreError;
use parlor_rules::position::{Mark, Place};
use parlor_rules::time::{Millis, Span};
use std::collections::{BTreeMap, VecDeque};

/// Commits whose items the head names: more can hardly fall into the time in which one page is read.
pub(super) const TOUCHES_MAX: usize = 4;
/// A commit that wrote more items than this is named by their number alone.
const NAMED_MAX: usize = 16;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Head {
    pub(super) place: Place,
    pub(super) life: String,
    pub(super) deadline: Option<Millis>,
    /// Until when, in seconds, no item of the room is deleted by the service; nothing: for ever.
    pub(super) kept: Option<u64>,
    pub(super) touched: VecDeque<Touched>,
    pub(super) form: Attributes,
}

/// What one commit wrote, besides the head.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Touched {
    pub(super) seq: u64,
    pub(super) what: Items,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Items {
    /// Whether each is there after the commit.
    Named(BTreeMap<String, bool>),
    /// How many there are that it wrote.
    Counted(u64),
}

/// What a head's item says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Standing {
    Room(Head),
    /// Somebody is laying a large room down and holds the place until then.
    Claimed {
        claim: String,
        until: Millis,
    },
    /// A room was closed here, of this life, and its items are perhaps not cleared away yet.
    Closed {
        life: String,
    },
}

impl Touched {
    pub(super) fn of(seq: u64, changes: &[Change]) -> Touched {
        let items = changes.iter().filter(|change| change.sk() != super::form::HEAD);
        let named: BTreeMap<String, bool> =
            items.map(|change| (change.sk().to_owned(), !matches!(change, Change::Drop { .. }))).collect();
        let there = named.values().filter(|there| **there).count() as u64;
        Touched { seq, what: if named.len() > NAMED_MAX { Items::Counted(there) } else { Items::Named(named) } }
    }
}

impl Head {
    pub(super) fn is_live(&self, now: Millis) -> bool {
        self.deadline.is_none_or(|deadline| deadline > now)
    }

    /// Notes what the commit that leads here wrote, and forgets what is long ago.
    pub(super) fn touch(&mut self, touched: Touched) {
        // A number can be checked only as long as nothing else was written since.
        self.touched.retain(|earlier| matches!(earlier.what, Items::Named(_)));
        self.touched.push_back(touched);
        while self.touched.len() > TOUCHES_MAX {
            self.touched.pop_front();
        }
    }

    pub(super) fn attributes(&self) -> Attributes {
        let mut attributes = self.form.clone();
        let own = [
            ("position", Some(Attribute::text(self.place.position.to_string()))),
            ("mark", Some(Attribute::text(self.place.mark.to_string()))),
            ("life", Some(Attribute::text(&*self.life))),
            ("endsAt", self.deadline.map(|deadline| Attribute::number(deadline.0))),
            ("ttl", self.deadline.map(|deadline| Attribute::number(seconds_after(deadline)))),
            ("kept", self.kept.map(Attribute::number)),
            ("touched", Some(Attribute::List(self.touched.iter().flat_map(Touched::words).map(Attribute::Text).collect()))),
        ];
        attributes.extend(own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        attributes
    }
}

/// How far behind the service's clock ours may be without the service deleting what is not over yet.
const SLACK: Span = Span::minutes(60);

/// A second at which the moment is surely over, whatever clock the service goes by: it deletes late anyway.
pub(super) fn seconds_after(moment: Millis) -> u64 {
    (moment + SLACK).0.div_ceil(1000)
}

impl Standing {
    pub(super) fn read(mut attributes: Attributes) -> Result<Standing, StoreError> {
        let wrong = |what: &str| StoreError::Damaged(format!("a room's head has no {what} that can be read"));
        let text = |name: &str| attributes.get(name).and_then(Attribute::as_text);
        let number = |name: &str| attributes.get(name).and_then(Attribute::as_u64);
        let Some(position) = text("position") else {
            if let (Some(claim), Some(until)) = (text("claim"), number("endsAt")) {
                return Ok(Standing::Claimed { claim: claim.into(), until: Millis(until) });
            }
            return Ok(Standing::Closed { life: text("closed").ok_or_else(|| wrong("position"))?.into() });
        };
        let position = position.parse().map_err(|_| wrong("position"))?;
        let mark: Mark = text("mark").and_then(|mark| mark.parse().ok()).ok_or_else(|| wrong("mark"))?;
        let life = text("life").ok_or_else(|| wrong("life"))?.to_owned();
        let touched = match attributes.get("touched") {
            Some(Attribute::List(words)) => words.iter().map(Attribute::as_text).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let touched = touched.and_then(|words| Touched::read(&words)).ok_or_else(|| wrong("list of what was written"))?;
        let (deadline, kept) = (number("endsAt").map(Millis), number("kept"));
        let head = |form| Head { place: Place { position, mark }, life, deadline, kept, touched, form };
        attributes.retain(|name, _| !OWN.contains(&&**name));
        Ok(Standing::Room(head(attributes)))
    }

    pub(super) fn live(self, now: Millis) -> Option<Head> {
        match self {
            Standing::Room(head) if head.is_live(now) => Some(head),
            Standing::Room(_) | Standing::Claimed { .. } | Standing::Closed { .. } => None,
        }
    }
}

impl Touched {
    /// `12+USER:ana`, `12-USER:bo` for one that is gone, `12*50` for a number.
    fn words(&self) -> Vec<String> {
        let seq = self.seq;
        match &self.what {
            Items::Named(named) if named.is_empty() => vec![format!("{seq}*0")],
            Items::Named(named) => {
                named.iter().map(|(sk, there)| format!("{seq}{}{sk}", if *there { '+' } else { '-' })).collect()
            }
            Items::Counted(count) => vec![format!("{seq}*{count}")],
        }
    }

    fn read(words: &[&str]) -> Option<VecDeque<Touched>> {
        let mut all: VecDeque<Touched> = VecDeque::new();
        for word in words {
            let at = word.find(|letter: char| !letter.is_ascii_digit())?;
            let seq = word[..at].parse().ok()?;
            let rest = &word[at + 1..];
            let there = match word.as_bytes()[at] {
                b'*' => {
                    let count = rest.parse().ok()?;
                    let what = if count == 0 { Items::Named(BTreeMap::new()) } else { Items::Counted(count) };
                    all.push_back(Touched { seq, what });
                    continue;
                }
                b'+' => true,
                b'-' => false,
                _ => return None,
            };
            match all.back_mut() {
                Some(Touched { seq: last, what: Items::Named(named) }) if *last == seq => drop(named.insert(rest.into(), there)),
                _ => all.push_back(Touched { seq, what: Items::Named([(rest.to_owned(), there)].into()) }),
            }
        }
        Some(all)
    }
}

/// How much longer than the room its items are kept from the service's deleting, and how much of that may be used up before
/// they are all renewed: a deadline moves with every act, while most items are not written for days.
const KEPT_LONGER: Span = Span::minutes(48 * 60);
const KEPT_LONGER_MIN: Span = Span::minutes(24 * 60);
const KEPT_LONGER_MAX: Span = Span::minutes(14 * 24 * 60);

/// Until when an item written now is kept.
pub(super) fn keep(deadline: Option<Millis>) -> Option<u64> {
    deadline.map(|deadline| seconds_after(deadline + KEPT_LONGER))
}

/// Whether all items must be renewed, being kept until `kept`.
pub(super) fn must_renew(kept: Option<u64>, deadline: Option<Millis>) -> bool {
    match (kept, deadline) {
        (None, None) => false,
        (Some(kept), Some(deadline)) => {
            kept < seconds_after(deadline + KEPT_LONGER_MIN) || kept > seconds_after(deadline + KEPT_LONGER_MAX)
        }
        (Some(_), None) | (None, Some(_)) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::position::Position;

    fn head() -> Head {
        Head {
            place: Place { position: Position { epoch: 7, seq: 3 }, mark: Mark(9) },
            life: "7.abc".into(),
            deadline: Some(Millis(12_345)),
            kept: Some(99),
            touched: VecDeque::new(),
            form: [("hostKey".to_owned(), Attribute::text("x"))].into(),
        }
    }

    #[test]
    fn a_head_comes_back_whole() {
        let mut head = head();
        let named = |names: &[(&str, bool)]| Items::Named(names.iter().map(|(sk, there)| ((*sk).into(), *there)).collect());
        for (seq, what) in [(1, named(&[("USER:1-2*3", true), ("b", false)])), (2, named(&[])), (3, Items::Counted(50))] {
            head.touch(Touched { seq, what });
            assert_eq!(Standing::read(head.attributes()), Ok(Standing::Room(head.clone())));
        }
        head.touch(Touched { seq: 4, what: named(&[("a", true)]) });
        let seqs: Vec<u64> = head.touched.iter().map(|touched| touched.seq).collect();
        assert_eq!(seqs, [1, 2, 4], "a number is of no use when something was written since");
        for seq in 5..20 {
            head.touch(Touched { seq, what: named(&[("a", true)]) });
        }
        assert_eq!(head.touched.len(), TOUCHES_MAX);
        assert!(Standing::read(head.attributes()).expect("readable").live(Millis(12_345)).is_none(), "it has ended");
    }

    #[test]
    fn what_is_no_head_is_said_to_be_none() {
        for name in ["position", "mark", "life", "touched"] {
            let mut attributes = head().attributes();
            attributes.remove(name);
            assert!(matches!(Standing::read(attributes), Err(StoreError::Damaged(_))), "without {name}");
        }
    }

    #[test]
    fn items_outlive_their_room_and_are_renewed_in_time() {
        let day = Span::minutes(24 * 60);
        let deadline = Millis(1_000_000_000_000);
        assert!(!must_renew(keep(Some(deadline)), Some(deadline)));
        assert!(!must_renew(keep(Some(deadline)), Some(deadline + Span::minutes(23 * 60))));
        assert!(must_renew(keep(Some(deadline)), Some(deadline + day + Span(1000))), "with a day to spare");
        assert!(must_renew(None, Some(deadline)), "it would stay for ever");
        assert!(must_renew(keep(Some(deadline)), None), "it would go although the room stays");
        assert!(!must_renew(None, None));
    }
}
