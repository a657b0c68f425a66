//! A row as it is kept, and what is known about the keeping.

use crate::delay::Delay;
use crate::source::Columns;
use bytes::Bytes;
use parlor_rules::time::{Millis, Span};
use parlor_store::Key;

/// One reading of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub id: Key,
    /// As `inv:{row_id}` has it.
    pub json: Bytes,
    pub columns: Columns,
    /// When the reading began: the row is at least as new as this.
    pub read_at: Millis,
    /// When it is too old to be shown.
    pub until: Millis,
}

/// A row and how it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct RowSeen {
    pub id: Key,
    pub delay: Delay,
    /// When it is read next.
    pub next: Millis,
    /// How often in a row reading it has failed.
    pub failures: u32,
    /// Since when the database has had no such row.
    pub missing_since: Option<Millis>,
    /// Nothing before the first reading, and when what was read got too old.
    pub row: Option<Row>,
}

impl Row {
    /// Nothing when this is no JSON object: somebody else's writing.
    pub(crate) fn wake(id: &Key, json: Bytes, read_at: Millis, until: Millis) -> Option<Row> {
        let columns = serde_json::from_slice(&json).ok()?;
        Some(Row { id: id.clone(), json, columns, read_at, until })
    }

    pub fn age(&self, now: Millis) -> Span {
        now.since(self.read_at)
    }

    /// Roughly what it takes in memory: the text, and the columns read from it.
    pub(crate) fn bytes(&self) -> usize {
        self.id.len() + self.json.len() * 3 + self.columns.len() * 64
    }
}
