//! The edge itself: what it is made of, and the way of a hit, which neither waits nor asks anybody but the shop's memory.

use crate::answer;
use crate::ask::Asked;
use crate::below::Below;
use crate::body::Body;
use crate::clock::{Clock, Millis, WallClock};
use crate::counts::{Counts, Tally};
use crate::flights::Flights;
use crate::key::{Hash, Key, KeyRules, hash};
use crate::origin::Origin;
use crate::page::Page;
use crate::purges::Tag;
use crate::rules::directives::Seconds;
use crate::rules::reuse::{Leave, Use};
use crate::rules::storable::Refusal;
use crate::status::Did;
use crate::store::Pages;
use crate::storefront::{Storefront, Visitor};
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use quick_cache::DefaultHashBuilder;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// How the edge behaves. The defaults suit a shop.
#[derive(Clone)]
pub struct Options {
    /// How many bytes of pages are kept in memory.
    pub bytes_max: u64,
    /// The largest page that is kept.
    pub page_max: usize,
    pub keys: KeyRules,
    /// The name in `Via` and `Cache-Status`.
    pub name: Arc<str>,
    /// Whether a client's `Cache-Control` may send a request past the cache.
    pub obeys_client: bool,
    pub leave: Leave,
    /// Item pages of a better rank than this are kept although the origin is silent, for so long.
    pub popular_rank: usize,
    pub popular_for: Seconds,
    /// How long the origin may take until its answer begins.
    pub origin_timeout: Duration,
    /// How long an answer may pause.
    pub body_timeout: Duration,
    /// How long a request waits for another one's answer before it asks by itself.
    pub coalesce_timeout: Duration,
    /// For how long a page that turned out not to be shareable is asked for without waiting for others.
    pub unshared_for: Duration,
    pub gzip: bool,
    /// Whether the one in front of us may say who the client is and how it came (`X-Forwarded-For`, `X-Forwarded-Proto`).
    pub trusts_forwarded: bool,
    pub clock: Arc<dyn Clock>,
    pub below: Option<Arc<dyn Below>>,
    /// The hash of keys in the level below; only tests plant another.
    pub hasher: fn(&str) -> Hash,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bytes_max: 256 * 1024 * 1024,
            page_max: 8 * 1024 * 1024,
            keys: KeyRules::default(),
            name: "parlor".into(),
            obeys_client: true,
            leave: Leave { soft_for: 60, down_for: 24 * 3600 },
            popular_rank: 10_000,
            popular_for: 300,
            origin_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            coalesce_timeout: Duration::from_secs(10),
            unshared_for: Duration::from_secs(60),
            gzip: true,
            trusts_forwarded: false,
            clock: Arc::new(WallClock),
            below: None,
            hasher: hash,
        }
    }
}

/// What to purge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purge {
    Url(Uri),
    /// The page with this path and query, whatever the host.
    Path(PathAndQuery),
    Group(String),
    SurrogateKey(String),
    Row(String),
    All,
}

/// Soft: the pages are stale and may be shown while they are fetched anew. Hard: they are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Soft,
    Hard,
}

/// A shared cache. Cloning it is cheap and shares everything.
#[derive(Clone)]
pub struct Edge(pub(crate) Arc<Inside>);

pub(crate) struct Inside {
    pub(crate) options: Options,
    pub(crate) shop: Arc<dyn Storefront>,
    pub(crate) pages: Pages,
    pub(crate) flights: Flights,
    pub(crate) tally: Tally,
    /// Keys whose last answer was for one asker only, and until when to believe it.
    pub(crate) unshared: quick_cache::sync::Cache<u64, Unshared>,
    /// Keys whose answer would have been kept if no visit had gone along.
    pub(crate) cookieless: quick_cache::sync::Cache<u64, Millis>,
    /// Set when what was purged before this process began is known.
    pub(crate) purges_known: tokio::sync::OnceCell<()>,
}

/// Why a key's last answer was not kept, and until when to believe that the next will be the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unshared {
    pub(crate) until: Millis,
    pub(crate) because: Refusal,
}

/// How many keys of each kind are remembered.
const MARKS_MAX: usize = 32_768;

thread_local! {
    static SCRATCH: RefCell<Key> = RefCell::default();
}

impl Edge {
    pub fn new(mut options: Options, shop: Arc<dyn Storefront>) -> Self {
        options.keys.believes_proto |= options.trusts_forwarded;
        let pages = Pages::new(options.bytes_max, DefaultHashBuilder::default());
        Self(Arc::new(Inside {
            options,
            shop,
            pages,
            flights: Flights::default(),
            tally: Tally::default(),
            unshared: quick_cache::sync::Cache::new(MARKS_MAX),
            cookieless: quick_cache::sync::Cache::new(MARKS_MAX),
            purges_known: tokio::sync::OnceCell::new(),
        }))
    }

