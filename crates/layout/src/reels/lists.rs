//! `room:(code):senders` and `room:(code):players`: DOCUMENTS, the whole lists. Document 002, sections 2 and 3.

use crate::damage::{Damaged, damaged};
use crate::text::{document, json, parse, read};
use bytes::Bytes;
use imbl::Vector;
use parlor_rules::reels::avatar::avatar_url;
use parlor_rules::reels::{Player, Reels, Sender};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
struct SenderForm {
    sender_id: String,
    name: String,
    active: bool,
    reels_count: u64,
}

#[derive(Serialize, Deserialize)]
struct PlayerForm {
    player_id: String,
    sender_id: Option<String>,
    is_sender_bound: bool,
    active: bool,
    name: String,
    avatar_url: Option<String>,
}

pub(super) fn senders(game: &Reels) -> Bytes {
    let form = |sender: &Sender| SenderForm {
        sender_id: sender.id.to_string(),
        name: sender.name.to_string(),
        active: sender.active,
        reels_count: sender.reels_count,
    };
    json(&game.senders.iter().map(form).collect::<Vec<_>>())
}

pub(super) fn players(game: &Reels) -> Bytes {
    let form = |player: &Player| PlayerForm {
        player_id: player.id.to_string(),
        sender_id: player.sender.as_ref().map(ToString::to_string),
        is_sender_bound: player.sender.is_some(),
        active: player.active,
        name: player.name.to_string(),
        avatar_url: game.avatars.get(&player.id).map(|avatar| avatar_url(&game.code, &player.id, avatar.tag())),
    };
    json(&game.players.iter().map(form).collect::<Vec<_>>())
}

pub(super) fn wake_senders(key: &str, records: &BTreeMap<&str, &Value>) -> Result<Vector<Sender>, Damaged> {
    let forms: Vec<SenderForm> = parse(key, document(records, key)?)?;
    let sender = |form: SenderForm| {
        let (id, name) = (read(key, &form.sender_id)?, read(key, &form.name)?);
        Ok(Sender { id, name, active: form.active, reels_count: form.reels_count })
    };
    forms.into_iter().map(sender).collect()
}

/// A picture rests apart, and its address is made of it; whether there is one stands here too.
pub(super) fn wake_players(key: &str, face_key: &str, records: &BTreeMap<&str, &Value>) -> Result<Vector<Player>, Damaged> {
    let forms: Vec<PlayerForm> = parse(key, document(records, key)?)?;
    let player = |form: PlayerForm| {
        let face = format!("{face_key}{}", form.player_id);
        if form.avatar_url.is_some() != records.contains_key(&*face) {
            return Err(damaged(&face, "the players say otherwise whether there is such a face"));
        }
        let sender = form.sender_id.map(|sender| read(key, &sender)).transpose()?;
        Ok(Player { id: read(key, &form.player_id)?, sender, active: form.active, name: read(key, &form.name)? })
    };
    forms.into_iter().map(player).collect()
}
