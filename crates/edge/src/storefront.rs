//! What the edge asks of the shop behind it. Every answer comes from memory: a hit never waits.

use bytes::Bytes;
use http::{HeaderMap, Uri};
use std::sync::Arc;

/// The shop's side of the edge.
pub trait Storefront: Send + Sync + 'static {
    /// Who asks, from what the server itself knows of the visit; never from other cookies. Called once a request.
    fn visitor(&self, headers: &HeaderMap) -> Visitor;
    /// The item that a path names, by the shop's pattern.
    fn item_of(&self, uri: &Uri) -> Option<Arc<str>>;
    /// The item's rank among the popular ones, 0 is first; `None`: not ranked.
    fn rank(&self, item: &str) -> Option<usize>;
    /// An item's page was served to this visitor.
    fn viewed(&self, visitor: &Visitor, item: &str);
    /// What a slot holds for this visitor now; `None`: the fallback stays. The bytes are already escaped HTML.
    fn fill(&self, visitor: &Visitor, slot: &Slot) -> Option<Bytes>;
}

/// Who asks, as far as pages may differ by it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// The visit, by whatever 32 bytes the shop knows it (the hash of its token).
    pub id: Option<[u8; 32]>,
    /// A class of visitors that gets pages of its own; pages of one variant are never shown to another.
    pub variant: Option<Arc<str>>,
}

/// A place in a page that is filled when the page is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub name: Box<str>,
    pub row: Option<Box<str>>,
    pub field: Option<Box<str>>,
    /// What the origin put there, shown when the shop has nothing to say.
    pub fallback: Bytes,
}

impl Slot {
    /// Whether what it holds depends on who asks: all do but rows, unknown names too.
    pub fn is_personal(&self) -> bool {
        &*self.name != "row"
    }
}

/// No shop: the edge alone is a plain cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoShop;

impl Storefront for NoShop {
    fn visitor(&self, _: &HeaderMap) -> Visitor {
        Visitor::default()
    }
    fn item_of(&self, _: &Uri) -> Option<Arc<str>> {
        None
    }
    fn rank(&self, _: &str) -> Option<usize> {
        None
    }
    fn viewed(&self, _: &Visitor, _: &str) {}
    fn fill(&self, _: &Visitor, _: &Slot) -> Option<Bytes> {
        None
    }
}
