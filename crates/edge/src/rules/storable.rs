//! What may be kept, for how long, and why not (RFC 9111 section 3): the one place that lets an answer be shared.

use super::directives::Seconds;
use super::freshness::{Control, age_at_arrival, heuristic};
use super::vary::{Vary, of as vary_of};
use super::visit::PARLOR_VISIT;
use crate::clock::Millis;
use http::header::{AUTHORIZATION, COOKIE, ETAG, LAST_MODIFIED, SET_COOKIE};
use http::{HeaderMap, HeaderName, StatusCode};

const SET_COOKIE2: HeaderName = HeaderName::from_static("set-cookie2");

/// What of the request decides whether its answer may be shared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asker {
    pub authorization: bool,
    /// A cookie, or the visit in its header, went to the origin with this request.
    pub cookie: bool,
    /// They were there and were kept from the origin: it answered as to somebody who has none.
    pub held_back: bool,
    pub no_store: bool,
    /// The item that the page shows is popular: kept this long although the origin is silent.
    pub popular_for: Option<Seconds>,
}

/// Why an answer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    Explicit,
    Popular,
    Heuristic,
    None,
}

/// Why an answer is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Status,
    NoStore,
    AskedNoStore,
    Private,
    SetCookie,
    Authorization,
    Cookie,
    VaryStar,
    VaryByVisitor,
    Unsaid,
    Unkeepable,
}

impl Refusal {
    /// The sentence that `why` and the log show.
    pub fn because(self) -> &'static str {
        match self {
            Self::Status => "the answer's status is not one that a cache may keep",
            Self::NoStore => "the origin says no-store",
            Self::AskedNoStore => "the request says no-store",
            Self::Private => "the origin says private",
            Self::SetCookie => "the answer sets a cookie",
            Self::Authorization => "the request was authorised and the origin does not say public, s-maxage or must-revalidate",
            Self::Cookie => {
                "the request had a cookie or a visit and the origin does not say public, s-maxage or CDN-Cache-Control"
            }
            Self::VaryStar => "the origin says Vary: *",
            Self::VaryByVisitor => "the origin varies by cookie, visit or authorisation and the request had one",
            Self::Unsaid => "the origin says nothing about freshness and the page has no rank",
            Self::Unkeepable => "the answer is too large, has no end, or its end cannot be told from a broken connection",
        }
    }

    /// Whether another asker, without credentials, might have got an answer that can be kept.
    pub fn blames_asker(self) -> bool {
        matches!(self, Self::Authorization | Self::Cookie | Self::VaryByVisitor | Self::AskedNoStore)
    }
}

/// How a kept answer may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub rule: Rule,
    pub fresh_for: Seconds,
    pub initial_age: Seconds,
    pub no_cache: bool,
    /// `must-revalidate` or `proxy-revalidate`: never served stale, whatever happens.
    pub must_revalidate: bool,
    /// `s-maxage` forbids staleness too, unless another directive allows it by name (RFC 9111 section 5.2.2.10).
    pub s_maxage: bool,
    pub stale_while_revalidate: Seconds,
    pub stale_if_error: Option<Seconds>,
    pub no_transform: bool,
}

impl Policy {
    /// For a page that is shown once and not kept.
    pub fn never() -> Self {
        Self {
            rule: Rule::None,
            fresh_for: 0,
            initial_age: 0,
            no_cache: true,
            must_revalidate: true,
            s_maxage: false,
            stale_while_revalidate: 0,
            stale_if_error: None,
            no_transform: true,
        }
    }
}

/// Whether this cache knows what the status means, for `must-understand`.
fn is_understood(status: StatusCode) -> bool {
    matches!(status.as_u16(), 200 | 203 | 204 | 300..=303 | 307 | 308 | 400..=405 | 410 | 414 | 451 | 500..=504)
}

/// Answers to a part, to a condition, or not yet final are never whole pages.
fn is_whole(status: StatusCode) -> bool {
    !status.is_informational() && !matches!(status.as_u16(), 206 | 304 | 412 | 416)
}

