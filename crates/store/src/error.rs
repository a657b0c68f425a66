//! How a store can fail. Detail is for the log; callers branch on the variant.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The room has moved on, has ended, or already exists.
    #[error("the room is no longer where the writer thought it was")]
    Conflict,
    #[error("one change of {bytes} bytes in {writes} records is more than this store takes at once")]
    TooLarge { bytes: usize, writes: usize },
    /// Nothing was written; trying again later can help.
    #[error("the store has too much waiting")]
    Busy,
    /// It is not known whether anything was written.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// What is kept cannot be read; nothing will mend it but a backup.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A record holds another shape than the operation needs.
    #[error("the record {0} holds another shape")]
    Shape(String),
}
