//! Poker's commands in words, both ways.

use super::import;
use crate::ask::{Fault, one, words};
use crate::commands::unknown;
use parlor_rules::Kind;
use parlor_rules::poker::command::StoryEdit;
use parlor_rules::poker::{Change, Command, NewStory, StoryId};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::str::FromStr;

pub(crate) fn read(verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    Ok(match verb {
        "join" => {
            let Join { user_name, observer } = words(with)?;
            Command::Join { name: some(user_name)?, observer }
        }
        "vote" => Command::Vote(one(&words::<Vote>(with)?.card)?),
        "take_back" => nothing(with, Command::TakeBack)?,
        "show" => nothing(with, Command::Show)?,
        "set_revealed" if words::<Revealed>(with)?.is_revealed => Command::Show,
        "set_revealed" => Command::Hide,
        "reset" => nothing(with, Command::Reset)?,
        "set_valid_sizes" => Command::SetDeck(one(&words::<Sizes>(with)?.valid_sizes)?),
        "set_observer" => {
            let Observer { observer, user_id } = words(with)?;
            Command::SetObserver { observer, user: some(user_id)? }
        }
        "update_room" => {
            let Update { name, auto_reveal, reveal_by } = words(with)?;
            Command::Update(Change { name: name.map(some).transpose()?, auto_reveal, reveal_by: some(reveal_by)? })
        }
        "start_timer" => {
            let Timer { seconds, reveal } = words(with)?;
            Command::StartTimer { seconds, reveal: reveal.unwrap_or(true) }
        }
        "stop_timer" => nothing(with, Command::StopTimer)?,
        "hand_over" => Command::HandOver(one(&words::<User>(with)?.user_id)?),
        "kick" => {
            let Kick { user_id, ban } = words(with)?;
            Command::Kick { user: one(&user_id)?, ban: ban.unwrap_or(false) }
        }
        "leave" => nothing(with, Command::Leave)?,
        "delete_user" => Command::Forget(some(words::<Forget>(with)?.user_id)?),
        "delete" => nothing(with, Command::Delete)?,
        "add_stories" => {
            let AddStories { stories, at } = words(with)?;
            Command::AddStories { stories: stories.into_iter().map(new_story).collect::<Result<_, _>>()?, at }
        }
        "import_stories" => Command::AddStories { stories: import::stories(&words::<Import>(with)?.csv)?, at: None },
        "edit_story" => {
            let Edit { story_id, title, link, estimate } = words(with)?;
            let (link, estimate) = (link.map(some).transpose()?, estimate.map(some).transpose()?);
            Command::EditStory(StoryEdit { story: one(&story_id)?, title: some(title)?, link, estimate })
        }
        "move_story" => {
            let Move { story_id, to } = words(with)?;
            Command::MoveStory { story: one(&story_id)?, to }
        }
        "remove_story" => Command::RemoveStory(one(&words::<Story>(with)?.story_id)?),
        "pick_story" => Command::PickStory(some(words::<Pick>(with)?.story_id)?),
        other => return Err(unknown(Kind::Poker, other)),
    })
}

