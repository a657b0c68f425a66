//! What is being estimated: a list of stories, if the table wants one. Voting works without any.

use super::Card;
use crate::link::Link;
use crate::names::Title;
use imbl::Vector;
use std::fmt;
use std::str::FromStr;

pub const STORIES_MAX: usize = 200;

#[derive(Clone, PartialEq, Default)]
pub struct Stories {
    /// In the order the host wants them.
    pub list: Vector<Story>,
    /// How many were ever made: a story's number is never given to another, because the history names it.
    pub made: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    pub id: StoryId,
    pub title: Title,
    pub link: Option<Link>,
    pub estimate: Option<Card>,
}

/// A story that has no number yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewStory {
    pub title: Title,
    pub link: Option<Link>,
    pub estimate: Option<Card>,
}

/// `s7`: the seventh story the room was given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StoryId(pub u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a story id is the letter s and a number")]
pub struct NotAStoryId;

impl Stories {
    pub fn find(&self, id: StoryId) -> Option<&Story> {
        self.list.iter().find(|story| story.id == id)
    }

    pub fn numbered(&self, new: &[NewStory]) -> Vec<Story> {
        let number = |(story, number): (&NewStory, u64)| Story {
            id: StoryId(number),
            title: story.title.clone(),
            link: story.link.clone(),
            estimate: story.estimate.clone(),
        };
        new.iter().zip(self.made + 1..).map(number).collect()
    }

    /// A place beyond the end is the end.
    pub(super) fn insert(&mut self, stories: &[Story], at: usize) {
        let at = at.min(self.list.len());
        for (story, place) in stories.iter().zip(at..) {
            self.made = self.made.max(story.id.0);
            self.list.insert(place, story.clone());
        }
    }

    pub(super) fn replace(&mut self, story: &Story) {
        self.list.iter_mut().filter(|old| old.id == story.id).for_each(|old| *old = story.clone());
    }

    pub(super) fn remove(&mut self, id: StoryId) {
        self.list.retain(|story| story.id != id);
    }

    pub(super) fn move_to(&mut self, id: StoryId, to: usize) {
        if let Some(from) = self.list.iter().position(|story| story.id == id) {
            let story = self.list.remove(from);
            self.list.insert(to.min(self.list.len()), story);
        }
    }
}

impl fmt::Display for StoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

impl FromStr for StoryId {
    type Err = NotAStoryId;
    fn from_str(text: &str) -> Result<StoryId, NotAStoryId> {
        let number = text.strip_prefix('s').and_then(|digits| digits.parse().ok()).map(StoryId);
        number.filter(|id| id.to_string() == text).ok_or(NotAStoryId) // One spelling: no sign, no zeros in front.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_id_has_one_spelling() {
        assert_eq!("s7".parse::<StoryId>(), Ok(StoryId(7)));
        for text in ["", "s", "7", "S7", "s07", "s+7", "s-1", "s7 ", "s18446744073709551616"] {
            assert_eq!(text.parse::<StoryId>(), Err(NotAStoryId), "{text:?}");
        }
    }
}
