//! A 304 renews the headers of the page it confirms (RFC 9111 section 3.2, 4.3.4); a HEAD may do so too (section 4.3.5).

use super::conditional::same_weakly;
use http::HeaderMap;
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderName, LAST_MODIFIED, SET_COOKIE, TRANSFER_ENCODING,
};

/// Headers that describe the bytes we hold: the ones that came with those bytes stay.
fn describes_the_bytes(name: &HeaderName) -> bool {
    *name == CONTENT_ENCODING
        || *name == CONTENT_LENGTH
        || *name == CONTENT_RANGE
        || *name == ETAG
        || *name == TRANSFER_ENCODING
        || name.as_str() == "content-md5"
}

/// The page's headers after the origin confirmed it. A cookie in the confirmation is for one client and is not taken in.
pub fn renewed(page: &HeaderMap, confirmation: &HeaderMap) -> HeaderMap {
    let mut merged = page.clone();
    for name in confirmation.keys() {
        if describes_the_bytes(name) || *name == SET_COOKIE || name.as_str() == "set-cookie2" {
            continue;
        }
        merged.remove(name);
        for value in confirmation.get_all(name) {
            merged.append(name.clone(), value.clone());
        }
    }
    if !confirmation.contains_key(http::header::AGE) {
        merged.remove(http::header::AGE);
    }
    merged
}

/// Whether a HEAD's answer is about the page we hold: then it renews it, else the page is out of date.
pub fn head_confirms(page: &HeaderMap, head: &HeaderMap) -> bool {
    let text = |headers: &HeaderMap, name: &HeaderName| headers.get(name).and_then(|it| it.to_str().ok()).map(str::to_owned);
    let same_tag = match (text(page, &ETAG), text(head, &ETAG)) {
        (Some(ours), Some(theirs)) => same_weakly(&ours, &theirs),
        (None, None) => true,
        _ => false,
    };
    let same = |name: &HeaderName| head.get(name).is_none_or(|theirs| page.get(name) == Some(theirs));
    same_tag && same(&LAST_MODIFIED) && same(&CONTENT_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let mut all = HeaderMap::new();
        for (name, value) in lines {
            all.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        all
    }

    #[test]
    fn what_a_304_changes_and_what_it_leaves() {
        let page = headers(&[
            ("etag", "\"a\""),
            ("content-length", "5"),
            ("content-type", "text/a"),
            ("x", "1"),
            ("y", "2"),
            ("age", "9"),
        ]);
        let new = renewed(
            &page,
            &headers(&[
                ("etag", "\"b\""),
                ("content-length", "0"),
                ("content-type", "text/b"),
                ("x", "3"),
                ("x", "4"),
                ("set-cookie", "a=b"),
            ]),
        );
        assert_eq!(new["etag"], "\"a\"");
        assert_eq!(new["content-length"], "5");
        assert_eq!(new["content-type"], "text/b");
        assert_eq!(new.get_all("x").iter().collect::<Vec<_>>(), ["3", "4"]);
        assert_eq!(new["y"], "2");
        assert!(!new.contains_key("set-cookie"), "one client's cookie is not everybody's");
        assert!(!new.contains_key("age"), "an old age does not outlive the confirmation");
    }

    #[test]
    fn a_head_speaks_of_our_page_or_of_a_newer_one() {
        let page = headers(&[("etag", "\"a\""), ("content-length", "5")]);
        assert!(head_confirms(&page, &headers(&[("etag", "\"a\""), ("content-length", "5")])));
        assert!(head_confirms(&page, &headers(&[("etag", "\"a\"")])));
        assert!(!head_confirms(&page, &headers(&[("etag", "\"b\"")])));
        assert!(!head_confirms(&page, &headers(&[("etag", "\"a\""), ("content-length", "6")])));
    }
}
