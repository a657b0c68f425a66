//! Where an item stands in a list: a text between those of its neighbours, compared byte by byte.
//!
//! An order is a whole number of seven digits to the base 62, then, where two neighbours have no whole number between them,
//! more digits, like those after a decimal point. Only the room makes orders, so they are never taken from a message.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Order(Arc<str>);

/// No order is longer than this; before one would be, its neighbours are given room.
pub const ORDER_CHARS_MAX: usize = 48;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an order is 1 to {ORDER_CHARS_MAX} letters and digits, as this server gave it")]
pub struct NotAnOrder;

/// In the order of their bytes, so that texts compare as the numbers they spell.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE: u128 = 62;
const WHOLE_CHARS: usize = 7;
/// One more than the largest whole number.
const WHOLES: u128 = BASE.pow(WHOLE_CHARS as u32);
/// Where a list begins, so that there is as much room before as after.
const MIDDLE: u128 = WHOLES / 2;
/// So many digits make a number that fits 128 bits.
const NUMBER_CHARS_MAX: usize = 20;
/// How far apart those are that are spread anew.
const SPREAD_GAP: u128 = BASE;

impl Order {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// An order strictly between two neighbours, or beyond the only one; none if it would be too long.
    pub(super) fn between(low: Option<&Order>, high: Option<&Order>) -> Option<Order> {
        let (low, high) = match (low, high) {
            (None, None) => return Some(Order::whole_number(MIDDLE)),
            (Some(low), None) if low.whole() + 1 < WHOLES => return Some(Order::whole_number(low.whole() + 1)),
            (Some(low), None) => return low.and_digits(&midway(low.fraction(), None)?),
            (None, Some(high)) if high.whole() > 0 => return Some(Order::whole_number(high.whole() - 1)),
            (None, Some(high)) => return high.and_digits(&midway(&[], Some(high.fraction()))?),
            (Some(low), Some(high)) => (low, high),
        };
        // With a fraction, its whole part alone is before it.
        let wholes = low.whole() + 1..high.whole() + u128::from(!high.fraction().is_empty());
        if !wholes.is_empty() {
            return Some(Order::whole_number(wholes.start.midpoint(wholes.end - 1)));
        }
        let bound = (low.whole() == high.whole()).then(|| high.fraction());
        low.and_digits(&midway(low.fraction(), bound)?)
    }

    /// So many orders between two neighbours, far enough from each other and not longer than told; none if there is no room.
    pub(super) fn spread(low: Option<&Order>, high: Option<&Order>, count: usize, chars_max: usize) -> Option<Vec<Order>> {
        let span = SPREAD_GAP * count as u128;
        let from = match (low, high) {
            (None, None) => Some(MIDDLE - (span / 2).min(MIDDLE)),
            (Some(low), None) => Some(low.whole() + SPREAD_GAP).filter(|from| from + span <= WHOLES),
            (None, Some(high)) => high.whole().checked_sub(span),
            (Some(_), Some(_)) => None,
        };
        if let Some(from) = from {
            return Some((0..count as u128).map(|place| Order::whole_number(from + place * SPREAD_GAP)).collect());
        }
        let low = low.map_or([0; ORDER_CHARS_MAX], |low| low.digits());
        let high = high.map_or([DIGITS.len() as u8 - 1; ORDER_CHARS_MAX], |high| high.digits());
        let same = low.iter().zip(&high).take_while(|(low, high)| low == high).count();
        // What both begin with, all between them begin with.
        (WHOLE_CHARS.max(same + 1)..=chars_max.min(same + NUMBER_CHARS_MAX)).find_map(|chars| {
            let low_number = number(&low[same..chars]);
            let gap = number(&high[same..chars]).checked_sub(low_number)? / (count as u128 + 1);
            let order = |place: u128| {
                let mut digits = low;
                write(&mut digits[same..chars], low_number + place * gap);
                Order::spelt(&digits[..chars])
            };
            (gap >= SPREAD_GAP).then(|| (1..=count as u128).map(order).collect())
        })
    }

    /// The order that is this whole number.
    fn whole_number(whole: u128) -> Order {
        let mut digits = [0; WHOLE_CHARS];
        write(&mut digits, whole);
        Order::spelt(&digits)
    }

    /// Zeros at the end of a fraction say nothing, and without them there is always room below.
    fn spelt(digits: &[u8]) -> Order {
        let zeros = digits.iter().skip(WHOLE_CHARS).rev().take_while(|digit| **digit == 0).count();
        let digits = digits[..digits.len() - zeros].iter();
        Order(digits.map(|digit| char::from(DIGITS[usize::from(*digit)])).collect::<String>().into())
    }

    /// Its first digits; those it does not have are zeros.
    fn digits<const COUNT: usize>(&self) -> [u8; COUNT] {
        let mut digits = self.0.bytes().map(value);
        std::array::from_fn(|_| digits.next().unwrap_or(0))
    }

    fn whole(&self) -> u128 {
        number(&self.digits::<WHOLE_CHARS>())
    }

    fn fraction(&self) -> &[u8] {
        self.0.as_bytes().get(WHOLE_CHARS..).unwrap_or_default()
    }

    /// The same whole number with these digits after it, if that is not too long.
    fn and_digits(&self, fraction: &[u8]) -> Option<Order> {
        let digits = [&self.digits::<WHOLE_CHARS>(), fraction].concat();
        (digits.len() <= ORDER_CHARS_MAX).then(|| Order::spelt(&digits))
    }
}

fn number(digits: &[u8]) -> u128 {
    digits.iter().fold(0, |number, digit| number * BASE + u128::from(*digit))
}

fn write(digits: &mut [u8], mut number: u128) {
    for digit in digits.iter_mut().rev() {
        *digit = (number % BASE) as u8;
        number /= BASE;
    }
}

/// The digits of a fraction strictly between two, about in the middle and as short as can be; never with a zero at its end,
/// below which there would be no room. Without an upper bound it is below one.
fn midway(low: &[u8], high: Option<&[u8]>) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    let mut high = high;
    while digits.len() < ORDER_CHARS_MAX {
        let place = digits.len();
        let least = low.get(place).map_or(0, |digit| value(*digit));
        let most = match high {
            Some(high) => value(*high.get(place)?),
            None => DIGITS.len() as u8,
        };
        match most.checked_sub(least)? {
            0 => digits.push(least),
            1 if high.is_some_and(|high| high.len() > place + 1) => {
                // The upper bound without its last digits is below it.
                digits.push(most);
                return Some(digits);
            }
            1 => {
                // From here on it is below the upper bound, whatever follows.
                digits.push(least);
                high = None;
            }
            _ => {
                digits.push(least.midpoint(most));
                return Some(digits);
            }
        }
    }
    None
}

fn value(digit: u8) -> u8 {
    DIGITS.binary_search(&digit).unwrap_or(0) as u8
}

impl FromStr for Order {
    type Err = NotAnOrder;
    fn from_str(text: &str) -> Result<Order, NotAnOrder> {
        let plain = !text.is_empty() && text.len() <= ORDER_CHARS_MAX && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if plain { Ok(Order(text.into())) } else { Err(NotAnOrder) }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
