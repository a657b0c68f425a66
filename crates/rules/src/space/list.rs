//! A shared list: items with ids, kept in order by keys that only the room hands out.

use super::{ItemId, Order, weight};
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

impl List {
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, id: &ItemId) -> Option<&Item> {
        self.items.get(id)
    }

    /// Which place an item has, counted from 0.
    pub fn index_of(&self, id: &ItemId) -> Option<usize> {
        self.search(&self.items.get(id)?.order, id).ok()
    }

    pub fn at(&self, index: usize) -> Option<(&ItemId, &Item)> {
        let (_, id) = self.in_order.get(index)?;
        self.items.get(id).map(|item| (id, item))
    }

    pub fn iter_in_order(&self) -> impl Iterator<Item = (&ItemId, &Item)> {
        self.in_order.iter().filter_map(|(_, id)| self.items.get(id).map(|item| (id, item)))
    }

    /// How many items stand before this order or at it.
    pub(super) fn up_to(&self, order: &Order) -> usize {
        let after = |other: &Order| if other <= order { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
        self.in_order.binary_search_by(|(other, _)| after(other)).unwrap_or_else(|place| place)
    }

    /// A new item, or another in its place; gives back the one that was there.
    pub fn put(&mut self, id: &ItemId, item: Item) -> Option<Item> {
        let was = self.items.insert(id.clone(), item.clone());
        if was.as_ref().is_none_or(|was| was.order != item.order) {
            if let Some(was) = &was {
                self.lift(&was.order, id);
            }
            self.lay(item.order, id);
        }
        was
    }

    /// Another place for an item that is there.
    pub(super) fn place(&mut self, id: &ItemId, order: &Order) {
        let Some(item) = self.items.get_mut(id) else { return };
        let was = std::mem::replace(&mut item.order, order.clone());
        if was != *order {
            self.lift(&was, id);
            self.lay(order.clone(), id);
        }
    }

    pub(super) fn remove(&mut self, id: &ItemId) -> Option<Item> {
        let was = self.items.remove(id)?;
        self.lift(&was.order, id);
        Some(was)
    }

    /// What it counts for in the space's bytes.
    pub(super) fn bytes(&self) -> usize {
        self.items.iter().map(|(id, item)| weight(id.as_str(), &item.value)).sum()
    }

    fn lay(&mut self, order: Order, id: &ItemId) {
        if let Err(place) = self.search(&order, id) {
            self.in_order.insert(place, (order, id.clone()));
        }
    }

    fn lift(&mut self, order: &Order, id: &ItemId) {
        if let Ok(place) = self.search(order, id) {
            self.in_order.remove(place);
        }
    }

    /// Two items never keep the same order, but they may have it for a moment while a room is read that others write to.
    fn search(&self, order: &Order, id: &ItemId) -> Result<usize, usize> {
        self.in_order.binary_search_by(|(other_order, other)| other_order.cmp(order).then_with(|| other.cmp(id)))
    }
}

/// In whatever order they come.
impl FromIterator<(ItemId, Item)> for List {
    fn from_iter<T: IntoIterator<Item = (ItemId, Item)>>(items: T) -> List {
        let items: OrdMap<ItemId, Item> = items.into_iter().collect();
        let mut in_order: Vec<(Order, ItemId)> = items.iter().map(|(id, item)| (item.order.clone(), id.clone())).collect();
        in_order.sort_unstable();
        List { items, in_order: in_order.into_iter().collect() }
    }
}
