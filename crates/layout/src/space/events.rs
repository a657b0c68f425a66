//! A space's events at rest, inside a commit. Values stand in it as they were said.

use super::settings::{self, SettingsForm};
use crate::damage::Damaged;
use crate::text::{raw, read};
use parlor_rules::Json;
use parlor_rules::space::Event;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    MapCreated { map: String },
    MapSet { map: String, key: String, value: Box<RawValue> },
    MapRemoved { map: String, key: String },
    MapCleared { map: String },
    MapDeleted { map: String },
    ListCreated { list: String },
    ItemPut { list: String, id: String, order: String, value: Box<RawValue> },
    ItemSet { list: String, id: String, value: Box<RawValue> },
    ItemPlaced { list: String, id: String, order: String },
    ItemRemoved { list: String, id: String },
    ListCleared { list: String },
    ListDeleted { list: String },
    PresenceCreated { presence: String, seconds: u64 },
    PresenceDeleted { presence: String },
    Updated(SettingsForm),
    Deleted {},
}

pub(crate) fn rest(event: &Event) -> Form {
    match event {
        Event::MapCreated { map } => Form::MapCreated { map: map.to_string() },
        Event::MapSet { map, key, value } => Form::MapSet { map: map.to_string(), key: key.to_string(), value: raw(value) },
        Event::MapRemoved { map, key } => Form::MapRemoved { map: map.to_string(), key: key.to_string() },
        Event::MapCleared { map } => Form::MapCleared { map: map.to_string() },
        Event::MapDeleted { map } => Form::MapDeleted { map: map.to_string() },
        Event::ListCreated { list } => Form::ListCreated { list: list.to_string() },
        Event::ItemPut { list, id, order, value } => {
            Form::ItemPut { list: list.to_string(), id: id.to_string(), order: order.to_string(), value: raw(value) }
        }
        Event::ItemSet { list, id, value } => Form::ItemSet { list: list.to_string(), id: id.to_string(), value: raw(value) },
        Event::ItemPlaced { list, id, order } => {
            Form::ItemPlaced { list: list.to_string(), id: id.to_string(), order: order.to_string() }
        }
        Event::ItemRemoved { list, id } => Form::ItemRemoved { list: list.to_string(), id: id.to_string() },
        Event::ListCleared { list } => Form::ListCleared { list: list.to_string() },
        Event::ListDeleted { list } => Form::ListDeleted { list: list.to_string() },
        Event::PresenceCreated { presence, seconds } => {
            Form::PresenceCreated { presence: presence.to_string(), seconds: *seconds }
        }
        Event::PresenceDeleted { presence } => Form::PresenceDeleted { presence: presence.to_string() },
        Event::Updated(settings) => Form::Updated(settings::rest(settings)),
        Event::Deleted => Form::Deleted {},
    }
}

pub(crate) fn wake(form: Form) -> Result<Event, Damaged> {
    let part = |text: &str| read("an event's part", text);
    let item = |text: &str| read("an event's item", text);
    let value = |raw: &RawValue| Json::kept(raw.get());
    Ok(match form {
        Form::MapCreated { map } => Event::MapCreated { map: part(&map)? },
        Form::MapSet { map, key, value: set } => Event::MapSet { map: part(&map)?, key: read(EVENT, &key)?, value: value(&set) },
        Form::MapRemoved { map, key } => Event::MapRemoved { map: part(&map)?, key: read(EVENT, &key)? },
        Form::MapCleared { map } => Event::MapCleared { map: part(&map)? },
        Form::MapDeleted { map } => Event::MapDeleted { map: part(&map)? },
        Form::ListCreated { list } => Event::ListCreated { list: part(&list)? },
        Form::ItemPut { list, id, order, value: set } => {
            Event::ItemPut { list: part(&list)?, id: item(&id)?, order: read(EVENT, &order)?, value: value(&set) }
        }
        Form::ItemSet { list, id, value: set } => Event::ItemSet { list: part(&list)?, id: item(&id)?, value: value(&set) },
        Form::ItemPlaced { list, id, order } => {
            Event::ItemPlaced { list: part(&list)?, id: item(&id)?, order: read(EVENT, &order)? }
        }
        Form::ItemRemoved { list, id } => Event::ItemRemoved { list: part(&list)?, id: item(&id)? },
        Form::ListCleared { list } => Event::ListCleared { list: part(&list)? },
        Form::ListDeleted { list } => Event::ListDeleted { list: part(&list)? },
        Form::PresenceCreated { presence, seconds } => Event::PresenceCreated { presence: part(&presence)?, seconds },
        Form::PresenceDeleted { presence } => Event::PresenceDeleted { presence: part(&presence)? },
        Form::Updated(form) => Event::Updated(settings::wake_settings(EVENT, form)?),
        Form::Deleted {} => Event::Deleted,
    })
}

const EVENT: &str = "an event";
