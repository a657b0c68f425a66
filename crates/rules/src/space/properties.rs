//! What holds in every space, whatever is done to it, in whatever order.

mod rivals;
mod steps;

use super::limits::BATCH_OPS_MAX;
use super::{Command, Event, ItemId, List, Op, Order, PartName, Refusal, Space, Spot, Wish};
use crate::identity::Viewer;
use crate::rights::Right;
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;
use crate::time::Millis;
use proptest::prelude::*;
use steps::{Step, batch, word};

const AT: Millis = Millis(1_700_000_000_000);

fn space() -> Space {
    Space::create("5bd6a1e0".parse().unwrap(), SecretHash::of(b"host key"), Wish::default())
}

fn decide(space: &Space, ops: Vec<Op>, dice: u64) -> Result<Vec<Event>, Refusal> {
    let by = Viewer { user: None, proof: None, name: None, seated: false, host: false, right: Right::Write, info: None };
    space.decide(&Act { by, at: AT, dice, command: Command::Edit(ops) })
}

/// A space and all that has happened in it.
struct Play {
    space: Space,
    history: Vec<(u64, Event)>,
    /// Orders that items have or had: what somebody may have seen.
    seen: Vec<(ItemId, Order)>,
    seq: u64,
}

impl Play {
    fn new() -> Play {
        // No version that a test guesses is the number of a commit.
        Play { space: space(), history: vec![], seen: vec![], seq: 100 }
    }

    fn commit(&mut self, events: Vec<Event>) {
        self.seq += 1;
        for event in events {
            self.space.apply(When { at: AT, seq: self.seq }, &event);
            if let Event::ItemPut { id, order, .. } | Event::ItemPlaced { id, order, .. } = &event {
                self.seen.push((id.clone(), order.clone()));
            }
            self.history.push((self.seq, event));
        }
    }

    fn ops(&self, steps: &[Step]) -> Vec<Op> {
        steps.iter().map(|step| step.op(&self.seen)).collect()
    }

    fn is_sound(&self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.space.bytes, self.space.weigh());
        for list in self.space.lists.values() {
            let by_order: List = list.items.iter().map(|(id, item)| (id.clone(), item.clone())).collect();
            prop_assert!(by_order == *list);
            let mut orders: Vec<&Order> = list.items.values().map(|item| &item.order).collect();
            orders.sort_unstable();
            prop_assert!(orders.is_sorted_by(|low, high| low < high), "two items stand at the same place");
            for (index, (id, item)) in list.iter_in_order().enumerate() {
                prop_assert_eq!(list.index_of(id), Some(index));
                prop_assert_eq!(list.at(index), Some((id, item)));
            }
            prop_assert!(list.at(list.len()).is_none());
        }
        Ok(())
    }
}

fn standing(space: &Space, list: &str) -> Vec<(ItemId, Order)> {
    let list = space.lists.get(&word::<PartName>(list));
    list.map(|list| list.iter_in_order().map(|(id, item)| (id.clone(), item.order.clone())).collect()).unwrap_or_default()
}

/// How a list stands after an operation, done to a plain row of ids; nothing if it is not allowed.
fn naive(before: &[(ItemId, Order)], op: &Op, new: Option<&ItemId>) -> Option<Vec<ItemId>> {
    let mut row: Vec<(ItemId, Order)> = before.to_vec();
    let place = |row: &[(ItemId, Order)], to: &Spot| match to {
        Spot::Last => Some(row.len()),
        Spot::First => Some(0),
        Spot::At(index) => Some(row.len().min(*index)),
        Spot::After { id, order, at } => {
            let anchor = row.iter().position(|(other, _)| other == id).map(|index| index + 1);
            let hint = order.as_ref().map(|order| row.iter().filter(|(_, other)| other <= order).count());
            anchor.or(hint).or(at.map(|at| row.len().min(at)))
        }
    };
    match op {
        Op::ListInsert { to, id, .. } => {
            if id.as_ref().is_some_and(|id| row.iter().any(|(other, _)| other == id)) {
                return None;
            }
            let place = place(&row, to)?;
            row.insert(place, (new?.clone(), "0".parse().unwrap()));
        }
        Op::ListMove { id, to, .. } => {
            let from = row.iter().position(|(other, _)| other == id)?;
            if !matches!(to, Spot::After { id: anchor, .. } if anchor == id) {
                let moved = row.remove(from);
                let place = place(&row, to)?;
                row.insert(place, moved);
            }
        }
        Op::ListSet { id, .. } => {
            row.iter().find(|(other, _)| other == id)?;
        }
        Op::ListRemove { id, .. } => row.retain(|(other, _)| other != id),
        Op::ListClear { .. } | Op::ListDelete { .. } => row.clear(),
        Op::ListCreate { .. }
        | Op::MapCreate { .. }
        | Op::MapSet { .. }
        | Op::MapRemove { .. }
        | Op::MapClear { .. }
        | Op::MapDelete { .. }
        | Op::PresenceCreate { .. }
        | Op::PresenceDelete { .. } => {}
    }
    Some(row.into_iter().map(|(id, _)| id).collect())
}

/// A refusal without what it says of versions, which are not given before a batch is kept.
fn why(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Version { expected, .. } => Refusal::Version { expected, is: 0 },
        other => other,
    }
}

