//! A space at rest: its stream, its settings and clients in keys of its own, and one hash for each map and list.
//!
//! Keys in the style of the documents: `space:(room_id)` is the stream; a map or list lies below it. What an event touches
//! is one field, however large the part is; the settings are written only when a part comes or goes.

mod entries;
pub(crate) mod events;
mod items;
pub(crate) mod settings;

use crate::damage::{Damaged, damaged};
use parlor_rules::space::{EntryKey, Event, ItemId, PartName, Space};
use parlor_rules::{Kept, Receipts, RoomId, State};
use parlor_store::{Field, Key, RoomKey, Value};
use std::collections::BTreeMap;

/// Names one of a space's records.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ref {
    Settings,
    /// All of a map, when all of it changed.
    Map(PartName),
    Entry(PartName, EntryKey),
    List(PartName),
    Item(PartName, ItemId),
}

pub(crate) fn room_key(id: &RoomId) -> RoomKey {
    let records = [settings_key(id), clients_key(id)].into_iter().map(Key::from).collect();
    RoomKey { tag: id.as_str().into(), spine: format!("space:{id}").into(), records, below: None }
}

pub(crate) fn settings_key(id: &RoomId) -> String {
    format!("space_settings:{id}")
}

pub(crate) fn clients_key(id: &RoomId) -> String {
    format!("space_clients:{id}")
}

pub(crate) const MAP: &str = "map:";
pub(crate) const LIST: &str = "list:";

pub(crate) fn place(id: &RoomId, name: &Ref) -> (Key, Option<Field>) {
    match name {
        Ref::Settings => (settings_key(id).into(), None),
        Ref::Map(map) => (format!("{MAP}{map}").into(), None),
        Ref::Entry(map, key) => (format!("{MAP}{map}").into(), Some(key.as_str().into())),
        Ref::List(list) => (format!("{LIST}{list}").into(), None),
        Ref::Item(list, item) => (format!("{LIST}{list}").into(), Some(item.as_str().into())),
    }
}

pub(crate) fn every_ref(space: &Space) -> Vec<Ref> {
    let mut all = vec![Ref::Settings];
    for (name, map) in &space.maps {
        all.extend(map.entries.keys().map(|key| Ref::Entry(name.clone(), key.clone())));
    }
    for (name, list) in &space.lists {
        all.extend(list.items.keys().map(|id| Ref::Item(name.clone(), id.clone())));
    }
    all
}

pub(crate) fn touched(before: &Space, after: &Space, event: &Event) -> Vec<Ref> {
    // Which parts there are stands in the settings, and is written when that changes.
    let parts = |changed: bool| changed.then_some(Ref::Settings).into_iter();
    let new_map = |map: &PartName| parts(before.maps.contains_key(map) != after.maps.contains_key(map));
    let new_list = |list: &PartName| parts(before.lists.contains_key(list) != after.lists.contains_key(list));
    let whole_map = |map: &PartName| before.maps.get(map).filter(|map| !map.is_empty()).map(|_| Ref::Map(map.clone()));
    let whole_list = |list: &PartName| before.lists.get(list).filter(|list| !list.is_empty()).map(|_| Ref::List(list.clone()));
    match event {
        Event::MapCreated { map } => new_map(map).collect(),
        Event::MapSet { map, key, .. } | Event::MapRemoved { map, key } => {
            new_map(map).chain([Ref::Entry(map.clone(), key.clone())]).collect()
        }
        Event::MapCleared { map } | Event::MapDeleted { map } => new_map(map).chain(whole_map(map)).collect(),
        Event::ListCreated { list } => new_list(list).collect(),
        Event::ItemPut { list, id, .. }
        | Event::ItemSet { list, id, .. }
        | Event::ItemPlaced { list, id, .. }
        | Event::ItemRemoved { list, id } => new_list(list).chain([Ref::Item(list.clone(), id.clone())]).collect(),
        Event::ListCleared { list } | Event::ListDeleted { list } => new_list(list).chain(whole_list(list)).collect(),
        Event::PresenceCreated { .. } | Event::PresenceDeleted { .. } => parts(before.presences != after.presences).collect(),
        Event::Updated(_) => vec![Ref::Settings],
        Event::Deleted => vec![],
    }
}

/// Whether this is part of another record of the same commit, which is written whole.
pub(crate) fn is_within(name: &Ref, whole: impl Fn(Ref) -> bool) -> bool {
    match name {
        Ref::Entry(map, _) => whole(Ref::Map(map.clone())),
        Ref::Item(list, _) => whole(Ref::List(list.clone())),
        Ref::Settings | Ref::Map(_) | Ref::List(_) => false,
    }
}

pub(crate) fn record(space: &Space, kept: &Kept, name: &Ref) -> Option<Value> {
    match name {
        Ref::Settings => Some(Value::Document(settings::record(space, kept))),
        Ref::Map(map) => {
            let entries = space.maps.get(map).filter(|map| !map.is_empty())?.entries.iter();
            Some(Value::Hash(entries.map(|(key, entry)| (key.as_str().into(), entries::record(entry))).collect()))
        }
        Ref::Entry(map, key) => space.maps.get(map)?.entries.get(key).map(entries::record).map(Value::Document),
        Ref::List(list) => {
            let items = space.lists.get(list).filter(|list| !list.is_empty())?.items.iter();
            Some(Value::Hash(items.map(|(id, item)| (id.as_str().into(), items::record(item))).collect()))
        }
        Ref::Item(list, id) => space.lists.get(list)?.items.get(id).map(items::record).map(Value::Document),
    }
}

/// Records may be of several moments, each at or after the place they were read at: whatever they do not agree on is
/// put right by the commits after that place. So a map that the settings do not know is no damage.
pub(crate) fn wake(id: &RoomId, records: &BTreeMap<&str, &Value>) -> Result<Kept, Damaged> {
    let (mut space, created) = settings::wake(id, &settings_key(id), records)?;
    for key in records.keys() {
        if let Some(name) = key.strip_prefix(MAP) {
            space.maps.insert(part(key, name)?, entries::wake(key, records)?);
        } else if let Some(name) = key.strip_prefix(LIST) {
            space.lists.insert(part(key, name)?, items::wake(key, records)?);
        }
    }
    space.bytes = space.weigh();
    Ok(Kept { state: State::Space(space), receipts: Receipts::default(), created, expires: None })
}

fn part(key: &str, name: &str) -> Result<PartName, Damaged> {
    name.parse().map_err(|error| damaged(key, error))
}
