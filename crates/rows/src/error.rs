//! How asking for rows can fail.

use crate::delay::DelayRefused;
use crate::source::SourceError;
use parlor_store::StoreError;

#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RowsError {
    /// No schedule has it.
    #[error("this row is not kept; give it a delay first")]
    NotKept,
    #[error("a row's id has 1 to {max} bytes", max = crate::rows::ROW_ID_BYTES_MAX)]
    Id,
    #[error(transparent)]
    Delay(#[from] DelayRefused),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Others were quicker every time; what they read is newer than the question.
    #[error("others keep reading this row; look again")]
    Contended,
}
