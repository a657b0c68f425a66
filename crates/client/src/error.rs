//! Why a request got no yes: the server's own code and sentence, or one of ours when it never got that far.

use std::borrow::Cow;

/// Branch on `code` and `retry`; `message` is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct ClientError {
    pub code: Cow<'static, str>,
    pub message: String,
    /// Asking again can help.
    pub retry: bool,
}

impl ClientError {
    pub fn new(code: &'static str, retry: bool, message: impl Into<String>) -> ClientError {
        ClientError { code: code.into(), message: message.into(), retry }
    }

    pub(crate) fn offline(why: &str) -> ClientError {
        ClientError::new("offline", true, format!("there is no connection to the server: {why}"))
    }

    pub(crate) fn interrupted() -> ClientError {
        ClientError::new("interrupted", true, "the connection broke before the answer came; it may have been done")
    }

    pub(crate) fn closed() -> ClientError {
        ClientError::new("closed", false, "this client was closed")
    }

    pub(crate) fn outside() -> ClientError {
        ClientError::new("outside", false, "you are not in that room; enter it first")
    }

    pub(crate) fn inside() -> ClientError {
        ClientError::new("inside", false, "this client is in that room already")
    }

    pub(crate) fn ended(reason: &str) -> ClientError {
        ClientError::new("ended", false, format!("the room is over for you: {reason}"))
    }

    pub(crate) fn too_many() -> ClientError {
        ClientError::new("too_many", true, "too many acts of this client wait for an answer")
    }

    pub(crate) fn odd(what: &str) -> ClientError {
        ClientError::new("odd_reply", false, format!("the server's reply lacks {what}; is it another version?"))
    }
}
