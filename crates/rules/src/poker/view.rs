//! What leaves the table. While the cards are down, the shared part says who has voted and not what.

use super::{Card, Deck, Poker, Refusal, Round, Settings, Story, StoryId, Tally, Timer};
use crate::here::Here;
use crate::identity::{Proof, Viewer};
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use imbl::Vector;

/// Poker shows everyone the same table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Everyone,
}

pub struct Shared {
    pub room: RoomId,
    pub settings: Settings,
    pub deck: Deck,
    pub admin: Option<UserId>,
    pub revealed: bool,
    pub sealed: bool,
    pub round: u64,
    pub timer: Option<Timer>,
    pub seats: Vec<SeatView>,
    /// Only while the cards are open.
    pub result: Option<Tally>,
    pub story: Option<StoryId>,
    pub stories: Vector<Story>,
    /// Rounds that were shown, oldest first; single votes are for the export.
    pub history: Vector<Round>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct SeatView {
    pub user: UserId,
    pub name: Name,
    pub observer: bool,
    pub guest: bool,
    pub hand: Hand,
    /// Is connected now.
    pub here: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hand {
    Empty,
    FaceDown,
    FaceUp(Card),
}

/// The part for one person's eyes, the same on all of that person's devices.
pub struct Mine {
    pub user: Option<UserId>,
    pub name: Option<Name>,
    pub seated: bool,
    pub host: bool,
    pub may_reveal: bool,
    pub observer: bool,
    pub vote: Option<Card>,
}

/// What may be taken home: the stories, and every shown round with its votes by name.
pub struct Export {
    pub room: RoomId,
    pub settings: Settings,
    pub stories: Vector<Story>,
    pub rounds: Vector<Round>,
}

pub(super) fn shared(table: &Poker, here: &Here) -> Shared {
    let seats = table.in_order().into_iter().map(|(user, seat)| SeatView {
        user: user.clone(),
        name: seat.name.clone(),
        observer: seat.observer,
        guest: seat.proof != Proof::Session,
        hand: match &seat.vote {
            None => Hand::Empty,
            Some(card) if table.open => Hand::FaceUp(card.clone()),
            Some(_) => Hand::FaceDown,
        },
        here: here.holds(user),
    });
    let result = || Tally::of(&table.deck, table.seats.values().filter_map(|seat| seat.vote.as_ref()));
    Shared {
        room: table.id.clone(),
        settings: table.settings.clone(),
        deck: table.deck.clone(),
        admin: table.admin.clone(),
        revealed: table.open,
        sealed: table.sealed,
        round: table.round,
        timer: table.timer,
        seats: seats.collect(),
        result: table.open.then(result),
        story: table.story,
        stories: table.stories.list.clone(),
        history: table.history.0.clone(),
    }
}

pub(super) fn mine(table: &Poker, viewer: &Viewer) -> Mine {
    let seat = table.seat_of(viewer);
    Mine {
        user: viewer.user.clone(),
        name: seat.map(|seat| seat.name.clone()).or_else(|| viewer.name.clone()),
        seated: viewer.seated,
        host: viewer.host,
        may_reveal: table.may_reveal(viewer),
        observer: seat.is_some_and(|seat| seat.observer),
        vote: seat.and_then(|seat| seat.vote.clone()),
    }
}

/// Names and votes of past rounds are for those who play, not for whoever has the link.
pub(super) fn export(table: &Poker, viewer: &Viewer) -> Result<Export, Refusal> {
    if !viewer.seated && !viewer.host {
        return Err(Refusal::NotSeated);
    }
    Ok(Export {
        room: table.id.clone(),
        settings: table.settings.clone(),
        stories: table.stories.list.clone(),
        rounds: table.history.0.clone(),
    })
}
