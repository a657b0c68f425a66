//! `list:(list)`: HASH id → {order, version, value}. They stand in the order of their `order`, byte by byte.

use crate::damage::Damaged;
use crate::text::{fields, json, parse, raw, read};
use bytes::Bytes;
use parlor_rules::Json;
use parlor_rules::space::{Item, ItemId, List};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct Form {
    order: String,
    version: u64,
    value: Box<RawValue>,
}

pub(super) fn record(item: &Item) -> Bytes {
    json(&Form { order: item.order.to_string(), version: item.version, value: raw(&item.value) })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<List, Damaged> {
    fields(records, key)?.map(|(field, value)| item(&format!("{key} {field}"), field, value)).collect()
}

fn item(what: &str, field: &str, value: &[u8]) -> Result<(ItemId, Item), Damaged> {
    let form: Form = parse(what, value)?;
    let item = Item { order: read(what, &form.order)?, value: Json::kept(form.value.get()), version: form.version };
    Ok((read(what, field)?, item))
}
