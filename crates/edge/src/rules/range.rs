//! One range of bytes out of a whole page (RFC 9110 section 14). Several ranges, other units and broken ones get the whole page.

use super::conditional::same_strongly;
use http::HeaderMap;
use http::header::{ETAG, IF_RANGE, LAST_MODIFIED, RANGE};

/// What a `Range` means for a page of this many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// First and last byte.
    Bytes(u64, u64),
    Outside,
}

pub fn part(request: &HeaderMap, page: &HeaderMap, length: u64) -> Part {
    let mut lines = request.get_all(RANGE).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return Part::Whole };
    if let Some(wanted) = request.get(IF_RANGE) {
        let same = match wanted.to_str() {
            Ok(tag) if tag.starts_with('"') => {
                page.get(ETAG).and_then(|it| it.to_str().ok()).is_some_and(|it| same_strongly(it, tag))
            }
            Ok(tag) if tag.starts_with("W/") => false,
            Ok(_) => page.get(LAST_MODIFIED) == Some(wanted),
            Err(_) => false,
        };
        if !same {
            return Part::Whole;
        }
    }
    line.to_str().ok().and_then(|line| one(line, length)).unwrap_or(Part::Whole)
}

fn one(line: &str, length: u64) -> Option<Part> {
    let (unit, range) = line.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || range.contains(',') {
        return None;
    }
    let (first, last) = range.trim().split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        (!text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())).then(|| text.parse().unwrap_or(u64::MAX))
    };
    let end = length.checked_sub(1);
    Some(match (first.is_empty(), last.is_empty()) {
        (true, true) => return None,
        (true, false) => match (number(last)?, end) {
            (0, _) | (_, None) => Part::Outside,
            (count, Some(end)) => Part::Bytes(length.saturating_sub(count), end),
        },
        (false, open) => {
            let first = number(first)?;
            let last = if open { u64::MAX } else { number(last)? };
            match end {
                _ if last < first => return None,
                Some(end) if first <= end => Part::Bytes(first, last.min(end)),
                _ => Part::Outside,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ten_bytes() {
        let table = [
            ("bytes=0-1", Part::Bytes(0, 1)),
            ("bytes=2-", Part::Bytes(2, 9)),
            ("bytes=-3", Part::Bytes(7, 9)),
            ("bytes=-99", Part::Bytes(0, 9)),
            ("bytes=5-99999999999999999999999", Part::Bytes(5, 9)),
            ("bytes=10-", Part::Outside),
            ("bytes=-0", Part::Outside),
            ("bytes=5-4", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("bytes=-", Part::Whole),
            ("bytes=0-1,3-4", Part::Whole),
            ("lines=0-1", Part::Whole),
        ];
        for (line, wanted) in table {
            let mut request = HeaderMap::new();
            request.insert(RANGE, line.parse().unwrap());
            assert_eq!(part(&request, &HeaderMap::new(), 10), wanted, "{line}");
        }
        let mut request = HeaderMap::new();
        request.insert(RANGE, "bytes=0-".parse().unwrap());
        assert_eq!(part(&request, &HeaderMap::new(), 0), Part::Outside);
    }

    #[test]
    fn if_range_needs_the_very_same_bytes() {
        let mut page = HeaderMap::new();
        page.insert(ETAG, "\"a\"".parse().unwrap());
        for (wanted, part_wanted) in
            [("\"a\"", Part::Bytes(0, 0)), ("\"b\"", Part::Whole), ("W/\"a\"", Part::Whole), ("x", Part::Whole)]
        {
            let mut request = HeaderMap::new();
            request.insert(RANGE, "bytes=0-0".parse().unwrap());
            request.insert(IF_RANGE, wanted.parse().unwrap());
            assert_eq!(part(&request, &page, 10), part_wanted, "{wanted}");
        }
    }
}
