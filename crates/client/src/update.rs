//! What a room tells its visitor.

use parlor_rules::{Millis, Place, Position};
use parlor_wire::poker::{Me, Table};
use parlor_wire::reels::{ReelsMe, Screen};

#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The room as it is; an older view that was not read yet is replaced.
    View(Box<View>),
    /// A party game as it is, likewise.
    Screen(Box<Screened>),
    /// What a room that tells says of itself, as it stands: a piece of all it holds, what changed, or who is here.
    Told(Box<serde_json::Value>),
    /// Said to those here now; not kept.
    Now(Vec<Heard>),
    /// The room ends then unless somebody uses it.
    Closing {
        expires_at: Millis,
    },
    /// You are out, or the room is no more; nothing follows.
    Ended(String),
    Status(Status),
}

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub place: Place,
    pub expires_at: Option<Millis>,
    pub table: Table,
    pub me: Me,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Screened {
    pub place: Place,
    pub expires_at: Option<Millis>,
    pub screen: Screen,
    pub me: ReelsMe,
}

impl Update {
    /// Whether it shows all of the room, so that a newer one replaces it.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Update::View(_) | Update::Screen(_))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub from: Option<String>,
    pub data: serde_json::Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The connection broke or the room moved; coming back.
    Connecting,
    /// Back in the room; `resumed` when nothing was missed that is not told now.
    Online { resumed: bool },
}

/// An act is kept, at this position; `again` when the server had done it before this answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acted {
    pub at: Position,
    pub again: bool,
}

/// What the room said at the door.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    pub place: Place,
    pub resumed: bool,
    pub user_id: Option<String>,
}
