//! `room:(code):stats`: HASH, additive. How the game is run, when the vote closes, what the awards count, and which devices are to
//! be told that they lost their seat; beside them the receipts, whose fields have a slash.

use crate::damage::{Damaged, damaged};
use crate::text::{fields, is_false, json, parse, read};
use bytes::Bytes;
use parlor_rules::reels::{Guesses, Loss, Lost, PlayerId, Reels, SenderId, Settings, Suspicion, Vote};
use parlor_rules::{Millis, UserId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) const SETTINGS: &str = "settings";
pub(super) const VOTE: &str = "vote";
const PLAYER: &str = "player:";
const SENDER: &str = "sender:";
const LOST: &str = "lost:";

pub(super) fn of_player(player: &PlayerId) -> String {
    format!("{PLAYER}{player}")
}

pub(super) fn of_sender(sender: &SenderId) -> String {
    format!("{SENDER}{sender}")
}

pub(super) fn of_lost(user: &UserId) -> String {
    format!("{LOST}{user}")
}

#[derive(Serialize, Deserialize)]
struct SettingsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vote_seconds: Option<u64>,
    /// The highest number of a seat that was added by hand; none is given twice.
    #[serde(default, skip_serializing_if = "is_zero")]
    added: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, Deserialize)]
struct VoteForm {
    opened_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closes_at: Option<u64>,
    #[serde(default, skip_serializing_if = "is_false")]
    forced: bool,
    /// Seats whose voter gave them up after voting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct GuessesForm {
    asked: u64,
    right: u64,
    votes: u64,
    ms: u64,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct SuspicionForm {
    chances: u64,
    found: u64,
    accused: u64,
}

#[derive(Serialize, Deserialize)]
struct LostForm {
    player_id: String,
    reason: String,
}

pub(super) fn settings(game: &Reels) -> Bytes {
    let Settings { title, vote_seconds } = &game.settings;
    json(&SettingsForm { title: title.as_ref().map(ToString::to_string), vote_seconds: *vote_seconds, added: game.added })
}

pub(super) fn vote(vote: &Vote) -> Bytes {
    let closes_at = vote.closes.map(|closes| closes.0);
    let left = vote.left.iter().map(ToString::to_string).collect();
    json(&VoteForm { opened_at: vote.opened.0, closes_at, forced: vote.forced, left })
}

pub(super) fn guesses(guesses: &Guesses) -> Bytes {
    json(&GuessesForm::from(guesses))
}

pub(super) fn suspicion(suspicion: &Suspicion) -> Bytes {
    json(&SuspicionForm::from(suspicion))
}

pub(super) fn lost(lost: &Lost) -> Bytes {
    json(&LostForm { player_id: lost.player.to_string(), reason: lost.why.name().to_owned() })
}

pub(super) fn wake(game: &mut Reels, key: &str, records: &BTreeMap<&str, &Value>) -> Result<(), Damaged> {
    let (mut run, mut timed) = (false, false);
    for (field, value) in fields(records, key)?.filter(|(field, _)| !field.contains('/')) {
        let what = format!("{key} {field}");
        if field == SETTINGS {
            let form: SettingsForm = parse(&what, value)?;
            let title = form.title.map(|title| read(&what, &title)).transpose()?;
            game.settings = Settings { title, vote_seconds: form.vote_seconds };
            game.added = form.added;
            run = true;
        } else if field == VOTE {
            let form: VoteForm = parse(&what, value)?;
            let vote = game.vote.as_mut().ok_or_else(|| damaged(&what, "nothing is voted on"))?;
            (vote.opened, vote.closes, vote.forced) = (Millis(form.opened_at), form.closes_at.map(Millis), form.forced);
            vote.left = form.left.iter().map(|player| read(&what, player)).collect::<Result<_, Damaged>>()?;
            timed = true;
        } else if let Some(player) = field.strip_prefix(PLAYER) {
            game.stats.guesses.insert(read(&what, player)?, parse::<GuessesForm>(&what, value)?.into());
        } else if let Some(sender) = field.strip_prefix(SENDER) {
            game.stats.suspicions.insert(read(&what, sender)?, parse::<SuspicionForm>(&what, value)?.into());
        } else if let Some(user) = field.strip_prefix(LOST) {
            let form: LostForm = parse(&what, value)?;
            let why = loss(&what, &form.reason)?;
            game.lost.insert(read(&what, user)?, Lost { player: read(&what, &form.player_id)?, why });
        } else {
            return Err(damaged(&what, "there is no such field"));
        }
    }
    match (run, game.vote.is_some() == timed) {
        (true, true) => Ok(()),
        (false, _) => Err(damaged(key, "it has no settings")),
        (true, false) => Err(damaged(key, "there is a vote, and it does not say when it was opened")),
    }
}

pub(super) fn loss(what: &str, name: &str) -> Result<Loss, Damaged> {
    Loss::ALL.into_iter().find(|loss| loss.name() == name).ok_or_else(|| damaged(what, "there is no such reason"))
}

impl From<&Guesses> for GuessesForm {
    fn from(&Guesses { asked, right, votes, ms }: &Guesses) -> GuessesForm {
        GuessesForm { asked, right, votes, ms }
    }
}

impl From<GuessesForm> for Guesses {
    fn from(GuessesForm { asked, right, votes, ms }: GuessesForm) -> Guesses {
        Guesses { asked, right, votes, ms }
    }
}

impl From<&Suspicion> for SuspicionForm {
    fn from(&Suspicion { chances, found, accused }: &Suspicion) -> SuspicionForm {
        SuspicionForm { chances, found, accused }
    }
}

impl From<SuspicionForm> for Suspicion {
    fn from(SuspicionForm { chances, found, accused }: SuspicionForm) -> Suspicion {
        Suspicion { chances, found, accused }
    }
}
