//! Poker at rest, in the keys of document 000: the stream `room_condition:(room_id)`, whose messages hold
//! the room condition, and three additive keys for what the condition has no place for.

pub(crate) mod events;

use crate::damage::{Damaged, damaged};
use crate::text::{document, fields, hashed, is_false, json, parse, proof, proven, read, unhashed};
use bytes::Bytes;
use parlor_rules::poker::{Card, Deck, Event, Poker, Seat};
use parlor_rules::{Kept, Millis, Receipts, RoomId, State, UserId};
use parlor_store::{Field, Key, RoomKey, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names one of a table's records.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ref {
    Settings,
    Seat(UserId),
}

pub(crate) fn room_key(id: &RoomId) -> RoomKey {
    let keys = [settings_key(id), seats_key(id), clients_key(id)];
    RoomKey { spine: format!("room_condition:{id}").into(), records: keys.into_iter().map(Key::from).collect() }
}

fn settings_key(id: &RoomId) -> String {
    format!("room_settings:{id}")
}

fn seats_key(id: &RoomId) -> String {
    format!("room_seats:{id}")
}

pub(crate) fn clients_key(id: &RoomId) -> String {
    format!("room_clients:{id}")
}

pub(crate) fn place(id: &RoomId, name: &Ref) -> (Key, Option<Field>) {
    match name {
        Ref::Settings => (settings_key(id).into(), None),
        Ref::Seat(user) => (seats_key(id).into(), Some(user.as_str().into())),
    }
}

pub(crate) fn every_ref(table: &Poker) -> Vec<Ref> {
    std::iter::once(Ref::Settings).chain(table.seats.keys().cloned().map(Ref::Seat)).collect()
}

/// A seat that voted within the same commit is touched by that vote, so the state before it is enough here.
pub(crate) fn touched(before: &Poker, event: &Event) -> Vec<Ref> {
    match event {
        Event::Joined { user, .. } | Event::Kicked { user } | Event::Left { user } => {
            vec![Ref::Settings, Ref::Seat(user.clone())]
        }
        Event::Renamed { user, .. } | Event::Voted { user, .. } | Event::TookBack { user } => vec![Ref::Seat(user.clone())],
        Event::Shown | Event::TimerStarted { .. } | Event::TimerStopped => vec![Ref::Settings],
        Event::Reset | Event::DeckSet(_) => {
            let voters = before.seats.iter().filter(|(_, seat)| seat.vote.is_some());
            std::iter::once(Ref::Settings).chain(voters.map(|(user, _)| Ref::Seat(user.clone()))).collect()
        }
        Event::Deleted => vec![],
    }
}

pub(crate) fn record(table: &Poker, kept: &Kept, name: &Ref) -> Option<Bytes> {
    match name {
        Ref::Settings => Some(settings(table, kept)),
        Ref::Seat(user) => table.seats.get(user).map(seat),
    }
}

/// `room_condition_message` of `room_condition:(room_id)`. Document 000, CreateRoom to LeaveRoom.
/// `vote` is additive: it holds the card's text and is the truth, `point` is the document's whole number.
pub(crate) fn condition(table: &Poker) -> (Field, Bytes) {
    let ballots = table.in_order().into_iter().map(|(user, seat)| Ballot {
        user_id: user.as_str(),
        user_name: seat.name.as_str(),
        point: seat.vote.as_ref().map_or(0, |card| point(&table.deck, card)),
        vote: seat.vote.as_ref().map(Card::as_str),
    });
    let message = Condition {
        room_id: table.id.as_str(),
        admin_user_id: table.admin.as_ref().map_or("", UserId::as_str),
        vote_state: vote_state(table.open),
        ballots: ballots.collect(),
    };
    ("room_condition_message".into(), json(&message))
}

#[derive(Serialize)]
struct Condition<'a> {
    room_id: &'a str,
    admin_user_id: &'a str,
    vote_state: u8,
    ballots: Vec<Ballot<'a>>,
}

#[derive(Serialize)]
struct Ballot<'a> {
    user_id: &'a str,
    user_name: &'a str,
    point: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    vote: Option<&'a str>,
}

