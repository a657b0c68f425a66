//! How the records of rooms rest as items, which a store cannot know. The documents' forms are in the crate `layout`.
//!
//! A form is pure: what it must know of a room beyond the head it asks for, and is asked again. All that it says is of the
//! place the commit follows; the store writes it on the condition that the room is still there.

use super::attribute::{Attribute, Attributes};
use crate::error::StoreError;
use crate::rooms::RoomKey;
use crate::shapes::{Field, Key, Value, Write};
use bytes::Bytes;
use parlor_rules::time::Millis;
use std::collections::BTreeMap;

/// The sort key of a room's head. What a form says about this item becomes part of the head's own write.
pub const HEAD: &str = "ROOM";

/// The names of attributes that are the store's. A form neither writes nor is shown them, in no item.
pub const OWN: &[&str] = &["pk", "sk", "position", "mark", "life", "at", "ttl", "endsAt", "kept", "touched", "claim", "closed"];

/// Sort keys that begin so are not the form's: who is where, and what people show.
pub const NOT_OF_A_FORM: &[&str] = &["MEMBER#", "PRESENCE#"];

pub trait Form: Send + Sync + 'static {
    /// The partition that a room is: nobody else's, at most 1,900 bytes, not empty, and without `#EVENTS` at its end.
    fn partition(&self, room: &RoomKey) -> String;

    /// The other way, for listings: the spine of the room that a partition is. `head` holds the form's attributes of it.
    fn spine(&self, partition: &str, head: &Attributes) -> Option<Key>;

    /// The items that these writes change, each sort key once. A new room has an empty head and nothing else.
    fn changes(&self, room: &RoomKey, before: &Before<'_>, writes: &[Write]) -> Result<Laid, StoreError>;

    /// The records that rest in a room's head and its other items, all as they were at one moment, in the order of their keys.
    fn records(&self, room: &RoomKey, head: Attributes, items: Vec<Item>) -> Result<Vec<(Key, Value)>, StoreError>;

    /// What people show of themselves in one presence, each a JSON value, as an item for whoever looks; nothing where a room has
    /// no such thing. Nobody reads it back.
    fn shown(&self, room: &RoomKey, presence: &str, shown: &[(Field, Bytes)]) -> Option<Item> {
        let _ = (room, presence, shown);
        None
    }

    /// Sort keys of items that hold nothing any more. They may be dropped at leisure, each on the condition that it is still as
    /// it was read; nothing depends on it.
    fn litter(&self, room: &RoomKey, head: &Attributes, items: &[Item]) -> Vec<String> {
        let _ = (room, head, items);
        Vec::new()
    }
}

/// What is known of a room where it stands.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// The form's attributes of the head.
    pub head: &'a Attributes,
    /// The items that were asked for, by sort key; nothing for one that is not there.
    pub known: &'a BTreeMap<String, Option<Item>>,
    /// For people who look at the items; nothing is decided by it.
    pub now: Millis,
}

/// What a form answers about a commit's writes.
#[derive(Clone, PartialEq, Debug)]
pub enum Laid {
    /// What changes. The head is among it only if it changes too.
    Changes(Vec<Change>),
    /// Sort keys of items that must be known first: one more request, so only where the writes cannot be laid without.
    Unknown(Vec<String>),
}

/// An item without its partition, its sort key and the store's own attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub sk: String,
    pub attributes: Attributes,
}

/// Names from an item's attribute inward through maps; each is taken as it is, dots and all.
pub type Path = Vec<String>;

#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// The whole item as it is now, whether or not there was one.
    Put(Item),
    /// Parts of an item; all but the last name of each path are maps that are there (the form knows so from the head or
    /// because it asked). So an update that goes through no map makes the item if there is none. No path leads into another.
    Update {
        sk: String,
        set: Vec<(Path, Attribute)>,
        /// Set only where nothing is.
        once: Vec<(Path, Attribute)>,
        remove: Vec<Path>,
    },
    /// No item any more, whether or not there was one. The head is never dropped.
    Drop { sk: String },
}

impl Change {
    pub fn sk(&self) -> &str {
        match self {
            Change::Put(item) => &item.sk,
            Change::Update { sk, .. } | Change::Drop { sk } => sk,
        }
    }
}

impl<'a> Before<'a> {
    /// The item, if it was asked for; `Err` when it must be asked for first.
    pub fn item(&self, sk: &str) -> Result<Option<&'a Item>, Unasked> {
        self.known.get(sk).map(Option::as_ref).ok_or(Unasked)
    }
}

/// The item was not asked for yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unasked;
