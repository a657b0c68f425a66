//! Rooms as items of a DynamoDB table: the other direction of the keys, for the store that keeps items instead.
//!
//! Documents 003 (poker) and 001 (spaces) are tables of items; games rest in items of their own names. Records are what a
//! commit writes and what a room wakes from, as on every store: an item is another spelling of them, and nothing is lost
//! on the way there and back. `docs/schema.md` lists the items.

mod clients;
mod number;
mod poker;
mod reels;
mod sheet;
mod space;
mod spelling;
mod table;
mod words;

use crate::damage::Damaged;
use crate::room::room_key;
use bytes::Bytes;
use parlor_rules::{Address, Kind, RoomId};
use parlor_store::items::form::{Before, Form, HEAD, Item, Laid};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{Field, Key, RoomKey, StoreError, Value};
use std::collections::BTreeMap;
pub use table::{Done, Table};

/// The items of the documents.
#[derive(Clone, Copy, Debug)]
pub struct Documents;

/// What the partitions of each kind begin with.
fn prefix(kind: Kind) -> &'static str {
    match kind {
        Kind::Poker => "ROOM:",
        // Document 001 has the room's id alone.
        Kind::Space => "",
        Kind::Reels => "REELS:",
    }
}

/// The room that a key is of; nothing for what no kind of room has.
fn address(room: &RoomKey) -> Option<Address> {
    let id: RoomId = room.tag.parse().ok()?;
    let mut addresses = Kind::ALL.iter().map(|kind| Address { kind: *kind, id: id.clone() });
    addresses.find(|address| room_key(address).spine == room.spine)
}

fn known(room: &RoomKey) -> Result<Address, StoreError> {
    address(room).ok_or_else(|| StoreError::Damaged(format!("{} is no room of any kind", room.spine)))
}

impl Form for Documents {
    fn partition(&self, room: &RoomKey) -> String {
        match address(room) {
            Some(address) => format!("{}{}", prefix(address.kind), address.id),
            // Nothing rests there; and no room's partition begins so.
            None => format!("NONE:{}", room.spine),
        }
    }

    fn spine(&self, partition: &str, _head: &Attributes) -> Option<Key> {
        // No id has a colon, so no space is taken for another kind.
        Kind::ALL.iter().find_map(|kind| {
            let id: RoomId = partition.strip_prefix(prefix(*kind))?.parse().ok()?;
            Some(room_key(&Address { kind: *kind, id }).spine)
        })
    }

    fn changes(&self, room: &RoomKey, before: &Before<'_>, writes: &[parlor_store::Write]) -> Result<Laid, StoreError> {
        let address = known(room)?;
        let laid = match address.kind {
            Kind::Poker => poker::changes(&address.id, before, writes),
            Kind::Space => space::changes(&address.id, before, writes),
            Kind::Reels => reels::changes(&address.id, before, writes),
        };
        laid.map_err(said)
    }

    fn records(&self, room: &RoomKey, head: Attributes, items: Vec<Item>) -> Result<Vec<(Key, Value)>, StoreError> {
        let address = known(room)?;
        let records = match address.kind {
            Kind::Poker => poker::records(&address.id, &head, &items),
            Kind::Space => space::records(&address.id, &head, &items),
            Kind::Reels => reels::records(&address.id, &items),
        };
        records.map(|records| records.0.into_iter().collect()).map_err(said)
    }

    fn shown(&self, room: &RoomKey, presence: &str, shown: &[(Field, Bytes)]) -> Option<Item> {
        let address = address(room).filter(|address| address.kind == Kind::Space)?;
        space::shown(&address.id, presence, shown)
    }

    fn litter(&self, room: &RoomKey, head: &Attributes, items: &[Item]) -> Vec<String> {
        let Some(address) = address(room) else { return Vec::new() };
        let is_litter = |item: &&Item| match address.kind {
            Kind::Poker => poker::is_empty(item),
            Kind::Space => space::is_dead(head, item) || is_shell(item),
            Kind::Reels => is_shell(item),
        };
        items.iter().filter(is_litter).map(|item| item.sk.clone()).collect()
    }
}

fn said(damaged: Damaged) -> StoreError {
    StoreError::Damaged(damaged.to_string())
}

/// A person of whom nothing is kept any more.
fn is_shell(item: &Item) -> bool {
    item.sk.starts_with(CLIENT) && item.attributes.is_empty()
}

/// Where the receipts of a person are, in rooms that have no other item for people.
const CLIENT: &str = "CLIENT#";

/// The records that are found, by key; a hash that holds nothing is no record.
#[derive(Default)]
struct Found(BTreeMap<Key, Value>);

impl Found {
    fn document(&mut self, key: String, text: Bytes) {
        self.0.insert(key.into(), Value::Document(text));
    }

    fn hash(&mut self, key: String, fields: BTreeMap<Field, Bytes>) {
        if !fields.is_empty() {
            self.0.insert(key.into(), Value::Hash(fields));
        }
    }
}

/// Whether the commit makes the room, so that nothing is there yet.
fn is_creation(before: &Before<'_>) -> bool {
    before.head.is_empty()
}

fn number(number: u64) -> Attribute {
    Attribute::Number(number.to_string())
}
