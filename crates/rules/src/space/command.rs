//! What somebody may want of a space.

use super::{Change, EntryKey, ItemId, Order, PartName};
use crate::json::Json;

#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// One operation, or several as one: all of them or none.
    Edit(Vec<Op>),
    Update(Change),
    Delete,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    MapCreate {
        map: PartName,
    },
    MapSet {
        map: PartName,
        key: EntryKey,
        value: Json,
        if_version: Option<u64>,
    },
    MapRemove {
        map: PartName,
        key: EntryKey,
        if_version: Option<u64>,
    },
    MapClear {
        map: PartName,
    },
    MapDelete {
        map: PartName,
    },
    ListCreate {
        list: PartName,
    },
    /// Without an id it is given one.
    ListInsert {
        list: PartName,
        id: Option<ItemId>,
        value: Json,
        to: Spot,
    },
    ListSet {
        list: PartName,
        id: ItemId,
        value: Json,
        if_version: Option<u64>,
    },
    ListMove {
        list: PartName,
        id: ItemId,
        to: Spot,
    },
    ListRemove {
        list: PartName,
        id: ItemId,
    },
    ListClear {
        list: PartName,
    },
    ListDelete {
        list: PartName,
    },
    PresenceCreate {
        presence: PartName,
        seconds: u64,
    },
    PresenceDelete {
        presence: PartName,
    },
}

/// Where in a list.
#[derive(Clone, PartialEq, Debug)]
pub enum Spot {
    Last,
    /// Counted from 0; for what is moved, the place it has afterwards. Beyond the end means the end.
    At(usize),
    First,
    /// Right after another item; should that be gone, where it was when its order was seen, or else at a place counted from 0.
    After {
        id: ItemId,
        order: Option<Order>,
        at: Option<usize>,
    },
}
