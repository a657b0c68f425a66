//! A page as it is kept: the origin's answer, how it may be used, and what is ready to be sent.

use crate::clock::Millis;
use crate::gzip;
use crate::key::Key;
use crate::rules::dates::{Second, date, format};
use crate::rules::freshness::SURROGATE_CONTROL;
use crate::rules::reuse::Held;
use crate::rules::storable::Policy;
use crate::rules::tags::{CACHE_GROUPS, PARLOR_ROWS, PARLOR_SLOTS, SURROGATE_KEY, groups, rows, surrogate_keys};
use crate::rules::vary::{Vary, of as vary_of, said};
use crate::slots::{self, Piece};
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, DATE, ETAG, EXPIRES, HeaderName, HeaderValue,
    LAST_MODIFIED, VARY,
};
use http::{HeaderMap, StatusCode};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

pub const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// A kept page.
pub struct Page {
    pub key: Arc<str>,
    pub host: Arc<str>,
    /// Where in the key the path begins.
    path_at: usize,
    /// The class of visitors it is for.
    pub variant: Option<Arc<str>>,
    /// The request headers that chose it, and what they said.
    pub vary: Vec<(HeaderName, Option<Vec<u8>>)>,
    pub status: StatusCode,
    /// The origin's headers without those of the hop.
    pub headers: HeaderMap,
    /// The headers for clients, with places for `Age` and `Cache-Status`.
    pub shown: HeaderMap,
    pub body: Bytes,
    pub pieces: Option<Vec<Piece>>,
    pub policy: Policy,
    pub received: Millis,
    pub date: Second,
    pub groups: Vec<String>,
    pub surrogate_keys: Vec<String>,
    pub rows: Vec<String>,
    /// When it was softly purged; 0: it was not.
    purged: AtomicU64,
    pub may_pack: bool,
    packing: AtomicBool,
    packed: OnceLock<Option<Packed>>,
}

/// The same page, packed.
pub struct Packed {
    pub body: Bytes,
    pub shown: HeaderMap,
}

/// What a page is made of when it arrives.
pub struct Arrived<'a> {
    pub key: &'a Key,
    pub variant: Option<Arc<str>>,
    /// The headers of the request that got it.
    pub request: &'a HeaderMap,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub policy: Policy,
    pub received: Millis,
    pub unpacked_max: usize,
}

impl Page {
    pub fn new(arrived: Arrived<'_>) -> Self {
        let Arrived { key, variant, request, status, headers, body, policy, received, unpacked_max } = arrived;
        // What arrived are slices of whatever the connection had read: a page that held on to them would hold all of that.
        let (mut headers, mut body) = (own(&headers), Bytes::copy_from_slice(&body));
        let now = received / 1000;
        if date(&headers, &DATE).is_none() {
            headers.insert(DATE, text(&format(now)));
        }
        let pieces = cut(&mut headers, &mut body, unpacked_max);
        let mut rows = rows(&headers);
        for piece in pieces.iter().flatten() {
            if let Piece::Slot(slot) = piece {
                rows.extend(slot.row.as_deref().map(str::to_owned));
            }
        }
        rows.sort();
        rows.dedup();
        let vary = match vary_of(&headers) {
            Vary::Names(names) => names.into_iter().map(|name| (name.clone(), said(request, &name))).collect(),
            Vary::Star => Vec::new(),
        };
        let may_pack =
            pieces.is_none() && !policy.no_transform && status == StatusCode::OK && gzip::is_worth_it(&headers, body.len());
        let shown = shown(&headers, &body, pieces.as_deref(), may_pack);
        Self {
            key: key.as_str().into(),
            host: key.host().into(),
            path_at: key.as_str().len() - key.path_and_query().len(),
            variant,
            vary,
            status,
            shown,
            date: date(&headers, &DATE).unwrap_or(now),
            groups: groups(&headers, &CACHE_GROUPS),
            surrogate_keys: surrogate_keys(&headers),
            rows,
            headers,
            body,
            pieces,
            policy,
            received,
            purged: AtomicU64::new(0),
            may_pack,
            packing: AtomicBool::new(false),
            packed: OnceLock::new(),
        }
    }

    pub fn path_and_query(&self) -> &str {
        &self.key[self.path_at..]
    }

    /// Whether this request would have got this page.
    pub fn is_for(&self, request: &HeaderMap, variant: Option<&str>) -> bool {
        self.variant.as_deref() == variant && self.vary.iter().all(|(name, then)| said(request, name) == *then)
    }

    /// Whether the two were chosen by the same words, so that the newer replaces the older.
    pub fn replaces(&self, older: &Self) -> bool {
        self.variant == older.variant && self.vary == older.vary
    }

