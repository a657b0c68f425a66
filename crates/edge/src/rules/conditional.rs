//! Conditions: what a client's `If-None-Match` and `If-Modified-Since` mean against a kept page, and which ones the cache asks
//! the origin with (RFC 9110 section 13, RFC 9111 section 4.3).

use super::dates::{date, parse};
use http::HeaderMap;
use http::header::{DATE, ETAG, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE, LAST_MODIFIED};

/// Two entity tags that name the same page, strongly or weakly.
pub fn same_weakly(one: &str, other: &str) -> bool {
    one.strip_prefix("W/").unwrap_or(one) == other.strip_prefix("W/").unwrap_or(other)
}

/// Two entity tags that name the same bytes.
pub fn same_strongly(one: &str, other: &str) -> bool {
    one == other && !one.starts_with("W/")
}

/// Whether the client already has this page, so that a 304 is all it needs.
pub fn has_it(request: &HeaderMap, page: &HeaderMap) -> bool {
    if request.contains_key(IF_NONE_MATCH) {
        // A tag outranks a date, even when it does not match (RFC 9110 section 13.1.3).
        let Some(tag) = page.get(ETAG).and_then(|tag| tag.to_str().ok()) else {
            return request.get_all(IF_NONE_MATCH).iter().any(|line| line == "*");
        };
        return request.get_all(IF_NONE_MATCH).iter().any(|line| line.to_str().is_ok_and(|line| lists(line, tag)));
    }
    let Some(since) = request.get(IF_MODIFIED_SINCE).and_then(|it| it.to_str().ok()).and_then(parse) else { return false };
    date(page, &LAST_MODIFIED).or_else(|| date(page, &DATE)).is_some_and(|changed| changed <= since)
}

/// Whether a list of tags, or a star, names this one. Commas inside a tag's quotes belong to it.
fn lists(line: &str, tag: &str) -> bool {
    if line.trim() == "*" {
        return true;
    }
    let mut rest = line;
    while let Some(open) = rest.find('"') {
        let Some(close) = rest[open + 1..].find('"') else { return false };
        let end = open + 1 + close + 1;
        let start = if rest[..open].ends_with("W/") { open - 2 } else { open };
        if same_weakly(&rest[start..end], tag) {
            return true;
        }
        rest = &rest[end..];
    }
    false
}

/// Conditions that guard a change: only the origin can judge them.
pub fn guards(request: &HeaderMap) -> bool {
    request.contains_key(IF_MATCH) || request.contains_key(IF_UNMODIFIED_SINCE)
}

pub fn drop_conditions(request: &mut HeaderMap) {
    request.remove(IF_NONE_MATCH);
    request.remove(IF_MODIFIED_SINCE);
}

/// Asks the origin whether the kept page is still the one; false when the page has nothing to ask with.
pub fn ask_whether_changed(request: &mut HeaderMap, page: &HeaderMap) -> bool {
    drop_conditions(request);
    let tag: Option<HeaderValue> = page.get(ETAG).cloned();
    let changed: Option<HeaderValue> = page.get(LAST_MODIFIED).cloned();
    let asks = tag.is_some() || changed.is_some();
    if let Some(tag) = tag {
        request.insert(IF_NONE_MATCH, tag);
    }
    if let Some(changed) = changed {
        request.insert(IF_MODIFIED_SINCE, changed);
    }
    asks
}

#[cfg(test)]
#[expect(clippy::type_complexity, reason = "tables are read, not reused")]
mod tests {
    use super::*;
    use http::HeaderName;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let mut all = HeaderMap::new();
        for (name, value) in lines {
            all.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        all
    }

    #[test]
    fn who_needs_only_a_304() {
        const OLD: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
        const NEW: &str = "Sun, 06 Nov 1994 08:49:38 GMT";
        let tagged = [("etag", "\"a\""), ("last-modified", OLD)];
        let table: &[(&[(&str, &str)], &[(&str, &str)], bool)] = &[
            (&[("if-none-match", "\"a\"")], &tagged, true),
            (&[("if-none-match", "W/\"a\"")], &tagged, true),
            (&[("if-none-match", "\"x\", \"a\", \"y\"")], &tagged, true),
            (&[("if-none-match", "\"x,\"a\"")], &tagged, false),
            (&[("if-none-match", "\"x\"")], &tagged, false),
            (&[("if-none-match", "*")], &tagged, true),
            (&[("if-none-match", "a")], &tagged, false),
            (&[("if-none-match", "\"x\""), ("if-none-match", "\"a\"")], &tagged, true),
            (&[("if-none-match", "\"x\""), ("if-modified-since", NEW)], &tagged, false),
            (&[("if-modified-since", OLD)], &tagged, true),
            (&[("if-modified-since", NEW)], &tagged, true),
            (&[("if-modified-since", "Sunday, 06-Nov-94 08:49:37 GMT")], &tagged, true),
            (&[("if-modified-since", "nonsense")], &tagged, false),
            (&[("if-modified-since", OLD)], &[("last-modified", NEW)], false),
            (&[("if-modified-since", NEW)], &[("date", OLD)], true),
            (&[("if-modified-since", NEW)], &[], false),
            (&[], &tagged, false),
        ];
        for (request, page, wanted) in table {
            assert_eq!(has_it(&headers(request), &headers(page)), *wanted, "{request:?} {page:?}");
        }
    }

    #[test]
    fn the_cache_asks_with_its_own_validators_and_not_the_clients() {
        let mut request = headers(&[("if-none-match", "\"mine\"")]);
        assert!(ask_whether_changed(&mut request, &headers(&[("etag", "\"kept\"")])));
        assert_eq!(request[IF_NONE_MATCH], "\"kept\"");
        assert!(!ask_whether_changed(&mut request, &HeaderMap::new()));
        assert!(!request.contains_key(IF_NONE_MATCH));
    }
}
