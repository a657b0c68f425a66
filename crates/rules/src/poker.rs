//! Planning poker: everyone lays a card face down, all are turned over at once. Documents 000 and 003.
//!
//! A card that is face down leaves this module only to its owner. Nobody acts for another: who acts comes
//! from the credential, never from the command.

mod apply;
pub mod command;
mod decide;
pub mod deck;
pub mod event;
pub mod history;
pub mod refusal;
pub mod result;
pub mod settings;
pub mod stories;
pub mod view;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod rulebook;

use crate::here::Here;
use crate::identity::{Credential, Proof, Viewer};
use crate::ids::{RoomId, UserId};
pub use crate::link::Link;
use crate::names::Name;
use crate::rights::Right;
use crate::room::{Act, Ending, Lifetime, Room, When};
use crate::secret::SecretHash;
use crate::time::Millis;
pub use command::Command;
pub use deck::{Card, Deck};
pub use event::Event;
pub use history::{Ballot, History, Round, Voter};
use imbl::{OrdMap, Vector};
pub use refusal::Refusal;
pub use result::Tally;
pub use settings::{Change, Life, RevealBy, Settings, Wish};
pub use stories::{NewStory, Stories, Story, StoryId};
pub use view::{Class, Export, Hand, Mine, Shared};

pub const SEATS_MAX: usize = 500;
pub const TIMER_SECONDS_MAX: u64 = 3600;
/// Of those sent away for good, the newest are remembered.
pub const BANNED_MAX: usize = 200;

#[derive(Clone, PartialEq)]
pub struct Poker {
    pub id: RoomId,
    pub host_key: SecretHash,
    pub settings: Settings,
    pub deck: Deck,
    pub admin: Option<UserId>,
    pub open: bool,
    /// The cards of this round have been seen, even if they are hidden again: nobody may lay another.
    pub sealed: bool,
    /// Counts resets; a vote belongs to the round it was cast in.
    pub round: u64,
    pub timer: Option<Timer>,
    pub seats: OrdMap<UserId, Seat>,
    /// Those who may not come back, the newest last.
    pub banned: Vector<UserId>,
    pub stories: Stories,
    /// The story that is being estimated.
    pub story: Option<StoryId>,
    pub history: History,
}

#[derive(Clone, PartialEq)]
pub struct Seat {
    pub proof: Proof,
    pub name: Name,
    /// Sits at the table and does not vote.
    pub observer: bool,
    /// The lowest number present has been here longest.
    pub arrival: u64,
    pub vote: Option<Card>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timer {
    pub ends: Millis,
    /// Whether its end shows the cards.
    pub reveals: bool,
}

impl Poker {
    pub fn new(id: RoomId, host_key: SecretHash, deck: Deck) -> Poker {
        Poker::wished(id, host_key, Wish { deck, settings: Settings::default() })
    }

    pub fn wished(id: RoomId, host_key: SecretHash, wish: Wish) -> Poker {
        Poker {
            id,
            host_key,
            settings: wish.settings,
            deck: wish.deck,
            admin: None,
            open: false,
            sealed: false,
            round: 1,
            timer: None,
            seats: OrdMap::new(),
            banned: Vector::new(),
            stories: Stories::default(),
            story: None,
            history: History::default(),
        }
    }

    /// Seats in the order people came.
    pub fn in_order(&self) -> Vec<(&UserId, &Seat)> {
        let mut seats: Vec<_> = self.seats.iter().collect();
        seats.sort_by_key(|(_, seat)| seat.arrival);
        seats
    }

    pub fn may_reveal(&self, viewer: &Viewer) -> bool {
        viewer.host || (viewer.seated && self.settings.reveal_by == RevealBy::Everyone)
    }

    /// Whether the cards should open by themselves. One vote alone is no estimate of a team.
    fn is_complete(&self) -> bool {
        let voters = || self.seats.values().filter(|seat| !seat.observer);
        let waits = self.settings.auto_reveal && !self.open && !self.sealed;
        waits && voters().count() >= 2 && voters().all(|seat| seat.vote.is_some())
    }

