//! What is being estimated: a list of stories, if the table wants one. Voting works without any.

use super::Card;
use crate::names::{Title, hides};
use imbl::Vector;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub const STORIES_MAX: usize = 200;
pub const LINK_CHARS_MAX: usize = 500;

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

/// Where a story is written down: an address a browser may open, never a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link(Arc<str>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a link starts with http:// or https:// and has at most {LINK_CHARS_MAX} visible characters")]
pub struct NotALink;

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

impl Link {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Link {
    type Err = NotALink;
    fn from_str(text: &str) -> Result<Link, NotALink> {
        let (scheme, rest) = text.split_once("://").ok_or(NotALink)?;
        let web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let odd = |c: char| c.is_whitespace() || hides(c) || matches!(c, '"' | '<' | '>' | '\\' | '`');
        let host = !rest.is_empty() && !rest.starts_with(['/', '?', '#']);
        if !web || !host || text.chars().any(odd) || text.chars().count() > LINK_CHARS_MAX {
            return Err(NotALink);
        }
        Ok(Link(text.into()))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_web_and_nowhere_else() {
        for text in ["https://jira.example/browse/A-1?x=1#y", "HTTP://a", "https://例え.jp/ストーリー"] {
            assert_eq!(text.parse::<Link>().map(|link| link.to_string()), Ok(text.to_owned()));
        }
        let long = format!("https://a/{}", "x".repeat(LINK_CHARS_MAX));
        let refused =
            ["", "a", "javascript:alert(1)", "javascript://a%0aalert(1)", "data:text/html,x", "ftp://a", "//a", "https://"];
        let odd = ["https:///a", "https://a b", "https://a\n", "https://\u{202e}a", "https://a\"onclick=", " https://a", &long];
        for text in refused.into_iter().chain(odd) {
            assert_eq!(text.parse::<Link>(), Err(NotALink), "{text:?}");
        }
    }

    #[test]
    fn a_story_id_has_one_spelling() {
        assert_eq!("s7".parse::<StoryId>(), Ok(StoryId(7)));
        for text in ["", "s", "7", "S7", "s07", "s+7", "s-1", "s7 ", "s18446744073709551616"] {
            assert_eq!(text.parse::<StoryId>(), Err(NotAStoryId), "{text:?}");
        }
    }
}
