//! `room_settings:(room_id)`: DOCUMENT. Additive: what the room condition has no field for.
//!
//! Members that came later may be missing: a room that was written before them wakes with what was true then.

use super::condition::vote_state;
use crate::damage::{Damaged, damaged};
use crate::text::{document, hashed, is_false, json, parse, read, unhashed};
use bytes::Bytes;
use parlor_rules::poker::settings::LIFE_MINUTES_DEFAULT;
use parlor_rules::poker::{Life, Poker, RevealBy, Settings, Timer, Wish};
use parlor_rules::{Kept, Millis, RoomId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    host_key: String,
    valid_sizes: String,
    admin_user_id: String,
    vote_state: u8,
    /// Without it, cards are sealed that are open.
    #[serde(default)]
    sealed: Option<bool>,
    round: u64,
    timer_ends: Option<u64>,
    #[serde(default, skip_serializing_if = "is_false")]
    timer_is_quiet: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    story_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    banned: Vec<String>,
    #[serde(flatten)]
    settings: SettingsForm,
    created_at: u64,
}

/// How a table is run; an update is written in the same words.
#[derive(Serialize, Deserialize)]
pub(crate) struct SettingsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    auto_reveal: bool,
    #[serde(default = "by_the_host")]
    reveal_by: String,
    #[serde(default = "an_hour")]
    life_minutes: u64,
}

fn by_the_host() -> String {
    RevealBy::Host.name().to_owned()
}

fn an_hour() -> u64 {
    LIFE_MINUTES_DEFAULT
}

pub(super) fn record(table: &Poker, kept: &Kept) -> Bytes {
    json(&Form {
        host_key: hashed(&table.host_key),
        valid_sizes: table.deck.to_string(),
        admin_user_id: table.admin.as_ref().map_or_else(String::new, ToString::to_string),
        vote_state: vote_state(table.open),
        sealed: Some(table.sealed),
        round: table.round,
        timer_ends: table.timer.map(|timer| timer.ends.0),
        timer_is_quiet: table.timer.is_some_and(|timer| !timer.reveals),
        story_id: table.story.map(|story| story.to_string()),
        banned: table.banned.iter().map(ToString::to_string).collect(),
        settings: rest(&table.settings),
        created_at: kept.created.0,
    })
}

/// The table without seats, stories and history, and when it was made.
pub(super) fn wake(id: &RoomId, key: &str, records: &BTreeMap<&str, &Value>) -> Result<(Poker, Millis), Damaged> {
    let form: Form = parse(key, document(records, key)?)?;
    let wish = Wish { deck: read(key, &form.valid_sizes)?, settings: wake_settings(key, form.settings)? };
    let mut table = Poker::wished(id.clone(), unhashed(key, &form.host_key)?, wish);
    table.admin = if form.admin_user_id.is_empty() { None } else { Some(read(key, &form.admin_user_id)?) };
    table.open = match form.vote_state {
        1 => false,
        2 => true,
        other => return Err(damaged(key, format!("vote_state {other} is neither 1 (hide) nor 2 (open)"))),
    };
    table.sealed = form.sealed.unwrap_or(table.open);
    if table.open && !table.sealed {
        return Err(damaged(key, "open cards are always sealed"));
    }
    table.round = form.round;
    table.timer = form.timer_ends.map(|ends| Timer { ends: Millis(ends), reveals: !form.timer_is_quiet });
    table.story = form.story_id.map(|story| read(key, &story)).transpose()?;
    table.banned = form.banned.iter().map(|user| read(key, user)).collect::<Result<_, _>>()?;
    Ok((table, Millis(form.created_at)))
}

pub(super) fn rest(settings: &Settings) -> SettingsForm {
    SettingsForm {
        name: settings.name.as_ref().map(ToString::to_string),
        auto_reveal: settings.auto_reveal,
        reveal_by: settings.reveal_by.name().to_owned(),
        life_minutes: settings.life.in_minutes(),
    }
}

pub(super) fn wake_settings(what: &str, form: SettingsForm) -> Result<Settings, Damaged> {
    Ok(Settings {
        name: form.name.map(|name| read(what, &name)).transpose()?,
        auto_reveal: form.auto_reveal,
        reveal_by: read(what, &form.reveal_by)?,
        life: Life::minutes(form.life_minutes).map_err(|error| damaged(what, error))?,
    })
}
