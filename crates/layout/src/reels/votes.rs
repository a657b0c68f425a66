//! `room:(code):votes:(round_id):(item_id)`: HASH player_id → {selections, ts}. Document 002, section 9.

use crate::damage::Damaged;
use crate::text::{fields, json, parse, read};
use bytes::Bytes;
use imbl::OrdMap;
use parlor_rules::Millis;
use parlor_rules::reels::{Ballot, PlayerId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct Form {
    selections: Vec<String>,
    /// By the server's clock.
    ts: u64,
}

pub(super) fn record(ballot: &Ballot) -> Bytes {
    json(&Form { selections: ballot.selections.iter().map(ToString::to_string).collect(), ts: ballot.at.0 })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<OrdMap<PlayerId, Ballot>, Damaged> {
    let cast = fields(records, key)?.map(|(field, value)| {
        let form: Form = parse(key, value)?;
        let selections = form.selections.iter().map(|id| read(key, id)).collect::<Result<_, Damaged>>()?;
        Ok((read(key, field)?, Ballot { selections, at: Millis(form.ts) }))
    });
    cast.collect()
}
