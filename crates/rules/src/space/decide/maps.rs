//! What may be done to maps.

use super::super::{EntryKey, Event, Map, PartName, Refusal, Space, weight};
use super::{at_version, room};
use crate::json::Json;

pub(super) fn create(space: &Space, map: &PartName) -> Result<Vec<Event>, Refusal> {
    if space.maps.contains_key(map) {
        return Ok(vec![]);
    }
    room::for_part(space)?;
    Ok(vec![Event::MapCreated { map: map.clone() }])
}

/// The same value again is a change too: it has a new version.
pub(super) fn set(
    space: &Space,
    map: &PartName,
    key: &EntryKey,
    value: &Json,
    if_version: Option<u64>,
) -> Result<Vec<Event>, Refusal> {
    let there = space.maps.get(map);
    let was = there.and_then(|map| map.entries.get(key));
    at_version(if_version, was.map_or(0, |was| was.version))?;
    if there.is_none() {
        room::for_part(space)?;
    }
    if was.is_none() {
        room::for_item(there.map_or(0, Map::len))?;
    }
    room::for_bytes(space, weight(key.as_str(), value), was.map_or(0, |was| weight(key.as_str(), &was.value)))?;
    Ok(vec![Event::MapSet { map: map.clone(), key: key.clone(), value: value.clone() }])
}

pub(super) fn remove(space: &Space, map: &PartName, key: &EntryKey, if_version: Option<u64>) -> Result<Vec<Event>, Refusal> {
    let was = space.maps.get(map).and_then(|map| map.entries.get(key));
    at_version(if_version, was.map_or(0, |was| was.version))?;
    Ok(was.map(|_| Event::MapRemoved { map: map.clone(), key: key.clone() }).into_iter().collect())
}

pub(super) fn clear(space: &Space, map: &PartName) -> Vec<Event> {
    let filled = space.maps.get(map).filter(|map| !map.is_empty());
    filled.map(|_| Event::MapCleared { map: map.clone() }).into_iter().collect()
}

pub(super) fn delete(space: &Space, map: &PartName) -> Vec<Event> {
    space.maps.get(map).map(|_| Event::MapDeleted { map: map.clone() }).into_iter().collect()
}
