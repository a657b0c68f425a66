//! `room:(code):claims`: HASH player_id → who has the seat. Document 002, section 4, where the value is the device's secret
//! itself; here it is that secret's hash, or who is logged in.

use crate::damage::Damaged;
use crate::text::{fields, hashed, read, unhashed};
use bytes::Bytes;
use imbl::OrdMap;
use parlor_rules::reels::{Claim, PlayerId};
use parlor_rules::{Credential, Proof, RoomId};
use parlor_store::Value;
use std::collections::BTreeMap;

const SESSION: &str = "session:";

pub(super) fn record(claim: &Claim) -> Bytes {
    match &claim.proof {
        Proof::Key(key) => hashed(key).into(),
        Proof::Session => format!("{SESSION}{}", claim.user).into(),
    }
}

/// A guest's public id goes with the key, so it is not written down.
fn claim(code: &RoomId, what: &str, text: &str) -> Result<Claim, Damaged> {
    if let Some(user) = text.strip_prefix(SESSION) {
        return Ok(Claim { user: read(what, user)?, proof: Proof::Session });
    }
    let key = unhashed(what, text)?;
    let guest = Credential { user: Some(key), ..Credential::default() };
    let user = guest.user_id(code).expect("whoever has a key has an id");
    Ok(Claim { user, proof: Proof::Key(key) })
}

pub(super) fn wake(code: &RoomId, key: &str, records: &BTreeMap<&str, &Value>) -> Result<OrdMap<PlayerId, Claim>, Damaged> {
    let held = fields(records, key)?.map(|(field, value)| {
        let text = String::from_utf8_lossy(value);
        Ok((read(key, field)?, claim(code, key, &text)?))
    });
    held.collect()
}
