//! What can be asked of a table.

use super::{Card, Change, Deck, Link, NewStory, StoryId};
use crate::ids::UserId;
use crate::names::{Name, Title};
use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub enum Command {
    /// A member's name is the session's; a guest says one, or keeps the one at the table. What is left out stays as it is.
    Join {
        name: Option<Name>,
        observer: Option<bool>,
    },
    Vote(Card),
    TakeBack,
    Show,
    /// Turns the cards face down again without clearing them.
    Hide,
    Reset,
    SetDeck(Deck),
    /// Without a user: oneself.
    SetObserver {
        observer: bool,
        user: Option<UserId>,
    },
    Update(Change),
    StartTimer {
        seconds: u64,
        reveal: bool,
    },
    StopTimer,
    HandOver(UserId),
    Kick {
        user: UserId,
        ban: bool,
    },
    Leave,
    /// Strikes somebody from the table and its history. Without a user: oneself.
    Forget(Option<UserId>),
    Delete,
    AddStories {
        stories: Vec<NewStory>,
        at: Option<usize>,
    },
    EditStory(StoryEdit),
    MoveStory {
        story: StoryId,
        to: usize,
    },
    RemoveStory(StoryId),
    PickStory(Option<StoryId>),
}

/// What is to be different about a story; `Some(None)` takes a part away.
#[derive(Clone, PartialEq, Eq)]
pub struct StoryEdit {
    pub story: StoryId,
    pub title: Option<Title>,
    pub link: Option<Option<Link>>,
    pub estimate: Option<Option<Card>>,
}

/// A command may end up in a log line; the card of a vote may not.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = |user: &Option<UserId>| user.as_ref().map_or_else(|| "oneself".into(), UserId::to_string);
        match self {
            Command::Join { name, observer } => write!(f, "Join({name:?}, {observer:?})"),
            Command::Vote(_) => f.write_str("Vote"),
            Command::TakeBack => f.write_str("TakeBack"),
            Command::Show => f.write_str("Show"),
            Command::Hide => f.write_str("Hide"),
            Command::Reset => f.write_str("Reset"),
            Command::SetDeck(deck) => write!(f, "SetDeck({deck})"),
            Command::SetObserver { observer, user: whom } => write!(f, "SetObserver({observer}, {})", user(whom)),
            Command::Update(change) => write!(f, "Update({change:?})"),
            Command::StartTimer { seconds, reveal } => write!(f, "StartTimer({seconds}, {reveal})"),
            Command::StopTimer => f.write_str("StopTimer"),
            Command::HandOver(user) => write!(f, "HandOver({user})"),
            Command::Kick { user, ban } => write!(f, "Kick({user}, {ban})"),
            Command::Leave => f.write_str("Leave"),
            Command::Forget(whom) => write!(f, "Forget({})", user(whom)),
            Command::Delete => f.write_str("Delete"),
            Command::AddStories { stories, at } => write!(f, "AddStories({} at {at:?})", stories.len()),
            Command::EditStory(edit) => write!(f, "EditStory({})", edit.story),
            Command::MoveStory { story, to } => write!(f, "MoveStory({story}, {to})"),
            Command::RemoveStory(story) => write!(f, "RemoveStory({story})"),
            Command::PickStory(story) => write!(f, "PickStory({story:?})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_vote_does_not_say_the_card() {
        let vote = Command::Vote("13".parse().unwrap());
        assert_eq!(format!("{vote:?} {:?}", crate::Command::Poker(vote.clone())), "Vote Poker(Vote)");
    }
}
