//! `room:(code):round:(round_id)`: DOCUMENT, written once. Document 002, section 8.

use crate::damage::{Damaged, damaged};
use crate::text::{document, json, parse, read};
use bytes::Bytes;
use parlor_rules::Kept;
use parlor_rules::reels::{Item, Reel, Round};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct Form {
    round_id: String,
    created_at: u64,
    items: Vec<ItemForm>,
}

#[derive(Serialize, Deserialize)]
struct ItemForm {
    item_id: String,
    reel: ReelForm,
    true_sender_ids: Vec<String>,
    k: usize,
}

#[derive(Serialize, Deserialize)]
struct ReelForm {
    reel_id: String,
    url: String,
}

pub(super) fn record(round: &Round, kept: &Kept) -> Bytes {
    let item = |item: &Item| ItemForm {
        item_id: item.id.to_string(),
        reel: ReelForm { reel_id: item.reel.id.to_string(), url: item.reel.url.to_string() },
        true_sender_ids: item.true_senders.iter().map(ToString::to_string).collect(),
        k: item.k(),
    };
    json(&Form { round_id: round.id.to_string(), created_at: kept.created.0, items: round.items.iter().map(item).collect() })
}

pub(super) fn wake(key: &str, id: &str, records: &BTreeMap<&str, &Value>) -> Result<Round, Damaged> {
    let form: Form = parse(key, document(records, key)?)?;
    if form.round_id != id {
        return Err(damaged(key, "it is another round"));
    }
    let item = |form: ItemForm| {
        let true_senders = form.true_sender_ids.iter().map(|id| read(key, id)).collect::<Result<Vec<_>, Damaged>>()?;
        if form.k != true_senders.len() {
            return Err(damaged(key, "k is not how many sent it"));
        }
        let reel = Reel { id: read(key, &form.reel.reel_id)?, url: read(key, &form.reel.url)? };
        Ok(Item { id: read(key, &form.item_id)?, reel, true_senders })
    };
    let items = form.items.into_iter().map(item).collect::<Result<_, _>>()?;
    Ok(Round { id: read(key, &form.round_id)?, items })
}
