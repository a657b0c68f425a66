//! What a request asks, read in one walk over its headers.

use crate::clock::Millis;
use crate::rules::directives::Directives;
use crate::rules::hops::{cookie_names, takes_away};
use crate::rules::vary::accepts_gzip;
use crate::rules::visit::{PARLOR_VISIT, VISIT_COOKIES};
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, COOKIE, IF_MATCH, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, IF_UNMODIFIED_SINCE, PRAGMA, RANGE, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, Method, Request};

/// The facts about a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) is_head: bool,
    pub(crate) said: Directives,
    pub(crate) authorization: bool,
    /// A cookie other than the visit's.
    pub(crate) cookie: bool,
    /// The visit, by its cookie or its header.
    pub(crate) visit: bool,
    pub(crate) gzip: bool,
    pub(crate) range: bool,
    pub(crate) conditional: bool,
    /// Something that a kept page cannot answer, nor be made by: a body, an upgrade, a condition that guards a change, a header
    /// that is to be taken away before the origin sees it.
    pub(crate) special: bool,
    pub(crate) upgrade: bool,
    pub(crate) arrived: Millis,
}

impl Asked {
    /// `None` when the method is not one whose answers are kept.
    pub(crate) fn read<B: http_body::Body>(request: &Request<B>, obeys_client: bool, now: Millis) -> Option<Self> {
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            return None;
        }
        let mut asked = Self { is_head, arrived: now, special: !request.body().is_end_stream(), ..Self::default() };
        asked.walk(request.headers(), obeys_client);
        Some(asked)
    }

    fn walk(&mut self, headers: &HeaderMap, obeys_client: bool) {
        let mut says = false;
        for (name, value) in headers {
            if *name == CACHE_CONTROL || *name == PRAGMA {
                says = true;
            } else if *name == ACCEPT_ENCODING {
                // Nearly every client says the word; only the rare ones need the careful reading.
                self.gzip = true;
            } else if *name == COOKIE {
                for cookie in cookie_names(headers) {
                    let visit = VISIT_COOKIES.iter().any(|it| it.as_bytes() == cookie);
                    self.visit |= visit;
                    self.cookie |= !visit && !cookie.is_empty();
                }
            } else if *name == AUTHORIZATION {
                self.authorization = true;
            } else if *name == PARLOR_VISIT {
                self.visit = true;
            } else if *name == RANGE {
                self.range = true;
            } else if *name == IF_NONE_MATCH || *name == IF_MODIFIED_SINCE {
                self.conditional = true;
            } else if *name == TRANSFER_ENCODING || *name == IF_MATCH || *name == IF_UNMODIFIED_SINCE {
                self.special = true;
            } else if *name == CONNECTION {
                self.special |= takes_away(value.as_bytes());
            } else if *name == CONTENT_LENGTH {
                self.special |= value != "0";
            } else if *name == UPGRADE {
                self.special = true;
                self.upgrade = true;
            }
        }
        self.gzip = self.gzip && accepts_gzip(headers);
        if says && obeys_client {
            self.said = Directives::of_request(headers);
        }
    }

    /// Whether the request says who sends it.
    pub(crate) fn has_credentials(&self) -> bool {
        self.authorization || self.cookie || self.visit
    }
}
