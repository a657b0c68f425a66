//! What happened in a space. Each says what is there now, never by how much it changed.

use super::{EntryKey, ItemId, Order, PartName, Settings};
use crate::json::Json;

#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    MapCreated { map: PartName },
    MapSet { map: PartName, key: EntryKey, value: Json },
    MapRemoved { map: PartName, key: EntryKey },
    MapCleared { map: PartName },
    MapDeleted { map: PartName },
    ListCreated { list: PartName },
    ItemPut { list: PartName, id: ItemId, order: Order, value: Json },
    ItemSet { list: PartName, id: ItemId, value: Json },
    ItemPlaced { list: PartName, id: ItemId, order: Order },
    ItemRemoved { list: PartName, id: ItemId },
    ListCleared { list: PartName },
    ListDeleted { list: PartName },
    PresenceCreated { presence: PartName, seconds: u64 },
    PresenceDeleted { presence: PartName },
    Updated(Settings),
    Deleted,
}