/// A positive whole-number card is itself, any other is minus its place in the deck, 0 is not voted.
fn point(deck: &Deck, card: &Card) -> i64 {
    let number = card.as_str().parse::<i64>().ok().filter(|number| *number > 0 && number.to_string() == card.as_str());
    number.unwrap_or_else(|| -(deck.place(card).unwrap_or_default() as i64))
}

/// Document 000: 1 (hide), 2 (open).
fn vote_state(open: bool) -> u8 {
    if open { 2 } else { 1 }
}

/// `room_settings:(room_id)`: DOCUMENT. Additive: what the room condition has no field for.
#[derive(Serialize, Deserialize)]
struct SettingsForm {
    host_key: String,
    valid_sizes: String,
    admin_user_id: String,
    vote_state: u8,
    round: u64,
    timer_ends: Option<u64>,
    arrivals: u64,
    created_at: u64,
}

fn settings(table: &Poker, kept: &Kept) -> Bytes {
    json(&SettingsForm {
        host_key: hashed(&table.host_key),
        valid_sizes: table.deck.to_string(),
        admin_user_id: table.admin.as_ref().map_or_else(String::new, ToString::to_string),
        vote_state: vote_state(table.open),
        round: table.round,
        timer_ends: table.timer.map(|ends| ends.0),
        arrivals: table.arrivals,
        created_at: kept.created.0,
    })
}

/// `room_seats:(room_id)`: HASH user_id → {user_name, user_key, arrival, vote}. Additive.
#[derive(Serialize, Deserialize)]
struct SeatForm {
    user_name: String,
    user_key: String,
    #[serde(default, skip_serializing_if = "is_false")]
    observer: bool,
    arrival: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vote: Option<String>,
}

fn seat(seat: &Seat) -> Bytes {
    json(&SeatForm {
        user_name: seat.name.to_string(),
        user_key: proof(&seat.proof),
        observer: seat.observer,
        arrival: seat.arrival,
        vote: seat.vote.as_ref().map(ToString::to_string),
    })
}

/// The room's end is not woken here: it is the deadline the store keeps for all of the room's keys.
pub(crate) fn wake(id: &RoomId, records: &BTreeMap<&str, &Value>) -> Result<Kept, Damaged> {
    let key = settings_key(id);
    let form: SettingsForm = parse(&key, document(records, &key)?)?;
    let admin = if form.admin_user_id.is_empty() { None } else { Some(read(&key, &form.admin_user_id)?) };
    let mut table = Poker::new(id.clone(), unhashed(&key, &form.host_key)?, read(&key, &form.valid_sizes)?);
    table.admin = admin;
    table.open = match form.vote_state {
        1 => false,
        2 => true,
        other => return Err(damaged(&key, format!("vote_state {other} is neither 1 (hide) nor 2 (open)"))),
    };
    table.round = form.round;
    table.timer = form.timer_ends.map(Millis);
    table.arrivals = form.arrivals;
    for (user, value) in fields(records, &seats_key(id))? {
        table.seats.insert(read("a seat", user)?, wake_seat(value)?);
    }
    sound(&table)?;
    Ok(Kept { state: State::Poker(table), receipts: Receipts::default(), created: Millis(form.created_at), expires: None })
}

/// The keys belong together: a store that lost or mixed up one of them must not wake as another table.
fn sound(table: &Poker) -> Result<(), Damaged> {
    let what = seats_key(&table.id);
    if table.admin.as_ref().is_some_and(|admin| !table.seats.contains_key(admin)) {
        return Err(damaged(&what, "the admin has no seat"));
    }
    if table.seats.values().any(|seat| seat.arrival > table.arrivals) {
        return Err(damaged(&what, "a seat's arrival is above the number of arrivals"));
    }
    if table.seats.values().any(|seat| seat.vote.as_ref().is_some_and(|card| !table.deck.holds(card))) {
        return Err(damaged(&what, "a vote is not in the deck"));
    }
    Ok(())
}

fn wake_seat(value: &[u8]) -> Result<Seat, Damaged> {
    let form: SeatForm = parse("a seat", value)?;
    Ok(Seat {
        proof: proven("a seat", &form.user_key)?,
        name: read("a seat", &form.user_name)?,
        observer: form.observer,
        arrival: form.arrival,
        vote: form.vote.map(|vote| read("a seat", &vote)).transpose()?,
    })
}
