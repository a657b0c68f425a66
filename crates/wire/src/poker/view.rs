//! The table in words: what everyone sees, and what only you see.

use parlor_rules::UserId;
use parlor_rules::poker::view::SeatView;
use parlor_rules::poker::{self, Hand, Mine, Shared, Tally};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The table as everyone sees it.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Table {
    pub room_id: String,
    /// What the room is called, if it has a name.
    pub name: Option<String>,
    pub valid_sizes: String,
    pub admin_user_id: String,
    pub is_revealed: bool,
    /// Whether the cards of this round have been seen, also when they are hidden again: nobody may vote.
    pub sealed: bool,
    pub round: u64,
    /// When the timer ends, in milliseconds since the epoch.
    pub timer_ends: Option<u64>,
    /// Whether the end of the timer turns the cards over.
    pub timer_reveals: bool,
    /// Whether the cards open by themselves once every voter has voted.
    pub auto_reveal: bool,
    /// Who may show, hide and reset: host or everyone.
    pub reveal_by: String,
    /// How long the room lives after it was last used.
    pub life_minutes: u64,
    /// In the order people came.
    pub users: Vec<User>,
    /// Only when the cards are open.
    #[serde(default)]
    pub result: Option<Outcome>,
    /// The story that is being estimated.
    pub story_id: Option<String>,
    pub stories: Vec<Story>,
    /// The rounds that were shown, oldest first.
    pub history: Vec<Round>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct User {
    pub user_id: String,
    pub user_name: String,
    pub has_vote: bool,
    /// Only when the cards are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
    /// Sits at the table and does not vote.
    pub observer: bool,
    /// Came with a key and without logging in.
    pub guest: bool,
    /// Is connected now.
    pub here: bool,
}

/// What the cards of a round come to.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Outcome {
    pub votes: u64,
    /// Of the cards that are numbers.
    pub average: Option<f64>,
    pub median: Option<f64>,
    /// The most frequent cards, in the deck's order.
    pub mode: Vec<String>,
    /// Which part of the votes is on the most frequent card, in whole percent.
    pub agreement: u64,
    /// At least two voted, all the same, and it was an estimate.
    pub unanimous: bool,
    /// In the deck's order.
    pub distribution: Vec<Count>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Count {
    pub card: String,
    pub count: u64,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Story {
    pub story_id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<String>,
}

/// A round that was shown.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Round {
    pub round: u64,
    /// When it was first shown, in milliseconds since the epoch.
    pub at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub result: Outcome,
}

/// The part that only you see.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Me {
    pub user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    pub seated: bool,
    pub host: bool,
    /// Whether you may show, hide and reset.
    pub may_reveal: bool,
    pub observer: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
}

impl From<&Shared> for Table {
    fn from(shared: &Shared) -> Table {
        Table {
            users: shared.seats.iter().map(user).collect(),
            stories: shared.stories.iter().map(story).collect(),
            history: shared.history.iter().map(round).collect(),
            ..head(shared)
        }
    }
}

/// The table without its lists.
pub(super) fn head(shared: &Shared) -> Table {
    Table {
        room_id: shared.room.to_string(),
        name: shared.settings.name.as_ref().map(ToString::to_string),
        valid_sizes: shared.deck.to_string(),
        admin_user_id: shared.admin.as_ref().map_or_else(String::new, UserId::to_string),
        is_revealed: shared.revealed,
        sealed: shared.sealed,
        round: shared.round,
        timer_ends: shared.timer.map(|timer| timer.ends.0),
        timer_reveals: shared.timer.is_some_and(|timer| timer.reveals),
        auto_reveal: shared.settings.auto_reveal,
        reveal_by: shared.settings.reveal_by.name().to_owned(),
        life_minutes: shared.settings.life.in_minutes(),
        users: Vec::new(),
        result: shared.result.as_ref().map(outcome),
        story_id: shared.story.map(|story| story.to_string()),
        stories: Vec::new(),
        history: Vec::new(),
    }
}

impl From<&Mine> for Me {
    fn from(mine: &Mine) -> Me {
        Me {
            user_id: mine.user.as_ref().map(UserId::to_string),
            user_name: mine.name.as_ref().map(ToString::to_string),
            seated: mine.seated,
            host: mine.host,
            may_reveal: mine.may_reveal,
            observer: mine.observer,
            vote: mine.vote.as_ref().map(ToString::to_string),
        }
    }
}

pub(super) fn user(seat: &SeatView) -> User {
    User {
        user_id: seat.user.to_string(),
        user_name: seat.name.to_string(),
        has_vote: seat.hand != Hand::Empty,
        vote: match &seat.hand {
            Hand::FaceUp(card) => Some(card.to_string()),
            Hand::FaceDown | Hand::Empty => None,
        },
        observer: seat.observer,
        guest: seat.guest,
        here: seat.here,
    }
}

pub(super) fn story(story: &poker::Story) -> Story {
    Story {
        story_id: story.id.to_string(),
        title: story.title.to_string(),
        link: story.link.as_ref().map(ToString::to_string),
        estimate: story.estimate.as_ref().map(ToString::to_string),
    }
}

pub(super) fn round(round: &poker::Round) -> Round {
    Round {
        round: round.number,
        at: round.at.0,
        story_id: round.story.as_ref().map(|(id, _)| id.to_string()),
        title: round.story.as_ref().map(|(_, title)| title.to_string()),
        result: outcome(&round.tally),
    }
}

fn outcome(tally: &Tally) -> Outcome {
    let count = |(card, count): &(poker::Card, usize)| Count { card: card.to_string(), count: *count as u64 };
    Outcome {
        votes: tally.votes as u64,
        average: tally.average,
        median: tally.median,
        mode: tally.mode.iter().map(ToString::to_string).collect(),
        agreement: tally.agreement,
        unanimous: tally.unanimous,
        distribution: tally.distribution.iter().map(count).collect(),
    }
}
