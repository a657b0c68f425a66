//! `map:(map)`: HASH key → {version, value}. The value stands in it as it was said.

use crate::damage::Damaged;
use crate::text::{fields, json, parse, raw, read};
use bytes::Bytes;
use parlor_rules::Json;
use parlor_rules::space::{Entry, EntryKey, Map};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct Form {
    version: u64,
    value: Box<RawValue>,
}

pub(super) fn record(entry: &Entry) -> Bytes {
    json(&Form { version: entry.version, value: raw(&entry.value) })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<Map, Damaged> {
    let entries = fields(records, key)?.map(|(field, value)| entry(&format!("{key} {field}"), field, value));
    Ok(Map { entries: entries.collect::<Result<_, _>>()? })
}

fn entry(what: &str, field: &str, value: &[u8]) -> Result<(EntryKey, Entry), Damaged> {
    let form: Form = parse(what, value)?;
    Ok((read(what, field)?, Entry { value: Json::kept(form.value.get()), version: form.version }))
}
