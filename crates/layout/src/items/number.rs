//! Numbers as the service keeps them: the number, not how it was written.

/// Digits that mean something.
const DIGITS_MAX: usize = 38;
/// The place of the first of them: 1e-130 to just under 1e126.
const PLACES: std::ops::Range<i64> = -130..126;

/// The number in the plainest way of writing it: no exponent, no zeros that say nothing, no sign at zero. Nothing when this is no
/// number, or none that the service keeps exactly.
pub(crate) fn plain(text: &str) -> Option<String> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], exponent(&rest[at + 1..])?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let meaning = digits.trim_matches('0');
    if meaning.is_empty() {
        return Some("0".to_owned());
    }
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    // Where the point stands, counted from the first digit that means something.
    let point = exponent.checked_add(whole.len() as i64 - zeros as i64)?;
    if meaning.len() > DIGITS_MAX || !PLACES.contains(&(point - 1)) {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    Some(match usize::try_from(point) {
        Ok(point) if point >= meaning.len() => format!("{sign}{meaning}{}", "0".repeat(point - meaning.len())),
        Ok(point) if point > 0 => format!("{sign}{}.{}", &meaning[..point], &meaning[point..]),
        Ok(_) | Err(_) => format!("{sign}0.{}{meaning}", "0".repeat(point.unsigned_abs() as usize)),
    })
}

fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Zero has any exponent; a larger one than this is of no number that is kept.
    let size: i64 = digits.parse().unwrap_or(1 << 40);
    Some(if text.starts_with('-') { -size.min(1 << 40) } else { size.min(1 << 40) })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_number_has_one_plain_form() {
        for (written, is) in [
            ("0", "0"),
            ("-0", "0"),
            ("0.000", "0"),
            ("0e999999999999999999999", "0"),
            ("1.0", "1"),
            ("1e2", "100"),
            ("1E+2", "100"),
            ("+12.50", "12.5"),
            ("-0.50e-3", "-0.0005"),
            ("0.1", "0.1"),
            ("10", "10"),
            ("100.001e1", "1000.01"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ] {
            assert_eq!(plain(written).as_deref(), Some(is), "{written}");
        }
        assert_eq!(plain("1e125").map(|text| text.len()), Some(126));
        assert_eq!(plain("1e-130").map(|text| text.len()), Some(132));
    }

    #[test]
    fn what_the_service_does_not_keep_exactly_is_none() {
        let long = "123456789012345678901234567890123456789";
        for text in
            ["", "-", ".", "e1", "1e", "1e+", "1.2.3", "0x1", "NaN", "1e126", "1e-131", "1e400", "1e99999999999999999999", long]
        {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
