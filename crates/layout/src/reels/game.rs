//! `room:(code):game`: DOCUMENT. Document 002, section 7.

use super::rounds;
use crate::damage::{Damaged, damaged};
use crate::text::{document, json, parse, read};
use bytes::Bytes;
use parlor_rules::Millis;
use parlor_rules::reels::{PlayerId, Reels, Spot, Stage, Vote};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct Form {
    phase: String,
    round_order: Vec<String>,
    current_round_id: Option<String>,
    current_item_index: Option<usize>,
    status: String,
    vote: Option<VoteForm>,
    /// The number of the commit that wrote it.
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct VoteForm {
    round_id: String,
    item_id: String,
    expected_player_ids: Vec<String>,
}

pub(super) fn record(game: &Reels) -> Bytes {
    let vote = game.vote.as_ref().zip(game.current()).map(|(vote, (round, item))| VoteForm {
        round_id: round.id.to_string(),
        item_id: item.id.to_string(),
        expected_player_ids: vote.expected.iter().map(ToString::to_string).collect(),
    });
    json(&Form {
        phase: game.stage.phase().to_owned(),
        round_order: game.rounds.iter().map(|round| round.id.to_string()).collect(),
        current_round_id: game.round().map(|round| round.id.to_string()),
        current_item_index: game.at.map(|at| at.item),
        status: game.stage.status().to_owned(),
        vote,
        version: game.version,
    })
}

/// How the game stands, which is in the phase that `meta` says, and the rounds in their order, each of which rests apart.
pub(super) fn wake(
    game: &mut Reels,
    phase: &str,
    key: &str,
    round_key: &str,
    records: &BTreeMap<&str, &Value>,
) -> Result<(), Damaged> {
    let form: Form = parse(key, document(records, key)?)?;
    let stage = Stage::of(&form.phase, &form.status);
    game.stage = stage.ok_or_else(|| damaged(key, "there is no such phase and status"))?;
    if form.phase != phase {
        return Err(damaged(key, "its phase is not that of meta"));
    }
    for id in &form.round_order {
        game.rounds.push_back(Arc::new(rounds::wake(&format!("{round_key}{id}"), id, records)?));
    }
    game.version = form.version;
    game.at = match (form.current_round_id, form.current_item_index) {
        (Some(round), Some(item)) => {
            let round = game.place_of(&read(key, &round)?).ok_or_else(|| damaged(key, "there is no such round"))?;
            Some(Spot { round, item })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(damaged(key, "it has a round and an item, or neither")),
    };
    if let Some(vote) = form.vote {
        let expected: Result<Vec<PlayerId>, Damaged> = vote.expected_player_ids.iter().map(|id| read(key, id)).collect();
        let current = game.current().map(|(round, item)| (round.id.to_string(), item.id.to_string()));
        if current != Some((vote.round_id, vote.item_id)) {
            return Err(damaged(key, "the vote is not on the current item"));
        }
        // When it was opened, until when it is, and who left stands among the additive things.
        let expected = expected?.into_iter().collect();
        let (opened, left) = (Millis(0), Default::default());
        game.vote = Some(Vote { expected, opened, closes: None, forced: false, left });
    }
    Ok(())
}
