//! The way of a request that memory cannot answer: wait for one who already asks, or ask; pass on what cannot be shared.

use crate::answer::own_words;
use crate::ask::Asked;
use crate::body::Body;
use crate::edge::{Edge, is_safe};
use crate::errand::{Errand, known_vary};
use crate::fetch::origin_failed;
use crate::flights::{Landing, Place};
use crate::key::Key;
use crate::origin::Origin;
use crate::outgoing::{For, prepare};
use crate::page::Page;
use crate::rules::hops::{add_via, drop_hops};
use crate::rules::reuse::Use;
use crate::status::{Did, Forward, cache_status};
use crate::storefront::Visitor;
use http::{HeaderMap, Request, Response, StatusCode, Version};
use std::sync::Arc;

/// How often a request joins others before it asks by itself.
const ROUNDS_MAX: usize = 3;

impl Edge {
    /// The answer, however long it takes. `seen` is what was read of the request already.
    pub(crate) async fn go(
        self,
        origin: Arc<dyn Origin>,
        request: Request<Body>,
        seen: Option<(Asked, Visitor)>,
    ) -> Response<Body> {
        let Some((asked, visitor)) = seen else {
            let why = if is_safe(request.method()) { Forward::Bypass } else { Forward::Method };
            return self.pass(&origin, request, why).await;
        };
        if asked.special {
            return self.pass(&origin, request, Forward::Bypass).await;
        }
        let uri = request.uri().clone();
        let answer = self.share(&origin, request.map(|_| ()), &asked, &visitor).await;
        if matches!(answer.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
            self.note_view(&uri, &visitor, &asked);
        }
        answer
    }

    async fn share(&self, origin: &Arc<dyn Origin>, request: Request<()>, asked: &Asked, visitor: &Visitor) -> Response<Body> {
        let key = self.0.options.keys.key(request.uri(), request.headers());
        let variant = visitor.variant.as_deref();
        let mut found = self.find(&key, request.headers(), variant);
        if found.is_none() && self.fetch_from_below(&key).await {
            found = self.find(&key, request.headers(), variant);
            if let Some(page) = found.as_ref().filter(|page| self.is_usable(page, asked)) {
                self.0.tally.hits.count();
                return self.show(page, request.headers(), asked, visitor, None);
            }
        }
        if asked.said.only_if_cached {
            let words = "The page is not in the cache, and the request asked for nothing else.\n";
            return own_words(StatusCode::GATEWAY_TIMEOUT, words, &self.0.options.name, Did::Unsatisfiable);
        }
        self.0.tally.misses.count();
        let errand = Errand::new(self, origin, &request, key, asked, visitor, found);
        if asked.is_head {
            return self.head(errand).await;
        }
        if errand.is_alone() {
            return self.fetch(errand, None).await;
        }
        self.together(errand, request.headers(), asked, visitor).await
    }

    /// Joins those who ask for the same, or leads them.
    async fn together(&self, mut errand: Errand, request: &HeaderMap, asked: &Asked, visitor: &Visitor) -> Response<Body> {
        for _ in 0..ROUNDS_MAX {
            let name = self.flight_name(&errand.key, request, visitor.variant.as_deref());
            let follower = match self.0.flights.join(&name) {
                Place::Follower(follower) => follower,
                Place::Leader(leader) => {
                    // In a task of its own: if this client goes away, the others still get their page.
                    let edge = self.clone();
                    let led = tokio::spawn(async move { edge.fetch(errand, Some(leader)).await });
                    return led.await.unwrap_or_else(|_| origin_failed(&self.0.options.name, Forward::Miss, false));
                }
            };
            let Ok(landing) = tokio::time::timeout(self.0.options.coalesce_timeout, follower.landed()).await else { break };
            let found = self.find(&errand.key, request, visitor.variant.as_deref());
            match (landing, found) {
                (Landing::Kept, Some(page)) if self.is_usable(&page, asked) || self.is_news(&page, asked) => {
                    self.0.tally.coalesced.count();
                    let did = Did::Forwarded { why: errand.why, status: None, stored: false, collapsed: true };
                    return self.show(&page, request, asked, visitor, Some(did));
                }
                (Landing::Failed { down }, Some(page))
                    if page.held().helps(&asked.said, self.0.options.leave, down, self.now()) =>
                {
                    self.0.tally.stale_hits.count();
                    return self.show(&page, request, asked, visitor, None);
                }
                (Landing::Unshared, _) => break,
                (_, found) => errand.found = found,
            }
        }
        self.fetch(errand, None).await
    }

    pub(crate) fn find(&self, key: &Key, request: &HeaderMap, variant: Option<&str>) -> Option<Arc<Page>> {
        self.0.pages.shelf(key.as_str())?.pick(request, variant).cloned()
    }

    fn is_usable(&self, page: &Page, asked: &Asked) -> bool {
        page.held().decide(&asked.said, self.0.options.leave, self.now()) != Use::Validate
    }

    /// A page that came while this request was waiting is as good as one fetched for it; but what the origin told another
    /// visitor says nothing to one who brings credentials.
    fn is_news(&self, page: &Page, asked: &Asked) -> bool {
        page.received >= asked.arrived && !asked.has_credentials() && page.policy.initial_age <= page.policy.fresh_for
    }

    /// Those who would get the same page have one name: the key, the class of visitor, and what they say in the headers by
    /// which this key's pages are known to vary.
    pub(crate) fn flight_name(&self, key: &Key, request: &HeaderMap, variant: Option<&str>) -> String {
        let mut name = String::from(key.as_str());
        name.push('\n');
        name.push_str(variant.unwrap_or(""));
        for part in known_vary(self, key, request) {
            name.push('\n');
            name.push_str(&part);
        }
        name
    }

    /// To the origin and back, nothing kept. A successful change takes away what it may have changed.
    async fn pass(&self, origin: &Arc<dyn Origin>, request: Request<Body>, why: Forward) -> Response<Body> {
        self.0.tally.passes.count();
        let (mut parts, body) = request.into_parts();
        let key = self.0.options.keys.key(&parts.uri, &parts.headers);
        let changes = !is_safe(&parts.method);
        prepare(&mut parts, None, For::Asker, &self.0.options);
        let sent = origin.send(Request::from_parts(parts, body));
        match tokio::time::timeout(self.0.options.origin_timeout, sent).await {
            Err(_) => origin_failed(&self.0.options.name, why, true),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the origin did not answer");
                origin_failed(&self.0.options.name, why, false)
            }
            Ok(Ok(answer)) => {
                if changes && (answer.status().is_success() || answer.status().is_redirection()) {
                    self.invalidate(&key, answer.headers());
                }
                self.passed(answer, why)
            }
        }
    }

    /// An answer on its way through.
    pub(crate) fn passed(&self, mut answer: Response<Body>, why: Forward) -> Response<Body> {
        if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
            return answer;
        }
        let status = answer.status().as_u16();
        let version = answer.version();
        drop_hops(answer.headers_mut());
        self.sign_passed(answer.headers_mut(), version, why, status, false);
        *answer.version_mut() = Version::HTTP_11;
        answer
    }

    pub(crate) fn sign_passed(&self, headers: &mut HeaderMap, version: Version, why: Forward, status: u16, stored: bool) {
        let name = &self.0.options.name;
        add_via(headers, version, name);
        let did = Did::Forwarded { why, status: Some(status), stored, collapsed: false };
        headers.append(crate::page::CACHE_STATUS, cache_status(name, did));
    }
}
