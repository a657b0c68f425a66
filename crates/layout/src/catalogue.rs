//! Which key is what: the other direction of the functions that make keys, for whoever copies a store whole.
//!
//! A key is known only if the table of `schema` has a row for it, and a room's only if its kind would make it.

use crate::room::room_key;
use crate::schema::{REELS, SESSIONS, SHOP, SPACES, TABLE};
use parlor_rules::{Address, Kind, RoomId};
use parlor_store::{Catalogue, Thing};

/// The catalogue of all that is ever written.
#[derive(Clone, Copy, Debug)]
pub struct Documents;

impl Catalogue for Documents {
    fn thing(&self, key: &str) -> Option<Thing> {
        thing(key)
    }
}

pub fn thing(key: &str) -> Option<Thing> {
    if SESSIONS.iter().chain(SHOP).any(|row| row.is_for(key)) {
        // A session's keys are each in a place of their own. So are the shop's, on a store of one place; a cluster has them in
        // pieces, under names that are not these.
        return Some(Thing::Record { tag: "".into() });
    }
    if !TABLE.iter().chain(SPACES).chain(REELS).any(|row| row.is_for(key)) {
        return None;
    }
    // The id comes first; in a game's keys more comes after it.
    let id: RoomId = key.split(':').nth(1)?.parse().ok()?;
    Kind::ALL.iter().find_map(|kind| {
        let room = room_key(&Address { kind: *kind, id: id.clone() });
        if *room.spine == *key {
            return Some(Thing::Spine(room));
        }
        room.names(key).then_some(Thing::Part(room))
    })
}

/// What every key begins with, as `docs/schema.md` lists them; what lies below a space's stream has no name of its own, and all of a
/// game's begin alike.
pub fn prefixes() -> impl Iterator<Item = &'static str> {
    SESSIONS.iter().chain(TABLE).chain(SPACES).chain(REELS.first()).chain(SHOP).filter_map(|row| row.key.split('(').next())
}
