//! What a new space is to be.

use crate::ask::{Fault, words};
use parlor_rules::Right;
use parlor_rules::space::{Life, Settings, Wish};
use serde::Deserialize;
use std::str::FromStr;

/// `{"kind":"space","name":"Board","guests":"write","members":"write","life_minutes":1440}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(rename = "kind")]
    _kind: Option<String>,
    name: Option<String>,
    guests: Option<String>,
    members: Option<String>,
    life_minutes: Option<u64>,
}

pub(crate) fn read(with: Option<&str>) -> Result<Wish, Fault> {
    let words: Words = words(with)?;
    let usual = Settings::default();
    let settings = Settings {
        name: words.name.map(|name| name.parse().map_err(Fault::bad)).transpose()?,
        guests: words.guests.as_deref().map_or(Ok(usual.guests), everybody)?,
        members: words.members.as_deref().map_or(Ok(usual.members), everybody)?,
        life: words.life_minutes.map(Life::minutes).transpose().map_err(Fault::bad)?,
    };
    Ok(Wish { settings })
}

/// What everybody of a sort may do: never to run the space.
pub(crate) fn everybody(text: &str) -> Result<Right, Fault> {
    match Right::from_str(text) {
        Ok(right @ (Right::None | Right::Read | Right::Write)) => Ok(right),
        Ok(Right::Presence | Right::Admin) | Err(_) => Err(Fault::bad("guests and members may be none, read or write")),
    }
}
