//! Poker's events at rest, inside a commit.

use super::settings::{self, SettingsForm};
use super::stories;
use crate::damage::Damaged;
use crate::text::{is_false, proof, proven, read};
use parlor_rules::Millis;
use parlor_rules::poker::{Event, Story};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Borrows what it writes: a vote is said to the stream without copying who and what first.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form<'a> {
    Joined {
        user: Cow<'a, str>,
        key: String,
        name: Cow<'a, str>,
        #[serde(default, skip_serializing_if = "is_false")]
        observer: bool,
    },
    Renamed {
        user: Cow<'a, str>,
        name: Cow<'a, str>,
    },
    ObserverSet {
        user: Cow<'a, str>,
        observer: bool,
    },
    Voted {
        user: Cow<'a, str>,
        vote: Cow<'a, str>,
    },
    TookBack {
        user: Cow<'a, str>,
    },
    Shown {},
    Hidden {},
    Reset {},
    DeckSet {
        valid_sizes: String,
    },
    Updated(SettingsForm),
    TimerStarted {
        ends: u64,
        #[serde(default, skip_serializing_if = "is_false")]
        is_quiet: bool,
    },
    TimerStopped {},
    HandedOver {
        user: Cow<'a, str>,
    },
    Kicked {
        user: Cow<'a, str>,
        #[serde(default, skip_serializing_if = "is_false")]
        ban: bool,
    },
    Left {
        user: Cow<'a, str>,
    },
    Forgotten {
        user: Cow<'a, str>,
        #[serde(default, skip_serializing_if = "is_false")]
        cut: bool,
    },
    StoriesAdded {
        stories: Vec<StoryForm>,
        at: usize,
    },
    StoryEdited(StoryForm),
    StoryMoved {
        story_id: String,
        to: usize,
    },
    StoryRemoved {
        story_id: String,
    },
    StoryPicked {
        story_id: Option<String>,
    },
    Deleted {},
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoryForm {
    story_id: String,
    #[serde(flatten)]
    story: stories::Form,
}

pub(crate) fn rest(event: &Event) -> Form<'_> {
    match event {
        Event::Joined { user, proof: how, name, observer } => {
            Form::Joined { user: user.as_str().into(), key: proof(how), name: name.as_str().into(), observer: *observer }
        }
        Event::Renamed { user, name } => Form::Renamed { user: user.as_str().into(), name: name.as_str().into() },
        Event::ObserverSet { user, observer } => Form::ObserverSet { user: user.as_str().into(), observer: *observer },
        Event::Voted { user, card } => Form::Voted { user: user.as_str().into(), vote: card.as_str().into() },
        Event::TookBack { user } => Form::TookBack { user: user.as_str().into() },
        Event::Shown => Form::Shown {},
        Event::Hidden => Form::Hidden {},
        Event::Reset => Form::Reset {},
        Event::DeckSet(deck) => Form::DeckSet { valid_sizes: deck.to_string() },
        Event::Updated(settings) => Form::Updated(settings::rest(settings)),
        Event::TimerStarted { ends, reveals } => Form::TimerStarted { ends: ends.0, is_quiet: !reveals },
        Event::TimerStopped => Form::TimerStopped {},
        Event::HandedOver { user } => Form::HandedOver { user: user.as_str().into() },
        Event::Kicked { user, ban } => Form::Kicked { user: user.as_str().into(), ban: *ban },
        Event::Left { user } => Form::Left { user: user.as_str().into() },
        Event::Forgotten { user, cut } => Form::Forgotten { user: user.as_str().into(), cut: *cut },
        Event::StoriesAdded { stories, at } => Form::StoriesAdded { stories: stories.iter().map(story).collect(), at: *at },
        Event::StoryEdited(edited) => Form::StoryEdited(story(edited)),
        Event::StoryMoved { story, to } => Form::StoryMoved { story_id: story.to_string(), to: *to },
        Event::StoryRemoved { story } => Form::StoryRemoved { story_id: story.to_string() },
        Event::StoryPicked(story) => Form::StoryPicked { story_id: story.map(|story| story.to_string()) },
        Event::Deleted => Form::Deleted {},
    }
}

pub(crate) fn wake(form: Form<'_>) -> Result<Event, Damaged> {
    let user = |text: &str| read("an event's user", text);
    Ok(match form {
        Form::Joined { user: id, key, name, observer } => {
            let proof = proven(EVENT, &key)?;
            Event::Joined { user: user(&id)?, proof, name: read(EVENT, &name)?, observer }
        }
        Form::Renamed { user: id, name } => Event::Renamed { user: user(&id)?, name: read(EVENT, &name)? },
        Form::ObserverSet { user: id, observer } => Event::ObserverSet { user: user(&id)?, observer },
        Form::Voted { user: id, vote } => Event::Voted { user: user(&id)?, card: read(EVENT, &vote)? },
        Form::TookBack { user: id } => Event::TookBack { user: user(&id)? },
        Form::Shown {} => Event::Shown,
        Form::Hidden {} => Event::Hidden,
        Form::Reset {} => Event::Reset,
        Form::DeckSet { valid_sizes } => Event::DeckSet(read(EVENT, &valid_sizes)?),
        Form::Updated(form) => Event::Updated(settings::wake_settings(EVENT, form)?),
        Form::TimerStarted { ends, is_quiet } => Event::TimerStarted { ends: Millis(ends), reveals: !is_quiet },
        Form::TimerStopped {} => Event::TimerStopped,
        Form::HandedOver { user: id } => Event::HandedOver { user: user(&id)? },
        Form::Kicked { user: id, ban } => Event::Kicked { user: user(&id)?, ban },
        Form::Left { user: id } => Event::Left { user: user(&id)? },
        Form::Forgotten { user: id, cut } => Event::Forgotten { user: user(&id)?, cut },
        Form::StoriesAdded { stories, at } => {
            Event::StoriesAdded { stories: stories.into_iter().map(wake_story).collect::<Result<_, _>>()?, at }
        }
        Form::StoryEdited(form) => Event::StoryEdited(wake_story(form)?),
        Form::StoryMoved { story_id, to } => Event::StoryMoved { story: read(EVENT, &story_id)?, to },
        Form::StoryRemoved { story_id } => Event::StoryRemoved { story: read(EVENT, &story_id)? },
        Form::StoryPicked { story_id } => Event::StoryPicked(story_id.map(|id| read(EVENT, &id)).transpose()?),
        Form::Deleted {} => Event::Deleted,
    })
}

const EVENT: &str = "an event";

fn story(story: &Story) -> StoryForm {
    StoryForm { story_id: story.id.to_string(), story: stories::rest(story) }
}

fn wake_story(form: StoryForm) -> Result<Story, Damaged> {
    stories::wake_story(EVENT, read(EVENT, &form.story_id)?, form.story)
}
