//! The form of rooms that no document describes: an item for each record, whatever its shape.

use super::attribute::{Attribute, Attributes};
use super::form::{Before, Change, Form, HEAD, Item, Laid};
use super::names::{is_short, short};
use super::values::{Spread, gather, parts, spread};
use crate::error::StoreError;
use crate::records::logic::other_shape;
use crate::rooms::RoomKey;
use crate::shapes::{Key, Value, Write};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default, Debug)]
pub struct Plain;

const PARTITION: &str = "PLAIN:";
const MAIN: &str = "VALUE#";
const PART: &str = "WIDE#";
/// The whole name, where the item's own is cut.
const NAME: &str = "name";

impl Form for Plain {
    fn partition(&self, room: &RoomKey) -> String {
        format!("{PARTITION}{}", short(&room.spine))
    }

    fn spine(&self, partition: &str, head: &Attributes) -> Option<Key> {
        let cut = partition.strip_prefix(PARTITION)?;
        Some(head.get(NAME).and_then(Attribute::as_text).unwrap_or(cut).into())
    }

    fn changes(&self, room: &RoomKey, before: &Before<'_>, writes: &[Write]) -> Result<Laid, StoreError> {
        let mut unknown = Vec::new();
        let mut changes = Vec::new();
        if before.head.is_empty() {
            let mut head = Attributes::from([("form".into(), Attribute::text("plain"))]);
            if !is_short(&room.spine) {
                head.insert(NAME.into(), Attribute::text(&*room.spine));
            }
            changes.push(Change::Put(Item { sk: HEAD.into(), attributes: head }));
        }
        let mut values: BTreeMap<&Key, Option<Value>> = BTreeMap::new();
        for write in writes {
            let key = write.key();
            if values.contains_key(key) {
                continue;
            }
            // What is replaced as a whole need not be known.
            let is_part = matches!(write, Write::SetField { .. } | Write::Lapse { .. } | Write::DropField { .. });
            let (value, missing) = if is_part { known(before, key)? } else { (None, unasked(before, [main_sk(key)])) };
            unknown.extend(missing);
            values.insert(key, value);
        }
        if !unknown.is_empty() {
            return Ok(Laid::Unknown(unknown));
        }
        for write in writes {
            let value = values.remove(write.key()).flatten();
            values.insert(write.key(), written(value, write)?);
        }
        for (key, value) in values {
            let main = before.item(&main_sk(key)).ok().flatten();
            lay(&mut changes, key, value, main.is_some(), main.map_or(0, |main| parts(&main.attributes)));
        }
        Ok(Laid::Changes(changes))
    }

    fn records(&self, _room: &RoomKey, _head: Attributes, items: Vec<Item>) -> Result<Vec<(Key, Value)>, StoreError> {
        let by_sk: BTreeMap<&str, &Attributes> = items.iter().map(|item| (&*item.sk, &item.attributes)).collect();
        let mut records = Vec::new();
        for (sk, main) in &by_sk {
            let Some(cut) = sk.strip_prefix(MAIN) else { continue };
            let key = Key::from(main.get(NAME).and_then(Attribute::as_text).unwrap_or(cut));
            let parts: Vec<&Attributes> = (0..parts(main)).filter_map(|part| by_sk.get(&*part_sk(&key, part)).copied()).collect();
            records.push((key, gather(main, &parts)?));
        }
        records.sort_by(|one, two| one.0.cmp(&two.0));
        Ok(records)
    }
}

fn main_sk(key: &str) -> String {
    format!("{MAIN}{}", short(key))
}

fn part_sk(key: &str, part: usize) -> String {
    format!("{PART}{part:03}#{}", short(key))
}

/// What a record holds, or what must be asked for before that can be said.
fn known(before: &Before<'_>, key: &str) -> Result<(Option<Value>, Vec<String>), StoreError> {
    let main = match before.item(&main_sk(key)) {
        Ok(Some(main)) => &main.attributes,
        Ok(None) => return Ok((None, Vec::new())),
        Err(_) => return Ok((None, vec![main_sk(key)])),
    };
    let sks = (0..parts(main)).map(|part| part_sk(key, part));
    let missing = unasked(before, sks.clone());
    if !missing.is_empty() {
        return Ok((None, missing));
    }
    let pieces: Vec<&Attributes> = sks.filter_map(|sk| before.item(&sk).ok()?).map(|item| &item.attributes).collect();
    Ok((Some(gather(main, &pieces)?), Vec::new()))
}

fn unasked(before: &Before<'_>, sks: impl IntoIterator<Item = String>) -> Vec<String> {
    sks.into_iter().filter(|sk| before.item(sk).is_err()).collect()
}

fn lay(changes: &mut Vec<Change>, key: &Key, value: Option<Value>, was: bool, had: usize) {
    let mut has = 0;
    match value {
        Some(value) => {
            let Spread { mut main, parts } = spread(&value);
            if !is_short(key) {
                main.insert(NAME.into(), Attribute::text(&**key));
            }
            has = parts.len();
            changes.push(Change::Put(Item { sk: main_sk(key), attributes: main }));
            let parts = parts.into_iter().enumerate();
            changes.extend(parts.map(|(part, attributes)| Change::Put(Item { sk: part_sk(key, part), attributes })));
        }
        None if was => changes.push(Change::Drop { sk: main_sk(key) }),
        None => {}
    }
    changes.extend((has..had).map(|part| Change::Drop { sk: part_sk(key, part) }));
}

/// What a record holds after a write.
fn written(value: Option<Value>, write: &Write) -> Result<Option<Value>, StoreError> {
    let hash = |value: Option<Value>| match value {
        Some(Value::Hash(fields)) => Ok(fields),
        None => Ok(BTreeMap::new()),
        Some(_) => Err(other_shape(write.key())),
    };
    let fields = match write {
        Write::Put { value, .. } => return Ok((!value.is_nothing()).then(|| value.clone())),
        Write::Drop { .. } => return Ok(None),
        Write::SetField { field, value: text, .. } | Write::Lapse { field, value: text, .. } => {
            let mut fields = hash(value)?;
            fields.insert(field.clone(), text.clone());
            fields
        }
        Write::DropField { field, .. } => {
            let mut fields = hash(value)?;
            fields.remove(field);
            fields
        }
    };
    Ok((!fields.is_empty()).then_some(Value::Hash(fields)))
}
