//! The level below, if there is one: pages go down when they are kept, come up when memory has lost them, and leave when purged.
//!
//! A purge names pages that memory may never have seen, so it goes down too: what is older than a purge of its name does not come
//! up, in this process or the next.

use crate::below::Below;
use crate::edge::Edge;
use crate::key::Key;
use crate::page::Page;
use crate::page_text;
use crate::purges::Tag;
use std::future::Future;
use std::sync::Arc;

impl Edge {
    /// Whether a page for this key came up from below.
    pub(crate) async fn fetch_from_below(&self, key: &Key) -> bool {
        let Some(below) = &self.0.options.below else { return false };
        if !self.knows_purges(below).await {
            return false;
        }
        let Some((head, body)) = below.get((self.0.options.hasher)(key.as_str())).await else { return false };
        // The hash named it; the key says whether it is the one.
        let Some((page, kept)) = page_text::read(key, &head, body) else { return false };
        match self.0.pages.put_again(page, kept) {
            Ok(put) => {
                self.drop_below(put.evicted);
                true
            }
            Err(_) => false,
        }
    }

    /// What was purged before this process began is read once; until it is known, nothing may come up.
    async fn knows_purges(&self, below: &Arc<dyn Below>) -> bool {
        let read = || async {
            self.0.pages.remember(below.load_purges().await.ok_or(())?);
            Ok::<(), ()>(())
        };
        self.0.purges_known.get_or_try_init(read).await.is_ok()
    }

    /// Lets the level below remember that these were purged by now.
    pub(crate) fn telling_below(&self, tags: Vec<Tag>) -> Option<impl Future<Output = ()> + Send + use<>> {
        let (below, now) = (self.0.options.below.clone()?, self.now());
        Some(async move {
            for tag in tags {
                below.keep_purge(tag.hash(), now).await;
            }
        })
    }

    pub(crate) fn put_below(&self, page: &Arc<Page>) {
        let Some(below) = self.0.options.below.clone() else { return };
        let Some(head) = page_text::write(page) else { return };
        let hash = (self.0.options.hasher)(&page.key);
        let policy = &page.policy;
        let useful = u64::from(policy.fresh_for.saturating_sub(policy.initial_age))
            + u64::from(policy.stale_while_revalidate.max(policy.stale_if_error.unwrap_or(0)));
        if useful == 0 {
            return;
        }
        let deadline = page.received + useful * 1000;
        let body = page.body.clone();
        tokio::spawn(async move { below.put(hash, head, body, deadline).await });
    }

    pub(crate) fn drop_below(&self, keys: Vec<Arc<str>>) {
        let Some(below) = self.0.options.below.clone() else { return };
        if keys.is_empty() {
            return;
        }
        let hasher = self.0.options.hasher;
        tokio::spawn(async move {
            for key in keys {
                below.forget(hasher(&key)).await;
            }
        });
    }
}
