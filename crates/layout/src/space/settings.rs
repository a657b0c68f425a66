//! `space_settings:(room_id)`: DOCUMENT. How the space is run, and which parts it has: also empty ones, of which nothing
//! else would tell.

use crate::damage::{Damaged, damaged};
use crate::text::{document, hashed, json, parse, read, unhashed};
use bytes::Bytes;
use parlor_rules::room::Room;
use parlor_rules::space::{Life, List, Map, Settings, Space, Wish};
use parlor_rules::{Kept, Millis, RoomId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    host_key: String,
    #[serde(flatten)]
    settings: SettingsForm,
    parts: Parts,
    created_at: u64,
}

#[derive(Serialize, Deserialize)]
struct Parts {
    maps: Vec<String>,
    lists: Vec<String>,
    presences: BTreeMap<String, u64>,
}

/// How a space is run; an update is written in the same words.
#[derive(Serialize, Deserialize)]
pub(crate) struct SettingsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    guests: String,
    members: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life_minutes: Option<u64>,
}

pub(super) fn record(space: &Space, kept: &Kept) -> Bytes {
    json(&Form {
        host_key: hashed(&space.host_key),
        settings: rest(&space.settings),
        parts: Parts {
            maps: space.maps.keys().map(ToString::to_string).collect(),
            lists: space.lists.keys().map(ToString::to_string).collect(),
            presences: space.presences.iter().map(|(name, seconds)| (name.to_string(), *seconds)).collect(),
        },
        created_at: kept.created.0,
    })
}

/// The space with nothing in its parts, and when it was made.
pub(super) fn wake(id: &RoomId, key: &str, records: &BTreeMap<&str, &Value>) -> Result<(Space, Millis), Damaged> {
    let form: Form = parse(key, document(records, key)?)?;
    let wish = Wish { settings: wake_settings(key, form.settings)? };
    let mut space = Space::create(id.clone(), unhashed(key, &form.host_key)?, wish);
    let Parts { maps, lists, presences } = form.parts;
    space.maps = maps.iter().map(|name| Ok((read(key, name)?, Map::default()))).collect::<Result<_, _>>()?;
    space.lists = lists.iter().map(|name| Ok((read(key, name)?, List::default()))).collect::<Result<_, _>>()?;
    space.presences = presences.iter().map(|(name, seconds)| Ok((read(key, name)?, *seconds))).collect::<Result<_, _>>()?;
    Ok((space, Millis(form.created_at)))
}

pub(super) fn rest(settings: &Settings) -> SettingsForm {
    SettingsForm {
        name: settings.name.as_ref().map(ToString::to_string),
        guests: settings.guests.to_string(),
        members: settings.members.to_string(),
        life_minutes: settings.life.map(Life::get),
    }
}

pub(super) fn wake_settings(what: &str, form: SettingsForm) -> Result<Settings, Damaged> {
    Ok(Settings {
        name: form.name.map(|name| read(what, &name)).transpose()?,
        guests: read(what, &form.guests)?,
        members: read(what, &form.members)?,
        life: form.life_minutes.map(Life::minutes).transpose().map_err(|error| damaged(what, error))?,
    })
}
