//! The names by which pages are purged together: groups (RFC 9875), surrogate keys, rows.

use super::structured::{Item, list};
use http::{HeaderMap, HeaderName};

pub const CACHE_GROUPS: HeaderName = HeaderName::from_static("cache-groups");
pub const CACHE_GROUP_INVALIDATION: HeaderName = HeaderName::from_static("cache-group-invalidation");
pub const SURROGATE_KEY: HeaderName = HeaderName::from_static("surrogate-key");
pub const PARLOR_ROWS: HeaderName = HeaderName::from_static("parlor-rows");
pub const PARLOR_SLOTS: HeaderName = HeaderName::from_static("parlor-slots");

/// How many names of each kind one page may have, and how long one may be: RFC 9875 asks for at least 32 of 32 characters.
const NAMES_MAX: usize = 128;
const NAME_LENGTH_MAX: usize = 256;

/// The groups that a field names; a field that does not parse names none.
pub fn groups(headers: &HeaderMap, field: &HeaderName) -> Vec<String> {
    let lines: Option<Vec<&str>> = headers.get_all(field).iter().map(|line| line.to_str().ok()).collect();
    let items = lines.and_then(|lines| list(&lines.join(", "))).unwrap_or_default();
    let names = items.into_iter().filter_map(|item| match item {
        Item::String(name) => Some(name),
        Item::Integer(_) | Item::Boolean(_) | Item::Other => None,
    });
    bounded(names)
}

/// `Surrogate-Key: a b c`.
pub fn surrogate_keys(headers: &HeaderMap) -> Vec<String> {
    let lines = headers.get_all(&SURROGATE_KEY).iter().filter_map(|line| line.to_str().ok());
    bounded(lines.flat_map(str::split_ascii_whitespace).map(str::to_owned))
}

/// `Parlor-Rows: 237, 238`.
pub fn rows(headers: &HeaderMap) -> Vec<String> {
    let lines = headers.get_all(&PARLOR_ROWS).iter().filter_map(|line| line.to_str().ok());
    bounded(lines.flat_map(|line| line.split(',')).map(|row| row.trim().to_owned()).filter(|row| !row.is_empty()))
}

fn bounded(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = names.filter(|name| !name.is_empty() && name.len() <= NAME_LENGTH_MAX).take(NAMES_MAX).collect();
    kept.sort();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_bounded() {
        let mut headers = HeaderMap::new();
        headers.append(&CACHE_GROUPS, r#""shoes", "sale";x=1"#.parse().unwrap());
        headers.append(&CACHE_GROUPS, r#""shoes""#.parse().unwrap());
        headers.append(&SURROGATE_KEY, "b  a".parse().unwrap());
        headers.append(&PARLOR_ROWS, "237, 238,,".parse().unwrap());
        assert_eq!(groups(&headers, &CACHE_GROUPS), ["sale", "shoes"]);
        assert_eq!(surrogate_keys(&headers), ["a", "b"]);
        assert_eq!(rows(&headers), ["237", "238"]);
        headers.insert(&CACHE_GROUPS, "\"open".parse().unwrap());
        assert!(groups(&headers, &CACHE_GROUPS).is_empty());
        let many: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        headers.insert(&SURROGATE_KEY, many.join(" ").parse().unwrap());
        assert_eq!(surrogate_keys(&headers).len(), NAMES_MAX);
    }
}
