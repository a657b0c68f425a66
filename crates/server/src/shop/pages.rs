//! Pages at rest (document 004, `cache:{html_page_hash}`): under the edge's memory lies the store, so that a restart, or another node,
//! finds what was kept. A page that cannot be written or read is only fetched again. Beside the pages lies what was purged, so that
//! a page which no node had in memory then does not come back.

use bytes::Bytes;
use parlor_edge::below::{Below, Purged, Soon};
use parlor_layout::shop::pages as layout;
use parlor_rules::{Millis, SecretHash};
use parlor_store::{Answer, Batch, Operation, Query, Records, Value};
use std::sync::Arc;

/// Larger ones are kept in memory alone.
const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// So many names are remembered; what was kept before the oldest of that many is not used, as it may have been purged too.
const PURGES_MAX: usize = 1000;

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

    fn keep_purge(&self, name: [u8; 32], at: u64) -> Soon<'_, ()> {
        let score = layout::purged_score(Millis(at));
        let member = SecretHash::from_bytes(name).hex().into();
        let operations = vec![
            Operation::SetScore { key: layout::purged(), member, score },
            Operation::KeepLowest { key: layout::purged(), keep: PURGES_MAX },
        ];
        Box::pin(async move {
            let batch = Batch { tag: layout::tag_of_purged(), operations, may_repeat: true, ..Batch::default() };
            if let Err(error) = self.0.apply(batch).await {
                tracing::warn!(%error, "a purge is not in the store: what rests there may come back after a restart");
            }
        })
    }

    fn load_purges(&self) -> Soon<'_, Option<Purged>> {
        Box::pin(async move {
            let newest = Query::Lowest { key: layout::purged(), skip: 0, take: PURGES_MAX };
            let answers = self.0.read(&layout::tag_of_purged(), vec![newest]).await.ok()?;
            let members = match answers.into_iter().next()? {
                Answer::Members(members) => members,
                _ => Vec::new(),
            };
            let at = |score| layout::purged_at(score).0;
            let oldest = members.last().filter(|_| members.len() >= PURGES_MAX).map_or(0, |(_, score)| at(*score));
            let name = |member: &str| SecretHash::from_hex(member).map(|hash| *hash.bytes());
            let names = members.iter().filter_map(|(member, score)| Some((name(member)?, at(*score)))).collect();
            Some(Purged { names, forgotten: oldest })
        })
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
