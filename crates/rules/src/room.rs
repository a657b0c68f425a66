//! A room is four pure functions and a deadline; every kind of room is one implementation of this trait.

use crate::code::Code;
use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use crate::secret::SecretHash;
use crate::time::{Millis, Span};

/// Someone wants something, at a time the engine read from its clock.
#[derive(Clone)]
pub struct Act<C> {
    pub by: Viewer,
    pub at: Millis,
    /// Chance, from outside: for what the room has to name.
    pub dice: u64,
    pub command: C,
}

/// When something happened: the time, and the number of the commit it is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    pub at: Millis,
    pub seq: u64,
}

/// How long a room lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// So long after the last accepted command of a person, unless that was to leave.
    Sliding(Span),
    /// So long after its creation, whatever happens.
    Fixed(Span),
    Forever,
}

/// Why a room, or somebody's place in it, ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Kicked,
    Deleted,
    Expired,
}

/// `decide` may refuse but never changes; `apply` changes but never refuses; `shared` and `mine`
/// together are the view, the only way out, so a secret leaks there or nowhere.
pub trait Room: Clone {
    /// What a new room of this kind is to be.
    type Wish;
    type Command;
    type Event;
    type Refusal: Into<Code>;
    /// Viewers of one class see the same shared part, which is encoded once for all of them.
    type Class: Copy + Eq;
    type Shared;
    type Mine;
    type Export;

    /// Whether those who listen are told what changed, event by event, instead of being shown the room again.
    const TELLS: bool = false;

    fn create(id: RoomId, host_key: SecretHash, wish: Self::Wish) -> Self;
    /// Who this is in the room now; refuses a key that opens nothing rather than treating it as none.
    fn recognise(&self, credential: &Credential) -> Result<Viewer, Self::Refusal>;
    fn decide(&self, act: &Act<Self::Command>) -> Result<Vec<Self::Event>, Self::Refusal>;
    fn apply(&mut self, when: When, event: &Self::Event);
    /// Whether this viewer may say something to those here now.
    fn may_speak(&self, viewer: &Viewer) -> Result<(), Self::Refusal>;
    fn class(&self, viewer: &Viewer) -> Self::Class;
    fn shared(&self, class: Self::Class, here: &Here) -> Self::Shared;
    fn mine(&self, viewer: &Viewer) -> Self::Mine;
    /// What this viewer may take home of the room's past: nothing that a view has not shown.
    fn export(&self, viewer: &Viewer) -> Result<Self::Export, Self::Refusal>;

    /// Whether viewers of a class are told of an event as it is: the way out of a room that tells.
    fn tells(_class: Self::Class, _event: &Self::Event) -> bool {
        false
    }

    /// When the room next wants a tick.
    fn deadline(&self) -> Option<Millis>;
    /// What happens at the deadline `due`; nothing when that is no longer the deadline.
    fn tick(&self, due: Millis) -> Vec<Self::Event>;
    /// Who has a place in the room, connected or not.
    fn seated(&self) -> Vec<UserId>;
    /// What happens when somebody with a place has been away too long; nothing when they have none.
    fn away_too_long(&self, user: &UserId, at: Millis) -> Vec<Self::Event>;
    fn lifetime(&self) -> Lifetime;
    /// Whether a person's accepted command keeps the room alive.
    fn renews(command: &Self::Command) -> bool;
    /// The name by which a command would make its sender known.
    fn claims(command: &Self::Command) -> Option<&Name>;
    /// Whether an event may change who somebody is to the room.
    fn changes_roles(event: &Self::Event) -> bool;
    /// Whether somebody has a place in the room.
    fn sits(&self, user: &UserId) -> bool;
    /// Whom an event sends out of the room: everyone it names is cut at that commit.
    fn sends_out(event: &Self::Event, viewer: &Viewer) -> Option<Ending>;
    /// Whether an event is the end of the room itself.
    fn ends(event: &Self::Event) -> Option<Ending>;
}
