//! A page of what a map or a list holds, for who does not listen.

use super::change::text;
use bytes::Bytes;
use parlor_rules::space::{EntryKey, ItemId, Order, PartName, Shared};
use serde_json::{Value, json};
use std::ops::Bound;

/// Entries or items one page has at most, and has unless fewer are asked for.
pub const PAGE_MAX: usize = 1_000;

/// `{"entries":{"key":[version,value]},"after":"key"}`; `after` is there when there are more.
pub fn map(shared: &Shared, map: &PartName, after: Option<&EntryKey>, limit: usize) -> Option<Bytes> {
    let entries = &shared.maps.get(map)?.entries;
    let mut body = br#"{"entries":{"#.to_vec();
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    let mut rest = entries.range::<_, EntryKey>((start, Bound::Unbounded));
    let mut last = None;
    for (index, (key, entry)) in rest.by_ref().take(limit).enumerate() {
        if index > 0 {
            body.push(b',');
        }
        text(&mut body, key.as_str());
        body.extend_from_slice(format!(":[{},{}]", entry.version, entry.value.as_str()).as_bytes());
        last = Some(key);
    }
    body.push(b'}');
    if let (Some(last), Some(_)) = (last, rest.next()) {
        body.extend_from_slice(br#","after":"#);
        text(&mut body, last.as_str());
    }
    body.push(b'}');
    Some(body.into())
}

pub fn entry(shared: &Shared, map: &PartName, key: &EntryKey) -> Option<Bytes> {
    let entry = shared.maps.get(map)?.entries.get(key)?;
    Some(format!(r#"{{"version":{},"value":{}}}"#, entry.version, entry.value.as_str()).into())
}

/// `{"items":[["id","order",version,value]],"after":"order"}`, in order.
pub fn list(shared: &Shared, list: &PartName, after: Option<&Order>, limit: usize) -> Option<Bytes> {
    let list = shared.lists.get(list)?;
    let start = after.map_or(Bound::Unbounded, |after| Bound::Excluded((after.clone(), ItemId::last())));
    let mut body = br#"{"items":["#.to_vec();
    let mut last = None;
    let mut rest = list.in_order.range((start, Bound::Unbounded));
    for (index, (order, id)) in rest.by_ref().take(limit).enumerate() {
        let Some(item) = list.items.get(id) else { continue };
        let comma = if index > 0 { "," } else { "" };
        body.extend_from_slice(format!(r#"{comma}["{id}","{order}",{},{}]"#, item.version, item.value.as_str()).as_bytes());
        last = Some(order);
    }
    body.push(b']');
    if let (Some(last), Some(_)) = (last, rest.next()) {
        body.extend_from_slice(format!(r#","after":"{last}""#).as_bytes());
    }
    body.push(b'}');
    Some(body.into())
}

/// The forms of pages, for the API's description.
pub fn map_schema() -> Value {
    json!({ "type": "object", "required": ["entries"], "properties": {
        "entries": { "type": "object", "additionalProperties": { "type": "array", "description": "version, value" } },
        "after": { "type": "string", "description": "There are more: ask again with this" } } })
}

pub fn entry_schema() -> Value {
    json!({ "type": "object", "required": ["version", "value"], "properties": { "version": { "type": "integer" }, "value": {} } })
}

pub fn list_schema() -> Value {
    json!({ "type": "object", "required": ["items"], "properties": {
        "items": { "type": "array", "items": { "type": "array", "description": "id, order, version, value" } },
        "after": { "type": "string", "description": "There are more: ask again with this" } } })
}
