//! A room of any kind at rest: which keys it has, what a commit writes, how it is woken.

use crate::damage::{Damaged, damaged};
use crate::{history, poker, receipts, reels, space, text};
use bytes::Bytes;
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Commit, Event, Kept, Kind, Millis, State, UserId, When};
use parlor_store::{Field, Key, RoomKey, Value, Write};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What a commit leaves behind: the stream entry's fields and the records it changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    pub entry: Vec<(Field, Bytes)>,
    pub writes: Vec<Write>,
}

/// Names one record, or one field of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ref {
    Poker(poker::Ref),
    Space(space::Ref),
    Reels(reels::Ref),
    Receipt(Holder),
}

pub fn room_key(address: &Address) -> RoomKey {
    match address.kind {
        Kind::Poker => poker::room_key(&address.id),
        Kind::Space => space::room_key(&address.id),
        Kind::Reels => reels::room_key(&address.id),
    }
}

/// What a new room writes: everything it has.
pub fn creation(address: &Address, after: &Kept, commit: &Commit) -> Rest {
    let writes = every_ref(after).iter().map(|name| write(address, after, name)).collect();
    Rest { entry: entry(after, commit), writes }
}

/// What one commit writes: each touched record once, as it is after the commit.
pub fn step(address: &Address, seq: u64, before: &Kept, after: &Kept, commit: &Commit) -> Rest {
    let mut names = BTreeSet::new();
    let mut lapsed = BTreeSet::new();
    // What an event touches depends on those before it in the same commit.
    let mut state = Cow::Borrowed(&before.state);
    let mut events_left: usize = commit.done.iter().map(|done| done.events.len()).sum();
    // Whether a ticket displaces others depends on the tickets before it in the same commit.
    let mut receipts = Cow::Borrowed(&before.receipts);
    let mut tickets_left = commit.done.iter().filter(|done| done.ticket.is_some()).count();
    for done in &commit.done {
        for event in &done.events {
            events_left -= 1;
            // The last one leaves what the commit leaves; nearly always it is the only one.
            let next = if events_left == 0 { Cow::Borrowed(&after.state) } else { applied(&state, commit.at, seq, event) };
            names.extend(touched(&state, &next, event));
            lapsed.extend(self::lapsed(&state, &next));
            state = next;
        }
        if let Some(ticket) = &done.ticket {
            let sits = |user: &UserId| state.sits(user);
            names.extend(receipts.displaced(ticket, commit.at, sits).into_iter().map(Ref::Receipt));
            names.insert(Ref::Receipt(ticket.holder.clone()));
            tickets_left -= 1;
            if tickets_left > 0 {
                receipts.to_mut().keep(ticket, 0, commit.at, sits);
            }
        }
    }
    let named = names.iter().filter(|name| !is_within(name, &names)).map(|name| (name, write(address, after, name)));
    let lapsed = lapsed.difference(&names).map(|name| (name, lapse(write(address, after, name))));
    let mut writes: Vec<(&Ref, Write)> = named.chain(lapsed).collect();
    writes.sort_by_key(|(name, _)| *name);
    let writes = writes.into_iter().map(|(_, write)| write).collect();
    Rest { entry: entry(after, commit), writes }
}

fn applied<'a>(state: &State, at: Millis, seq: u64, event: &Event) -> Cow<'a, State> {
    let mut next = state.clone(); // Cheap: large collections share structure.
    next.apply(When { at, seq }, event);
    Cow::Owned(next)
}

/// Whether this is written with a larger record that changed as a whole.
fn is_within(name: &Ref, names: &BTreeSet<Ref>) -> bool {
    match name {
        Ref::Space(name) => space::is_within(name, |whole| names.contains(&Ref::Space(whole))),
        Ref::Reels(name) => reels::is_within(name, |whole| names.contains(&Ref::Reels(whole))),
        Ref::Poker(_) | Ref::Receipt(_) => false,
    }
}

/// The records that differ before and after an event.
fn touched(before: &State, after: &State, event: &Event) -> Vec<Ref> {
    match (before, after, event) {
        (State::Poker(before), State::Poker(after), Event::Poker(event)) => {
            poker::touched(before, after, event).into_iter().map(Ref::Poker).collect()
        }
        (State::Space(before), State::Space(after), Event::Space(event)) => {
            space::touched(before, after, event).into_iter().map(Ref::Space).collect()
        }
        (State::Reels(before), State::Reels(after), Event::Reels(event)) => {
            reels::touched(before, after, event).into_iter().map(Ref::Reels).collect()
        }
        // An event of another kind changes nothing.
        _ => vec![],
    }
}

