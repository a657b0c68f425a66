//! `room_history:(room_id)`: HASH round → {at, valid_sizes, story_id, title, votes}. Additive.

use crate::damage::{Damaged, damaged};
use crate::text::{fields, json, parse, read};
use bytes::Bytes;
use parlor_rules::Millis;
use parlor_rules::poker::{Ballot, History, Round, Voter};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    at: u64,
    valid_sizes: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    story_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    votes: Vec<VoteForm>,
}

/// Without a name: somebody who asked to be forgotten.
#[derive(Serialize, Deserialize)]
struct VoteForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user_name: Option<String>,
    vote: String,
}

pub(super) fn record(round: &Round) -> Bytes {
    let votes = round.ballots.iter().map(|ballot| VoteForm {
        user_id: ballot.by.as_ref().map(|voter| voter.id.to_string()),
        user_name: ballot.by.as_ref().map(|voter| voter.name.to_string()),
        vote: ballot.card.to_string(),
    });
    json(&Form {
        at: round.at.0,
        valid_sizes: round.deck.to_string(),
        story_id: round.story.as_ref().map(|(id, _)| id.to_string()),
        title: round.story.as_ref().map(|(_, title)| title.to_string()),
        votes: votes.collect(),
    })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<History, Damaged> {
    let mut rounds: BTreeMap<u64, Round> = BTreeMap::new();
    for (field, value) in fields(records, key)? {
        let number: u64 = read(key, field)?;
        if number.to_string() != field {
            return Err(damaged(key, "a round's number has another spelling"));
        }
        rounds.insert(number, round(key, number, parse(key, value)?)?);
    }
    Ok(History(rounds.into_values().collect()))
}

fn round(key: &str, number: u64, form: Form) -> Result<Round, Damaged> {
    let story = match (form.story_id, form.title) {
        (Some(id), Some(title)) => Some((read(key, &id)?, read(key, &title)?)),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(damaged(key, "a story has an id and a title, or neither")),
    };
    let ballots = form.votes.into_iter().map(|vote| ballot(key, vote)).collect::<Result<_, _>>()?;
    Ok(Round::new(number, Millis(form.at), read(key, &form.valid_sizes)?, story, ballots))
}

fn ballot(key: &str, form: VoteForm) -> Result<Ballot, Damaged> {
    let by = match (form.user_id, form.user_name) {
        (Some(id), Some(name)) => Some(Voter { id: read(key, &id)?, name: read(key, &name)? }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(damaged(key, "a voter has an id and a name, or neither")),
    };
    Ok(Ballot { by, card: read(key, &form.vote)? })
}
