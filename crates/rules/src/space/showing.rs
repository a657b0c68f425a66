//! What somebody shows of themselves while they are here. Never kept: it goes with them.

use super::limits::{PRESENCE_SECONDS_DEFAULT, PRESENCE_SECONDS_MAX};
use super::{PartName, Refusal, Space};
use crate::identity::Viewer;
use crate::json::Json;
use crate::rights::Right;

#[derive(Clone, PartialEq, Debug)]
pub enum Showing {
    /// Their value in a presence, whole, for so many seconds or as long as the presence says.
    Set {
        presence: PartName,
        value: Json,
        seconds: Option<u64>,
    },
    Remove {
        presence: PartName,
    },
    /// Which values of a presence are worth sending to them: those whose `x` and `y` lie in the box.
    View {
        presence: PartName,
        within: Option<Frame>,
    },
    /// To be here without listening, for a while.
    Join,
    Leave,
}

/// A part of the plane, its edges included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// A page of what a space holds, for who does not listen.
#[derive(Clone, PartialEq, Debug)]
pub enum Page {
    Map { map: PartName, after: Option<super::EntryKey>, limit: usize },
    Entry { map: PartName, key: super::EntryKey },
    List { list: PartName, after: Option<super::Order>, limit: usize },
    Presence { presence: PartName },
}

impl Frame {
    pub fn holds(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

impl Space {
    /// For how many seconds a value of theirs would hold.
    pub fn presence_seconds(&self, viewer: &Viewer, presence: &PartName, asked: Option<u64>) -> Result<u64, Refusal> {
        if viewer.right < Right::Presence {
            return Err(Refusal::Needs(Right::Presence));
        }
        let seconds = asked.or_else(|| self.presences.get(presence).copied()).unwrap_or(PRESENCE_SECONDS_DEFAULT);
        if (1..=PRESENCE_SECONDS_MAX).contains(&seconds) { Ok(seconds) } else { Err(Refusal::Seconds) }
    }
}