pub fn judge(asker: Asker, status: StatusCode, headers: &HeaderMap, asked: Millis, received: Millis) -> Result<Policy, Refusal> {
    let delay = received.saturating_sub(asked) / 1000;
    let received = received / 1000;
    let control = Control::of(headers);
    let said = &control.directives;
    if !is_whole(status) || (said.must_understand && !is_understood(status)) {
        return Err(Refusal::Status);
    }
    if said.no_store && !said.must_understand {
        return Err(Refusal::NoStore);
    }
    if asker.no_store {
        return Err(Refusal::AskedNoStore);
    }
    if said.private {
        return Err(Refusal::Private);
    }
    if headers.contains_key(SET_COOKIE) || headers.contains_key(SET_COOKIE2) {
        return Err(Refusal::SetCookie);
    }
    // Before what is said of cookies: whoever varies by them has answered for this one, and would for the next.
    match vary_of(headers) {
        Vary::Star => return Err(Refusal::VaryStar),
        Vary::Names(names) => {
            let by = |name: HeaderName| names.contains(&name);
            let by_visitor = (asker.cookie || asker.held_back) && (by(COOKIE) || by(PARLOR_VISIT));
            if by_visitor || (asker.authorization && by(AUTHORIZATION)) {
                return Err(Refusal::VaryByVisitor);
            }
        }
    }
    let public = said.public || said.s_maxage.is_some();
    if asker.authorization && !(public || said.must_revalidate) {
        return Err(Refusal::Authorization);
    }
    if asker.cookie && !(public || control.targeted) {
        return Err(Refusal::Cookie);
    }
    let validator = headers.contains_key(ETAG) || headers.contains_key(LAST_MODIFIED);
    let popular = asker.popular_for.filter(|_| status == StatusCode::OK && !said.no_cache);
    let guess = || (!asker.cookie).then(|| heuristic(status, headers, &control, received)).flatten();
    let (rule, fresh_for) = if let Some(said) = control.explicit(headers, received) {
        (Rule::Explicit, said)
    } else if said.no_cache && validator {
        (Rule::Explicit, 0)
    } else if let Some(popular) = popular {
        (Rule::Popular, popular)
    } else if let Some(guess) = guess() {
        (Rule::Heuristic, guess)
    } else {
        return Err(Refusal::Unsaid);
    };
    let stale = said.stale_while_revalidate.unwrap_or(0).max(said.stale_if_error.unwrap_or(0));
    if fresh_for == 0 && stale == 0 && !validator {
        // It could never be used again, not even to ask whether it changed.
        return Err(Refusal::Unsaid);
    }
    Ok(Policy {
        rule,
        fresh_for,
        initial_age: age_at_arrival(headers, delay, received),
        no_cache: said.no_cache,
        must_revalidate: said.must_revalidate || said.proxy_revalidate,
        s_maxage: said.s_maxage.is_some(),
        stale_while_revalidate: said.stale_while_revalidate.unwrap_or(0),
        stale_if_error: said.stale_if_error,
        no_transform: super::directives::Directives::of_answer(headers).no_transform,
    })
}

#[cfg(test)]
#[expect(clippy::type_complexity, reason = "tables are read, not reused")]
mod tests {
    use super::*;

    const NOW: Millis = 1_800_000_000_000;