    #[expect(
        clippy::result_large_err,
        reason = "what was read of a miss is moved once; a box would cost every miss an allocation"
    )]
    /// The answer, if it can be given from memory at once; else what was read of the request.
    pub(crate) fn at_once(
        &self,
        origin: &Arc<dyn Origin>,
        request: &Request<Body>,
    ) -> Result<Response<Body>, Option<(Asked, Visitor)>> {
        let now = self.now();
        let asked = Asked::read(request, self.0.options.obeys_client, now).ok_or(None)?;
        if asked.special {
            return Err(Some((asked, Visitor::default())));
        }
        let visitor = self.0.shop.visitor(request.headers());
        let page = SCRATCH.with_borrow_mut(|key| {
            self.0.options.keys.write(request.uri(), request.headers(), key);
            let shelf = self.0.pages.shelf(key.as_str())?;
            shelf.pick(request.headers(), visitor.variant.as_deref()).cloned()
        });
        let Some(page) = page else { return Err(Some((asked, visitor))) };
        match page.held().decide(&asked.said, self.0.options.leave, now) {
            Use::Fresh => self.0.tally.hits.count(),
            Use::Stale => {
                self.0.tally.stale_hits.count();
                self.refresh_behind(origin, request, &page, &visitor);
            }
            Use::Validate => return Err(Some((asked, visitor))),
        }
        if page.status == StatusCode::OK {
            self.note_view(request.uri(), &visitor, &asked);
        }
        Ok(self.show(&page, request.headers(), &asked, &visitor, None))
    }

    /// The page as this request wants it.
    pub(crate) fn show(
        &self,
        page: &Arc<Page>,
        request: &HeaderMap,
        asked: &Asked,
        visitor: &Visitor,
        did: Option<Did>,
    ) -> Response<Body> {
        let now = self.now();
        let held = page.held();
        let did = did.unwrap_or_else(|| {
            let left = i64::from(page.policy.fresh_for) - i64::from(held.age(now));
            Did::Hit { ttl: if held.purged.is_some() { left.min(0) } else { left } }
        });
        if asked.gzip && page.may_pack && self.0.options.gzip && page.wants_packing() {
            self.pack(page);
        }
        answer::from_page(&answer::Showing {
            page,
            request,
            asked,
            gzip: asked.gzip && self.0.options.gzip,
            age: held.age(now),
            shop: &*self.0.shop,
            visitor,
            name: &self.0.options.name,
            did,
        })
    }

    /// Small pages are packed here and now; large ones elsewhere, and until then they go out as they are.
    fn pack(&self, page: &Arc<Page>) {
        const HERE_MAX: usize = 32 * 1024;
        if page.body.len() <= HERE_MAX {
            page.pack();
            self.0.pages.weigh_again(&page.key);
            return;
        }
        let (edge, page) = (self.clone(), page.clone());
        tokio::task::spawn_blocking(move || {
            page.pack();
            edge.0.pages.weigh_again(&page.key);
        });
    }

    pub(crate) fn note_view(&self, uri: &Uri, visitor: &Visitor, asked: &Asked) {
        if !asked.is_head
            && let Some(item) = self.0.shop.item_of(uri)
        {
            self.0.shop.viewed(visitor, &item);
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.0.options.clock.now()
    }

    /// Purges; how many pages in memory it concerned. The level below hears of it a moment later.
    pub fn purge(&self, what: Purge, how: How) -> usize {
        let tags = self.tags_of(what);
        let purged = self.purge_tags(&tags, how);
        self.telling_below(tags).map(tokio::spawn);
        purged
    }

    /// The same, and the level below knows it when this returns: whatever happens to this process, nothing comes back.
    pub async fn purge_for_good(&self, what: Purge, how: How) -> usize {
        let tags = self.tags_of(what);
        let purged = self.purge_tags(&tags, how);
        if let Some(telling) = self.telling_below(tags) {
            telling.await;
        }
        purged
    }

    fn tags_of(&self, what: Purge) -> Vec<Tag> {
        let keys = &self.0.options.keys;
        match what {
            Purge::Url(url) => keys.by_every_scheme(&keys.of_url(&url)).into_iter().map(Tag::Url).collect(),
            Purge::Path(path) => vec![Tag::Path(keys.of_url(&path.into()).path_and_query().to_owned())],
            Purge::Group(name) => vec![Tag::Group(name)],
            Purge::SurrogateKey(name) => vec![Tag::SurrogateKey(name)],
            Purge::Row(row) => vec![Tag::Row(row)],
            Purge::All => vec![Tag::All],
        }
    }

    fn purge_tags(&self, tags: &[Tag], how: How) -> usize {
        tags.iter().map(|tag| self.purge_tag(tag.clone(), None, how)).sum()
    }

    pub(crate) fn purge_tag(&self, tag: Tag, host: Option<&str>, how: How) -> usize {
        let named = match &tag {
            Tag::Url(url) => Some(Arc::from(url.as_str())),
            _ => None,
        };
        let (purged, keys) = self.0.pages.purge(tag, host, how == How::Soft, self.now());
        self.0.tally.purged.add(purged as u64);
        // The level below keeps no stale pages: what is purged in any way leaves it, as far as memory or the name tells which it is.
        self.drop_below(keys.into_iter().chain(named).collect());
        purged
    }

    pub fn counts(&self) -> Counts {
        let tally = &self.0.tally;
        Counts {
            hits: tally.hits.now(),
            stale_hits: tally.stale_hits.now(),
            misses: tally.misses.now(),
            passes: tally.passes.now(),
            coalesced: tally.coalesced.now(),
            revalidated: tally.revalidated.now(),
            stored: tally.stored.now(),
            evicted: self.0.pages.evicted(),
            purged: tally.purged.now(),
            entries: self.0.pages.entries() as u64,
            bytes: self.0.pages.bytes(),
            bytes_max: self.0.pages.bytes_max(),
        }
    }

    /// How many requests to the origin others may be waiting for.
    pub fn under_way(&self) -> usize {
        self.0.flights.under_way()
    }
}

/// Whether answers to this method change nothing at the origin.
pub(crate) fn is_safe(method: &Method) -> bool {
    method.is_safe()
}
