//! Numbers inside a JSON value: decimal, exact, and within what every store can keep exactly.

use super::{DIGITS_MAX, NotJson};

/// The place of the first digit that means something: 1e-130 to just under 1e126.
const PLACES: std::ops::Range<i64> = -130..126;

/// Where the number that begins here ends.
pub(super) fn end(bytes: &[u8], start: usize) -> Result<usize, NotJson> {
    let digits_from = |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = start + usize::from(bytes[start] == b'-');
    let mut at = whole + digits_from(whole);
    let whole = &bytes[whole..at];
    if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
        return Err(NotJson::Form);
    }
    let mut fraction: &[u8] = &[];
    if bytes.get(at) == Some(&b'.') {
        fraction = &bytes[at + 1..at + 1 + digits_from(at + 1)];
        if fraction.is_empty() {
            return Err(NotJson::Form);
        }
        at += 1 + fraction.len();
    }
    let mut exponent = 0;
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = bytes.get(at + 1).filter(|sign| matches!(sign, b'+' | b'-'));
        at += 1 + usize::from(sign.is_some());
        let digits = &bytes[at..at + digits_from(at)];
        if digits.is_empty() {
            return Err(NotJson::Form);
        }
        at += digits.len();
        let size = digits.iter().fold(0i64, |size, digit| size.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
        exponent = if sign == Some(&b'-') { -size } else { size };
    }
    if fits(whole, fraction, exponent) { Ok(at) } else { Err(NotJson::Number) }
}

fn fits(whole: &[u8], fraction: &[u8], exponent: i64) -> bool {
    let digits = || whole.iter().chain(fraction);
    let Some(first) = digits().position(|digit| *digit != b'0') else { return true };
    // Zeros at either end only say how large it is.
    let all = whole.len() + fraction.len();
    let last = all - fraction.iter().rev().chain(whole.iter().rev()).take_while(|digit| **digit == b'0').count();
    let place = exponent.saturating_add(whole.len() as i64 - 1 - first as i64);
    last - first <= DIGITS_MAX && PLACES.contains(&place)
}
