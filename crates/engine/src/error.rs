//! Why a request got no yes. Each is a sentence for people and names a `Code` for programs.

use parlor_layout::Damaged;
use parlor_rules::{Code, Refusal};
use parlor_store::StoreError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Refused(Refusal),
    #[error("there is no such room; it may have ended, or the id may be mistyped")]
    NoRoom,
    #[error("a room with that id exists already")]
    Exists,
    #[error("somebody is logged in under that name; take another, or wait until they are gone")]
    NameTaken,
    #[error("this session has ended, or there never was one; log in again")]
    NoSession,
    #[error("nobody with that id is logged in")]
    NoUser,
    #[error("too many requests wait for this room; send it again in a moment")]
    Busy,
    #[error("others changed this room faster than this request could; send it again")]
    Contended,
    #[error("too many client programs use this room at once; send it again in some minutes")]
    TooManyClients,
    #[error("you show something in as many presences as you may; remove one first")]
    TooManyPresences,
    #[error("the room has no such part, or it holds nothing of that name")]
    NoPart,
    #[error("this door has no words for rooms of that kind; use the WebSocket or REST")]
    Unspeakable,
    #[error("this change is larger than the store takes at once")]
    TooLarge,
    #[error("the server is about to restart; connect again and send it again")]
    Draining,
    #[error("the room was interrupted; send it again with the same number")]
    Interrupted,
    #[error("the server cannot keep changes right now; nothing was lost, send it again with the same number")]
    Store(StoreError),
    #[error("what is stored of this room cannot be read; restore it from a backup")]
    Damaged(Damaged),
}

impl Error {
    /// A game's own word for it, where it has one.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Error::Refused(refusal) => refusal.reason(),
            _ => None,
        }
    }

    pub fn code(&self) -> Code {
        match self {
            Error::Refused(refusal) => refusal.into(),
            Error::NoRoom => Code::RoomNotFound,
            Error::Exists => Code::Contended,
            Error::NameTaken => Code::NameTaken,
            Error::NoSession => Code::Unauthenticated,
            Error::NoUser => Code::NotFound,
            Error::Contended => Code::Contended,
            Error::TooManyClients => Code::TooMany,
            Error::TooManyPresences => Code::RoomFull,
            Error::NoPart => Code::NotFound,
            Error::Unspeakable => Code::Unsupported,
            Error::TooLarge => Code::TooLarge,
            Error::Busy | Error::Draining | Error::Interrupted => Code::Unavailable,
            Error::Store(StoreError::Damaged(_) | StoreError::Shape(_)) | Error::Damaged(_) => Code::Internal,
            Error::Store(_) => Code::Unavailable,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        match error {
            StoreError::Conflict => Error::Contended,
            StoreError::TooLarge { .. } => Error::TooLarge,
            StoreError::Busy => Error::Busy,
            StoreError::Unavailable(_) | StoreError::Damaged(_) | StoreError::Shape(_) => Error::Store(error),
        }
    }
}

impl From<Damaged> for Error {
    fn from(damaged: Damaged) -> Error {
        Error::Damaged(damaged)
    }
}
