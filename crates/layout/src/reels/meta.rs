//! `room:(code):meta`: DOCUMENT. Document 002, section 1.

use crate::damage::{Damaged, damaged};
use crate::text::{document, hashed, json, parse, unhashed};
use bytes::Bytes;
use parlor_rules::reels::{LIFE, Reels, Settings, Wish};
use parlor_rules::room::Room;
use parlor_rules::{Kept, Millis, RoomId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form's own number.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Form {
    code: String,
    created_at: u64,
    expires_at: u64,
    /// The same word as in `game`; both are written in one commit.
    phase: String,
    version: u64,
    master_key_hash: String,
}

pub(super) fn record(game: &Reels, kept: &Kept) -> Bytes {
    json(&Form {
        code: game.code.to_string(),
        created_at: kept.created.0,
        expires_at: (kept.created + LIFE).0,
        phase: game.stage.phase().to_owned(),
        version: VERSION,
        master_key_hash: hashed(&game.master_key),
    })
}

/// The game with nothing in it, when it was made, and its phase.
pub(super) fn wake(code: &RoomId, key: &str, records: &BTreeMap<&str, &Value>) -> Result<(Reels, Millis, String), Damaged> {
    let form: Form = parse(key, document(records, key)?)?;
    if form.code != code.as_str() {
        return Err(damaged(key, "it is another room's"));
    }
    let nothing = Wish { settings: Settings::default(), senders: vec![], players: vec![], rounds: vec![] };
    let game = Reels::create(code.clone(), unhashed(key, &form.master_key_hash)?, nothing);
    Ok((game, Millis(form.created_at), form.phase))
}
