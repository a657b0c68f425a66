//! What is tried at random: few names, so that what is done meets what was done.

use crate::json::Json;
use crate::space::{ItemId, Op, Order, Spot};
use proptest::prelude::*;
use proptest::sample::Index;
use std::fmt::Debug;
use std::str::FromStr;

#[derive(Clone, Debug)]
pub(super) struct Step {
    what: What,
    part: bool,
    item: u8,
    value: u8,
    if_version: Option<u64>,
    to: To,
}

#[derive(Clone, Copy, Debug)]
enum What {
    MapCreate,
    MapSet,
    MapRemove,
    MapClear,
    MapDelete,
    ListCreate,
    Insert,
    InsertNameless,
    Set,
    Move,
    Remove,
    ListClear,
    ListDelete,
    PresenceCreate,
    PresenceDelete,
}

#[derive(Clone, Debug)]
enum To {
    Last,
    First,
    At(usize),
    After(u8),
    /// After something as somebody saw it some time ago.
    Seen(Index, bool, Option<usize>),
}

pub(super) fn batch() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..8)
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let what = prop_oneof![
        1 => Just(What::MapCreate), 6 => Just(What::MapSet), 2 => Just(What::MapRemove), 1 => Just(What::MapClear),
        1 => Just(What::MapDelete), 1 => Just(What::ListCreate), 12 => Just(What::Insert), 2 => Just(What::InsertNameless),
        3 => Just(What::Set), 6 => Just(What::Move), 3 => Just(What::Remove), 1 => Just(What::ListClear),
        1 => Just(What::ListDelete), 1 => Just(What::PresenceCreate), 1 => Just(What::PresenceDelete),
    ];
    let to = prop_oneof![
        Just(To::Last),
        Just(To::First),
        (0usize..9).prop_map(To::At),
        (0u8..9).prop_map(To::After),
        (any::<Index>(), any::<bool>(), prop::option::of(0usize..9)).prop_map(|(which, order, at)| To::Seen(which, order, at)),
    ];
    let if_version = prop::option::weighted(0.1, 0u64..2);
    (what, prop::bool::weighted(0.8), 0u8..9, any::<u8>(), if_version, to)
        .prop_map(|(what, part, item, value, if_version, to)| Step { what, part, item, value, if_version, to })
}

pub(super) fn word<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

impl Step {
    /// Which list it is about.
    pub(super) fn list(&self) -> Option<&'static str> {
        use What::{Insert, InsertNameless, ListClear, ListCreate, ListDelete, Move, Remove, Set};
        let is_about_a_list =
            matches!(self.what, ListCreate | Insert | InsertNameless | Set | Move | Remove | ListClear | ListDelete);
        is_about_a_list.then_some(if self.part { "l" } else { "m" })
    }

    pub(super) fn op(&self, seen: &[(ItemId, Order)]) -> Op {
        let part = word(if self.part { "l" } else { "m" });
        let (key, id) = (word(&format!("k{}", self.item)), word(&format!("i{}", self.item)));
        let value = Json::read(&format!("[{},null]", self.value), 100).unwrap();
        let if_version = self.if_version;
        match self.what {
            What::MapCreate => Op::MapCreate { map: part },
            What::MapSet => Op::MapSet { map: part, key, value, if_version },
            What::MapRemove => Op::MapRemove { map: part, key, if_version },
            What::MapClear => Op::MapClear { map: part },
            What::MapDelete => Op::MapDelete { map: part },
            What::ListCreate => Op::ListCreate { list: part },
            What::Insert => Op::ListInsert { list: part, id: Some(id), value, to: self.to.spot(seen) },
            What::InsertNameless => Op::ListInsert { list: part, id: None, value, to: self.to.spot(seen) },
            What::Set => Op::ListSet { list: part, id, value, if_version },
            What::Move => Op::ListMove { list: part, id, to: self.to.spot(seen) },
            What::Remove => Op::ListRemove { list: part, id },
            What::ListClear => Op::ListClear { list: part },
            What::ListDelete => Op::ListDelete { list: part },
            What::PresenceCreate => Op::PresenceCreate { presence: part, seconds: u64::from(self.value) + 1 },
            What::PresenceDelete => Op::PresenceDelete { presence: part },
        }
    }
}

impl To {
    fn spot(&self, seen: &[(ItemId, Order)]) -> Spot {
        match self {
            To::Last => Spot::Last,
            To::First => Spot::First,
            To::At(index) => Spot::At(*index),
            To::After(item) => Spot::After { id: word(&format!("i{item}")), order: None, at: None },
            To::Seen(_, _, at) if seen.is_empty() => Spot::After { id: word("gone"), order: None, at: *at },
            To::Seen(which, with_order, at) => {
                let (id, order) = which.get(seen);
                Spot::After { id: id.clone(), order: with_order.then(|| order.clone()), at: *at }
            }
        }
    }
}