    fn judged(asker: Asker, status: u16, lines: &str) -> Result<(Rule, Seconds), Refusal> {
        let mut headers = HeaderMap::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap();
            headers.append(HeaderName::from_bytes(name.trim().as_bytes()).unwrap(), value.trim().parse().unwrap());
        }
        judge(asker, StatusCode::from_u16(status).unwrap(), &headers, NOW, NOW).map(|policy| (policy.rule, policy.fresh_for))
    }

    #[test]
    fn what_is_kept_and_why_not() {
        let anybody = Asker::default();
        let cookie = Asker { cookie: true, ..anybody };
        let held_back = Asker { held_back: true, ..anybody };
        let authorised = Asker { authorization: true, ..anybody };
        let popular = Asker { popular_for: Some(300), ..anybody };
        let kept = |seconds| Ok((Rule::Explicit, seconds));
        let table: &[(Asker, u16, &str, Result<(Rule, Seconds), Refusal>)] = &[
            (anybody, 200, "cache-control: max-age=60", kept(60)),
            (anybody, 200, "", Err(Refusal::Unsaid)),
            (anybody, 200, "cache-control: public", Err(Refusal::Unsaid)),
            (anybody, 200, "cache-control: max-age=0", Err(Refusal::Unsaid)),
            (anybody, 200, "cache-control: max-age=0\netag: \"a\"", kept(0)),
            (anybody, 200, "cache-control: no-cache\netag: \"a\"", kept(0)),
            (anybody, 200, "cache-control: max-age=0, stale-while-revalidate=9", kept(0)),
            (anybody, 200, "cache-control: no-store, max-age=60", Err(Refusal::NoStore)),
            (anybody, 200, "cache-control: private, max-age=60", Err(Refusal::Private)),
            (anybody, 200, "cache-control: max-age=60\nset-cookie: a=b", Err(Refusal::SetCookie)),
            (anybody, 200, "cache-control: public, max-age=60\nset-cookie2: a=b", Err(Refusal::SetCookie)),
            (anybody, 200, "cache-control: max-age=60\nvary: *", Err(Refusal::VaryStar)),
            (anybody, 200, "cache-control: max-age=60\nvary: a, *", Err(Refusal::VaryStar)),
            (anybody, 200, "cache-control: max-age=60\nvary: cookie", kept(60)),
            (anybody, 206, "cache-control: max-age=60", Err(Refusal::Status)),
            (anybody, 304, "cache-control: max-age=60", Err(Refusal::Status)),
            (anybody, 416, "cache-control: max-age=60", Err(Refusal::Status)),
            (anybody, 599, "cache-control: max-age=60", kept(60)),
            (anybody, 599, "cache-control: max-age=60, must-understand", Err(Refusal::Status)),
            (anybody, 200, "cache-control: max-age=60, must-understand, no-store", kept(60)),
            (Asker { no_store: true, ..anybody }, 200, "cache-control: max-age=60", Err(Refusal::AskedNoStore)),
            (authorised, 200, "cache-control: max-age=60", Err(Refusal::Authorization)),
            (authorised, 200, "cache-control: max-age=60, public", kept(60)),
            (authorised, 200, "cache-control: max-age=60, must-revalidate", kept(60)),
            (authorised, 200, "cache-control: s-maxage=60", kept(60)),
            (authorised, 200, "cdn-cache-control: max-age=60", Err(Refusal::Authorization)),
            (authorised, 200, "cache-control: s-maxage=60\nvary: authorization", Err(Refusal::VaryByVisitor)),
            (cookie, 200, "cache-control: max-age=60", Err(Refusal::Cookie)),
            (cookie, 200, "cache-control: max-age=60, must-revalidate", Err(Refusal::Cookie)),
            (cookie, 200, "cache-control: max-age=60, public", kept(60)),
            (cookie, 200, "cdn-cache-control: max-age=60", kept(60)),
            (cookie, 200, "cache-control: s-maxage=60\nvary: cookie", Err(Refusal::VaryByVisitor)),
            (cookie, 200, "cache-control: s-maxage=60\nvary: parlor-visit", Err(Refusal::VaryByVisitor)),
            (cookie, 200, "cache-control: max-age=60\nvary: cookie", Err(Refusal::VaryByVisitor)),
            (held_back, 200, "cache-control: max-age=60", kept(60)),
            (held_back, 200, "cache-control: max-age=60\nvary: cookie", Err(Refusal::VaryByVisitor)),
            (cookie, 200, "last-modified: Sun, 06 Nov 1994 08:49:37 GMT", Err(Refusal::Cookie)),
            (cookie, 200, "cache-control: public\nlast-modified: Sun, 06 Nov 1994 08:49:37 GMT", Err(Refusal::Unsaid)),
            (anybody, 200, "last-modified: Sun, 06 Nov 1994 08:49:37 GMT", Ok((Rule::Heuristic, 86_400))),
            (popular, 200, "", Ok((Rule::Popular, 300))),
            (popular, 200, "cache-control: max-age=5", kept(5)),
            (popular, 200, "cache-control: no-cache", Err(Refusal::Unsaid)),
            (popular, 200, "cache-control: private", Err(Refusal::Private)),
            (popular, 404, "", Err(Refusal::Unsaid)),
            (popular, 200, "set-cookie: a=b", Err(Refusal::SetCookie)),
        ];
        for (asker, status, lines, wanted) in table {
            assert_eq!(judged(*asker, *status, lines), *wanted, "{asker:?} {status} {lines:?}");
        }
    }
}
