//! How a space is run: what it is called, who may do what without a token of their own, how long it lives.

use crate::names::Title;
use crate::rights::Right;
use crate::time::Span;

pub const LIFE_MINUTES_MAX: u64 = 525_600;

#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    pub name: Option<Title>,
    /// What people with nothing but a user key may do.
    pub guests: Right,
    /// What people who are logged in may do.
    pub members: Right,
    /// Nothing: for ever.
    pub life: Option<Life>,
}

/// What a new space is to be.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wish {
    pub settings: Settings,
}

/// What is to be different; nothing said leaves it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Change {
    pub name: Option<Option<Title>>,
    pub guests: Option<Right>,
    pub members: Option<Right>,
}

/// So long after it was last changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life(u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a space lives 1 to {LIFE_MINUTES_MAX} minutes after it was last changed, or for ever if nothing is said")]
pub struct NotALife;

impl Life {
    pub fn minutes(minutes: u64) -> Result<Life, NotALife> {
        if (1..=LIFE_MINUTES_MAX).contains(&minutes) { Ok(Life(minutes)) } else { Err(NotALife) }
    }

    pub fn get(self) -> u64 {
        self.0
    }

    pub fn span(self) -> Span {
        Span::minutes(self.0)
    }
}

/// Members only: an address alone opens nothing.
impl Default for Settings {
    fn default() -> Settings {
        Settings { name: None, guests: Right::None, members: Right::Write, life: None }
    }
}
