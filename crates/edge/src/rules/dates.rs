//! Dates in headers: all three forms of RFC 9110 are read, seconds are what is kept.

use http::HeaderMap;
use http::header::HeaderName;
use std::time::{Duration, UNIX_EPOCH};

/// Seconds since 1970.
pub type Second = u64;

/// The field's date; `None` when it is missing, said twice, or no date.
pub fn date(headers: &HeaderMap, field: &HeaderName) -> Option<Second> {
    let mut lines = headers.get_all(field).iter();
    let only = lines.next()?;
    if lines.next().is_some() {
        return None;
    }
    parse(only.to_str().ok()?)
}

pub fn parse(text: &str) -> Option<Second> {
    httpdate::parse_http_date(text.trim()).ok()?.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

pub fn format(at: Second) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_of_one_moment() {
        for form in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse(form), Some(784_111_777), "{form}");
        }
        assert_eq!(parse("0"), None);
        assert_eq!(format(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
