//! How long an answer stays fresh and how old it already is (RFC 9111 section 4.2).

use super::dates::{Second, date};
use super::directives::{Directives, SECONDS_MAX, Seconds};
use super::structured::{Item, dictionary};
use http::header::{AGE, DATE, EXPIRES, HeaderName, LAST_MODIFIED};
use http::{HeaderMap, StatusCode};

pub const CDN_CACHE_CONTROL: HeaderName = HeaderName::from_static("cdn-cache-control");
pub const SURROGATE_CONTROL: HeaderName = HeaderName::from_static("surrogate-control");

/// Heuristic freshness is a tenth of the time since the last change, at most a day.
const HEURISTIC_PART: u64 = 10;
const HEURISTIC_MAX: u64 = 24 * 3600;

/// The directives that count for this cache, and which field said them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    pub directives: Directives,
    /// A field meant for caches like this one spoke: `Cache-Control` and `Expires` are for others (RFC 9213).
    pub targeted: bool,
}

impl Control {
    pub fn of(headers: &HeaderMap) -> Self {
        let targeted = cdn(headers).or_else(|| surrogate(headers));
        match targeted {
            Some(directives) => Self { directives, targeted: true },
            None => Self { directives: Directives::of_answer(headers), targeted: false },
        }
    }

    /// How long the origin said the answer is fresh, if it said anything.
    pub fn explicit(&self, headers: &HeaderMap, received: Second) -> Option<Seconds> {
        if let Some(said) = self.directives.s_maxage.or(self.directives.max_age) {
            return Some(said);
        }
        if self.targeted || !headers.contains_key(EXPIRES) {
            return None;
        }
        let made = date(headers, &DATE).unwrap_or(received);
        // An `Expires` that is no date, or is said twice, lies in the past.
        let ends = date(headers, &EXPIRES).unwrap_or(0);
        Some(ends.saturating_sub(made).min(u64::from(SECONDS_MAX)) as Seconds)
    }
}

fn cdn(headers: &HeaderMap) -> Option<Directives> {
    let lines: Vec<&str> = headers.get_all(&CDN_CACHE_CONTROL).iter().map(|line| line.to_str().ok()).collect::<Option<_>>()?;
    let members = dictionary(&lines.join(", ")).filter(|members| !members.is_empty())?;
    let mut read = Directives::default();
    for (name, item) in members {
        match item {
            Item::Integer(value) => read.take(&name, Some(&value.to_string())),
            Item::Boolean(true) => read.take(&name, None),
            Item::String(value) if name == "no-cache" || name == "private" => read.take(&name, Some(&value)),
            // `max-age="60"` is of the wrong type and says nothing (RFC 9213 section 2.1).
            Item::Boolean(false) | Item::String(_) | Item::Other => {}
        }
    }
    Some(read)
}

/// The old field of the same purpose: `max-age=60+30` counts as 60, `no-store` as itself.
fn surrogate(headers: &HeaderMap) -> Option<Directives> {
    let mut read = Directives::default();
    let mut said = false;
    for line in headers.get_all(&SURROGATE_CONTROL) {
        super::directives::each(line.to_str().ok()?, |name, value| {
            let value = value.map(|it| it.split('+').next().unwrap_or(it));
            if name.eq_ignore_ascii_case("max-age") || name.eq_ignore_ascii_case("no-store") {
                said = true;
                read.take(name, value);
            }
        });
    }
    said.then_some(read)
}

/// Whether a status may be kept although nobody said for how long (RFC 9110 section 15.1).
pub fn is_heuristic(status: StatusCode) -> bool {
    matches!(status.as_u16(), 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501)
}

/// A guess from `Last-Modified`, for answers whose origin said nothing.
pub fn heuristic(status: StatusCode, headers: &HeaderMap, control: &Control, received: Second) -> Option<Seconds> {
    if !is_heuristic(status) && !control.directives.public {
        return None;
    }
    let changed = date(headers, &LAST_MODIFIED)?;
    let made = date(headers, &DATE).unwrap_or(received);
    let guess = (made.saturating_sub(changed) / HEURISTIC_PART).min(HEURISTIC_MAX) as Seconds;
    (guess > 0).then_some(guess)
}

/// How old the answer was when it came, after so many seconds of waiting for it. An `Age` that is not one number makes it as old as can be.
pub fn age_at_arrival(headers: &HeaderMap, delay: Second, received: Second) -> Seconds {
    let mut lines = headers.get_all(AGE).iter();
    let said = match (lines.next(), lines.next()) {
        (None, _) => 0,
        (Some(only), None) => match only.to_str().map(str::trim) {
            Ok(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                digits.parse().unwrap_or(u64::from(SECONDS_MAX))
            }
            _ => u64::from(SECONDS_MAX),
        },
        (Some(_), Some(_)) => u64::from(SECONDS_MAX),
    };
    let apparent = date(headers, &DATE).map_or(0, |made| received.saturating_sub(made));
    let corrected = said.saturating_add(delay);
    apparent.max(corrected).min(u64::from(SECONDS_MAX)) as Seconds
}

