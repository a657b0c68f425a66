//! What a space allows: who may ask at all, then one operation after the other, all of them or none.

mod lists;
mod maps;
mod presences;
mod room;

use super::limits::BATCH_OPS_MAX;
use super::{Change, Command, Event, Op, Refusal, Space, apply};
use crate::rights::Right;
use crate::room::{Act, When};

pub(super) fn decide(space: &Space, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    let needed = match &act.command {
        Command::Edit(_) => Right::Write,
        Command::Update(_) | Command::Delete => Right::Admin,
    };
    if act.by.right < needed {
        return Err(Refusal::Needs(needed));
    }
    match &act.command {
        Command::Edit(ops) => edit(space, act, ops),
        Command::Update(change) => update(space, change),
        Command::Delete => Ok(vec![Event::Deleted]),
    }
}

/// What is set in a batch has no version before the batch is kept, so nobody can name it.
const NO_VERSION_YET: u64 = u64::MAX;

/// Each operation sees what those before it in the batch have done.
fn edit(space: &Space, act: &Act<Command>, ops: &[Op]) -> Result<Vec<Event>, Refusal> {
    if !(1..=BATCH_OPS_MAX).contains(&ops.len()) {
        return Err(Refusal::Batch);
    }
    let mut tentative = space.clone(); // Cheap: large collections share structure.
    let mut all = Vec::new();
    for (place, op) in ops.iter().enumerate() {
        let events = operation(&tentative, op, bits(act.dice, place as u64))?;
        if place + 1 < ops.len() {
            let when = When { at: act.at, seq: NO_VERSION_YET };
            events.iter().for_each(|event| apply::apply(&mut tentative, when, event));
        }
        all.extend(events);
    }
    Ok(all)
}

fn operation(space: &Space, op: &Op, bits: u64) -> Result<Vec<Event>, Refusal> {
    match op {
        Op::MapCreate { map } => maps::create(space, map),
        Op::MapSet { map, key, value, if_version } => maps::set(space, map, key, value, *if_version),
        Op::MapRemove { map, key, if_version } => maps::remove(space, map, key, *if_version),
        Op::MapClear { map } => Ok(maps::clear(space, map)),
        Op::MapDelete { map } => Ok(maps::delete(space, map)),
        Op::ListCreate { list } => lists::create(space, list),
        Op::ListInsert { list, id, value, to } => lists::insert(space, list, id.as_ref(), value, to, bits),
        Op::ListSet { list, id, value, if_version } => lists::set(space, list, id, value, *if_version),
        Op::ListMove { list, id, to } => lists::shift(space, list, id, to),
        Op::ListRemove { list, id } => Ok(lists::remove(space, list, id)),
        Op::ListClear { list } => Ok(lists::clear(space, list)),
        Op::ListDelete { list } => Ok(lists::delete(space, list)),
        Op::PresenceCreate { presence, seconds } => presences::create(space, presence, *seconds),
        Op::PresenceDelete { presence } => Ok(presences::delete(presence)),
    }
}

fn update(space: &Space, change: &Change) -> Result<Vec<Event>, Refusal> {
    if *change == Change::default() {
        return Err(Refusal::NothingToChange);
    }
    let mut settings = space.settings.clone();
    if let Some(name) = &change.name {
        settings.name.clone_from(name);
    }
    settings.guests = change.guests.unwrap_or(settings.guests);
    settings.members = change.members.unwrap_or(settings.members);
    Ok(if settings == space.settings { vec![] } else { vec![Event::Updated(settings)] })
}

/// Whether it is at the version somebody saw; 0 is for what is not there.
fn at_version(expected: Option<u64>, is: u64) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != is => Err(Refusal::Version { expected, is }),
        Some(_) | None => Ok(()),
    }
}

/// Chance for one operation of a batch: stirred, so that those of neighbours have nothing in common.
fn bits(dice: u64, place: u64) -> u64 {
    let mut bits = dice.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        bits = (bits ^ (bits >> 30)).wrapping_mul(factor);
    }
    bits ^ (bits >> 31)
}
