//! What one commit may carry and how long a stream's tail is kept; the same for every backend unless it must be less.

/// Commits a stream keeps at least, if they fit in the bytes.
pub const TAIL_COUNT_MAX: usize = 256;
pub const TAIL_BYTES_MAX: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Records one commit may write.
    pub writes_max: usize,
    /// Bytes one commit may carry, entry and records together.
    pub bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { writes_max: 10_000, bytes_max: 4 * 1024 * 1024 }
    }
}