// `PROPTEST_CASES=100000 cargo test -p parlor-rules properties` plays longer.
proptest! {
    #[test]
    fn h65_a_list_stands_as_a_plain_row_would(steps in prop::collection::vec(steps::step(), 1..80)) {
        let mut play = Play::new();
        for (step, dice) in steps.iter().zip(0..) {
            let op = step.op(&play.seen);
            let before = standing(&play.space, "l");
            let events = decide(&play.space, vec![op.clone()], dice);
            let new = events.iter().flatten().find_map(|event| match event {
                Event::ItemPut { id, .. } => Some(id.clone()),
                _ => None,
            });
            if let (Ok(_), Op::ListInsert { id: Some(id), .. }) = (&events, &op) {
                prop_assert_eq!(new.as_ref(), Some(id));
            }
            if step.list() == Some("l") {
                let name = new.unwrap_or_else(|| word("i8"));
                let (expected, refused) = (naive(&before, &op, Some(&name)), events.is_err());
                // A version that does not fit is refused whatever the row is.
                let is_other_version = matches!(events, Err(Refusal::Version { .. }));
                prop_assert!(is_other_version || refused == expected.is_none(), "{:?}", op);
                play.commit(events.unwrap_or_default());
                let row: Vec<ItemId> = standing(&play.space, "l").into_iter().map(|(id, _)| id).collect();
                let before = before.into_iter().map(|(id, _)| id).collect();
                prop_assert_eq!(row, if refused { before } else { expected.unwrap() }, "{:?}", op);
            } else {
                play.commit(events.unwrap_or_default());
                prop_assert_eq!(standing(&play.space, "l"), before);
            }
            play.is_sound()?;
        }
    }

    #[test]
    fn h63_a_batch_is_its_operations_one_after_the_other_or_nothing(batches in prop::collection::vec(batch(), 1..12)) {
        let mut play = Play::new();
        for steps in &batches {
            // Ids of chance differ from one place in a batch to the next, so that nothing said alone is the same.
            let nameless = |op: &Op| matches!(op, Op::ListInsert { id: None, .. });
            let ops: Vec<Op> = play.ops(steps).into_iter().filter(|op| !nameless(op)).collect();
            if ops.is_empty() {
                continue;
            }
            let together = decide(&play.space, ops.clone(), 7);
            let mut alone = play.space.clone();
            let mut refused = None;
            for op in &ops {
                match decide(&alone, vec![op.clone()], 7) {
                    Ok(events) => {
                        events.iter().for_each(|event| alone.apply(When { at: AT, seq: play.seq + 1 }, event));
                    }
                    Err(refusal) => {
                        refused = Some(refusal);
                        break;
                    }
                }
            }
            match (together, refused) {
                (Err(refusal), Some(alone)) => prop_assert_eq!(why(refusal), why(alone)),
                (Ok(events), None) => {
                    play.commit(events);
                    prop_assert!(play.space == alone);
                }
                (together, refused) => prop_assert!(false, "together {together:?}, alone {refused:?}"),
            }
            play.is_sound()?;
        }
    }

    #[test]
    fn replaying_rebuilds_the_space_and_repeating_its_end_changes_nothing(
        batches in prop::collection::vec(batch(), 1..12),
        from: prop::sample::Index,
        again in 1usize..4,
    ) {
        let mut play = Play::new();
        for (steps, dice) in batches.iter().zip(0..) {
            let events = decide(&play.space, play.ops(steps), dice).unwrap_or_default();
            play.commit(events);
        }
        let apply = |space: &mut Space, from: usize| {
            play.history[from..].iter().for_each(|(seq, event)| space.apply(When { at: AT, seq: *seq }, event));
        };
        let mut replayed = space();
        apply(&mut replayed, 0);
        prop_assert!(replayed == play.space);
        for _ in 0..again {
            apply(&mut replayed, from.index(play.history.len() + 1));
            prop_assert!(replayed == play.space);
        }
    }

    /// A node that reads while others write may apply an event to a room that is ahead of it.
    #[test]
    fn events_applied_late_end_in_the_same_space(batches in prop::collection::vec(batch(), 1..12), from: prop::sample::Index, ahead: prop::sample::Index) {
        let mut play = Play::new();
        for (steps, dice) in batches.iter().zip(0..) {
            let events = decide(&play.space, play.ops(steps), dice).unwrap_or_default();
            play.commit(events);
        }
        let from = from.index(play.history.len() + 1);
        let ahead = from + ahead.index(play.history.len() - from + 1);
        let mut space = space();
        for (seq, event) in play.history[..ahead].iter().chain(&play.history[from..]) {
            space.apply(When { at: AT, seq: *seq }, event);
            prop_assert_eq!(space.bytes, space.weigh());
        }
        prop_assert!(space == play.space);
    }
}

#[test]
fn a_batch_has_a_first_and_a_last_size() {
    let ops = |count| vec![Op::MapCreate { map: word("m") }; count];
    assert_eq!(decide(&space(), ops(0), 0), Err(Refusal::Batch));
    assert!(decide(&space(), ops(1), 0).is_ok());
    assert!(decide(&space(), ops(BATCH_OPS_MAX), 0).is_ok());
    assert_eq!(decide(&space(), ops(BATCH_OPS_MAX + 1), 0), Err(Refusal::Batch));
}
