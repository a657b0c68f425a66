//! What happened at a table; a history of these is the table.

use super::{Card, Deck, Settings, Story, StoryId};
use crate::identity::Proof;
use crate::ids::UserId;
use crate::names::Name;
use crate::time::Millis;
use std::fmt;

#[derive(Clone, PartialEq)]
pub enum Event {
    Joined {
        user: UserId,
        proof: Proof,
        name: Name,
        observer: bool,
    },
    Renamed {
        user: UserId,
        name: Name,
    },
    ObserverSet {
        user: UserId,
        observer: bool,
    },
    Voted {
        user: UserId,
        card: Card,
    },
    TookBack {
        user: UserId,
    },
    Shown,
    Hidden,
    Reset,
    DeckSet(Deck),
    /// The settings as they are now.
    Updated(Settings),
    TimerStarted {
        ends: Millis,
        reveals: bool,
    },
    TimerStopped,
    HandedOver {
        user: UserId,
    },
    Kicked {
        user: UserId,
        ban: bool,
    },
    Left {
        user: UserId,
    },
    /// `cut`: by another's hand, so that they are sent out as well.
    Forgotten {
        user: UserId,
        cut: bool,
    },
    StoriesAdded {
        stories: Vec<Story>,
        at: usize,
    },
    /// The story as it is now.
    StoryEdited(Story),
    StoryMoved {
        story: StoryId,
        to: usize,
    },
    StoryRemoved {
        story: StoryId,
    },
    StoryPicked(Option<StoryId>),
    Deleted,
}

impl Event {
    pub(super) fn changes_roles(&self) -> bool {
        match self {
            Event::Joined { .. }
            | Event::HandedOver { .. }
            | Event::Kicked { .. }
            | Event::Left { .. }
            | Event::Forgotten { .. } => true,
            Event::Renamed { .. }
            | Event::ObserverSet { .. }
            | Event::Voted { .. }
            | Event::TookBack { .. }
            | Event::Shown
            | Event::Hidden
            | Event::Reset
            | Event::DeckSet(_)
            | Event::Updated(_)
            | Event::TimerStarted { .. }
            | Event::TimerStopped
            | Event::StoriesAdded { .. }
            | Event::StoryEdited(_)
            | Event::StoryMoved { .. }
            | Event::StoryRemoved { .. }
            | Event::StoryPicked(_)
            | Event::Deleted => false,
        }
    }
}

/// An event can be printed by tests and failing seeds; its key and its card cannot.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Joined { user, name, observer, .. } => write!(f, "Joined({user}, {name}, {observer})"),
            Event::Renamed { user, name } => write!(f, "Renamed({user}, {name})"),
            Event::ObserverSet { user, observer } => write!(f, "ObserverSet({user}, {observer})"),
            Event::Voted { user, .. } => write!(f, "Voted({user})"),
            Event::TookBack { user } => write!(f, "TookBack({user})"),
            Event::Shown => f.write_str("Shown"),
            Event::Hidden => f.write_str("Hidden"),
            Event::Reset => f.write_str("Reset"),
            Event::DeckSet(deck) => write!(f, "DeckSet({deck})"),
            Event::Updated(settings) => write!(f, "Updated({settings:?})"),
            Event::TimerStarted { ends, reveals } => write!(f, "TimerStarted({ends}, {reveals})"),
            Event::TimerStopped => f.write_str("TimerStopped"),
            Event::HandedOver { user } => write!(f, "HandedOver({user})"),
            Event::Kicked { user, ban } => write!(f, "Kicked({user}, {ban})"),
            Event::Left { user } => write!(f, "Left({user})"),
            Event::Forgotten { user, cut } => write!(f, "Forgotten({user}, {cut})"),
            Event::StoriesAdded { stories, at } => write!(f, "StoriesAdded({} at {at})", stories.len()),
            Event::StoryEdited(story) => write!(f, "StoryEdited({})", story.id),
            Event::StoryMoved { story, to } => write!(f, "StoryMoved({story}, {to})"),
            Event::StoryRemoved { story } => write!(f, "StoryRemoved({story})"),
            Event::StoryPicked(story) => write!(f, "StoryPicked({story:?})"),
            Event::Deleted => f.write_str("Deleted"),
        }
    }
}
