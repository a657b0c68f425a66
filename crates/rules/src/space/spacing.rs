//! Room between the items of a list: an order for a new one, and where its neighbours go when there is none left.

use super::list::Standing;
use super::{ItemId, Order};
use imbl::OrdSet;
use std::ops::Bound;

/// How many on each side stand anew at first; four times as many until there is room.
const REACH: usize = 16;
const REACH_GROWS: usize = 4;
/// How long their orders may be, and how much less for each step: the more stand anew, the longer it is until so many have
/// to again, because as many new ones must have come between two of them.
const CHARS: usize = 37;
const CHARS_LESS: usize = 3;

/// A place that was found for something.
pub(super) struct Place {
    pub(super) order: Order,
    /// Neighbours that have to stand elsewhere for it, in the same order as before.
    pub(super) moved: Vec<(ItemId, Order)>,
}

/// A place right after somebody, or before all.
pub(super) fn place(in_order: &OrdSet<Standing>, after: Option<&Standing>) -> Place {
    let low = || after.into_iter().flat_map(|after| in_order.range(..=after.clone()).rev());
    let high = || in_order.range((after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.clone())), Bound::Unbounded));
    let order = |standing: &'_ Standing| standing.0.clone();
    if let Some(order) = Order::between(low().next().map(order).as_ref(), high().next().map(order).as_ref()) {
        return Place { order, moved: vec![] };
    }
    let (mut reach, mut chars) = (REACH, CHARS);
    loop {
        // The nearest come first; the one beyond those that move stays.
        let mut low: Vec<&Standing> = low().take(reach + 1).collect();
        let mut high: Vec<&Standing> = high().take(reach + 1).collect();
        let beyond = |side: &mut Vec<&Standing>| if side.len() > reach { side.pop().map(order) } else { None };
        let (lowest, highest) = (beyond(&mut low), beyond(&mut high));
        if let Some(mut orders) = Order::spread(lowest.as_ref(), highest.as_ref(), low.len() + high.len() + 1, chars) {
            let order = orders.remove(low.len());
            let neighbours = low.into_iter().rev().chain(high).zip(orders);
            let moved = neighbours.filter(|((was, _), is)| was != is).map(|((_, id), is)| (id.clone(), is)).collect();
            return Place { order, moved };
        }
        // When those that move are all there are there is always room, so this ends.
        reach *= REACH_GROWS;
        chars = chars.saturating_sub(CHARS_LESS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::order::ORDER_CHARS_MAX;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// One list into which much is put; who stands where is also known by number, to say where the next one goes.
    #[derive(Default)]
    struct Heap {
        in_order: OrdSet<Standing>,
        orders: HashMap<ItemId, Order>,
        moved: usize,
        moved_most: usize,
    }

    impl Heap {
        fn put(&mut self, number: u64, after: Option<u64>) {
            let after = after.map(ItemId::from_bits).map(|id| (self.orders[&id].clone(), id));
            let Place { order, moved } = place(&self.in_order, after.as_ref());
            self.moved += moved.len();
            self.moved_most = self.moved_most.max(moved.len());
            for (id, order) in moved.into_iter().chain([(ItemId::from_bits(number), order)]) {
                if let Some(was) = self.orders.insert(id.clone(), order.clone()) {
                    self.in_order.remove(&(was, id.clone()));
                }
                self.in_order.insert((order, id));
            }
        }

        /// In the order that a list of numbers has, into which each was put where it was told.
        #[track_caller]
        fn stands_as(&self, name: &str, expected: &[u64]) {
            let inserts = expected.len();
            assert!(
                self.in_order.iter().map(|(_, id)| id).eq(expected
                    .iter()
                    .map(|n| ItemId::from_bits(*n))
                    .collect::<Vec<_>>()
                    .iter()),
                "{name}"
            );
            let mut pairs = self.in_order.iter().zip(self.in_order.iter().skip(1));
            assert!(pairs.all(|((low, _), (high, _))| low < high), "{name}: no order is there twice");
            let longest = self.orders.values().map(|order| order.as_str().len()).max().unwrap_or(0);
            let Heap { moved, moved_most, .. } = self;
            println!("{name}: {inserts} inserts, {moved} moved, at most {moved_most} at once, longest order {longest}");
            assert!(longest <= ORDER_CHARS_MAX, "{name}");
            assert!(*moved <= 4 * inserts, "{name}");
        }
    }

    const INSERTS: u64 = 100_000;

    /// So many at the end, then many more: each is told after which, and how the whole then looks.
    #[track_caller]
    fn check(name: &str, before: u64, after: impl Fn(u64) -> Option<u64>, expected: Vec<u64>) {
        let mut heap = Heap::default();
        (0..before).for_each(|n| heap.put(n, n.checked_sub(1)));
        (before..before + INSERTS).for_each(|n| heap.put(n, after(n)));
        heap.stands_as(name, &expected);
    }

    #[test]
    fn there_is_always_room_at_the_end_and_at_the_beginning() {
        check("always last", 0, |n| n.checked_sub(1), (0..INSERTS).collect());
        check("always first", 0, |_| None, (0..INSERTS).rev().collect());
    }

    #[test]
    fn there_is_always_room_after_the_same_item() {
        let newest_first = |from: u64| (from..from + INSERTS).rev();
        check("after the first", 2, |_| Some(0), [0].into_iter().chain(newest_first(2)).chain([1]).collect());
        let around = (0..1000).chain(newest_first(2000)).chain(1000..2000);
        check("after the same in the middle", 2000, |_| Some(999), around.collect());
    }

    #[test]
    fn there_is_always_room_in_a_run_that_grows_in_the_middle() {
        let run = (0..1000).chain(2000..2000 + INSERTS).chain(1000..2000);
        check("a run in the middle", 2000, |n| Some(if n == 2000 { 999 } else { n - 1 }), run.collect());
    }

    #[test]
    fn there_is_always_room_at_random() {
        let mut bits = 7u64;
        let mut random = |below: u64| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 33) % below
        };
        // After anyone at all, and after one of the newest few, which is much of the same.
        for (name, newest) in [("after anyone", u64::MAX), ("after one of the newest", 3)] {
            let mut heap = Heap::default();
            let mut next: HashMap<Option<u64>, Option<u64>> = HashMap::new();
            for n in 0..INSERTS {
                let after = if n == 0 { None } else { Some(n - 1 - random(n.min(newest))) };
                heap.put(n, after);
                let follows = next.insert(after, Some(n)).flatten();
                next.insert(Some(n), follows);
            }
            let expected = std::iter::successors(next[&None], |n| next[&Some(*n)]);
            heap.stands_as(name, &expected.collect::<Vec<_>>());
        }
    }

    /// What no list of ours has, but a damaged one might: no room for anything, not even by the rules of orders.
    #[test]
    fn room_is_made_whatever_the_orders_are() {
        for texts in [
            vec!["0000000"; 40],
            vec!["0", "00", "000", "0000000", "00000000"],
            vec!["zzzzzzz"; 3],
            vec!["V", "V0", "V000000", "V0000000", "V00000000"],
            vec!["z", "zz", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"],
        ] {
            let ids = (0..texts.len() as u64).map(ItemId::from_bits);
            let damaged: OrdSet<Standing> = texts.iter().map(|text| text.parse().unwrap()).zip(ids).collect();
            for after in std::iter::once(None).chain(damaged.iter().map(Some)) {
                let Place { order, moved } = place(&damaged, after);
                let stands = |(was, id): &Standing| moved.iter().find(|(other, _)| other == id).map_or(was, |(_, is)| is).clone();
                let before = after.map(stands);
                let next = damaged.iter().find(|standing| after.is_none_or(|after| *standing > after)).map(stands);
                assert!(before.is_none_or(|before| before < order), "{texts:?} after {after:?}");
                assert!(next.is_none_or(|next| order < next), "{texts:?} after {after:?}");
            }
        }
    }

    fn digits(chars: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Order> {
        prop::collection::vec(prop::sample::select(&b"01AVYz"[..]), chars).prop_map(|mut digits| {
            while digits.len() > 7 && digits.last() == Some(&b'0') {
                digits.pop();
            }
            String::from_utf8(digits).unwrap().parse().unwrap()
        })
    }

    proptest! {
        #[test]
        fn between_is_between(one in digits(7..=48), other in digits(7..=48)) {
            let (low, high) = if one < other { (one, other) } else { (other, one) };
            if low != high && let Some(order) = Order::between(Some(&low), Some(&high)) {
                prop_assert!(low < order && order < high, "{low} {order} {high}");
                prop_assert!(order.as_str().len() == 7 || !order.as_str().ends_with('0'));
            }
            if let Some(order) = Order::between(None, Some(&low)) {
                prop_assert!(order < low, "{order} {low}");
            }
            if let Some(order) = Order::between(Some(&high), None) {
                prop_assert!(order > high, "{order} {high}");
            }
            for count in [1, 2, 33, 500] {
                for (low, high) in [(Some(&low), Some(&high)), (None, Some(&high)), (Some(&low), None), (None, None)] {
                    let orders = Order::spread(low, high, count, CHARS).unwrap_or_default();
                    prop_assert!(orders.is_empty() || orders.len() == count);
                    let all: Vec<&Order> = low.into_iter().chain(&orders).chain(high).collect();
                    prop_assert!(low == high || all.is_sorted_by(|a, b| a < b), "{:?}", all);
                    prop_assert!(orders.iter().all(|order| order.as_str().len() <= CHARS));
                }
            }
        }
    }
}
