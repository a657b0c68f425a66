//! How often somebody may do something: so many in a period, with all of them allowed at once.
//!
//! Kept as one number, the moment at which the allowance is whole again. Time comes in as an argument, so
//! that the simulation throttles like the server.

use crate::limits::THROTTLED_ADDRESSES_MAX;
use parlor_rules::{Millis, Span};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// `burst` at once, then one every `every_us` microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    every_us: u64,
    burst: u64,
}

impl Pace {
    pub fn per(span: Span, count: u64, burst: u64) -> Pace {
        Pace { every_us: (span.0 * 1000 / count.max(1)).max(1), burst }
    }

    /// Takes one from an allowance that is whole again at `whole_us`; says whether there was one.
    pub fn take(self, whole_us: &mut u64, now: Millis) -> bool {
        let now_us = now.0 * 1000;
        let whole = (*whole_us).max(now_us) + self.every_us;
        if whole > now_us + self.every_us * self.burst {
            return false;
        }
        *whole_us = whole;
        true
    }
}

/// A pace for each address.
pub struct Throttle {
    pace: Pace,
    whole: Mutex<HashMap<IpAddr, u64>>,
}

impl Throttle {
    pub fn new(pace: Pace) -> Throttle {
        Throttle { pace, whole: Mutex::default() }
    }

    pub fn take(&self, address: IpAddr, now: Millis) -> bool {
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if whole.len() >= THROTTLED_ADDRESSES_MAX {
            whole.retain(|_, whole_us| *whole_us > now.0 * 1000);
        }
        if whole.len() >= THROTTLED_ADDRESSES_MAX && !whole.contains_key(&neighbourhood(address)) {
            return false; // So many active addresses at once is an attack; those not known yet wait.
        }
        self.pace.take(whole.entry(neighbourhood(address)).or_default(), now)
    }

    /// Whether nothing is left at this address; taking nothing.
    pub fn is_spent(&self, address: IpAddr, now: Millis) -> bool {
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.get(&neighbourhood(address)).is_some_and(|whole_us| !self.pace.take(&mut whole_us.clone(), now))
    }
}

/// One customer of an IPv6 network has a whole /64, so that counts as one address.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_the_pace() {
        let pace = Pace::per(Span::seconds(1), 10, 3);
        let mut whole = 0;
        let taken = |at: u64, whole: &mut u64| pace.take(whole, Millis(at));
        assert_eq!([0, 0, 0, 0].map(|at| taken(1000 + at, &mut whole)), [true, true, true, false]);
        assert!(!taken(1099, &mut whole));
        assert!(taken(1100, &mut whole));
        assert!(!taken(1101, &mut whole));
        assert_eq!([0, 0, 0, 0].map(|at| taken(9000 + at, &mut whole)), [true, true, true, false]);
    }

    #[test]
    fn asking_whether_it_is_spent_takes_nothing() {
        let throttle = Throttle::new(Pace::per(Span::minutes(1), 2, 2));
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        for _ in 0..2 {
            assert!(!throttle.is_spent(address, Millis(5)) && !throttle.is_spent(address, Millis(5)));
            assert!(throttle.take(address, Millis(5)));
        }
        assert!(throttle.is_spent(address, Millis(5)) && !throttle.take(address, Millis(5)));
        assert!(!throttle.is_spent(address, Millis(30_005)));
    }

    #[test]
    fn in_a_flood_of_addresses_those_already_known_keep_their_pace() {
        let throttle = Throttle::new(Pace::per(Span::minutes(1), 2, 2));
        for bits in 0..THROTTLED_ADDRESSES_MAX as u32 {
            assert!(throttle.take(IpAddr::V4(bits.into()), Millis(5)));
        }
        assert!(throttle.take(IpAddr::V4(7.into()), Millis(5)), "known, and has one left");
        assert!(!throttle.take("203.0.113.1".parse().unwrap(), Millis(5)), "not known yet, and waits");
        assert!(throttle.take("203.0.113.1".parse().unwrap(), Millis(60_005)), "the flood is over");
    }

    #[test]
    fn neighbours_share_their_allowance() {
        let throttle = Throttle::new(Pace::per(Span::minutes(1), 1, 1));
        assert!(throttle.take("2001:db8::1".parse().unwrap(), Millis(5)));
        assert!(!throttle.take("2001:db8::2".parse().unwrap(), Millis(5)));
        assert!(throttle.take("2001:db8:0:1::1".parse().unwrap(), Millis(5)));
        assert!(throttle.take("192.0.2.1".parse().unwrap(), Millis(5)));
        assert!(!throttle.take("::ffff:192.0.2.1".parse().unwrap(), Millis(5)));
    }
}
