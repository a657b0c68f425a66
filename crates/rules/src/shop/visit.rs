//! A visit: somebody is in the shop, unknown at first, and known once they have logged in.
//!
//! It ends when it is not used for a while, and at some time however much it is used; what is over is never honoured, even
//! where nobody has cleaned up yet.

use super::names::Shopper;
use crate::secret::SecretHash;
use crate::time::{Millis, Span};

/// How many items a visit remembers to have looked at (document 004).
pub const VIEWED_MAX: usize = 25;
/// How many visits there are at most (document 004); the oldest go first.
pub const VISITS_MAX: u64 = 10_000_000;
/// How many one shopper may have at once; the oldest ends when there is one more.
pub const VISITS_PER_SHOPPER_MAX: usize = 32;

#[derive(Clone, PartialEq, Eq)]
pub struct Visit {
    /// The token's hash; the token itself is known to the visitor alone.
    pub token: SecretHash,
    pub shopper: Option<Shopper>,
    /// Whose token the cart rests under: the visit's own, or that of the shopper's first one.
    pub cart: SecretHash,
    pub since: Millis,
    pub last_used: Millis,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    Guest,
    Shopper,
}

/// How long visits and carts last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lifetimes {
    pub guest_idle: Span,
    pub shopper_idle: Span,
    /// However much it is used.
    pub longest: Span,
    /// A cart that nobody changes.
    pub guest_cart: Span,
    pub shopper_cart: Span,
}

const DAY: u64 = 24 * 60;

impl Default for Lifetimes {
    fn default() -> Lifetimes {
        let days = |days| Span::minutes(days * DAY);
        Lifetimes {
            guest_idle: days(14),
            shopper_idle: days(30),
            longest: days(180),
            guest_cart: days(14),
            shopper_cart: days(90),
        }
    }
}

impl Lifetimes {
    pub fn idle(&self, class: Class) -> Span {
        match class {
            Class::Guest => self.guest_idle,
            Class::Shopper => self.shopper_idle,
        }
    }

    pub fn cart(&self, class: Class) -> Span {
        match class {
            Class::Guest => self.guest_cart,
            Class::Shopper => self.shopper_cart,
        }
    }
}

impl Visit {
    pub fn class(&self) -> Class {
        if self.shopper.is_some() { Class::Shopper } else { Class::Guest }
    }

    /// When it ends unless it is used.
    pub fn idle_until(&self, lifetimes: &Lifetimes) -> Millis {
        (self.last_used + lifetimes.idle(self.class())).min(self.ends(lifetimes))
    }

    /// When it ends however much it is used.
    pub fn ends(&self, lifetimes: &Lifetimes) -> Millis {
        self.since + lifetimes.longest
    }

    pub fn lives(&self, lifetimes: &Lifetimes, now: Millis) -> bool {
        now < self.idle_until(lifetimes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h145_a_visit_ends_by_idleness_and_by_age() {
        let lifetimes = Lifetimes { guest_idle: Span(10), shopper_idle: Span(20), longest: Span(50), ..Lifetimes::default() };
        let token = SecretHash::of(b"t");
        let visit = |shopper: Option<&str>, last_used| Visit {
            token,
            shopper: shopper.map(|name| name.parse().unwrap()),
            cart: token,
            since: Millis(100),
            last_used: Millis(last_used),
        };
        // Who, last used, now, and whether it lives.
        let cases = [
            (None, 100, 109, true),
            (None, 100, 110, false),
            (Some("ana"), 100, 119, true),
            (Some("ana"), 100, 120, false),
            (Some("ana"), 149, 149, true),
            (Some("ana"), 149, 150, false),
            (None, 149, 150, false),
        ];
        for (who, last_used, now, lives) in cases {
            assert_eq!(visit(who, last_used).lives(&lifetimes, Millis(now)), lives, "{who:?} {last_used} {now}");
        }
    }
}
