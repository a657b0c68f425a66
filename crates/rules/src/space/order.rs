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
/// Orders that are spread anew are at most this long, less than half of what they may be; a number so long fits 128 bits.
const SPREAD_CHARS_MAX: usize = 21;
/// How far apart those are that are spread anew.
const SPREAD_GAP: u128 = BASE;

impl Order {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// An order strictly between two neighbours, or beyond the only one; none if it would be too long.
    pub(super) fn between(low: Option<&Order>, high: Option<&Order>) -> Option<Order> {
        let (low, high) = match (low, high) {
            (None, None) => return Some(Order::number(MIDDLE, WHOLE_CHARS)),
            (Some(low), None) if low.whole() + 1 < WHOLES => return Some(Order::number(low.whole() + 1, WHOLE_CHARS)),
            (Some(low), None) => return low.and_digits(midway(low.fraction(), None)?),
            (None, Some(high)) if high.whole() > 0 => return Some(Order::number(high.whole() - 1, WHOLE_CHARS)),
            (None, Some(high)) => return high.and_digits(midway(&[], Some(high.fraction()))?),
            (Some(low), Some(high)) => (low, high),
        };
        // With a fraction, its whole part alone is before it.
        let wholes = low.whole() + 1..high.whole() + u128::from(!high.fraction().is_empty());
        if !wholes.is_empty() {
            return Some(Order::number(wholes.start.midpoint(wholes.end - 1), WHOLE_CHARS));
        }
        let bound = (low.whole() == high.whole()).then(|| high.fraction());
        low.and_digits(midway(low.fraction(), bound)?)
    }

    /// So many orders between two neighbours, far enough from each other; none if there is no room for short ones.
    pub(super) fn spread(low: Option<&Order>, high: Option<&Order>, count: usize) -> Option<Vec<Order>> {
        let span = SPREAD_GAP * count as u128;
        let from = match (low, high) {
            (None, None) => Some(MIDDLE - (span / 2).min(MIDDLE)),
            (Some(low), None) => Some(low.whole() + SPREAD_GAP).filter(|from| from + span <= WHOLES),
            (None, Some(high)) => high.whole().checked_sub(span),
            (Some(_), Some(_)) => None,
        };
        if let Some(from) = from {
            return Some((0..count as u128).map(|place| Order::number(from + place * SPREAD_GAP, WHOLE_CHARS)).collect());
        }
        (WHOLE_CHARS..=SPREAD_CHARS_MAX).find_map(|chars| {
            let low = low.map_or(0, |low| low.to_number(chars));
            let high = high.map_or(BASE.pow(chars as u32), |high| high.to_number(chars));
            let gap = high.checked_sub(low)? / (count as u128 + 1);
            (gap >= SPREAD_GAP).then(|| (1..=count as u128).map(|place| Order::number(low + place * gap, chars)).collect())
        })
    }

    /// The order that this number of so many digits is; zeros at the end of a fraction say nothing, and without them there is
    /// always room below.
    fn number(mut number: u128, chars: usize) -> Order {
        let mut text = vec![b'0'; chars];
        for digit in text.iter_mut().rev() {
            *digit = DIGITS[(number % BASE) as usize];
            number /= BASE;
        }
        while text.len() > WHOLE_CHARS && text.last() == Some(&b'0') {
            text.pop();
        }
        Order(text.into_iter().map(char::from).collect::<String>().into())
    }

    /// The number of its first so many digits; those it does not have are zeros.
    fn to_number(&self, chars: usize) -> u128 {
        let digits = self.0.bytes().map(value).chain(std::iter::repeat(0));
        digits.take(chars).fold(0, |number, digit| number * BASE + u128::from(digit))
    }

    fn whole(&self) -> u128 {
        self.to_number(WHOLE_CHARS)
    }

    fn fraction(&self) -> &[u8] {
        self.0.as_bytes().get(WHOLE_CHARS..).unwrap_or_default()
    }

    /// The same whole number with these digits after it, if that is not too long.
    fn and_digits(&self, fraction: Vec<u8>) -> Option<Order> {
        let whole = Order::number(self.whole(), WHOLE_CHARS);
        let fraction = fraction.into_iter().map(|digit| char::from(DIGITS[usize::from(digit)]));
        let text: String = whole.0.chars().chain(fraction).collect();
        (text.len() <= ORDER_CHARS_MAX).then(|| Order(text.into()))
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
