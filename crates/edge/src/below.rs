//! A second level under the memory: pages that outlive a restart. The edge works without one.

use crate::clock::Millis;
use crate::key::Hash;
use bytes::Bytes;
use std::future::Future;
use std::pin::Pin;

pub type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Somewhere that keeps heads and bodies under a hash until a deadline. It may forget, it must not mix.
pub trait Below: Send + Sync + 'static {
    /// The head and the body that were put last.
    fn get(&self, hash: Hash) -> Soon<'_, Option<(Bytes, Bytes)>>;
    /// Keeps both until the deadline, in milliseconds since 1970.
    fn put(&self, hash: Hash, head: Bytes, body: Bytes, deadline: u64) -> Soon<'_, ()>;
    fn forget(&self, hash: Hash) -> Soon<'_, ()>;
    /// Remembers that what has this name was purged then, for longer than any page is kept. Of many names it may forget the oldest.
    fn keep_purge(&self, name: Hash, at: Millis) -> Soon<'_, ()>;
    /// What it remembers of purges; `None` when that cannot be told now.
    fn load_purges(&self) -> Soon<'_, Option<Purged>>;
}

/// Purges as a level below remembers them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purged {
    /// Each name, and when it was purged last.
    pub names: Vec<(Hash, Millis)>,
    /// Purges until then may have been forgotten.
    pub forgotten: Millis,
}
