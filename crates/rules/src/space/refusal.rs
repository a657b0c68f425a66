//! Why a space refuses.

use super::limits::{BATCH_OPS_MAX, ITEMS_MAX, PARTS_MAX, PRESENCE_SECONDS_MAX, SPACE_BYTES_MAX};
use crate::code::Code;
use crate::rights::Right;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("that key opens nothing here; leave it out to come as a guest")]
    BadKey,
    #[error("that needs the right \"{0}\" in this space")]
    Needs(Right),
    #[error("it is at {}, not version {expected}; look at it and send the change again", at_version(*is))]
    Version { expected: u64, is: u64 },
    #[error("there is no such item in the list")]
    NoItem,
    #[error("the list has an item with that id already")]
    ItemExists,
    #[error("a batch has 1 to {BATCH_OPS_MAX} operations")]
    Batch,
    #[error("a space has at most {PARTS_MAX} maps, lists and presences")]
    Parts,
    #[error("a map or list has at most {ITEMS_MAX} items")]
    Items,
    #[error("a space holds at most {SPACE_BYTES_MAX} bytes")]
    Full,
    #[error("a presence holds for 1 to {PRESENCE_SECONDS_MAX} seconds")]
    Seconds,
    #[error("say what to change: name, guests or members")]
    NothingToChange,
    #[error("a space is read part by part; there is nothing to take home")]
    NoExport,
}

/// What was changed earlier in the same batch is at no version yet.
fn at_version(version: u64) -> String {
    if version == u64::MAX { "no version before this batch is kept".to_owned() } else { format!("version {version}") }
}

impl From<Refusal> for Code {
    fn from(refusal: Refusal) -> Code {
        match refusal {
            Refusal::BadKey => Code::BadKey,
            Refusal::Needs(_) => Code::Forbidden,
            Refusal::Version { .. } => Code::VersionMismatch,
            Refusal::NoItem => Code::NotFound,
            Refusal::ItemExists => Code::Exists,
            Refusal::Batch | Refusal::Seconds | Refusal::NothingToChange => Code::BadRequest,
            Refusal::Parts | Refusal::Items | Refusal::Full => Code::RoomFull,
            Refusal::NoExport => Code::Unsupported,
        }
    }
}
