//! A shared list: items with ids, kept in order by keys that only the room hands out.

use super::{ItemId, Order, weight};
use crate::json::Json;
use imbl::{OrdMap, OrdSet};

#[derive(Clone, PartialEq, Default)]
pub struct List {
    pub items: OrdMap<ItemId, Item>,
    /// The same ids in their order. Two items never keep the same order, but they may have it for a moment while a room is
    /// read that others write to.
    pub in_order: OrdSet<Standing>,
}

/// Who stands where.
pub type Standing = (Order, ItemId);

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

    /// Which place an item has, counted from 0. Like `at`, it counts those before it.
    pub fn index_of(&self, id: &ItemId) -> Option<usize> {
        let standing = self.standing(id)?;
        Some(self.in_order.range(..standing).count())
    }

    pub fn at(&self, index: usize) -> Option<(&ItemId, &Item)> {
        let (_, id) = self.nth(index)?;
        self.items.get(id).map(|item| (id, item))
    }

    pub fn iter_in_order(&self) -> impl Iterator<Item = (&ItemId, &Item)> {
        self.in_order.iter().filter_map(|(_, id)| self.items.get(id).map(|item| (id, item)))
    }

    pub(super) fn standing(&self, id: &ItemId) -> Option<Standing> {
        self.items.get(id).map(|item| (item.order.clone(), id.clone()))
    }

    /// Who stands at a place counted from 0, looked for from the nearer end.
    pub(super) fn nth(&self, index: usize) -> Option<&Standing> {
        let from_the_end = self.len().checked_sub(index + 1)?;
        if index <= from_the_end { self.in_order.iter().nth(index) } else { self.in_order.iter().nth_back(from_the_end) }
    }

    /// The last that stands at this order or before it.
    pub(super) fn last_up_to(&self, order: &Order) -> Option<&Standing> {
        self.in_order.range(..=(order.clone(), ItemId::last())).next_back()
    }

    /// Who stands right before this one.
    pub(super) fn before(&self, standing: &Standing) -> Option<&Standing> {
        self.in_order.range(..standing.clone()).next_back()
    }

    /// A new item, or another in its place; gives back the one that was there.
    pub fn put(&mut self, id: &ItemId, item: Item) -> Option<Item> {
        let was = self.items.insert(id.clone(), item.clone());
        if was.as_ref().is_none_or(|was| was.order != item.order) {
            if let Some(was) = &was {
                self.in_order.remove(&(was.order.clone(), id.clone()));
            }
            self.in_order.insert((item.order, id.clone()));
        }
        was
    }

    /// Another place for an item that is there.
    pub(super) fn place(&mut self, id: &ItemId, order: &Order) {
        let Some(item) = self.items.get_mut(id) else { return };
        let was = std::mem::replace(&mut item.order, order.clone());
        if was != *order {
            self.in_order.remove(&(was, id.clone()));
            self.in_order.insert((order.clone(), id.clone()));
        }
    }

    pub(super) fn remove(&mut self, id: &ItemId) -> Option<Item> {
        let was = self.items.remove(id)?;
        self.in_order.remove(&(was.order.clone(), id.clone()));
        Some(was)
    }

    /// What it counts for in the space's bytes.
    pub(super) fn bytes(&self) -> usize {
        self.items.iter().map(|(id, item)| weight(id.as_str(), &item.value)).sum()
    }
}

/// In whatever order they come.
impl FromIterator<(ItemId, Item)> for List {
    fn from_iter<T: IntoIterator<Item = (ItemId, Item)>>(items: T) -> List {
        let items: OrdMap<ItemId, Item> = items.into_iter().collect();
        let in_order = items.iter().map(|(id, item)| (item.order.clone(), id.clone())).collect();
        List { items, in_order }
    }
}
