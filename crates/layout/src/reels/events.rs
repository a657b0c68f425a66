//! A game's events at rest, inside a commit.

use super::stats::{self, GuessesForm, SuspicionForm};
use crate::damage::{Damaged, damaged};
use crate::text::{proof, proven, read};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parlor_rules::Millis;
use parlor_rules::reels::{Avatar, Event, Loss, PlayerId, Score, Scored, SenderId, Which};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Taken {
        player: String,
        user: String,
        device: String,
    },
    Released {
        player: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Renamed {
        player: String,
        name: String,
    },
    AvatarSet {
        player: String,
        jpeg: String,
    },
    AvatarDeleted {
        player: String,
    },
    Toggled {
        player: String,
        active: bool,
    },
    PlayerAdded {
        player: String,
        name: String,
    },
    PlayerDeleted {
        player: String,
    },
    ClaimsReset {},
    Started {},
    Opened {
        round: String,
        item: String,
        expected: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        closes: Option<u64>,
    },
    Voted {
        player: String,
        selections: Vec<String>,
    },
    Hurried {
        closes: u64,
    },
    Scored(ScoredForm),
    ItemEnded {
        round: String,
        item: String,
    },
    RoundStarted {
        round: String,
    },
    GameEnded {},
    Closed {},
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ScoredForm {
    round: String,
    item: String,
    /// By player: the score, and the points of the round.
    scores: Vec<(String, u64, u64)>,
    guesses: Vec<(String, GuessesForm)>,
    suspicions: Vec<(String, SuspicionForm)>,
}

pub(crate) fn rest(event: &Event) -> Form {
    let player = ToString::to_string;
    match event {
        Event::Taken { player, user, proof: shown } => {
            Form::Taken { player: player.to_string(), user: user.to_string(), device: proof(shown) }
        }
        Event::Released { player, why } => {
            Form::Released { player: player.to_string(), reason: why.map(|why| why.name().to_owned()) }
        }
        Event::Renamed { player, name } => Form::Renamed { player: player.to_string(), name: name.to_string() },
        Event::AvatarSet { player, avatar } => {
            Form::AvatarSet { player: player.to_string(), jpeg: STANDARD.encode(avatar.bytes()) }
        }
        Event::AvatarDeleted { player: of } => Form::AvatarDeleted { player: player(of) },
        Event::Toggled { player: of, active } => Form::Toggled { player: player(of), active: *active },
        Event::PlayerAdded { player: new, name } => Form::PlayerAdded { player: player(new), name: name.to_string() },
        Event::PlayerDeleted { player: gone } => Form::PlayerDeleted { player: player(gone) },
        Event::ClaimsReset => Form::ClaimsReset {},
        Event::Started => Form::Started {},
        Event::Opened { item, expected, closes } => Form::Opened {
            round: item.round.to_string(),
            item: item.item.to_string(),
            expected: expected.iter().map(player).collect(),
            closes: closes.map(|closes| closes.0),
        },
        Event::Voted { player: by, selections } => {
            Form::Voted { player: player(by), selections: selections.iter().map(ToString::to_string).collect() }
        }
        Event::Hurried { closes } => Form::Hurried { closes: closes.0 },
        Event::Scored(scored) => Form::Scored(rest_scored(scored)),
        Event::ItemEnded { item } => Form::ItemEnded { round: item.round.to_string(), item: item.item.to_string() },
        Event::RoundStarted { round } => Form::RoundStarted { round: round.to_string() },
        Event::GameEnded => Form::GameEnded {},
        Event::Closed => Form::Closed {},
    }
}

fn rest_scored(scored: &Scored) -> ScoredForm {
    ScoredForm {
        round: scored.item.round.to_string(),
        item: scored.item.item.to_string(),
        scores: scored.scores.iter().map(|score| (score.player.to_string(), score.total, score.delta)).collect(),
        guesses: scored.guesses.iter().map(|(player, guesses)| (player.to_string(), guesses.into())).collect(),
        suspicions: scored.suspicions.iter().map(|(sender, of)| (sender.to_string(), of.into())).collect(),
    }
}

pub(crate) fn wake(form: Form) -> Result<Event, Damaged> {
    let player = |text: &str| read::<PlayerId>("an event's player", text);
    let which = |round: &str, item: &str| Ok(Which { round: read(EVENT, round)?, item: read(EVENT, item)? });
    Ok(match form {
        Form::Taken { player: of, user, device } => {
            Event::Taken { player: player(&of)?, user: read(EVENT, &user)?, proof: proven(EVENT, &device)? }
        }
        Form::Released { player: of, reason } => {
            let why: Option<Loss> = reason.map(|reason| stats::loss(EVENT, &reason)).transpose()?;
            Event::Released { player: player(&of)?, why }
        }
        Form::Renamed { player: of, name } => Event::Renamed { player: player(&of)?, name: read(EVENT, &name)? },
        Form::AvatarSet { player: of, jpeg } => {
            let bytes = STANDARD.decode(jpeg).map_err(|error| damaged(EVENT, error))?;
            Event::AvatarSet { player: player(&of)?, avatar: Avatar::new(&bytes).map_err(|error| damaged(EVENT, error))? }
        }
        Form::AvatarDeleted { player: of } => Event::AvatarDeleted { player: player(&of)? },
        Form::Toggled { player: of, active } => Event::Toggled { player: player(&of)?, active },
        Form::PlayerAdded { player: of, name } => Event::PlayerAdded { player: player(&of)?, name: read(EVENT, &name)? },
        Form::PlayerDeleted { player: of } => Event::PlayerDeleted { player: player(&of)? },
        Form::ClaimsReset {} => Event::ClaimsReset,
        Form::Started {} => Event::Started,
        Form::Opened { round, item, expected, closes } => Event::Opened {
            item: which(&round, &item)?,
            expected: expected.iter().map(|id| player(id)).collect::<Result<_, _>>()?,
            closes: closes.map(Millis),
        },
        Form::Voted { player: of, selections } => {
            let selections = selections.iter().map(|id| read::<SenderId>(EVENT, id)).collect::<Result<_, _>>()?;
            Event::Voted { player: player(&of)?, selections }
        }
        Form::Hurried { closes } => Event::Hurried { closes: Millis(closes) },
        Form::Scored(form) => Event::Scored(wake_scored(form)?),
        Form::ItemEnded { round, item } => Event::ItemEnded { item: which(&round, &item)? },
        Form::RoundStarted { round } => Event::RoundStarted { round: read(EVENT, &round)? },
        Form::GameEnded {} => Event::GameEnded,
        Form::Closed {} => Event::Closed,
    })
}

fn wake_scored(form: ScoredForm) -> Result<Scored, Damaged> {
    let score =
        |(player, total, delta): &(String, u64, u64)| Ok(Score { player: read(EVENT, player)?, total: *total, delta: *delta });
    let guesses = form.guesses.into_iter().map(|(player, guesses)| Ok((read(EVENT, &player)?, guesses.into())));
    let suspicions = form.suspicions.into_iter().map(|(sender, of)| Ok((read(EVENT, &sender)?, of.into())));
    Ok(Scored {
        item: Which { round: read(EVENT, &form.round)?, item: read(EVENT, &form.item)? },
        scores: form.scores.iter().map(score).collect::<Result<_, Damaged>>()?,
        guesses: guesses.collect::<Result<_, Damaged>>()?,
        suspicions: suspicions.collect::<Result<_, Damaged>>()?,
    })
}

const EVENT: &str = "an event";
