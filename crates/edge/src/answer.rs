//! A kept page as an answer: whole, a part, or the word that the client already has it.

use crate::ask::Asked;
use crate::body::Body;
use crate::page::{CACHE_STATUS, Page, text};
use crate::rules::conditional::has_it;
use crate::rules::directives::Seconds;
use crate::rules::range::{Part, part};
use crate::slots::fill;
use crate::status::{Did, cache_status};
use crate::storefront::{Storefront, Visitor};
use http::header::{AGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Response, StatusCode};

/// Everything that decides how a page looks to one client.
pub(crate) struct Showing<'a> {
    pub(crate) page: &'a Page,
    pub(crate) request: &'a HeaderMap,
    pub(crate) asked: &'a Asked,
    pub(crate) gzip: bool,
    pub(crate) age: Seconds,
    pub(crate) shop: &'a dyn Storefront,
    pub(crate) visitor: &'a Visitor,
    pub(crate) name: &'a str,
    pub(crate) did: Did,
}

pub(crate) fn from_page(showing: &Showing<'_>) -> Response<Body> {
    let Showing { page, request, asked, .. } = *showing;
    let packed = if showing.gzip && !asked.range { page.packed() } else { None };
    let mut headers = packed.map_or(&page.shown, |packed| &packed.shown).clone();
    sign(&mut headers, showing);
    if let Some(pieces) = &page.pieces {
        let body = fill(pieces, showing.shop, showing.visitor, page.body.len());
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        return finish(page.status, headers, if asked.is_head { Body::Empty } else { body.into() });
    }
    if page.status == StatusCode::OK {
        if asked.conditional && has_it(request, &page.shown) {
            return not_modified(headers);
        }
        if asked.range && !asked.is_head {
            match part(request, &page.shown, page.body.len() as u64) {
                Part::Whole => {}
                Part::Bytes(first, last) => {
                    headers.insert(CONTENT_RANGE, text(&format!("bytes {first}-{last}/{}", page.body.len())));
                    headers.insert(CONTENT_LENGTH, HeaderValue::from(last - first + 1));
                    let body = page.body.slice(first as usize..=last as usize);
                    return finish(StatusCode::PARTIAL_CONTENT, headers, body.into());
                }
                Part::Outside => {
                    headers.insert(CONTENT_RANGE, text(&format!("bytes */{}", page.body.len())));
                    headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
                    return finish(StatusCode::RANGE_NOT_SATISFIABLE, headers, Body::Empty);
                }
            }
        }
    }
    let body = match packed {
        _ if asked.is_head => Body::Empty,
        Some(packed) => Body::Full(packed.body.clone()),
        None => page.body.clone().into(),
    };
    finish(page.status, headers, body)
}

/// The places for `Age` and `Cache-Status` are there already: filling them moves nothing.
fn sign(headers: &mut HeaderMap, showing: &Showing<'_>) {
    if let Some(age) = headers.get_mut(AGE) {
        *age = HeaderValue::from(showing.age);
    }
    // Other caches before us may have signed too: ours is the last line.
    if let http::header::Entry::Occupied(mut entry) = headers.entry(CACHE_STATUS)
        && let Some(ours) = entry.iter_mut().last()
    {
        *ours = cache_status(showing.name, showing.did);
    }
}

pub(crate) fn not_modified(mut headers: HeaderMap) -> Response<Body> {
    headers.remove(CONTENT_LENGTH);
    finish(StatusCode::NOT_MODIFIED, headers, Body::Empty)
}

pub(crate) fn finish(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// An answer of the edge itself, in plain words.
pub(crate) fn own_words(status: StatusCode, words: &'static str, name: &str, did: Did) -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(4);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(words.len()));
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CACHE_STATUS, cache_status(name, did));
    finish(status, headers, words.into())
}
