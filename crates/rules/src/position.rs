//! Where a room stands: the number of its last commit, and the mark that tells two histories apart.
//!
//! An id alone is not enough: after a failover two histories can both have a `100-2`. Whoever compares
//! positions to decide something compares places, that is the mark too.

use crate::time::Millis;
use std::fmt;
use std::str::FromStr;

/// `<epoch>-<seq>`: the millisecond of the room's creation and the number of the commit. A Redis stream id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    pub epoch: u64,
    pub seq: u64,
}

/// 64 random bits drawn for one commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mark(pub u64);

/// A position together with the mark of the commit that stands there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub position: Position,
    pub mark: Mark,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a position is written <epoch>-<number>, a mark as 16 hexadecimal digits")]
pub struct NotAPosition;

impl Position {
    /// Where a room created now begins.
    pub fn first(created: Millis) -> Position {
        Position { epoch: created.0, seq: 1 }
    }

    pub fn next(self) -> Position {
        Position { epoch: self.epoch, seq: self.seq + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.epoch, self.seq)
    }
}

impl FromStr for Position {
    type Err = NotAPosition;
    fn from_str(text: &str) -> Result<Position, NotAPosition> {
        let (epoch, seq) = text.split_once('-').ok_or(NotAPosition)?;
        Ok(Position { epoch: number(epoch)?, seq: number(seq)? })
    }
}

/// Digits only: `u64::from_str` would also take a sign.
fn number(text: &str) -> Result<u64, NotAPosition> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().map_err(|_| NotAPosition) } else { Err(NotAPosition) }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Mark {
    type Err = NotAPosition;
    fn from_str(text: &str) -> Result<Mark, NotAPosition> {
        if text.len() != 16 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAPosition);
        }
        u64::from_str_radix(text, 16).map(Mark).map_err(|_| NotAPosition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(epoch: u64, seq: u64, mark: u64) {
            let position = Position { epoch, seq };
            prop_assert_eq!(position.to_string().parse::<Position>(), Ok(position));
            prop_assert_eq!(Mark(mark).to_string().parse::<Mark>(), Ok(Mark(mark)));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "-", "1", "1-", "-1", "+1-2", "1-+2", "1-2-3", "1 -2", "x-1", "99999999999999999999-1"] {
            assert_eq!(text.parse::<Position>(), Err(NotAPosition), "{text:?}");
        }
        for text in ["", "123", "zzzzzzzzzzzzzzzz", "+123456789abcdef"] {
            assert_eq!(text.parse::<Mark>(), Err(NotAPosition), "{text:?}");
        }
    }
}
