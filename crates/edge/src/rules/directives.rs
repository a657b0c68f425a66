//! `Cache-Control`, read with patience: unknown words are skipped, a number that cannot be read counts as zero, and a quote that
//! is never closed hides nothing.

use http::HeaderMap;
use http::header::{CACHE_CONTROL, HeaderName, PRAGMA};

/// Seconds, never more than a reader can count (RFC 9111 section 1.2.2).
pub type Seconds = u32;
pub const SECONDS_MAX: Seconds = 1 << 31;

/// What a `Cache-Control` asks, in a request or an answer. A qualified `no-cache="x"` or `private="x"` counts as the whole word.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Directives {
    pub max_age: Option<Seconds>,
    pub s_maxage: Option<Seconds>,
    pub no_store: bool,
    pub no_cache: bool,
    pub private: bool,
    pub public: bool,
    pub must_revalidate: bool,
    pub proxy_revalidate: bool,
    pub must_understand: bool,
    pub no_transform: bool,
    pub only_if_cached: bool,
    pub stale_while_revalidate: Option<Seconds>,
    pub stale_if_error: Option<Seconds>,
    pub min_fresh: Option<Seconds>,
    /// `max-stale` without a number accepts any staleness.
    pub max_stale: Option<Seconds>,
}

impl Directives {
    /// The directives of an answer.
    pub fn of_answer(headers: &HeaderMap) -> Self {
        Self::in_field(headers, &CACHE_CONTROL)
    }

    /// The directives of a request; `Pragma: no-cache` speaks where `Cache-Control` is silent.
    pub fn of_request(headers: &HeaderMap) -> Self {
        let mut read = Self::in_field(headers, &CACHE_CONTROL);
        if !headers.contains_key(CACHE_CONTROL) {
            read.no_cache =
                headers.get_all(PRAGMA).iter().any(|line| line.to_str().is_ok_and(|line| names(line).any(|it| it == "no-cache")));
        }
        read
    }

    pub fn in_field(headers: &HeaderMap, field: &HeaderName) -> Self {
        let mut read = Self::default();
        for line in headers.get_all(field) {
            // A byte outside ASCII cannot be part of a directive we know; the others on the line still count.
            each(&String::from_utf8_lossy(line.as_bytes()), |name, value| read.take(name, value));
        }
        read
    }

    pub(super) fn take(&mut self, name: &str, value: Option<&str>) {
        let number = || seconds(value);
        match name.to_ascii_lowercase().as_str() {
            "max-age" => agree(&mut self.max_age, number()),
            "s-maxage" => agree(&mut self.s_maxage, number()),
            "no-store" => self.no_store = true,
            "no-cache" => self.no_cache = true,
            "private" => self.private = true,
            "public" => self.public = true,
            "must-revalidate" => self.must_revalidate = true,
            "proxy-revalidate" => self.proxy_revalidate = true,
            "must-understand" => self.must_understand = true,
            "no-transform" => self.no_transform = true,
            "only-if-cached" => self.only_if_cached = true,
            "stale-while-revalidate" => agree(&mut self.stale_while_revalidate, number()),
            "stale-if-error" => agree(&mut self.stale_if_error, number()),
            "min-fresh" => agree(&mut self.min_fresh, number()),
            "max-stale" => self.max_stale = Some(value.map_or(SECONDS_MAX, |_| number())),
            _ => {}
        }
    }
}

/// A directive said twice with different numbers is not to be trusted: the answer counts as stale (RFC 9111 section 4.2.1).
fn agree(kept: &mut Option<Seconds>, said: Seconds) {
    *kept = Some(match *kept {
        Some(before) if before != said => 0,
        _ => said,
    });
}

fn seconds(value: Option<&str>) -> Seconds {
    match value {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse().unwrap_or(SECONDS_MAX).min(SECONDS_MAX)
        }
        _ => 0,
    }
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim)
}

/// Walks over `name`, `name=token` and `name="quoted"`, separated by commas outside quotes.
pub(super) fn each(line: &str, mut told: impl FnMut(&str, Option<&str>)) {
    let mut rest = line;
    while !rest.is_empty() {
        let (item, after) = split_outside_quotes(rest);
        rest = after;
        let item = item.trim();
        if item.is_empty() {
            continue;
        }
        match item.split_once('=') {
            None => told(item, None),
            Some((name, value)) => {
                let value = value.trim();
                let bare = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value);
                told(name.trim(), Some(bare));
            }
        }
    }
}

fn split_outside_quotes(line: &str) -> (&str, &str) {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted => return (&line[..at], &line[at + 1..]),
            _ => {}
        }
    }
    if quoted {
        // The quote never closes: were it honoured, `x="a, no-store` would hide the `no-store`.
        return line.split_once(',').unwrap_or((line, ""));
    }
    (line, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Directives {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CACHE_CONTROL, line.parse().unwrap());
        }
        Directives::of_answer(&headers)
    }

    #[test]
    fn max_age_is_read_as_the_rfc_says() {
        let table: &[(&[&str], Option<Seconds>)] = &[
            (&[""], None),
            (&["max-age=60"], Some(60)),
            (&["MaX-AgE=60"], Some(60)),
            (&["max-age=\"60\""], Some(60)),
            (&["max-age='60'"], Some(0)),
            (&["max-age=003600"], Some(3600)),
            (&["max-age=99999999999"], Some(SECONDS_MAX)),
            (&["max-age=99999999999999999999999999"], Some(SECONDS_MAX)),
            (&["max-age=-1"], Some(0)),
            (&["max-age=1.5"], Some(0)),
            (&["max-age"], Some(0)),
            (&["max-age="], Some(0)),
            (&["max-age=60, max-age=60"], Some(60)),
            (&["max-age=60, max-age=90"], Some(0)),
            (&["max-age=60", "max-age=1"], Some(0)),
            (&["x=\"max-age=3600\""], None),
            (&["x=\"max-age=3600\", max-age=1"], Some(1)),
            (&["x=\"a\\\", max-age=5\", max-age=1"], Some(1)),
            (&["a, , max-age = 7 ,"], Some(7)),
        ];
        for (lines, wanted) in table {
            assert_eq!(read(lines).max_age, *wanted, "{lines:?}");
        }
    }

    #[test]
    fn an_open_quote_hides_no_refusal() {
        assert!(read(&["x=\"a, no-store"]).no_store);
        assert!(read(&["max-age=60, x=\"a, private"]).private);
    }

    #[test]
    fn qualified_words_count_whole() {
        assert!(read(&["no-cache=\"set-cookie\""]).no_cache);
        assert!(read(&["private=\"x, y\", max-age=1"]).private);
    }

    #[test]
    fn pragma_speaks_only_where_cache_control_is_silent() {
        let mut headers = HeaderMap::new();
        headers.append(PRAGMA, "no-cache".parse().unwrap());
        assert!(Directives::of_request(&headers).no_cache);
        headers.append(CACHE_CONTROL, "max-age=1".parse().unwrap());
        assert!(!Directives::of_request(&headers).no_cache);
    }

    #[test]
    fn max_stale_without_a_number_takes_anything() {
        assert_eq!(read(&["max-stale"]).max_stale, Some(SECONDS_MAX));
        assert_eq!(read(&["max-stale=5"]).max_stale, Some(5));
    }
}
