//! How a table is run, and what a new one is to be.

use super::Deck;
use crate::names::Title;
use crate::time::Span;
use std::str::FromStr;

pub const LIFE_MINUTES_DEFAULT: u64 = 60;
pub const LIFE_MINUTES_MAX: u64 = 43_200;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    pub name: Option<Title>,
    /// Whether the cards open by themselves once every voter has voted.
    pub auto_reveal: bool,
    pub reveal_by: RevealBy,
    /// How long the room lives after it was last used.
    pub life: Life,
}

/// Who may show, hide and reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RevealBy {
    #[default]
    Host,
    /// Everyone who sits at the table.
    Everyone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life(u64);

/// What is to be different; `None` leaves it as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    pub name: Option<Option<Title>>,
    pub auto_reveal: Option<bool>,
    pub reveal_by: Option<RevealBy>,
}

/// What a new table is to be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    pub deck: Deck,
    pub settings: Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotASetting {
    #[error("a room lives {LIFE_MINUTES_DEFAULT} to {LIFE_MINUTES_MAX} minutes")]
    Life,
    #[error("reveal_by is \"host\" or \"everyone\"")]
    RevealBy,
}

impl Settings {
    pub fn changed(&self, change: &Change) -> Settings {
        let mut settings = self.clone();
        settings.name = change.name.clone().unwrap_or(settings.name);
        settings.auto_reveal = change.auto_reveal.unwrap_or(settings.auto_reveal);
        settings.reveal_by = change.reveal_by.unwrap_or(settings.reveal_by);
        settings
    }
}

impl Life {
    pub fn minutes(minutes: u64) -> Result<Life, NotASetting> {
        let range = LIFE_MINUTES_DEFAULT..=LIFE_MINUTES_MAX;
        if range.contains(&minutes) { Ok(Life(minutes)) } else { Err(NotASetting::Life) }
    }

    pub fn in_minutes(self) -> u64 {
        self.0
    }

    pub fn span(self) -> Span {
        Span::minutes(self.0)
    }
}

/// Document 000's hour.
impl Default for Life {
    fn default() -> Life {
        Life(LIFE_MINUTES_DEFAULT)
    }
}

impl RevealBy {
    pub fn name(self) -> &'static str {
        match self {
            RevealBy::Host => "host",
            RevealBy::Everyone => "everyone",
        }
    }
}

impl FromStr for RevealBy {
    type Err = NotASetting;
    fn from_str(text: &str) -> Result<RevealBy, NotASetting> {
        [RevealBy::Host, RevealBy::Everyone].into_iter().find(|by| by.name() == text).ok_or(NotASetting::RevealBy)
    }
}
