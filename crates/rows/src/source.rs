//! Where rows come from, and how that can fail.

use async_trait::async_trait;

/// A row's columns by name.
pub type Columns = serde_json::Map<String, serde_json::Value>;

#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// The row as it is now, which is after this was called; nothing when there is no such row.
    async fn read(&self, row: &str) -> Result<Option<Columns>, SourceError>;
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    #[error("the database cannot be asked: {0}")]
    Unavailable(String),
    /// The row is there and cannot be kept.
    #[error("the row cannot be kept as JSON: {0}")]
    Unfit(String),
    #[error("the row has {bytes} bytes as JSON, more than the {bytes_max} that are kept")]
    TooLarge { bytes: usize, bytes_max: usize },
    #[error("the database took too long")]
    TimedOut,
    #[error("reading the row panicked")]
    Panicked,
}