/// What differs before and after an event only because of what another record says.
fn lapsed(before: &State, after: &State) -> Vec<Ref> {
    match (before, after) {
        (State::Poker(before), State::Poker(after)) => poker::lapsed(before, after).into_iter().map(Ref::Poker).collect(),
        _ => vec![],
    }
}

fn lapse(write: Write) -> Write {
    match write {
        Write::SetField { key, field, value } => Write::Lapse { key, field, value },
        other => other,
    }
}

/// What the record holds; `None` when the state has no such record.
pub fn record(kept: &Kept, name: &Ref) -> Option<Value> {
    match (&kept.state, name) {
        (State::Poker(table), Ref::Poker(name)) => poker::record(table, kept, name).map(Value::Document),
        (State::Space(space), Ref::Space(name)) => space::record(space, kept, name),
        (State::Reels(game), Ref::Reels(name)) => reels::record(game, kept, name),
        (_, Ref::Receipt(holder)) => kept.receipts.find(holder).map(receipts::record).map(Value::Document),
        (_, Ref::Poker(_) | Ref::Space(_) | Ref::Reels(_)) => None,
    }
}

/// Every record a state has.
pub fn every_ref(kept: &Kept) -> Vec<Ref> {
    let own: Vec<Ref> = match &kept.state {
        State::Poker(table) => poker::every_ref(table).into_iter().map(Ref::Poker).collect(),
        State::Space(space) => space::every_ref(space).into_iter().map(Ref::Space).collect(),
        State::Reels(game) => reels::every_ref(game).into_iter().map(Ref::Reels).collect(),
    };
    own.into_iter().chain(kept.receipts.iter().map(|(holder, _)| Ref::Receipt(holder))).collect()
}

/// The state that rests in these records.
pub fn wake(address: &Address, records: &[(Key, Value)]) -> Result<Kept, Damaged> {
    let records: BTreeMap<&str, &Value> = records.iter().map(|(key, value)| (&**key, value)).collect();
    let mut kept = match address.kind {
        Kind::Poker => poker::wake(&address.id, &records)?,
        Kind::Space => space::wake(&address.id, &records)?,
        Kind::Reels => reels::wake(&address.id, &records)?,
    };
    // A game's receipts share a hash with other things; theirs are the fields with a slash.
    let is_receipt = |field: &str| address.kind != Kind::Reels || field.contains('/');
    for (field, value) in text::fields(&records, &receipts_key(address))?.filter(|(field, _)| is_receipt(field)) {
        let (holder, receipt) = receipts::wake(field, value)?;
        kept.receipts.insert(holder, receipt);
    }
    Ok(kept)
}

/// A commit read back from its stream entry.
pub fn entry_commit(address: &Address, fields: &[(Field, Bytes)]) -> Result<Commit, Damaged> {
    let what = "a stream entry";
    let commit = fields.iter().find(|(field, _)| &**field == COMMIT).ok_or_else(|| damaged(what, "it has no commit"))?;
    history::wake(address.kind, what, &commit.1)
}

const COMMIT: &str = "commit";

/// A stream entry: what happened, and where a document asks for it, what the room is now.
fn entry(after: &Kept, commit: &Commit) -> Vec<(Field, Bytes)> {
    let mut fields = match &after.state {
        State::Poker(table) => vec![poker::condition(table)],
        State::Space(_) | State::Reels(_) => vec![],
    };
    fields.push((COMMIT.into(), history::rest(commit)));
    fields
}

fn write(address: &Address, after: &Kept, name: &Ref) -> Write {
    let (key, field): (Key, Option<Field>) = match name {
        Ref::Poker(name) => poker::place(&address.id, name),
        Ref::Space(name) => space::place(&address.id, name),
        Ref::Reels(name) => reels::place(&address.id, name),
        Ref::Receipt(holder) => (receipts_key(address).into(), Some(holder.to_string().into())),
    };
    match (record(after, name), field) {
        // A field holds what a document would.
        (Some(Value::Document(value) | Value::Text(value)), Some(field)) => Write::SetField { key, field, value },
        (Some(_) | None, Some(field)) => Write::DropField { key, field },
        (Some(value), None) => Write::Put { key, value },
        (None, None) => Write::Drop { key },
    }
}

fn receipts_key(address: &Address) -> String {
    match address.kind {
        Kind::Poker => poker::clients_key(&address.id),
        Kind::Space => space::clients_key(&address.id),
        Kind::Reels => reels::clients_key(&address.id),
    }
}
