//! Pages at rest (document 004, `cache:{html_page_hash}`): under the edge's memory lies the store, so that a restart, or another node,
//! finds what was kept. A page that cannot be written or read is only fetched again.

use bytes::Bytes;
use parlor_edge::below::{Below, Soon};
use parlor_layout::shop::pages as layout;
use parlor_rules::Millis;
use parlor_store::{Answer, Batch, Operation, Query, Records, Value};
use std::sync::Arc;

/// Larger ones are kept in memory alone.
const PAGE_BYTES_MAX: usize = 1024 * 1024;

pub struct StoredPages(pub Arc<dyn Records>);

impl Below for StoredPages {
    fn get(&self, hash: [u8; 32]) -> Soon<'_, Option<(Bytes, Bytes)>> {
        Box::pin(async move {
            let asked = vec![Query::Whole(layout::head(&hash)), Query::Whole(layout::body(&hash))];
            let mut answers = self.0.read(&layout::tag(&hash), asked).await.ok()?.into_iter();
            match (answers.next()?, answers.next()?) {
                (Answer::Whole(Value::Text(head)), Answer::Whole(Value::Text(body))) => Some((head, body)),
                _ => None,
            }
        })
    }

    fn put(&self, hash: [u8; 32], head: Bytes, body: Bytes, deadline: u64) -> Soon<'_, ()> {
        Box::pin(async move {
            if head.len() + body.len() > PAGE_BYTES_MAX {
                return;
            }
            let put = |key, text| Operation::Put { key, value: Value::Text(text), deadline: Some(Millis(deadline)) };
            let operations = vec![put(layout::head(&hash), head), put(layout::body(&hash), body)];
            self.apply(&hash, operations).await;
        })
    }

    fn forget(&self, hash: [u8; 32]) -> Soon<'_, ()> {
        let operations = vec![Operation::Drop { key: layout::head(&hash) }, Operation::Drop { key: layout::body(&hash) }];
        Box::pin(async move { self.apply(&hash, operations).await })
    }
}

impl StoredPages {
    async fn apply(&self, hash: &[u8; 32], operations: Vec<Operation>) {
        let batch = Batch { tag: layout::tag(hash), operations, may_repeat: true, ..Batch::default() };
        if let Err(error) = self.0.apply(batch).await {
            tracing::debug!(%error, "a page is kept in memory alone");
        }
    }
}
