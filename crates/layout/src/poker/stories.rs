//! `room_stories:(room_id)`: HASH story_id → {title, link, estimate}, and `order` → {made, story_ids}. Additive.
//!
//! A story is edited without writing the others, and moved without writing any.

use crate::damage::{Damaged, damaged};
use crate::text::{fields, json, parse, read};
use bytes::Bytes;
use parlor_rules::poker::{Stories, Story, StoryId};
use parlor_store::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// No story id looks like this.
pub(crate) const ORDER: &str = "order";

/// Beyond this a number is damage; no room makes so many.
const MADE_MAX: u64 = 1 << 53;

#[derive(Serialize, Deserialize)]
pub(crate) struct OrderForm {
    made: u64,
    story_ids: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    estimate: Option<String>,
}

pub(super) fn order(stories: &Stories) -> Bytes {
    let story_ids = stories.list.iter().map(|story| story.id.to_string()).collect();
    json(&OrderForm { made: stories.made, story_ids })
}

pub(super) fn record(story: &Story) -> Bytes {
    json(&rest(story))
}

pub(super) fn rest(story: &Story) -> Form {
    Form {
        title: story.title.to_string(),
        link: story.link.as_ref().map(ToString::to_string),
        estimate: story.estimate.as_ref().map(ToString::to_string),
    }
}

pub(super) fn wake_story(what: &str, id: StoryId, form: Form) -> Result<Story, Damaged> {
    Ok(Story {
        id,
        title: read(what, &form.title)?,
        link: form.link.map(|link| read(what, &link)).transpose()?,
        estimate: form.estimate.map(|card| read(what, &card)).transpose()?,
    })
}

pub(super) fn wake(key: &str, records: &BTreeMap<&str, &Value>) -> Result<Stories, Damaged> {
    let mut order = OrderForm { made: 0, story_ids: vec![] };
    let mut found: BTreeMap<StoryId, Story> = BTreeMap::new();
    for (field, value) in fields(records, key)? {
        if field == ORDER {
            order = parse(key, value)?;
        } else {
            let id = read(key, field)?;
            found.insert(id, wake_story(key, id, parse(key, value)?)?);
        }
    }
    let listed = order.story_ids.iter().map(|id| {
        let id: StoryId = read(key, id)?;
        found.remove(&id).ok_or_else(|| damaged(key, "the order names a story that is not there, or twice"))
    });
    let stories = Stories { list: listed.collect::<Result<_, _>>()?, made: order.made };
    if !found.is_empty() {
        return Err(damaged(key, "a story has no place in the order"));
    }
    if stories.made > MADE_MAX || stories.list.iter().any(|story| story.id.0 > stories.made) {
        return Err(damaged(key, "a story's number is above the number of stories"));
    }
    Ok(stories)
}
