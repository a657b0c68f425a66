//! `room_seats:(room_id)`: HASH user_id → {user_name, user_key, observer, arrival, vote}. Additive.

use crate::damage::Damaged;
use crate::text::{fields, is_false, json, parse, proof, proven, read};
use bytes::Bytes;
use parlor_rules::UserId;
use parlor_rules::poker::Seat;
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Form<'a> {
    user_name: Cow<'a, str>,
    user_key: String,
    #[serde(default, skip_serializing_if = "is_false")]
    observer: bool,
    arrival: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vote: Option<Cow<'a, str>>,
}

pub(super) fn record(seat: &Seat) -> Bytes {
    json(&Form {
        user_name: seat.name.as_str().into(),
        user_key: proof(&seat.proof),
        observer: seat.observer,
        arrival: seat.arrival,
        vote: seat.vote.as_ref().map(|card| card.as_str().into()),
    })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<BTreeMap<UserId, Seat>, Damaged> {
    fields(records, key)?.map(|(user, value)| Ok((read("a seat", user)?, seat(value)?))).collect()
}

fn seat(value: &[u8]) -> Result<Seat, Damaged> {
    let form: Form<'_> = parse("a seat", value)?;
    Ok(Seat {
        proof: proven("a seat", &form.user_key)?,
        name: read("a seat", &form.user_name)?,
        observer: form.observer,
        arrival: form.arrival,
        vote: form.vote.map(|vote| read("a seat", &vote)).transpose()?,
    })
}
