//! What leaves the table. While the cards are down, the shared part says who has voted and not what.

use super::{Card, Deck, Poker};
use crate::identity::Viewer;
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use crate::time::Millis;

/// Poker shows everyone the same table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Everyone,
}

pub struct Shared {
    pub room: RoomId,
    pub deck: Deck,
    pub admin: Option<UserId>,
    pub revealed: bool,
    pub round: u64,
    pub timer_ends: Option<Millis>,
    pub seats: Vec<SeatView>,
}

pub struct SeatView {
    pub user: UserId,
    pub name: Name,
    pub hand: Hand,
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
    pub seated: bool,
    pub host: bool,
    pub vote: Option<Card>,
}

pub(super) fn shared(table: &Poker) -> Shared {
    let seats = table.in_order().into_iter().map(|(user, seat)| SeatView {
        user: user.clone(),
        name: seat.name.clone(),
        hand: match &seat.vote {
            None => Hand::Empty,
            Some(card) if table.open => Hand::FaceUp(card.clone()),
            Some(_) => Hand::FaceDown,
        },
    });
    Shared {
        room: table.id.clone(),
        deck: table.deck.clone(),
        admin: table.admin.clone(),
        revealed: table.open,
        round: table.round,
        timer_ends: table.timer,
        seats: seats.collect(),
    }
}

pub(super) fn mine(table: &Poker, viewer: &Viewer) -> Mine {
    let seat = viewer.user.as_ref().filter(|_| viewer.seated).and_then(|user| table.seats.get(user));
    Mine { user: viewer.user.clone(), seated: viewer.seated, host: viewer.host, vote: seat.and_then(|seat| seat.vote.clone()) }
}
