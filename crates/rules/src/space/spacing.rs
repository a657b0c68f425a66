//! Room between the items of a list: an order for a new one, and where its neighbours go when there is none left.

use super::{ItemId, Order};
use imbl::Vector;

/// How many stand anew at first; doubled until there is room.
const WINDOW: usize = 32;

/// A place that was found for something.
pub(super) struct Place {
    pub(super) order: Order,
    /// Neighbours that have to stand elsewhere for it, in the same order as before.
    pub(super) moved: Vec<(ItemId, Order)>,
}

/// A place before the item that is now at `index`.
pub(super) fn place(in_order: &Vector<(Order, ItemId)>, index: usize) -> Place {
    let order_at = |index: usize| in_order.get(index).map(|(order, _)| order);
    let before = |index: usize| index.checked_sub(1).and_then(order_at);
    if let Some(order) = Order::between(before(index), order_at(index)) {
        return Place { order, moved: vec![] };
    }
    let mut reach = WINDOW / 2;
    loop {
        let from = index.saturating_sub(reach);
        let to = (index + reach).min(in_order.len());
        if let Some(mut orders) = Order::spread(before(from), order_at(to), to - from + 1) {
            let order = orders.remove(index - from);
            let neighbours = (from..to).filter_map(|index| in_order.get(index)).zip(orders);
            let moved = neighbours.filter(|((was, _), is)| was != is).map(|((_, id), is)| (id.clone(), is)).collect();
            return Place { order, moved };
        }
        // A window that is the whole list always has room, so this ends.
        reach *= 2;
    }
}
