//! What one commit may carry and how long a stream's tail is kept; the same for every backend unless it must be less.

use crate::error::StoreError;
use crate::records::Batch;
use crate::rooms::{Commit, RoomKey};
use parlor_rules::time::Span;

/// Commits a stream keeps at least, if they fit in the bytes.
pub const TAIL_COUNT_MAX: usize = 256;
pub const TAIL_BYTES_MAX: usize = 256 * 1024;

/// The longest key, field or member any backend takes; a store's physical key holds several of them.
pub const NAME_BYTES_MAX: usize = 4096;

/// A node that is gone is forgotten after this time; it speaks up three times as often.
pub const LEASE: Span = Span(30_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Records one commit may write.
    pub writes_max: usize,
    /// Bytes one commit may carry, entry and records together.
    pub bytes_max: usize,
    /// How long a node's announcement holds; nothing when no other process can use the store.
    pub lease: Option<Span>,
    /// How often what people show of themselves is mirrored; nothing where nobody could look at it.
    pub mirror_every: Option<Span>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { writes_max: 10_000, bytes_max: 4 * 1024 * 1024, lease: None, mirror_every: None }
    }
}

impl Limits {
    pub(crate) fn check_commit(&self, room: &RoomKey, commit: &Commit) -> Result<(), StoreError> {
        let long = commit.entry.iter().any(|(field, _)| field.len() > NAME_BYTES_MAX)
            || commit.writes.iter().any(|write| write.name_bytes_longest() > NAME_BYTES_MAX)
            || room.spine.len() > NAME_BYTES_MAX;
        self.check(commit.bytes(), commit.writes.len(), long)
    }

    pub(crate) fn check_batch(&self, batch: &Batch) -> Result<(), StoreError> {
        self.check(batch.bytes(), batch.operations.len(), batch.name_bytes_longest() > NAME_BYTES_MAX)
    }

    #[cfg(feature = "redis")]
    pub(crate) fn check_used(&self, used: &crate::records::Used) -> Result<(), StoreError> {
        let bytes = used.member.len() + used.list.len() + used.items.iter().map(bytes::Bytes::len).sum::<usize>();
        self.check(bytes, used.items.len() + 2, used.member.len().max(used.list.len()) > NAME_BYTES_MAX)
    }

    fn check(&self, bytes: usize, writes: usize, long: bool) -> Result<(), StoreError> {
        if bytes > self.bytes_max || writes > self.writes_max || long {
            return Err(StoreError::TooLarge { bytes, writes });
        }
        Ok(())
    }
}
