//! A space as the items of document 001: `<roomId>` / `ROOM`, `MAP#<name>` and `LIST#<name>`. Additive: `PARTS`, which parts there are;
//! `CLIENT#`, the receipts of a person; and the buckets `MAP#<name>#<cut>.<bits>` of a part that is too large for one item.
//!
//! A key is set by its path in one bucket, so it costs the same however large the map is. Nobody counts what is in a bucket: it is
//! looked at now and then, as what is written draws it, and split in the commit that finds it too large. A part that is
//! cleared gets no new cut until it is split again, and buckets of another cut than the head says hold nothing.

mod bucket;
mod parts;
mod tree;

use super::sheet::Sheet;
use super::spelling::native;
use super::words::{self, Names};
use super::{CLIENT, Found, HEAD, clients, is_creation, number};
use crate::damage::{Damaged, damaged};
use crate::space::{LIST, MAP, clients_key, settings, settings_key};
use crate::text::{json, parse, spelt};
use bucket::Spread;
use bytes::Bytes;
use parlor_rules::RoomId;
use parlor_store::items::attribute::escaped;
use parlor_store::items::form::{Before, Item, Laid};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{Field, Value, Write};
use parts::{Edit, Laying, Splits};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};

const PARTS: &str = "PARTS";
/// Sort keys of parts, and what their records are called.
const SHAPES: [(&str, &str); 2] = [("MAP#", MAP), ("LIST#", LIST)];

const ROOM_NAMES: Names = &[
    (HOST_KEY, "hostKey"),
    ("name", "name"),
    ("guests", "guests"),
    ("members", "members"),
    ("life_minutes", "lifeMinutes"),
    ("created_at", "createdOn"),
];
const HOST_KEY: &str = "host_key";
const UPDATED_ON: &str = "updatedOn";

/// The item of a part, of the record that holds it.
fn part_sk(key: &str) -> Option<String> {
    // No part is called so that its item would be taken for another's bucket.
    SHAPES.iter().find_map(|(sk, record)| Some(format!("{sk}{}", key.strip_prefix(record).filter(|name| !name.contains('#'))?)))
}

/// The record of a part, of its item.
fn part_key(sk: &str) -> Option<String> {
    SHAPES.iter().find_map(|(prefix, record)| Some(format!("{record}{}", sk.strip_prefix(prefix)?)))
}

/// Which parts there are, by their items.
fn named(parts: &Json) -> BTreeSet<String> {
    let names = |kind: &str| parts.get(kind).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    let (maps, lists) = (names("maps").map(|name| format!("MAP#{name}")), names("lists").map(|name| format!("LIST#{name}")));
    maps.chain(lists).collect()
}

pub(super) fn changes(id: &RoomId, before: &Before<'_>, writes: &[Write]) -> Result<Laid, Damaged> {
    let mut sheet = Sheet::default();
    let mut edits: BTreeMap<String, Edit> = BTreeMap::new();
    let mut settings = None;
    for write in writes {
        let key = write.key();
        if **key == *settings_key(id) {
            let Write::Put { value: Value::Document(text), .. } = write else {
                return Err(damaged(key, "it should be a document"));
            };
            settings = Some(parse::<Map<String, Json>>(key, text)?);
        } else if **key == *clients_key(id) {
            receipt(&mut sheet, before, write)?;
        } else if let Some(sk) = part_sk(key) {
            edits.entry(sk).or_default().write(write)?;
        } else {
            return Err(damaged(key, "no space has it"));
        }
    }
    let host_key = match (&settings, before.head.get("hostKey")) {
        (Some(settings), _) => settings.get(HOST_KEY).and_then(Json::as_str).map(ToOwned::to_owned),
        (None, Some(key)) => Some(words::text(HEAD, key)?.to_owned()),
        (None, None) => None,
    };
    let host_key = host_key.ok_or_else(|| damaged(&settings_key(id), "there is no host key"))?;
    // Which parts come and go, if any might.
    let (mut were, mut are) = (None, None);
    if let Some(settings) = settings {
        let parts = settings.get("parts").cloned().ok_or_else(|| damaged(&settings_key(id), "it has no parts"))?;
        if !is_creation(before) {
            let Ok(known) = before.item(PARTS) else { return Ok(Laid::Unknown(unknown(before, PARTS))) };
            let known = known.ok_or_else(|| damaged(PARTS, "it is missing"))?;
            were = Some(named(&parts_document(&known.attributes)?));
        }
        are = Some(named(&parts));
        room(id, &mut sheet, before, settings)?;
        sheet.put(PARTS, parts_item(&parts)?);
    }
    if is_creation(before) {
        were = Some(BTreeSet::new());
    }
    for sk in are.iter().flatten().chain(were.iter().flatten()) {
        let comes_or_goes = |names: &Option<BTreeSet<String>>| names.as_ref().is_some_and(|names| names.contains(sk));
        if comes_or_goes(&are) != comes_or_goes(&were) {
            edits.entry(sk.clone()).or_default();
        }
    }
    let is_there = |names: &Option<BTreeSet<String>>, sk: &str| names.as_ref().is_none_or(|names| names.contains(sk));
    let mut laying = Laying::new(before, sheet, Spread::by(&host_key)?)?;
    for (sk, edit) in edits {
        laying.lay(&sk, edit, is_there(&were, &sk), is_there(&are, &sk))?;
    }
    laying.laid()
}

