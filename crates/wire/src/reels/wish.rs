//! What a new game is to be: the document's CREATE_ROOM, and what ROOM_CREATED says of it.

use super::view::{Named, Screen};
use crate::ask::{Fault, one, words};
use parlor_rules::reels::{Item, Player, Reel, Round, Sender, Settings, Wish};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(rename = "kind")]
    _kind: Option<String>,
    title: Option<String>,
    vote_seconds: Option<u64>,
    senders: Vec<SenderWords>,
    players: Option<Vec<PlayerWords>>,
    rounds: Vec<RoundWords>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SenderWords {
    sender_id: String,
    name: String,
    active: Option<bool>,
    reels_count: Option<u64>,
}

/// Whether a player is bound is said by the sender; it may be said again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerWords {
    player_id: String,
    sender_id: Option<String>,
    is_sender_bound: Option<bool>,
    active: Option<bool>,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundWords {
    round_id: String,
    items: Vec<ItemWords>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemWords {
    item_id: String,
    reel: ReelWords,
    true_sender_ids: Vec<String>,
    k: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReelWords {
    reel_id: String,
    url: String,
}

pub(crate) fn read(with: Option<&str>) -> Result<Wish, Fault> {
    let words: Words = words(with)?;
    let settings = Settings { title: words.title.as_deref().map(one).transpose()?, vote_seconds: words.vote_seconds };
    let senders = words.senders.iter().map(sender).collect::<Result<_, _>>()?;
    let players = words.players.map(|players| players.iter().map(player).collect::<Result<_, _>>()).transpose()?;
    let rounds = words.rounds.iter().map(round).collect::<Result<_, _>>()?;
    Wish::new(settings, senders, players, rounds).map_err(Fault::bad)
}

fn sender(words: &SenderWords) -> Result<Sender, Fault> {
    let (id, name) = (one(&words.sender_id)?, one(&words.name)?);
    Ok(Sender { id, name, active: words.active.unwrap_or(true), reels_count: words.reels_count.unwrap_or_default() })
}

fn player(words: &PlayerWords) -> Result<Player, Fault> {
    let sender = words.sender_id.as_deref().map(one).transpose()?;
    if words.is_sender_bound.is_some_and(|bound| bound != sender.is_some()) {
        return Err(Fault::bad(format!("player {} is bound to a sender or not; sender_id says which", words.player_id)));
    }
    Ok(Player { id: one(&words.player_id)?, sender, active: words.active.unwrap_or(true), name: one(&words.name)? })
}

fn round(words: &RoundWords) -> Result<Round, Fault> {
    Ok(Round { id: one(&words.round_id)?, items: words.items.iter().map(item).collect::<Result<_, _>>()? })
}

fn item(words: &ItemWords) -> Result<Item, Fault> {
    let true_senders = words.true_sender_ids.iter().map(|id| one(id)).collect::<Result<Vec<_>, Fault>>()?;
    if words.k.is_some_and(|k| k != true_senders.len()) {
        return Err(Fault::bad(format!("k of item {} is not how many true senders it has; leave it out", words.item_id)));
    }
    let reel = Reel { id: one(&words.reel.reel_id)?, url: one(&words.reel.url)? };
    Ok(Item { id: one(&words.item_id)?, reel, true_senders })
}

/// What ROOM_CREATED says besides the code and the key.
pub(crate) fn said(wish: &Wish) -> Value {
    let players = wish.players.iter().filter(|player| player.active);
    let players = players.map(|player| json!({ "player_id": player.id.as_str(), "name": player.name.as_str() }));
    let senders = wish.senders.iter().filter(|sender| sender.active);
    let senders = senders.map(|sender| json!({ "sender_id": sender.id.as_str(), "name": sender.name.as_str() }));
    json!({ "players_visible": players.collect::<Vec<_>>(), "senders_visible": senders.collect::<Vec<_>>() })
}

/// The same of a game that is already there, as the Master sees it.
pub(crate) fn said_in(screen: &Screen) -> Value {
    let players = screen.players_visible.iter().map(|seat| json!({ "player_id": seat.player_id, "name": seat.name }));
    let senders = screen.senders_all.iter().flatten().filter(|sender| sender.active);
    let senders = senders.map(|sender| Named { sender_id: sender.sender_id.clone(), name: sender.name.clone() });
    json!({ "players_visible": players.collect::<Vec<_>>(), "senders_visible": senders.collect::<Vec<_>>() })
}