    /// The seat of whoever looks or acts, if they proved to be its holder.
    fn seat_of(&self, viewer: &Viewer) -> Option<&Seat> {
        viewer.user.as_ref().filter(|_| viewer.seated).and_then(|user| self.seats.get(user))
    }
}

impl Room for Poker {
    type Wish = Wish;
    type Command = Command;
    type Event = Event;
    type Refusal = Refusal;
    type Class = Class;
    type Shared = Shared;
    type Mine = Mine;
    type Export = Export;

    fn create(id: RoomId, host_key: SecretHash, wish: Wish) -> Poker {
        Poker::wished(id, host_key, wish)
    }

    fn recognise(&self, credential: &Credential) -> Result<Viewer, Refusal> {
        if credential.host.is_some_and(|key| key != self.host_key) {
            return Err(Refusal::BadKey);
        }
        let user = credential.user_id(&self.id);
        let seat = user.as_ref().and_then(|user| self.seats.get(user));
        let seated = seat.is_some_and(|seat| credential.proof() == Some(seat.proof));
        let admin = seated && self.admin == user;
        let name = credential.session.as_ref().map(|member| member.name.clone());
        let (host, right) = (admin || credential.host.is_some(), Right::None); // A table gives none.
        Ok(Viewer { user, proof: credential.proof(), name, seated, host, right, info: None })
    }

    fn decide(&self, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
        decide::decide(self, act)
    }

    fn apply(&mut self, when: When, event: &Event) {
        apply::apply(self, when.at, event);
    }

    fn may_speak(&self, viewer: &Viewer) -> Result<(), Refusal> {
        if viewer.seated || viewer.host { Ok(()) } else { Err(Refusal::NotSeated) }
    }

    fn class(&self, _viewer: &Viewer) -> Class {
        Class::Everyone
    }

    fn shared(&self, Class::Everyone: Class, here: &Here) -> Shared {
        view::shared(self, here)
    }

    fn mine(&self, viewer: &Viewer) -> Mine {
        view::mine(self, viewer)
    }

    fn export(&self, viewer: &Viewer) -> Result<Export, Refusal> {
        view::export(self, viewer)
    }

    fn deadline(&self) -> Option<Millis> {
        self.timer.map(|timer| timer.ends)
    }

    fn tick(&self, due: Millis) -> Vec<Event> {
        match self.timer {
            Some(Timer { ends, reveals }) if ends == due => vec![if reveals { Event::Shown } else { Event::TimerStopped }],
            Some(_) | None => vec![],
        }
    }

    fn seated(&self) -> Vec<UserId> {
        self.seats.keys().cloned().collect()
    }

    fn away_too_long(&self, user: &UserId, at: Millis) -> Vec<Event> {
        decide::away_too_long(self, user, at)
    }

    fn lifetime(&self) -> Lifetime {
        Lifetime::Sliding(self.settings.life.span())
    }

    fn renews(command: &Command) -> bool {
        *command != Command::Leave // Document 000: leaving does not renew the room.
    }

    fn claims(command: &Command) -> Option<&Name> {
        if let Command::Join { name, .. } = command { name.as_ref() } else { None }
    }

    fn changes_roles(event: &Event) -> bool {
        event.changes_roles()
    }

    fn sits(&self, user: &UserId) -> bool {
        self.seats.contains_key(user)
    }

    fn sends_out(event: &Event, viewer: &Viewer) -> Option<Ending> {
        match event {
            Event::Kicked { user, .. } | Event::Forgotten { user, cut: true } if viewer.user.as_ref() == Some(user) => {
                Some(Ending::Kicked)
            }
            _ => None,
        }
    }

    fn ends(event: &Event) -> Option<Ending> {
        (*event == Event::Deleted).then_some(Ending::Deleted)
    }
}
