//! `Vary`: which request headers chose an answer, and whether another request would have chosen the same (RFC 9111 section 4.1).

use http::HeaderMap;
use http::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderName, VARY};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vary {
    /// Something outside the request chose: never the same again.
    Star,
    Names(Vec<HeaderName>),
}

pub fn of(headers: &HeaderMap) -> Vary {
    let mut names = Vec::new();
    for line in headers.get_all(VARY) {
        let Ok(line) = line.to_str() else { return Vary::Star };
        for name in line.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match HeaderName::from_bytes(name.as_bytes()) {
                Ok(_) if name == "*" => return Vary::Star,
                Ok(name) if names.contains(&name) => {}
                Ok(name) => names.push(name),
                // A name that cannot be a header cannot be compared either.
                Err(_) => return Vary::Star,
            }
        }
    }
    names.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    Vary::Names(names)
}

/// What a request says in one of those headers, written so that equal meanings are equal texts. `None`: it says nothing.
pub fn said(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<u8>> {
    if name == ACCEPT_ENCODING {
        // The origin is only ever asked for gzip or for nothing, so these two are all there is.
        return accepts_gzip(headers).then(|| b"gzip".to_vec());
    }
    if !headers.contains_key(name) {
        return None;
    }
    let mut joined: Vec<u8> = Vec::new();
    for line in headers.get_all(name) {
        if !joined.is_empty() {
            joined.push(b',');
        }
        joined.extend_from_slice(line.as_bytes());
    }
    let Ok(text) = std::str::from_utf8(&joined) else { return Some(joined) };
    if name == ACCEPT_LANGUAGE {
        return Some(languages(text).into_bytes());
    }
    if text.contains(['"', '(']) {
        // Inside quotes and comments a space may mean something.
        return Some(joined);
    }
    Some(text.split(',').map(str::trim).collect::<Vec<_>>().join(",").into_bytes())
}

/// The order of languages of one weight, their case and their spaces mean nothing.
fn languages(text: &str) -> String {
    let mut ranges: Vec<String> = text
        .split(',')
        .map(|range| range.chars().filter(|it| !it.is_whitespace()).collect::<String>().to_ascii_lowercase())
        .map(|range| range.strip_suffix(";q=1").or_else(|| range.strip_suffix(";q=1.0")).unwrap_or(&range).to_owned())
        .filter(|range| !range.is_empty())
        .collect();
    ranges.sort();
    ranges.dedup();
    ranges.join(",")
}

/// Whether the client takes gzip: named or under `*`, and not with weight 0.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut star = None;
    for line in headers.get_all(ACCEPT_ENCODING) {
        for coding in line.to_str().unwrap_or("").split(',') {
            let mut parts = coding.split(';').map(str::trim);
            let name = parts.next().unwrap_or("");
            let refused = parts
                .filter_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
                .any(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0));
            if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
                return !refused;
            }
            if name == "*" {
                star = Some(!refused);
            }
        }
    }
    star.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &HeaderName, lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name.clone(), line.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_star_anywhere_is_a_star() {
        for lines in [&["*"][..], &["*, *"], &[", *"], &["a, *"], &["a", "*"], &["bad name"]] {
            assert_eq!(of(&request(&VARY, lines)), Vary::Star, "{lines:?}");
        }
        let names = |all: &[&'static str]| Vary::Names(all.iter().map(|it| HeaderName::from_static(it)).collect());
        assert_eq!(of(&request(&VARY, &["Foo, bar", "foo"])), names(&["bar", "foo"]));
        assert_eq!(of(&HeaderMap::new()), names(&[]));
    }

    #[test]
    fn equal_meanings_are_equal_texts() {
        let foo = HeaderName::from_static("foo");
        let same: &[(&HeaderName, &[&str], &[&str])] = &[
            (&foo, &["1,2"], &["1 , 2"]),
            (&foo, &["1, 2"], &["1", "2"]),
            (&ACCEPT_LANGUAGE, &["en, de"], &["DE,en"]),
            (&ACCEPT_LANGUAGE, &["en;q=0.5, de"], &["de, EN; q=0.5"]),
            (&ACCEPT_ENCODING, &["gzip, br"], &["br;q=1, gzip;q=0.2"]),
            (&ACCEPT_ENCODING, &["br"], &["identity"]),
        ];
        for (name, one, other) in same {
            assert_eq!(said(&request(name, one), name), said(&request(name, other), name), "{one:?} {other:?}");
        }
        let different: &[(&HeaderName, &[&str], &[&str])] = &[
            (&foo, &["1"], &["2"]),
            (&foo, &["a"], &["A"]),
            (&foo, &["\"a, b\""], &["\"a,b\""]),
            (&foo, &[""], &[]),
            (&ACCEPT_LANGUAGE, &["en;q=0.5, de"], &["en, de;q=0.5"]),
            (&ACCEPT_ENCODING, &["gzip"], &["gzip;q=0"]),
        ];
        for (name, one, other) in different {
            assert_ne!(said(&request(name, one), name), said(&request(name, other), name), "{one:?} {other:?}");
        }
    }

    #[test]
    fn gzip_by_name_or_by_star() {
        let table = [
            ("gzip", true),
            ("GZIP;q=0.1", true),
            ("gzip;q=0", false),
            ("*", true),
            ("br, *;q=0", false),
            ("br", false),
            ("", false),
        ];
        for (line, wanted) in table {
            assert_eq!(accepts_gzip(&request(&ACCEPT_ENCODING, &[line])), wanted, "{line}");
        }
    }
}
