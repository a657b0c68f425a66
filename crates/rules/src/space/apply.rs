//! How events change a space. Each says what is there now, so that one that is applied again, or late to a room that is
//! ahead of it, does no harm once those after it are applied too.

use super::{Entry, Event, Item, List, Map, Space, weight};
use crate::room::When;

pub(super) fn apply(space: &mut Space, when: When, event: &Event) {
    let version = when.seq;
    match event {
        Event::MapCreated { map } => {
            space.maps.entry(map.clone()).or_default();
        }
        Event::MapSet { map, key, value } => {
            let entries = &mut space.maps.entry(map.clone()).or_default().entries;
            let was = entries.insert(key.clone(), Entry { value: value.clone(), version });
            space.bytes += weight(key.as_str(), value);
            space.bytes -= was.map_or(0, |was| weight(key.as_str(), &was.value));
        }
        Event::MapRemoved { map, key } => {
            let was = space.maps.get_mut(map).and_then(|map| map.entries.remove(key));
            space.bytes -= was.map_or(0, |was| weight(key.as_str(), &was.value));
        }
        Event::MapCleared { map } => {
            if let Some(map) = space.maps.get_mut(map) {
                space.bytes -= std::mem::take(map).bytes();
            }
        }
        Event::MapDeleted { map } => space.bytes -= space.maps.remove(map).as_ref().map_or(0, Map::bytes),
        Event::ListCreated { list } => {
            space.lists.entry(list.clone()).or_default();
        }
        Event::ItemPut { list, id, order, value } => {
            let item = Item { order: order.clone(), value: value.clone(), version };
            let was = space.lists.entry(list.clone()).or_default().put(id, item);
            space.bytes += weight(id.as_str(), value);
            space.bytes -= was.map_or(0, |was| weight(id.as_str(), &was.value));
        }
        Event::ItemSet { list, id, value } => {
            if let Some(item) = space.lists.get_mut(list).and_then(|list| list.items.get_mut(id)) {
                space.bytes += weight(id.as_str(), value);
                space.bytes -= weight(id.as_str(), &item.value);
                (item.value, item.version) = (value.clone(), version);
            }
        }
        Event::ItemPlaced { list, id, order } => {
            if let Some(list) = space.lists.get_mut(list) {
                list.place(id, order);
            }
        }
        Event::ItemRemoved { list, id } => {
            let was = space.lists.get_mut(list).and_then(|list| list.remove(id));
            space.bytes -= was.map_or(0, |was| weight(id.as_str(), &was.value));
        }
        Event::ListCleared { list } => {
            if let Some(list) = space.lists.get_mut(list) {
                space.bytes -= std::mem::take(list).bytes();
            }
        }
        Event::ListDeleted { list } => space.bytes -= space.lists.remove(list).as_ref().map_or(0, List::bytes),
        Event::PresenceCreated { presence, seconds } => {
            space.presences.insert(presence.clone(), *seconds);
        }
        Event::PresenceDeleted { presence } => {
            space.presences.remove(presence);
        }
        Event::Updated(settings) => space.settings = settings.clone(),
        Event::Deleted => {} // The room is taken away with all it has.
    }
}
