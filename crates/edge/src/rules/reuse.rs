//! Whether a kept answer may be used for this request now (RFC 9111 section 4, 5.2.1, RFC 5861).

use super::directives::{Directives, Seconds};
use super::storable::Policy;
use crate::clock::Millis;

/// What a kept answer is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Fresh,
    /// It may be shown, and somebody should ask the origin meanwhile.
    Stale,
    /// The origin must be asked first.
    Validate,
}

/// A kept answer, as far as time goes.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    pub policy: &'a Policy,
    pub received: Millis,
    /// When it was softly purged.
    pub purged: Option<Millis>,
}

/// What the house allows where the RFCs leave a choice.
#[derive(Debug, Clone, Copy)]
pub struct Leave {
    /// How long a softly purged page may be shown while it is fetched anew.
    pub soft_for: Seconds,
    /// How long a stale page may be shown while the origin cannot be reached.
    pub down_for: Seconds,
}

impl Held<'_> {
    pub fn age_ms(&self, now: Millis) -> Millis {
        u64::from(self.policy.initial_age) * 1000 + now.saturating_sub(self.received)
    }

    pub fn age(&self, now: Millis) -> Seconds {
        (self.age_ms(now) / 1000).min(u64::from(super::directives::SECONDS_MAX)) as Seconds
    }

    /// How long it has been stale; `None` while it is fresh.
    fn stale_ms(&self, now: Millis) -> Option<Millis> {
        let by_age = self.age_ms(now).checked_sub(u64::from(self.policy.fresh_for) * 1000);
        let by_purge = self.purged.map(|purged| now.saturating_sub(purged));
        by_age.max(by_purge)
    }

    pub fn decide(&self, asked: &Directives, leave: Leave, now: Millis) -> Use {
        let Policy { no_cache, must_revalidate, s_maxage, .. } = *self.policy;
        if asked.no_cache || no_cache {
            return Use::Validate;
        }
        let age = self.age_ms(now);
        if asked.max_age.is_some_and(|most| age > u64::from(most) * 1000 && asked.max_stale.is_none()) {
            return Use::Validate;
        }
        let Some(stale) = self.stale_ms(now) else {
            let left = (u64::from(self.policy.fresh_for) * 1000).saturating_sub(age);
            let enough = asked.min_fresh.is_none_or(|least| left >= u64::from(least) * 1000);
            return if enough { Use::Fresh } else { Use::Validate };
        };
        if must_revalidate || asked.min_fresh.is_some() {
            return Use::Validate;
        }
        let mut allowed = self.policy.stale_while_revalidate;
        if !s_maxage {
            allowed = allowed.max(asked.max_stale.unwrap_or(0));
        }
        if self.purged.is_some() {
            allowed = allowed.max(leave.soft_for);
        }
        if stale < u64::from(allowed) * 1000 { Use::Stale } else { Use::Validate }
    }

    /// Whether it may be shown although the origin failed: `down` when it could not be reached at all, else it answered 5xx.
    pub fn helps(&self, asked: &Directives, leave: Leave, down: bool, now: Millis) -> bool {
        let Policy { no_cache, must_revalidate, s_maxage, stale_if_error, .. } = *self.policy;
        if no_cache || must_revalidate {
            return false;
        }
        let named = stale_if_error.max(asked.stale_if_error);
        let unnamed = if down && !s_maxage { leave.down_for } else { 0 };
        let allowed = named.unwrap_or(unnamed);
        self.stale_ms(now).is_none_or(|stale| stale < u64::from(allowed) * 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::super::storable::Rule;
    use super::*;

    const LEAVE: Leave = Leave { soft_for: 30, down_for: 600 };

    fn policy() -> Policy {
        Policy {
            rule: Rule::Explicit,
            fresh_for: 60,
            initial_age: 10,
            no_cache: false,
            must_revalidate: false,
            s_maxage: false,
            stale_while_revalidate: 0,
            stale_if_error: None,
            no_transform: false,
        }
    }

    fn used(policy: Policy, asked: Directives, purged: Option<Millis>, after_s: u64) -> Use {
        Held { policy: &policy, received: 1_000_000, purged }.decide(&asked, LEAVE, 1_000_000 + after_s * 1000)
    }

    #[test]
    fn fresh_until_its_time_is_over() {
        let nothing = Directives::default();
        assert_eq!(used(policy(), nothing.clone(), None, 49), Use::Fresh);
        assert_eq!(used(policy(), nothing.clone(), None, 50), Use::Validate);
        let swr = Policy { stale_while_revalidate: 20, ..policy() };
        assert_eq!(used(swr, nothing.clone(), None, 50), Use::Stale);
        assert_eq!(used(swr, nothing.clone(), None, 70), Use::Validate);
        let must = Policy { must_revalidate: true, ..swr };
        assert_eq!(used(must, nothing.clone(), None, 50), Use::Validate);
        let shared = Policy { s_maxage: true, ..swr };
        assert_eq!(used(shared, nothing.clone(), None, 50), Use::Stale);
        assert_eq!(used(Policy { no_cache: true, ..policy() }, nothing, None, 0), Use::Validate);
    }

    #[test]
    fn a_request_may_be_stricter_or_laxer() {
        let asked = |change: fn(&mut Directives)| {
            let mut asked = Directives::default();
            change(&mut asked);
            asked
        };
        assert_eq!(used(policy(), asked(|it| it.no_cache = true), None, 0), Use::Validate);
        assert_eq!(used(policy(), asked(|it| it.max_age = Some(15)), None, 4), Use::Fresh);
        assert_eq!(used(policy(), asked(|it| it.max_age = Some(15)), None, 6), Use::Validate);
        assert_eq!(used(policy(), asked(|it| it.min_fresh = Some(40)), None, 5), Use::Fresh);
        assert_eq!(used(policy(), asked(|it| it.min_fresh = Some(40)), None, 15), Use::Validate);
        assert_eq!(used(policy(), asked(|it| it.max_stale = Some(10)), None, 55), Use::Stale);
        assert_eq!(used(policy(), asked(|it| it.max_stale = Some(10)), None, 65), Use::Validate);
        let shared = Policy { s_maxage: true, ..policy() };
        assert_eq!(used(shared, asked(|it| it.max_stale = Some(10)), None, 55), Use::Validate);
    }

    #[test]
    fn a_soft_purge_makes_stale_and_not_gone() {
        let nothing = Directives::default();
        assert_eq!(used(policy(), nothing.clone(), Some(1_000_000), 0), Use::Stale);
        assert_eq!(used(policy(), nothing.clone(), Some(1_000_000), 29), Use::Stale);
        assert_eq!(used(policy(), nothing.clone(), Some(1_000_000), 30), Use::Validate);
        let must = Policy { must_revalidate: true, ..policy() };
        assert_eq!(used(must, nothing, Some(1_000_000), 0), Use::Validate);
    }

    #[test]
    fn what_helps_when_the_origin_fails() {
        let helps = |policy: Policy, asked: Option<Seconds>, down, after_s: u64| {
            let asked = Directives { stale_if_error: asked, ..Directives::default() };
            Held { policy: &policy, received: 0, purged: None }.helps(&asked, LEAVE, down, after_s * 1000)
        };
        assert!(helps(policy(), None, true, 600), "an origin that is down does not take its pages with it");
        assert!(!helps(policy(), None, true, 650));
        assert!(!helps(policy(), None, false, 60), "a 5xx is an answer, unless stale-if-error says otherwise");
        assert!(helps(policy(), Some(20), false, 60));
        let named = Policy { stale_if_error: Some(20), ..policy() };
        assert!(helps(named, None, false, 69));
        assert!(!helps(named, None, true, 70));
        for forbidden in [Policy { must_revalidate: true, ..named }, Policy { no_cache: true, ..named }] {
            assert!(!helps(forbidden, None, true, 60));
        }
        assert!(!helps(Policy { s_maxage: true, ..policy() }, None, true, 60));
    }
}
