//! The game's messages in words, both ways.

use crate::ask::{Fault, one, words};
use crate::commands::unknown;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parlor_rules::Kind;
use parlor_rules::reels::{Avatar, Command, SenderId, Which};
use serde::Deserialize;
use serde_json::{Value, json};
use std::str::FromStr;

/// The countdown of a forced close, unless another is said.
const FORCE_SECONDS: u64 = 10;

pub(crate) fn read(verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    Ok(match verb {
        "TAKE_PLAYER" => Command::TakePlayer(player(with)?),
        "RELEASE_PLAYER" => {
            let Release { player_id, user_id } = words(with)?;
            Command::ReleasePlayer { player: one(&player_id)?, user: user_id.as_deref().map(one).transpose()? }
        }
        "RENAME_PLAYER" => {
            let Rename { player_id, name } = words(with)?;
            Command::RenamePlayer { player: one(&player_id)?, name: one(&name)? }
        }
        "UPDATE_AVATAR" => {
            let Face { player_id, jpeg } = words(with)?;
            let bytes = STANDARD.decode(jpeg).map_err(|_| Fault::bad("the jpeg is to be in base64, with its padding"))?;
            Command::UpdateAvatar { player: one(&player_id)?, avatar: Avatar::new(&bytes).map_err(Fault::bad)? }
        }
        "DELETE_AVATAR" => Command::DeleteAvatar(player(with)?),
        "TOGGLE_PLAYER" => {
            let Toggle { player_id, active } = words(with)?;
            Command::TogglePlayer { player: one(&player_id)?, active }
        }
        "ADD_PLAYER" => Command::AddPlayer(one(&words::<Add>(with)?.name)?),
        "DELETE_PLAYER" => Command::DeletePlayer(player(with)?),
        "RESET_CLAIMS" => nothing(with, Command::ResetClaims)?,
        "START_GAME" => nothing(with, Command::StartGame)?,
        "REEL_OPENED" => Command::ReelOpened(item(with)?),
        "SUBMIT_VOTE" => {
            let Vote { round_id, item_id, selections, player_id } = words(with)?;
            let selections: Result<Vec<SenderId>, Fault> = selections.iter().map(|id| one(id)).collect();
            let selections = selections.map_err(|fault| Fault { reason: Some("invalid_selection"), ..fault })?;
            let player = player_id.as_deref().map(one).transpose()?;
            Command::SubmitVote { item: which(&round_id, &item_id)?, player, selections }
        }
        "FORCE_CLOSE_VOTE" => {
            let Force { round_id, item_id, seconds } = words(with)?;
            Command::ForceCloseVote { item: which(&round_id, &item_id)?, seconds: seconds.unwrap_or(FORCE_SECONDS) }
        }
        "END_ITEM" => Command::EndItem(item(with)?),
        "START_NEXT_ROUND" => Command::StartNextRound(one(&words::<RoundWords>(with)?.round_id)?),
        "ROOM_CLOSED" => nothing(with, Command::RoomClosed)?,
        other => return Err(unknown(Kind::Reels, other)),
    })
}

/// What is not understood is, in the document's words, a bad request, unless it has a word of its own.
pub(crate) fn reasoned(fault: Fault) -> Fault {
    Fault { reason: fault.reason.or(Some("bad_request")), ..fault }
}

/// The name and the words of a command, as a client writes them.
pub fn write(command: &Command) -> (&'static str, Value) {
    let at = |Which { round, item }: &Which| json!({ "round_id": round.as_str(), "item_id": item.as_str() });
    let with = match command {
        Command::TakePlayer(player) | Command::DeleteAvatar(player) | Command::DeletePlayer(player) => {
            json!({ "player_id": player.as_str() })
        }
        Command::ReleasePlayer { player, user: None } => json!({ "player_id": player.as_str() }),
        Command::ReleasePlayer { player, user: Some(user) } => {
            json!({ "player_id": player.as_str(), "user_id": user.as_str() })
        }
        Command::RenamePlayer { player, name } => json!({ "player_id": player.as_str(), "name": name.as_str() }),
        Command::UpdateAvatar { player, avatar } => {
            json!({ "player_id": player.as_str(), "jpeg": STANDARD.encode(avatar.bytes()) })
        }
        Command::TogglePlayer { player, active } => json!({ "player_id": player.as_str(), "active": active }),
        Command::AddPlayer(name) => json!({ "name": name.as_str() }),
        Command::ResetClaims | Command::StartGame | Command::RoomClosed => json!({}),
        Command::ReelOpened(item) | Command::EndItem(item) => at(item),
        Command::SubmitVote { item, player, selections } => {
            let mut with = at(item);
            with["selections"] = selections.iter().map(SenderId::as_str).collect();
            if let Some(player) = player {
                with["player_id"] = player.as_str().into();
            }
            with
        }
        Command::ForceCloseVote { item, seconds } => {
            let mut with = at(item);
            with["seconds"] = (*seconds).into();
            with
        }
        Command::StartNextRound(round) => json!({ "round_id": round.as_str() }),
    };
    (command.name(), with)
}

fn player<T: FromStr<Err: ToString>>(with: Option<&str>) -> Result<T, Fault> {
    one(&words::<PlayerWords>(with)?.player_id)
}

fn item(with: Option<&str>) -> Result<Which, Fault> {
    let ItemWords { round_id, item_id } = words(with)?;
    which(&round_id, &item_id)
}

fn which(round: &str, item: &str) -> Result<Which, Fault> {
    Ok(Which { round: one(round)?, item: one(item)? })
}

fn nothing(with: Option<&str>, command: Command) -> Result<Command, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    words::<Nothing>(with).map(|Nothing {}| command)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerWords {
    player_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    player_id: String,
    user_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    player_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Face {
    player_id: String,
    jpeg: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Toggle {
    player_id: String,
    active: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemWords {
    round_id: String,
    item_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vote {
    round_id: String,
    item_id: String,
    selections: Vec<String>,
    player_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Force {
    round_id: String,
    item_id: String,
    seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundWords {
    round_id: String,
}