/// The name and the words of a command, as a client writes them.
pub fn write(command: &Command) -> (&'static str, Value) {
    match command {
        Command::Join { name, observer } => {
            let (name, observer) = (text(name), observer.map(Value::from));
            ("join", said([("user_name", name), ("observer", observer)]))
        }
        Command::Vote(card) => ("vote", json!({ "card": card.as_str() })),
        Command::TakeBack => ("take_back", json!({})),
        Command::Show => ("show", json!({})),
        Command::Hide => ("set_revealed", json!({ "is_revealed": false })),
        Command::Reset => ("reset", json!({})),
        Command::SetDeck(deck) => ("set_valid_sizes", json!({ "valid_sizes": deck.to_string() })),
        Command::SetObserver { observer, user } => {
            ("set_observer", said([("observer", Some((*observer).into())), ("user_id", text(user))]))
        }
        Command::Update(Change { name, auto_reveal, reveal_by }) => {
            let (auto, by) = (auto_reveal.map(Value::from), reveal_by.map(|by| by.name().into()));
            ("update_room", said([("name", name.as_ref().map(or_null)), ("auto_reveal", auto), ("reveal_by", by)]))
        }
        Command::StartTimer { seconds, reveal } => ("start_timer", json!({ "seconds": seconds, "reveal": reveal })),
        Command::StopTimer => ("stop_timer", json!({})),
        Command::HandOver(user) => ("hand_over", json!({ "user_id": user.as_str() })),
        Command::Kick { user, ban } => ("kick", json!({ "user_id": user.as_str(), "ban": ban })),
        Command::Leave => ("leave", json!({})),
        Command::Forget(user) => ("delete_user", said([("user_id", text(user))])),
        Command::Delete => ("delete", json!({})),
        Command::AddStories { stories, at } => {
            let stories = stories.iter().map(|NewStory { title, link, estimate }| {
                said([("title", Some(title.as_str().into())), ("link", text(link)), ("estimate", text(estimate))])
            });
            ("add_stories", said([("stories", Some(stories.collect())), ("at", at.map(Value::from))]))
        }
        Command::EditStory(StoryEdit { story, title, link, estimate }) => {
            let (link, estimate) = (link.as_ref().map(or_null), estimate.as_ref().map(or_null));
            let id = Some(story.to_string().into());
            ("edit_story", said([("story_id", id), ("title", text(title)), ("link", link), ("estimate", estimate)]))
        }
        Command::MoveStory { story, to } => ("move_story", json!({ "story_id": story.to_string(), "to": to })),
        Command::RemoveStory(story) => ("remove_story", json!({ "story_id": story.to_string() })),
        Command::PickStory(story) => ("pick_story", json!({ "story_id": story.as_ref().map(StoryId::to_string) })),
    }
}

/// Only the words that say something.
fn said<const N: usize>(words: [(&str, Option<Value>); N]) -> Value {
    words.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<serde_json::Map<_, _>>().into()
}

fn text(value: &Option<impl ToString>) -> Option<Value> {
    value.as_ref().map(|value| value.to_string().into())
}

/// What is to be taken away is said as null.
fn or_null(value: &Option<impl ToString>) -> Value {
    text(value).unwrap_or(Value::Null)
}

fn some<T: FromStr<Err: ToString>>(text: Option<String>) -> Result<Option<T>, Fault> {
    text.as_deref().map(one).transpose()
}

fn nothing(with: Option<&str>, command: Command) -> Result<Command, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    words::<Nothing>(with).map(|Nothing {}| command)
}

fn new_story(words: StoryWords) -> Result<NewStory, Fault> {
    Ok(NewStory { title: one(&words.title)?, link: some(words.link)?, estimate: some(words.estimate)? })
}

/// Tells null, which takes something away, from nothing, which leaves it.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    user_name: Option<String>,
    observer: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vote {
    card: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revealed {
    is_revealed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    valid_sizes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Observer {
    observer: bool,
    user_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    #[serde(default, deserialize_with = "given")]
    name: Option<Option<String>>,
    auto_reveal: Option<bool>,
    reveal_by: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Timer {
    seconds: u64,
    reveal: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    user_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kick {
    user_id: String,
    ban: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forget {
    user_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddStories {
    stories: Vec<StoryWords>,
    at: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryWords {
    title: String,
    link: Option<String>,
    estimate: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Import {
    csv: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    story_id: String,
    title: Option<String>,
    #[serde(default, deserialize_with = "given")]
    link: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    estimate: Option<Option<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    story_id: String,
    to: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    story_id: String,
}

/// It must be said, if only as null: a forgotten word would clear the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pick {
    #[serde(deserialize_with = "Option::deserialize")]
    story_id: Option<String>,
}
