//! What may be done to lists. Where something goes is decided by what stands there now; what is kept is its order.

use super::super::list::Standing;
use super::super::spacing::{Place, place};
use super::super::{Event, ItemId, List, PartName, Refusal, Space, Spot, weight};
use super::{at_version, bits, room};
use crate::json::Json;

pub(super) fn create(space: &Space, list: &PartName) -> Result<Vec<Event>, Refusal> {
    if space.lists.contains_key(list) {
        return Ok(vec![]);
    }
    room::for_part(space)?;
    Ok(vec![Event::ListCreated { list: list.clone() }])
}

pub(super) fn insert(
    space: &Space,
    list: &PartName,
    id: Option<&ItemId>,
    value: &Json,
    to: &Spot,
    dice: u64,
) -> Result<Vec<Event>, Refusal> {
    let there = space.lists.get(list);
    let items = there.cloned().unwrap_or_default();
    let id = match id {
        Some(id) if items.get(id).is_some() => return Err(Refusal::ItemExists),
        Some(id) => id.clone(),
        None => unused_id(&items, dice),
    };
    let after = spot(&items, to)?;
    if there.is_none() {
        room::for_part(space)?;
    }
    room::for_item(items.len())?;
    room::for_bytes(space, weight(id.as_str(), value), 0)?;
    let Place { order, moved } = place(&items.in_order, after.as_ref());
    let mut events = placed(list, moved);
    events.push(Event::ItemPut { list: list.clone(), id, order, value: value.clone() });
    Ok(events)
}

pub(super) fn set(
    space: &Space,
    list: &PartName,
    id: &ItemId,
    value: &Json,
    if_version: Option<u64>,
) -> Result<Vec<Event>, Refusal> {
    let was = space.lists.get(list).and_then(|list| list.get(id)).ok_or(Refusal::NoItem)?;
    at_version(if_version, was.version)?;
    room::for_bytes(space, weight(id.as_str(), value), weight(id.as_str(), &was.value))?;
    Ok(vec![Event::ItemSet { list: list.clone(), id: id.clone(), value: value.clone() }])
}

/// To another place; where it stands already there is nothing to do.
pub(super) fn shift(space: &Space, list: &PartName, id: &ItemId, to: &Spot) -> Result<Vec<Event>, Refusal> {
    let items = space.lists.get(list).ok_or(Refusal::NoItem)?;
    let standing = items.standing(id).ok_or(Refusal::NoItem)?;
    if matches!(to, Spot::After { id: anchor, .. } if anchor == id) {
        return Ok(vec![]);
    }
    let mut others = items.clone();
    others.remove(id);
    let after = spot(&others, to)?;
    if items.before(&standing) == after.as_ref() {
        return Ok(vec![]);
    }
    let Place { order, moved } = place(&others.in_order, after.as_ref());
    let mut events = placed(list, moved);
    events.push(Event::ItemPlaced { list: list.clone(), id: id.clone(), order });
    Ok(events)
}

pub(super) fn remove(space: &Space, list: &PartName, id: &ItemId) -> Vec<Event> {
    let was = space.lists.get(list).and_then(|list| list.get(id));
    was.map(|_| Event::ItemRemoved { list: list.clone(), id: id.clone() }).into_iter().collect()
}

pub(super) fn clear(space: &Space, list: &PartName) -> Vec<Event> {
    let filled = space.lists.get(list).filter(|list| !list.is_empty());
    filled.map(|_| Event::ListCleared { list: list.clone() }).into_iter().collect()
}

pub(super) fn delete(space: &Space, list: &PartName) -> Vec<Event> {
    space.lists.get(list).map(|_| Event::ListDeleted { list: list.clone() }).into_iter().collect()
}

/// After whom that is; nobody is before the first.
fn spot(items: &List, to: &Spot) -> Result<Option<Standing>, Refusal> {
    let at = |index: usize| index.min(items.len()).checked_sub(1).and_then(|before| items.nth(before));
    match to {
        Spot::Last => Ok(items.in_order.get_max().cloned()),
        Spot::At(index) => Ok(at(*index).cloned()),
        Spot::First => Ok(None),
        Spot::After { id, order, at: index } => match (items.standing(id), order, index) {
            (Some(standing), _, _) => Ok(Some(standing)),
            (None, Some(order), _) => Ok(items.last_up_to(order).cloned()),
            (None, None, Some(index)) => Ok(at(*index).cloned()),
            (None, None, None) => Err(Refusal::NoItem),
        },
    }
}

fn placed(list: &PartName, moved: Vec<(ItemId, super::super::Order)>) -> Vec<Event> {
    moved.into_iter().map(|(id, order)| Event::ItemPlaced { list: list.clone(), id, order }).collect()
}

/// An id of chance; should an item have it, the next one.
fn unused_id(items: &List, dice: u64) -> ItemId {
    let ids = (0..=items.len() as u64).map(|next| ItemId::from_bits(bits(dice, next)));
    ids.into_iter().find(|id| items.get(id).is_none()).unwrap_or_else(|| ItemId::from_bits(dice))
}
