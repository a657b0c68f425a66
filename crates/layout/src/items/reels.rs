//! A party game as items, for which no document has a table: one for every key of document 002, named by what follows
//! `room:(code):` in it. A document rests as its JSON text, a face as its bytes, a hash as one attribute for every field.
//!
//! The receipts, which share the hash `stats` with other things, are in `CLIENT#` items as in a space.

use super::sheet::Sheet;
use super::{CLIENT, Found, HEAD, clients, is_creation};
use crate::damage::{Damaged, damaged};
use crate::reels::clients_key;
use crate::schema::{REELS, Shape};
use bytes::Bytes;
use parlor_rules::RoomId;
use parlor_store::items::form::{Before, Item, Laid};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{Field, Value, Write};
use std::collections::BTreeMap;

/// So that the head of a game says whose it is.
const CODE: &str = "code";
const JSON: &str = "json";
const BYTES: &str = "bytes";
const FIELD: &str = "field:";

pub(super) fn changes(code: &RoomId, before: &Before<'_>, writes: &[Write]) -> Result<Laid, Damaged> {
    let mut sheet = Sheet::default();
    if is_creation(before) {
        sheet.set(HEAD, CODE, Attribute::Text(code.as_str().to_owned()));
    }
    for write in writes {
        let key = write.key();
        let sk = sk(code, key)?;
        match write {
            Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => {
                set(&mut sheet, code, key, sk, field, value)?;
            }
            Write::DropField { field, .. } if is_receipt(code, key, field) => {
                clients::lay(&mut sheet, CLIENT, field, None)?;
            }
            Write::DropField { field, .. } => sheet.remove(sk, &named(field)),
            Write::Put { value: Value::Document(text), .. } => {
                sheet.put(sk, Attributes::from([(JSON.to_owned(), Attribute::of_bytes(text))]));
            }
            Write::Put { value: Value::Text(bytes), .. } => {
                sheet.put(sk, Attributes::from([(BYTES.to_owned(), Attribute::Bytes(bytes.to_vec()))]));
            }
            Write::Put { value: Value::Hash(_), .. } | Write::Drop { .. } if is_shared(code, key) && !is_creation(before) => {
                return Err(damaged(key, "no game writes it whole"));
            }
            Write::Put { value: Value::Hash(fields), .. } => {
                sheet.put(sk, Attributes::new());
                fields.iter().try_for_each(|(field, value)| set(&mut sheet, code, key, sk, field, value))?;
            }
            Write::Drop { .. } => sheet.drop(sk),
            Write::Put { value: Value::List(_) | Value::SortedSet(_), .. } => {
                return Err(damaged(key, "no game has this shape"));
            }
        }
    }
    Ok(Laid::Changes(sheet.changes(is_creation(before))))
}

fn sk<'a>(code: &RoomId, key: &'a str) -> Result<&'a str, Damaged> {
    let sk = key.strip_prefix("room:").and_then(|rest| rest.strip_prefix(code.as_str())?.strip_prefix(':'));
    sk.filter(|_| shape(key).is_some()).ok_or_else(|| damaged(key, "no game has it"))
}

/// What the schema says of a key.
fn shape(key: &str) -> Option<Shape> {
    REELS.iter().find(|row| row.is_for(key)).map(|row| row.shape)
}

fn set(sheet: &mut Sheet, code: &RoomId, key: &str, sk: &str, field: &str, value: &Bytes) -> Result<(), Damaged> {
    if is_receipt(code, key, field) {
        return clients::lay(sheet, CLIENT, field, Some(value)).map(drop);
    }
    sheet.set(sk, &named(field), Attribute::of_bytes(value));
    Ok(())
}

fn named(field: &str) -> String {
    format!("{FIELD}{field}")
}

/// The hash that also holds the receipts.
fn is_shared(code: &RoomId, key: &str) -> bool {
    key == clients_key(code)
}

fn is_receipt(code: &RoomId, key: &str, field: &str) -> bool {
    is_shared(code, key) && field.contains('/')
}

pub(super) fn records(code: &RoomId, items: &[Item]) -> Result<Found, Damaged> {
    let mut found = Found::default();
    let mut receipts = BTreeMap::new();
    for Item { sk, attributes } in items {
        if let Some(user) = sk.strip_prefix(CLIENT) {
            clients::read(user, attributes, &mut receipts)?;
            continue;
        }
        let key = format!("room:{code}:{sk}");
        let bytes = |name: &str| {
            let bytes = attributes.get(name).and_then(Attribute::as_bytes);
            bytes.map(Bytes::copy_from_slice).ok_or_else(|| damaged(&key, format!("it has no {name}")))
        };
        match shape(&key) {
            Some(Shape::Document) => found.document(key.clone(), bytes(JSON)?),
            Some(Shape::Text) => drop(found.0.insert(key.as_str().into(), Value::Text(bytes(BYTES)?))),
            Some(Shape::Hash) => found.hash(key.clone(), fields(&key, attributes)?),
            Some(Shape::Stream | Shape::List | Shape::SortedSet) | None => {
                return Err(damaged(&key, "no game has such an item"));
            }
        }
    }
    if !receipts.is_empty() {
        let shared = found.0.entry(clients_key(code).into()).or_insert_with(|| Value::Hash(BTreeMap::new()));
        if let Value::Hash(fields) = shared {
            fields.extend(receipts);
        }
    }
    Ok(found)
}

fn fields(key: &str, item: &Attributes) -> Result<BTreeMap<Field, Bytes>, Damaged> {
    let own = item.iter().filter_map(|(name, value)| Some((name.strip_prefix(FIELD)?, value)));
    let field = |(name, value): (&str, &Attribute)| {
        let value = value.as_bytes().ok_or_else(|| damaged(key, format!("{name:?} should be a text")))?;
        Ok((name.into(), Bytes::copy_from_slice(value)))
    };
    own.map(field).collect()
}
