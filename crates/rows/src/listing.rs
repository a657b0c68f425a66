//! All rows that are kept, a page at a time.

use crate::claim::find;
use crate::error::RowsError;
use crate::row::RowSeen;
use crate::rows::Rows;
use parlor_layout::shop::rows as layout;
use parlor_store::{Answer, Key, Query};

/// Rows on one page at most.
const PAGE_MAX: usize = 1_000;

/// Some of the rows, those with the shortest delay first. Rows that come and go between two pages may be missing or there twice.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    pub rows: Vec<RowSeen>,
    /// Where the next page begins; nothing after the last.
    pub next: Option<String>,
}

impl Rows {
    /// The rows after a cursor that an earlier page gave; a cursor that makes no sense begins at the start.
    pub async fn page(&self, after: Option<&str>, count: usize) -> Result<Page, RowsError> {
        let (mut piece, mut skip) = after.and_then(cursor).unwrap_or((0, 0));
        let count = count.clamp(1, PAGE_MAX);
        let mut rows = Vec::new();
        while piece < self.inner.heads.len() {
            let tag = layout::tag(piece as u64);
            let take = count - rows.len();
            // One more than wanted says whether there is more.
            let query = Query::Lowest { key: layout::delay_key(), skip, take: take + 1 };
            let answers = self.inner.records.read(&tag, vec![query]).await?;
            let Some(Answer::Members(members)) = answers.into_iter().next() else { break };
            let ids: Vec<Key> = members.iter().take(take).map(|(id, _)| id.clone()).collect();
            rows.extend(find(&*self.inner.records, &tag, &ids).await?.into_iter().filter_map(|found| found.seen()));
            if members.len() > take {
                return Ok(Page { rows, next: Some(format!("{piece}-{}", skip + take)) });
            }
            (piece, skip) = (piece + 1, 0);
        }
        Ok(Page { rows, next: None })
    }
}

fn cursor(text: &str) -> Option<(usize, usize)> {
    let (piece, skip) = text.split_once('-')?;
    Some((piece.parse().ok()?, skip.parse().ok()?))
}
