//! A shared list: items with ids, kept in order by keys that only the room hands out.

use super::{ItemId, Order};
use crate::json::Json;
use imbl::{OrdMap, Vector};

#[derive(Clone, PartialEq, Default)]
pub struct List {
    pub items: OrdMap<ItemId, Item>,
    /// The same ids in their order.
    pub in_order: Vector<(Order, ItemId)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub order: Order,
    pub value: Json,
    /// The commit that set its value.
    pub version: u64,
}
