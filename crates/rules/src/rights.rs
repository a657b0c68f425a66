//! What somebody may do in a room that gives rights: read, be present, write, administer. Each includes those before it.

use std::fmt;
use std::str::FromStr;

/// From the least to the most; a greater one includes the smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Right {
    #[default]
    None,
    Read,
    /// To be seen, and to be heard by those here now.
    Presence,
    Write,
    Admin,
}

impl Right {
    pub const ALL: [Right; 4] = [Right::Read, Right::Presence, Right::Write, Right::Admin];

    pub fn name(self) -> &'static str {
        match self {
            Right::None => "none",
            Right::Read => "read",
            Right::Presence => "presence",
            Right::Write => "write",
            Right::Admin => "admin",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a right is none, read, presence, write or admin")]
pub struct NotARight;

impl FromStr for Right {
    type Err = NotARight;
    fn from_str(text: &str) -> Result<Right, NotARight> {
        let all = [Right::None].into_iter().chain(Right::ALL);
        all.into_iter().find(|right| right.name() == text).ok_or(NotARight)
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
