//! Receipts at rest: a HASH of `<user_id>/<client>` → {n, seq, at}. Additive; no document has it.

use crate::damage::{Damaged, damaged};
use crate::text::{json, parse, read};
use bytes::Bytes;
use parlor_rules::receipts::Holder;
use parlor_rules::{Millis, Receipt};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    n: u64,
    seq: u64,
    at: u64,
}

pub(crate) fn record(receipt: &Receipt) -> Bytes {
    json(&Form { n: receipt.number, seq: receipt.seq, at: receipt.at.0 })
}

pub(crate) fn wake(field: &str, value: &[u8]) -> Result<(Holder, Receipt), Damaged> {
    let (user, client) = field.split_once('/').ok_or_else(|| damaged("a receipt", "its holder has no client"))?;
    let user = if user.is_empty() { None } else { Some(read("a receipt", user)?) };
    let Form { n, seq, at } = parse("a receipt", value)?;
    Ok((Holder { user, client: read("a receipt", client)? }, Receipt { number: n, seq, at: Millis(at) }))
}
