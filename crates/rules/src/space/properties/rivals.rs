//! Two people write into one list at the same time; whoever's turn comes first, each finds what they meant.

use super::steps::word;
use super::{Play, decide, standing};
use crate::json::Json;
use crate::space::{ItemId, Op, Spot};
use proptest::prelude::*;

fn insert(id: &ItemId, to: Spot) -> Op {
    Op::ListInsert { list: word("l"), id: Some(id.clone()), value: Json::read("1", 1).unwrap(), to }
}

fn after(id: &ItemId) -> Spot {
    Spot::After { id: id.clone(), order: None, at: None }
}

/// Where an item is after all.
fn at(row: &[ItemId], id: &ItemId) -> Option<usize> {
    row.iter().position(|other| other == id)
}

proptest! {
    #[test]
    fn h65_runs_of_two_rivals_do_not_mix_and_stand_where_they_were_put(
        turns in prop::collection::vec(any::<bool>(), 0..400),
        anchors in (0usize..6, 0usize..6),
        removed in prop::collection::vec((0usize..400, 0usize..6), 0..3),
    ) {
        let mut play = Play::new();
        let base: Vec<ItemId> = (0..6).map(|n| word(&format!("base{n}"))).collect();
        for id in &base {
            let events = decide(&play.space, vec![insert(id, Spot::Last)], 0).unwrap();
            play.commit(events);
        }
        let shown = standing(&play.space, "l");
        let mut runs: [Vec<ItemId>; 2] = [vec![], vec![]];
        // Where something stood that is gone may be in the middle of what others have written since.
        let mut began_where_nothing_stood = [false; 2];
        let anchors = [&shown[anchors.0], &shown[anchors.1]];
        for (turn, first) in turns.iter().enumerate() {
            for (_, gone) in removed.iter().filter(|(when, _)| *when == turn) {
                let events = decide(&play.space, vec![Op::ListRemove { list: word("l"), id: base[*gone].clone() }], 0).unwrap();
                play.commit(events);
            }
            let who = usize::from(!first);
            let (anchor, order) = anchors[who];
            let to = match runs[who].last() {
                Some(last) => after(last),
                // Said with the order it had when it was seen, because it may be gone.
                None => {
                    began_where_nothing_stood[who] = !standing(&play.space, "l").iter().any(|(id, _)| id == anchor);
                    Spot::After { id: anchor.clone(), order: Some(order.clone()), at: None }
                }
            };
            let id: ItemId = word(&format!("{}{}", ["a", "b"][who], runs[who].len()));
            let events = decide(&play.space, vec![insert(&id, to)], 0).unwrap();
            play.commit(events);
            runs[who].push(id);
        }
        play.is_sound()?;
        let row: Vec<ItemId> = standing(&play.space, "l").into_iter().map(|(id, _)| id).collect();
        for (who, (run, (anchor, _))) in runs.iter().zip(anchors).enumerate() {
            let other = &runs[1 - who];
            let is_beside = |id: &&ItemId| !(began_where_nothing_stood[1 - who] && other.contains(id));
            let row: Vec<ItemId> = row.iter().filter(is_beside).cloned().collect();
            let Some(from) = run.first().and_then(|first| at(&row, first)) else { continue };
            let place = base.iter().position(|id| id == anchor).unwrap();
            prop_assert_eq!(&row[from..from + run.len()], &run[..], "a run stays together");
            if let Some(anchor) = at(&row, anchor) {
                prop_assert!(anchor < from);
            }
            // Those that stayed are on the side they were on.
            for id in &base[place + 1..] {
                prop_assert!(at(&row, id).is_none_or(|other| other > from));
            }
        }
        let mut stayed: Vec<&ItemId> = row.iter().filter(|id| base.contains(id)).collect();
        stayed.dedup();
        prop_assert!(stayed.is_sorted());
    }
}