    pub fn held(&self) -> Held<'_> {
        let purged = self.purged.load(Ordering::Relaxed);
        Held { policy: &self.policy, received: self.received, purged: (purged > 0).then_some(purged) }
    }

    /// Makes it stale; false when it already was.
    pub fn purge_softly(&self, now: Millis) -> bool {
        self.purged.compare_exchange(0, now.max(1), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub fn slots(&self) -> impl Iterator<Item = &crate::storefront::Slot> {
        self.pieces.iter().flatten().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(slot),
            Piece::Text(_) => None,
        })
    }

    /// Bytes in memory, generously.
    pub fn weight(&self) -> u64 {
        // A header takes a place of its own in two maps that have some to spare.
        let headers: usize = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 160).sum();
        let vary: usize = self.vary.iter().map(|(_, value)| 64 + value.as_ref().map_or(0, Vec::len)).sum();
        let tags: usize = [&self.groups, &self.surrogate_keys, &self.rows]
            .iter()
            .flat_map(|names| names.iter())
            .map(|name| name.len() * 2 + 160)
            .sum();
        let pieces = self.pieces.as_ref().map_or(0, |pieces| pieces.len() * 128);
        let packed = self.packed.get().and_then(Option::as_ref).map_or(0, |packed| packed.body.len() + headers);
        (512 + self.key.len() * 2 + headers * 2 + vary + tags + pieces + self.body.len() + packed) as u64
    }

    pub fn packed(&self) -> Option<&Packed> {
        self.packed.get().and_then(Option::as_ref)
    }

    /// True for the one who should pack it.
    pub fn wants_packing(&self) -> bool {
        self.may_pack && self.packed.get().is_none() && !self.packing.swap(true, Ordering::Relaxed)
    }

    pub fn pack(&self) {
        let packed = gzip::pack(&self.body).map(|body| {
            let mut shown = self.shown.clone();
            shown.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            shown.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
            if let Some(tag) = shown.get(ETAG).and_then(|tag| tag.to_str().ok()).filter(|tag| !tag.starts_with("W/")) {
                // Other bytes, the same page.
                let weak = text(&format!("W/{tag}"));
                shown.insert(ETAG, weak);
            }
            Packed { body, shown }
        });
        let _ = self.packed.set(packed);
    }
}

/// The same headers in memory of their own, the values side by side.
fn own(headers: &HeaderMap) -> HeaderMap {
    let values: Vec<u8> = headers.values().flat_map(HeaderValue::as_bytes).copied().collect();
    let values = Bytes::from(values.into_boxed_slice());
    let mut own = HeaderMap::with_capacity(headers.len() + 2);
    let mut at = 0;
    for (name, value) in headers {
        let slice = values.slice(at..at + value.len());
        at += value.len();
        own.append(name, HeaderValue::from_maybe_shared(slice).unwrap_or_else(|_| value.clone()));
    }
    own
}

pub(crate) fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// The page in pieces, if the origin asked for slots and there are some. A packed page is unpacked for it.
fn cut(headers: &mut HeaderMap, body: &mut Bytes, unpacked_max: usize) -> Option<Vec<Piece>> {
    if headers.get(&PARLOR_SLOTS).is_none_or(|it| !it.as_bytes().eq_ignore_ascii_case(b"on")) {
        return None;
    }
    match headers.get(CONTENT_ENCODING) {
        None => {}
        Some(coding) if coding == "identity" => {}
        Some(coding) if coding == "gzip" => {
            *body = gzip::unpack(body, unpacked_max)?;
            headers.remove(CONTENT_ENCODING);
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        Some(_) => return None,
    }
    slots::read(body)
}

fn shown(headers: &HeaderMap, body: &Bytes, pieces: Option<&[Piece]>, may_pack: bool) -> HeaderMap {
    let mut shown = headers.clone();
    for ours in [&PARLOR_SLOTS, &PARLOR_ROWS, &SURROGATE_KEY, &SURROGATE_CONTROL] {
        shown.remove(ours);
    }
    if !body.is_empty() || headers.contains_key(CONTENT_LENGTH) {
        shown.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    if may_pack && !varies_by_encoding(&shown) {
        shown.append(VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    if let Some(pieces) = pieces {
        // What goes out differs from what the tag and the date speak of, and may be about one person.
        for name in [ETAG, LAST_MODIFIED, EXPIRES] {
            shown.remove(name);
        }
        let personal = pieces.iter().any(|piece| matches!(piece, Piece::Slot(slot) if slot.is_personal()));
        shown.insert(CACHE_CONTROL, HeaderValue::from_static(if personal { "private, no-store" } else { "no-cache" }));
        shown.remove("cdn-cache-control");
    }
    shown.insert(AGE, HeaderValue::from_static("0"));
    shown.append(CACHE_STATUS, HeaderValue::from_static(""));
    shown
}

fn varies_by_encoding(headers: &HeaderMap) -> bool {
    matches!(vary_of(headers), Vary::Names(names) if names.contains(&ACCEPT_ENCODING))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyRules;

    /// A kept page of half a kilobyte must not keep the buffer alive that its connection read it into.
    #[test]
    fn a_page_holds_on_to_nothing_but_itself() {
        let read = Bytes::from(vec![b'a'; 64 * 1024]);
        let mut headers = HeaderMap::new();
        headers.insert("x-one", HeaderValue::from_maybe_shared(read.slice(0..10)).unwrap());
        headers.append("x-one", HeaderValue::from_maybe_shared(read.slice(10..12)).unwrap());
        headers.insert("x-none", HeaderValue::from_static(""));
        let page = Page::new(Arrived {
            key: &KeyRules::default().of_url(&"http://shop.example/a".parse().unwrap()),
            variant: None,
            request: &HeaderMap::new(),
            status: StatusCode::OK,
            headers,
            body: read.slice(100..612),
            policy: Policy::never(),
            received: 1,
            unpacked_max: 1,
        });
        assert!(read.is_unique(), "the page has copies of its own");
        let kept: Vec<&[u8]> = page.headers.get_all("x-one").iter().map(HeaderValue::as_bytes).collect();
        assert_eq!((kept, page.headers["x-none"].as_bytes(), page.body.len()), (vec![&[b'a'; 10][..], b"aa"], &b""[..], 512));
    }
}
