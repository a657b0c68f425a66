//! A space at rest: its stream, its settings and clients in keys of its own, and one hash for each map and list.
//!
//! Keys in the style of the documents: `space:(room_id)` is the stream; a map or list lies below it. What an event touches
//! is one field, however large the part is.

pub(crate) mod events;

use crate::damage::Damaged;
use bytes::Bytes;
use parlor_rules::space::{EntryKey, Event, ItemId, PartName, Space};
use parlor_rules::{Kept, RoomId};
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
    RoomKey { tag: id.as_str().into(), spine: format!("space:{id}").into(), records }
}

fn settings_key(id: &RoomId) -> String {
    format!("space_settings:{id}")
}

pub(crate) fn clients_key(id: &RoomId) -> String {
    format!("space_clients:{id}")
}

pub(crate) fn place(id: &RoomId, name: &Ref) -> (Key, Option<Field>) {
    match name {
        Ref::Settings => (settings_key(id).into(), None),
        Ref::Map(map) => (format!("map:{map}").into(), None),
        Ref::Entry(map, key) => (format!("map:{map}").into(), Some(key.as_str().into())),
        Ref::List(list) => (format!("list:{list}").into(), None),
        Ref::Item(list, item) => (format!("list:{list}").into(), Some(item.as_str().into())),
    }
}

pub(crate) fn every_ref(_space: &Space) -> Vec<Ref> {
    vec![Ref::Settings]
}

pub(crate) fn touched(_before: &Space, _after: &Space, _event: &Event) -> Vec<Ref> {
    vec![]
}

pub(crate) fn record(_space: &Space, _kept: &Kept, _name: &Ref) -> Option<Value> {
    None
}

pub(crate) fn wake(_id: &RoomId, _records: &BTreeMap<&str, &Value>) -> Result<Kept, Damaged> {
    Err(crate::damage::damaged("a space", "not yet"))
}

#[allow(dead_code)]
fn _unused(_: Bytes) {}
