//! An errand to the origin: everything it needs to know, so that it can outlive the request that sent it.

use crate::ask::Asked;
use crate::edge::{Edge, Unshared};
use crate::key::Key;
use crate::origin::Origin;
use crate::outgoing::{For, head_of};
use crate::page::Page;
use crate::rules::storable::{Asker, Refusal};
use crate::rules::vary::said;
use crate::status::Forward;
use crate::storefront::Visitor;
use http::request::Parts;
use http::{HeaderMap, Request};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

pub(crate) struct Errand {
    pub(crate) origin: Arc<dyn Origin>,
    pub(crate) parts: Parts,
    pub(crate) key: Key,
    pub(crate) asked: Asked,
    pub(crate) visitor: Visitor,
    /// The page we hold and may not use without asking.
    pub(crate) found: Option<Arc<Page>>,
    pub(crate) whom: For,
    pub(crate) popular: bool,
    pub(crate) why: Forward,
    pub(crate) mark: u64,
}

impl Errand {
    pub(crate) fn new<B>(
        edge: &Edge,
        origin: &Arc<dyn Origin>,
        request: &Request<B>,
        key: Key,
        asked: &Asked,
        visitor: &Visitor,
        found: Option<Arc<Page>>,
    ) -> Self {
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.method = request.method().clone();
        parts.uri = request.uri().clone();
        parts.version = request.version();
        parts.headers = request.headers().clone();
        if let Some(peer) = request.extensions().get::<crate::outgoing::Peer>() {
            parts.extensions.insert(*peer);
        }
        let mark = mark(&key, asked);
        let now = edge.now();
        let popular = !asked.authorization && edge.rank(&parts.uri).is_some_and(|rank| rank < edge.0.options.popular_rank);
        // What was not kept only because nobody looked at it may have become popular since; then no cookie goes along either.
        let still = |it: &Unshared| !(popular && matches!(it.because, Refusal::Unsaid | Refusal::Cookie));
        let whom = if found.is_none() && edge.0.unshared.get(&mark).is_some_and(|it| it.until > now && still(&it)) {
            For::Asker
        } else if !asked.is_head
            && !asked.authorization
            && (popular || (!asked.cookie && edge.0.cookieless.get(&mark).is_some_and(|until| until > now)))
        {
            For::All
        } else {
            For::AskerFirst
        };
        let why = if asked.said.no_cache && found.is_some() {
            Forward::Request
        } else if found.is_some() {
            Forward::Stale
        } else if asked.range {
            Forward::Partial
        } else if edge.0.pages.peek(key.as_str()).is_some() {
            Forward::VaryMiss
        } else {
            Forward::Miss
        };
        Self {
            origin: origin.clone(),
            parts,
            key,
            asked: asked.clone(),
            visitor: visitor.clone(),
            found,
            whom,
            popular,
            why,
            mark,
        }
    }

    /// Whether nobody should wait for it, nor it for anybody.
    pub(crate) fn is_alone(&self) -> bool {
        // A part of a page helps nobody else; a page that was not shareable a moment ago is not worth waiting for.
        (self.asked.range && self.found.is_none()) || self.whom == For::Asker || self.asked.said.no_store
    }

    pub(crate) fn asker(&self, edge: &Edge) -> Asker {
        let with_cookie = self.whom != For::All && (self.asked.cookie || self.asked.visit);
        Asker {
            authorization: self.asked.authorization && self.whom != For::All,
            cookie: with_cookie,
            held_back: self.whom == For::All && self.asked.has_credentials(),
            no_store: self.asked.said.no_store,
            // A page that a cookie may have shaped is never kept for its rank.
            popular_for: (self.popular && !with_cookie).then_some(edge.0.options.popular_for),
        }
    }

    /// The same errand for the asker alone, with everything that was held back.
    pub(crate) fn for_asker(&self) -> Self {
        Self {
            origin: self.origin.clone(),
            parts: head_of(&self.parts),
            key: self.key.clone(),
            asked: self.asked.clone(),
            visitor: self.visitor.clone(),
            found: None,
            whom: For::Asker,
            popular: false,
            why: self.why,
            mark: self.mark,
        }
    }
}

impl Edge {
    /// Why the last answer to such a request was not kept.
    pub(crate) fn last_refusal(&self, key: &Key, asked: &Asked) -> Option<Refusal> {
        self.0.unshared.peek(&mark(key, asked)).filter(|it| it.until > self.now()).map(|it| it.because)
    }

    /// The rank of the item that this page shows.
    pub(crate) fn rank(&self, uri: &http::Uri) -> Option<usize> {
        self.0.shop.rank(&self.0.shop.item_of(uri)?)
    }
}

/// A key's mark, apart for those who bring credentials: their answers say nothing about others'.
fn mark(key: &Key, asked: &Asked) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key.as_str(), asked.authorization, asked.cookie, asked.visit).hash(&mut hasher);
    hasher.finish()
}

/// What the request says in the headers by which this key's pages vary.
pub(crate) fn known_vary(edge: &Edge, key: &Key, request: &HeaderMap) -> Vec<String> {
    let Some(shelf) = edge.0.pages.peek(key.as_str()) else { return Vec::new() };
    let Some(page) = shelf.pages.first() else { return Vec::new() };
    page.vary.iter().map(|(name, _)| format!("{name}={:?}", said(request, name))).collect()
}