#[cfg(test)]
#[expect(clippy::type_complexity, reason = "tables are read, not reused")]
mod tests {
    use super::super::dates::format;
    use super::*;

    const NOW: Second = 1_800_000_000;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let mut all = HeaderMap::new();
        for (name, value) in lines {
            all.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        all
    }

    fn explicit(lines: &[(&str, &str)]) -> Option<Seconds> {
        let headers = headers(lines);
        Control::of(&headers).explicit(&headers, NOW)
    }

    #[test]
    fn who_says_how_long() {
        let now = format(NOW);
        let soon = format(NOW + 100);
        let past = format(NOW - 100);
        let table: &[(&[(&str, &str)], Option<Seconds>)] = &[
            (&[], None),
            (&[("cache-control", "public")], None),
            (&[("cache-control", "max-age=60")], Some(60)),
            (&[("cache-control", "max-age=60, s-maxage=5")], Some(5)),
            (&[("cache-control", "max-age=60"), ("expires", &past)], Some(60)),
            (&[("expires", &soon), ("date", &now)], Some(100)),
            (&[("expires", &soon)], Some(100)),
            (&[("expires", &soon), ("date", "nonsense")], Some(100)),
            (&[("expires", &past), ("date", &now)], Some(0)),
            (&[("expires", "0")], Some(0)),
            (&[("expires", &soon), ("expires", &soon)], Some(0)),
            (&[("cdn-cache-control", "max-age=9"), ("cache-control", "no-store"), ("expires", &soon)], Some(9)),
            (&[("cdn-cache-control", "no-store"), ("cache-control", "max-age=60")], None),
            (&[("cdn-cache-control", "max-age=\"9\""), ("cache-control", "max-age=60")], None),
            (&[("cdn-cache-control", "Max-Age=9"), ("cache-control", "max-age=60")], Some(60)),
            (&[("surrogate-control", "max-age=9+5"), ("cache-control", "max-age=60")], Some(9)),
            (&[("surrogate-control", "content=\"ESI/1.0\""), ("cache-control", "max-age=60")], Some(60)),
            (&[("cdn-cache-control", "max-age=7"), ("surrogate-control", "max-age=9")], Some(7)),
        ];
        for (lines, wanted) in table {
            assert_eq!(explicit(lines), *wanted, "{lines:?}");
        }
    }

    #[test]
    fn an_age_that_is_not_one_number_is_endless() {
        let now = format(NOW);
        let old = format(NOW - 50);
        let table: &[(&[(&str, &str)], Seconds)] = &[
            (&[], 0),
            (&[("age", "7"), ("date", &now)], 9),
            (&[("date", &old)], 50),
            (&[("age", "100"), ("date", &old)], 102),
            (&[("age", "-7")], SECONDS_MAX),
            (&[("age", "7.0")], SECONDS_MAX),
            (&[("age", "0, 0")], SECONDS_MAX),
            (&[("age", "0"), ("age", "0")], SECONDS_MAX),
            (&[("age", "x")], SECONDS_MAX),
            (&[("age", "7;a=1")], SECONDS_MAX),
            (&[("age", "99999999999999999999999")], SECONDS_MAX),
        ];
        for (lines, wanted) in table {
            let delay = if lines.iter().any(|(name, _)| *name == "age") { 2 } else { 0 };
            assert_eq!(age_at_arrival(&headers(lines), delay, NOW), *wanted, "{lines:?}");
        }
    }

    #[test]
    fn a_guess_needs_a_last_modified_and_a_status_that_allows_it() {
        let changed = format(NOW - 1000);
        let all = headers(&[("last-modified", &changed)]);
        let plain = Control::of(&all);
        assert_eq!(heuristic(StatusCode::OK, &all, &plain, NOW), Some(100));
        assert_eq!(heuristic(StatusCode::CREATED, &all, &plain, NOW), None);
        assert_eq!(heuristic(StatusCode::OK, &HeaderMap::new(), &plain, NOW), None);
        let public = headers(&[("last-modified", &changed), ("cache-control", "public")]);
        assert_eq!(heuristic(StatusCode::CREATED, &public, &Control::of(&public), NOW), Some(100));
        let old = headers(&[("last-modified", &format(1000))]);
        assert_eq!(heuristic(StatusCode::OK, &old, &plain, NOW), Some(HEURISTIC_MAX as Seconds));
    }
}
