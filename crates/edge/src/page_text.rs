//! A kept page's head as text, for the level below: the key first, then how it may be used, then the origin's headers.

use crate::clock::Millis;
use crate::key::Key;
use crate::page::{Arrived, Page};
use crate::rules::storable::{Policy, Rule};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use std::fmt::Write as _;
use std::sync::Arc;

const FORM: &str = "parlor-page 1";

/// The head; `None` for pages that are not one key's only page: what varies stays in memory.
pub(crate) fn write(page: &Page) -> Option<Bytes> {
    let by_encoding = |(name, _): &(HeaderName, Option<Vec<u8>>)| *name == http::header::ACCEPT_ENCODING;
    if page.variant.is_some() || !page.vary.iter().all(by_encoding) {
        return None;
    }
    let Policy {
        rule,
        fresh_for,
        initial_age,
        no_cache,
        must_revalidate,
        s_maxage,
        stale_while_revalidate,
        stale_if_error,
        no_transform,
    } = page.policy;
    let rule = match rule {
        Rule::Explicit => "explicit",
        Rule::Popular => "popular",
        Rule::Heuristic => "heuristic",
        Rule::None => "none",
    };
    let gzip = page.vary.iter().any(|(_, said)| said.is_some());
    let error = stale_if_error.map_or(-1, i64::from);
    let mut text = String::new();
    writeln!(text, "{FORM}\n{}\n{} {} {}", page.key, page.received, page.status.as_u16(), u8::from(gzip)).ok()?;
    let flags = [no_cache, must_revalidate, s_maxage, no_transform].map(|flag| if flag { '1' } else { '0' });
    writeln!(text, "{rule} {fresh_for} {initial_age} {stale_while_revalidate} {error} {}", String::from_iter(flags)).ok()?;
    let mut head = text.into_bytes();
    for (name, value) in &page.headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.push(b'\n');
    }
    Some(head.into())
}

/// The page and when it was kept; `None` when the head is not of this form or not of this key.
pub(crate) fn read(key: &Key, head: &[u8], body: Bytes) -> Option<(Page, Millis)> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut line = || lines.next().and_then(|line| std::str::from_utf8(line).ok());
    if line()? != FORM || line()? != key.as_str() {
        return None;
    }
    let mut first = line()?.split(' ');
    let received: Millis = first.next()?.parse().ok()?;
    let status = StatusCode::from_u16(first.next()?.parse().ok()?).ok()?;
    let gzip = first.next()? == "1";
    let mut second = line()?.split(' ');
    let rule = match second.next()? {
        "explicit" => Rule::Explicit,
        "popular" => Rule::Popular,
        "heuristic" => Rule::Heuristic,
        "none" => Rule::None,
        _ => return None,
    };
    let mut number = || second.next().and_then(|it| it.parse::<i64>().ok());
    let (fresh_for, initial_age, stale_while_revalidate, error) = (number()?, number()?, number()?, number()?);
    let flags: Vec<bool> = second.next()?.bytes().map(|flag| flag == b'1').collect();
    let [no_cache, must_revalidate, s_maxage, no_transform] = flags[..] else { return None };
    let policy = Policy {
        rule,
        fresh_for: u32::try_from(fresh_for).ok()?,
        initial_age: u32::try_from(initial_age).ok()?,
        no_cache,
        must_revalidate,
        s_maxage,
        stale_while_revalidate: u32::try_from(stale_while_revalidate).ok()?,
        stale_if_error: u32::try_from(error).ok(),
        no_transform,
    };
    let mut headers = HeaderMap::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let at = line.iter().position(|byte| *byte == b':')?;
        let value = line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..]);
        headers.append(HeaderName::from_bytes(&line[..at]).ok()?, HeaderValue::from_bytes(value).ok()?);
    }
    let mut request = HeaderMap::new();
    if gzip {
        request.insert(http::header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let unpacked_max = body.len().max(1 << 20);
    let arrived =
        Arrived { key, variant: None::<Arc<str>>, request: &request, status, headers, body, policy, received, unpacked_max };
    Some((Page::new(arrived), received))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyRules;

    #[test]
    fn a_page_comes_back_as_it_went() {
        let key = KeyRules::default().of_url(&"http://shop/a".parse().unwrap());
        let policy = Policy {
            rule: Rule::Popular,
            fresh_for: 300,
            initial_age: 2,
            no_cache: false,
            must_revalidate: true,
            s_maxage: false,
            stale_while_revalidate: 7,
            stale_if_error: Some(9),
            no_transform: true,
        };
        let mut headers = HeaderMap::new();
        headers.append("x", "1".parse().unwrap());
        headers.append("x", HeaderValue::from_bytes(b"\xff: 2").unwrap());
        headers.insert("date", "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap());
        let request = HeaderMap::new();
        let arrived = Arrived {
            key: &key,
            variant: None,
            request: &request,
            status: StatusCode::NOT_FOUND,
            headers: headers.clone(),
            body: Bytes::from_static(b"body"),
            policy,
            received: 5_000,
            unpacked_max: 100,
        };
        let head = write(&Page::new(arrived)).unwrap();
        let (page, kept) = read(&key, &head, Bytes::from_static(b"body")).unwrap();
        assert_eq!((page.policy, page.status, page.received, kept), (policy, StatusCode::NOT_FOUND, 5_000, 5_000));
        assert_eq!(page.headers, headers);
        let other = KeyRules::default().of_url(&"http://shop/b".parse().unwrap());
        assert!(read(&other, &head, Bytes::new()).is_none(), "the whole key is compared");
        for cut in 0..head.len().min(60) {
            let _ = read(&key, &head[..cut], Bytes::new());
        }
    }
}
