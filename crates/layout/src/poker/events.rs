//! Poker's events at rest, inside a commit.

use crate::damage::Damaged;
use crate::text::{is_false, proof, proven, read};
use parlor_rules::Millis;
use parlor_rules::poker::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Joined {
        user: String,
        key: String,
        name: String,
        #[serde(default, skip_serializing_if = "is_false")]
        observer: bool,
    },
    Renamed {
        user: String,
        name: String,
    },
    Voted {
        user: String,
        vote: String,
    },
    TookBack {
        user: String,
    },
    Shown {},
    Reset {},
    DeckSet {
        valid_sizes: String,
    },
    TimerStarted {
        ends: u64,
    },
    TimerStopped {},
    Kicked {
        user: String,
    },
    Left {
        user: String,
    },
    Deleted {},
}

pub(crate) fn rest(event: &Event) -> Form {
    match event {
        Event::Joined { user, proof: how, name, observer } => {
            Form::Joined { user: user.to_string(), key: proof(how), name: name.to_string(), observer: *observer }
        }
        Event::Renamed { user, name } => Form::Renamed { user: user.to_string(), name: name.to_string() },
        Event::Voted { user, card } => Form::Voted { user: user.to_string(), vote: card.to_string() },
        Event::TookBack { user } => Form::TookBack { user: user.to_string() },
        Event::Shown => Form::Shown {},
        Event::Reset => Form::Reset {},
        Event::DeckSet(deck) => Form::DeckSet { valid_sizes: deck.to_string() },
        Event::TimerStarted { ends } => Form::TimerStarted { ends: ends.0 },
        Event::TimerStopped => Form::TimerStopped {},
        Event::Kicked { user } => Form::Kicked { user: user.to_string() },
        Event::Left { user } => Form::Left { user: user.to_string() },
        Event::Deleted => Form::Deleted {},
    }
}

pub(crate) fn wake(form: Form) -> Result<Event, Damaged> {
    let user = |text: &str| read("an event's user", text);
    Ok(match form {
        Form::Joined { user: id, key, name, observer } => {
            let proof = proven("an event", &key)?;
            Event::Joined { user: user(&id)?, proof, name: read("an event", &name)?, observer }
        }
        Form::Renamed { user: id, name } => Event::Renamed { user: user(&id)?, name: read("an event", &name)? },
        Form::Voted { user: id, vote } => Event::Voted { user: user(&id)?, card: read("an event", &vote)? },
        Form::TookBack { user: id } => Event::TookBack { user: user(&id)? },
        Form::Shown {} => Event::Shown,
        Form::Reset {} => Event::Reset,
        Form::DeckSet { valid_sizes } => Event::DeckSet(read("an event", &valid_sizes)?),
        Form::TimerStarted { ends } => Event::TimerStarted { ends: Millis(ends) },
        Form::TimerStopped {} => Event::TimerStopped,
        Form::Kicked { user: id } => Event::Kicked { user: user(&id)? },
        Form::Left { user: id } => Event::Left { user: user(&id)? },
        Form::Deleted {} => Event::Deleted,
    })
}