/// All that was asked for before, and this.
fn unknown(before: &Before<'_>, sk: &str) -> Vec<String> {
    before.known.keys().map(String::as_str).chain([sk]).map(ToOwned::to_owned).collect()
}

fn receipt(sheet: &mut Sheet, before: &Before<'_>, write: &Write) -> Result<(), Damaged> {
    let mut lay = |field: &str, value: Option<&Bytes>| clients::lay(sheet, CLIENT, field, value.map(|value| &**value)).map(drop);
    match write {
        Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => lay(field, Some(value)),
        Write::DropField { field, .. } => lay(field, None),
        Write::Put { value: Value::Hash(fields), .. } if is_creation(before) => {
            fields.iter().try_for_each(|(field, value)| lay(field, Some(value)))
        }
        Write::Put { key, .. } | Write::Drop { key } => Err(damaged(key, "no space writes it whole")),
    }
}

/// The head's attributes that say how the space is run.
fn room(id: &RoomId, sheet: &mut Sheet, before: &Before<'_>, mut settings: Map<String, Json>) -> Result<(), Damaged> {
    settings.remove("parts");
    let mut room = words::attributes(ROOM_NAMES, &settings_key(id), &json(&settings))?;
    for (_, name) in ROOM_NAMES {
        match room.remove(*name) {
            Some(value) if before.head.get(*name) == Some(&value) => {}
            Some(value) => sheet.set(HEAD, name, value),
            None if !before.head.contains_key(*name) => {}
            None => sheet.remove(HEAD, name),
        }
    }
    sheet.set(HEAD, UPDATED_ON, number(before.now.0));
    Ok(())
}

/// Names are people's words here, so they are taken as they are.
fn parts_item(parts: &Json) -> Result<Attributes, Damaged> {
    match super::spelling::native(PARTS, &parts.to_string())? {
        (Attribute::Map(item), _) => Ok(item),
        _ => Err(damaged(PARTS, "it should be an object")),
    }
}

fn parts_document(item: &Attributes) -> Result<Json, Damaged> {
    let own = ["maps", "lists", "presences"].into_iter().filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
    let text = super::spelling::text(PARTS, &Attribute::Map(own.collect()), None)?;
    parse(PARTS, text.as_bytes())
}

pub(super) fn records(id: &RoomId, head: &Attributes, items: &[Item]) -> Result<Found, Damaged> {
    let what = settings_key(id);
    let mut found = Found::default();
    let parts = items.iter().find(|item| item.sk == PARTS).ok_or_else(|| damaged(PARTS, "it is missing"))?;
    let parts = parts_document(&parts.attributes)?;
    let are = named(&parts);
    let mut settings = words::members(ROOM_NAMES, &what, head)?;
    settings["parts"] = parts;
    let host_key = settings[HOST_KEY].as_str().ok_or_else(|| damaged(HEAD, "there is no host key"))?.to_owned();
    found.document(what, spelt::<settings::Form>(HEAD, settings)?);
    let (splits, spread) = (Splits::wake(head)?, Spread::by(&host_key)?);
    let mut missing: BTreeSet<String> = are.iter().flat_map(|part| splits.sks(part)).collect();
    let mut hashes: BTreeMap<String, BTreeMap<Field, Bytes>> = BTreeMap::new();
    let mut clients = BTreeMap::new();
    for Item { sk, attributes } in items {
        if let Some(user) = sk.strip_prefix(CLIENT) {
            clients::read(user, attributes, &mut clients)?;
        } else if let Some((part, name)) = parts::read_sk(sk) {
            if !splits.is_alive(part, name) {
                continue;
            }
            let key = part_key(part).ok_or_else(|| damaged(sk, "no space has such an item"))?;
            if !missing.remove(sk) {
                return Err(damaged(sk, "there is no such part, or no such bucket of it"));
            }
            let bucket = bucket::read(sk, &spread, attributes)?;
            splits.check(sk, part, &bucket)?;
            bucket::wake(sk, bucket, hashes.entry(key).or_default())?;
        } else if sk != PARTS {
            return Err(damaged(sk, "no space has such an item"));
        }
    }
    if let Some(sk) = missing.first() {
        return Err(damaged(sk, "it is missing"));
    }
    hashes.into_iter().for_each(|(key, fields)| found.hash(key, fields));
    found.hash(clients_key(id), clients);
    Ok(found)
}

/// A bucket of a part that was cleared or deleted since.
pub(super) fn is_dead(head: &Attributes, item: &Item) -> bool {
    let Ok(splits) = Splits::wake(head) else { return false };
    parts::read_sk(&item.sk).is_some_and(|(part, name)| !splits.is_alive(part, name))
}

/// Document 001's `PRESENCE#` item: everybody's value under their id.
pub(super) fn shown(id: &RoomId, presence: &str, shown: &[(Field, Bytes)]) -> Option<Item> {
    let what = format!("presence {presence} of {id}");
    let value = |(user, json): &(Field, Bytes)| {
        let (value, _) = native(&what, std::str::from_utf8(json).ok()?).ok()?;
        Some((escaped(user), value))
    };
    let data = shown.iter().map(value).collect::<Option<Attributes>>()?;
    let attributes = Attributes::from([(bucket::DATA.to_owned(), Attribute::Map(data))]);
    Some(Item { sk: format!("{PRESENCE}{presence}"), attributes })
}

const PRESENCE: &str = "PRESENCE#";
