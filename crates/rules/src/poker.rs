//! Planning poker: everyone lays a card face down, all are turned over at once. Documents 000 and 003.
//!
//! A card that is face down leaves this module only to its owner. Nobody acts for another: who acts comes
//! from the credential, never from the command.

pub mod deck;
pub mod view;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod rulebook;

use crate::code::Code;
use crate::identity::{Credential, Proof, Viewer};
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use crate::room::{Act, Ending, Lifetime, Room};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
pub use deck::{Card, Deck};
use imbl::OrdMap;
pub use view::{Class, Hand, Mine, Shared};

pub const SEATS_MAX: usize = 500;
pub const TIMER_SECONDS_MAX: u64 = 3600;
pub const LIFE: Span = Span::minutes(60);

#[derive(Clone, PartialEq)]
pub struct Poker {
    pub id: RoomId,
    pub host_key: SecretHash,
    pub deck: Deck,
    pub admin: Option<UserId>,
    pub open: bool,
    /// Counts resets; a vote belongs to the round it was cast in.
    pub round: u64,
    pub timer: Option<Millis>,
    pub seats: OrdMap<UserId, Seat>,
    /// The number the next seat gets: the lowest number present has been here longest.
    pub arrivals: u64,
}

#[derive(Clone, PartialEq)]
pub struct Seat {
    pub proof: Proof,
    pub name: Name,
    pub observer: bool,
    pub arrival: u64,
    pub vote: Option<Card>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A member's name is the session's; a guest says one, or keeps the one at the table. `None` also leaves the part as it is.
    Join {
        name: Option<Name>,
        observer: Option<bool>,
    },
    Vote(Card),
    TakeBack,
    Show,
    Reset,
    SetDeck(Deck),
    StartTimer {
        seconds: u64,
    },
    StopTimer,
    Kick(UserId),
    Leave,
    Delete,
}

#[derive(Clone, PartialEq)]
pub enum Event {
    Joined { user: UserId, proof: Proof, name: Name, observer: bool },
    Renamed { user: UserId, name: Name },
    Voted { user: UserId, card: Card },
    TookBack { user: UserId },
    Shown,
    Reset,
    DeckSet(Deck),
    TimerStarted { ends: Millis },
    TimerStopped,
    Kicked { user: UserId },
    Left { user: UserId },
    Deleted,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("this host key does not open this room; check it, or send none")]
    BadKey,
    #[error("joining needs a session or a user key; log in, or ask for a key first (hello on the socket, POST /v1/users)")]
    NoKey,
    #[error("joining as a guest needs a user_name")]
    NoName,
    #[error("you are logged in under another name; join without a user_name, or log in under that one")]
    OtherName,
    #[error("only people at the table may do that; join first")]
    NotSeated,
    #[error("only the host may do that; the host is whoever holds the host key, or the first at the table")]
    HostOnly,
    #[error("someone else at the table has your user id; ask for a new user key")]
    IdTaken,
    #[error("the table has {SEATS_MAX} seats and all are taken")]
    Full,
    #[error("the cards are open; wait for the host to reset before voting again")]
    AlreadyShown,
    #[error("that card is not in this room's deck")]
    NotInDeck,
    #[error("a timer runs from 1 to {TIMER_SECONDS_MAX} seconds")]
    TimerRange,
    #[error("nobody with that user id sits at the table")]
    NoSuchUser,
    #[error("to go yourself, leave; kick is for others")]
    KickSelf,
}

impl Poker {
    pub fn new(id: RoomId, host_key: SecretHash, deck: Deck) -> Poker {
        Poker { id, host_key, deck, admin: None, open: false, round: 1, timer: None, seats: OrdMap::new(), arrivals: 0 }
    }

    /// Seats in the order people came.
    pub fn in_order(&self) -> Vec<(&UserId, &Seat)> {
        let mut seats: Vec<_> = self.seats.iter().collect();
        seats.sort_by_key(|(_, seat)| seat.arrival);
        seats
    }

    fn join(&self, by: &Viewer, seat: Option<&Seat>, name: Option<&Name>, observer: Option<bool>) -> Result<Vec<Event>, Refusal> {
        if by.name.as_ref().zip(name).is_some_and(|(own, other)| own != other) {
            return Err(Refusal::OtherName);
        }
        let name = by.name.as_ref().or(name);
        match (&by.user, by.proof, seat) {
            // Joining twice is a reconnect, not an error.
            (Some(user), _, Some(seat)) => {
                let renamed = name.filter(|name| **name != seat.name);
                Ok(renamed.map(|name| Event::Renamed { user: user.clone(), name: name.clone() }).into_iter().collect())
            }
            // Ids are short digests of keys: should two keys ever share one, the first keeps its seat and card.
            (Some(user), _, None) if self.seats.contains_key(user) => Err(Refusal::IdTaken),
            (Some(_), Some(_), None) if self.seats.len() >= SEATS_MAX => Err(Refusal::Full),
            (Some(user), Some(proof), None) => {
                let name = name.ok_or(Refusal::NoName)?.clone();
                Ok(vec![Event::Joined { user: user.clone(), proof, name, observer: observer.unwrap_or(false) }])
            }
            (None, ..) | (_, None, None) => Err(Refusal::NoKey),
        }
    }

    fn stand_up(&mut self, user: &UserId) {
        self.seats.remove(user);
        if self.admin.as_ref() == Some(user) {
            self.admin = self.in_order().first().map(|(heir, _)| (*heir).clone());
        }
    }

    fn clear(&mut self) {
        self.open = false;
        self.timer = None;
        self.round += 1;
        let voters: Vec<UserId> =
            self.seats.iter().filter(|(_, seat)| seat.vote.is_some()).map(|(user, _)| user.clone()).collect();
        for user in voters {
            self.seats.get_mut(&user).into_iter().for_each(|seat| seat.vote = None);
        }
    }
}

impl Room for Poker {
    type Command = Command;
    type Event = Event;
    type Refusal = Refusal;
    type Class = Class;
    type Shared = Shared;
    type Mine = Mine;

    fn recognise(&self, credential: &Credential) -> Result<Viewer, Refusal> {
        if credential.host.is_some_and(|key| key != self.host_key) {
            return Err(Refusal::BadKey);
        }
        let user = credential.user_id(&self.id);
        let seat = user.as_ref().and_then(|user| self.seats.get(user));
        let seated = seat.is_some_and(|seat| credential.proof() == Some(seat.proof));
        let admin = seated && self.admin == user;
        let name = credential.session.as_ref().map(|member| member.name.clone());
        Ok(Viewer { user, proof: credential.proof(), name, seated, host: admin || credential.host.is_some() })
    }

    fn decide(&self, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
        let Act { by, command, at } = act;
        let me = || by.user.clone().ok_or(Refusal::NotSeated);
        let seat = by.user.as_ref().filter(|_| by.seated).and_then(|user| self.seats.get(user));
        Ok(match command {
            Command::Join { name, observer } => self.join(by, seat, name.as_ref(), *observer)?,
            Command::Vote(_) | Command::TakeBack | Command::Leave if seat.is_none() => return Err(Refusal::NotSeated),
            Command::Vote(_) | Command::TakeBack if self.open => return Err(Refusal::AlreadyShown),
            Command::Vote(card) if !self.deck.holds(card) => return Err(Refusal::NotInDeck),
            Command::Vote(card) if seat.is_some_and(|seat| seat.vote.as_ref() == Some(card)) => vec![],
            Command::Vote(card) => vec![Event::Voted { user: me()?, card: card.clone() }],
            Command::TakeBack if seat.is_some_and(|seat| seat.vote.is_none()) => vec![],
            Command::TakeBack => vec![Event::TookBack { user: me()? }],
            Command::Leave => vec![Event::Left { user: me()? }],

            Command::Show
            | Command::Reset
            | Command::SetDeck(_)
            | Command::StartTimer { .. }
            | Command::StopTimer
            | Command::Kick(_)
            | Command::Delete
                if !by.host =>
            {
                return Err(Refusal::HostOnly);
            }
            Command::Show if self.open => vec![],
            Command::Show => vec![Event::Shown],
            Command::Reset => vec![Event::Reset],
            Command::SetDeck(deck) => vec![Event::DeckSet(deck.clone())],
            Command::StartTimer { .. } if self.open => return Err(Refusal::AlreadyShown),
            Command::StartTimer { seconds } if !(1..=TIMER_SECONDS_MAX).contains(seconds) => return Err(Refusal::TimerRange),
            Command::StartTimer { seconds } => vec![Event::TimerStarted { ends: *at + Span::seconds(*seconds) }],
            Command::StopTimer if self.timer.is_none() => vec![],
            Command::StopTimer => vec![Event::TimerStopped],
            Command::Kick(user) if by.seated && by.user.as_ref() == Some(user) => return Err(Refusal::KickSelf),
            Command::Kick(user) if !self.seats.contains_key(user) => return Err(Refusal::NoSuchUser),
            Command::Kick(user) => vec![Event::Kicked { user: user.clone() }],
            Command::Delete => vec![Event::Deleted],
        })
    }

    fn apply(&mut self, _at: Millis, event: &Event) {
        match event {
            Event::Joined { user, proof, name, observer } => {
                self.arrivals += 1;
                let (name, arrival) = (name.clone(), self.arrivals);
                self.seats.insert(user.clone(), Seat { proof: *proof, name, observer: *observer, arrival, vote: None });
                self.admin.get_or_insert_with(|| user.clone());
            }
            Event::Renamed { user, name } => {
                self.seats.get_mut(user).into_iter().for_each(|seat| seat.name = name.clone());
            }
            Event::Voted { user, card } => {
                self.seats.get_mut(user).into_iter().for_each(|seat| seat.vote = Some(card.clone()));
            }
            Event::TookBack { user } => self.seats.get_mut(user).into_iter().for_each(|seat| seat.vote = None),
            Event::Shown => {
                self.open = true;
                self.timer = None;
            }
            Event::Reset => self.clear(),
            Event::DeckSet(deck) => {
                self.deck = deck.clone();
                self.clear();
            }
            Event::TimerStarted { ends } => self.timer = Some(*ends),
            Event::TimerStopped => self.timer = None,
            Event::Kicked { user } | Event::Left { user } => self.stand_up(user),
            Event::Deleted => {}
        }
    }

    fn may_speak(&self, viewer: &Viewer) -> Result<(), Refusal> {
        if viewer.seated || viewer.host { Ok(()) } else { Err(Refusal::NotSeated) }
    }

    fn class(&self, _viewer: &Viewer) -> Class {
        Class::Everyone
    }

    fn shared(&self, Class::Everyone: Class) -> Shared {
        view::shared(self)
    }

    fn mine(&self, viewer: &Viewer) -> Mine {
        view::mine(self, viewer)
    }

    fn deadline(&self) -> Option<Millis> {
        self.timer
    }

    fn tick(&self, due: Millis) -> Vec<Event> {
        if self.timer == Some(due) { vec![Event::Shown] } else { vec![] }
    }

    fn lifetime(&self) -> Lifetime {
        Lifetime::Sliding(LIFE)
    }

    fn renews(command: &Command) -> bool {
        *command != Command::Leave // Document 000: leaving does not renew the room.
    }

    fn claims(command: &Command) -> Option<&Name> {
        if let Command::Join { name, .. } = command { name.as_ref() } else { None }
    }

    fn changes_roles(event: &Event) -> bool {
        match event {
            Event::Joined { .. } | Event::Kicked { .. } | Event::Left { .. } => true,
            Event::Renamed { .. }
            | Event::Voted { .. }
            | Event::TookBack { .. }
            | Event::Shown
            | Event::Reset
            | Event::DeckSet(_)
            | Event::TimerStarted { .. }
            | Event::TimerStopped
            | Event::Deleted => false,
        }
    }

    fn sends_out(event: &Event, viewer: &Viewer) -> Option<Ending> {
        match event {
            Event::Kicked { user } if viewer.user.as_ref() == Some(user) => Some(Ending::Kicked),
            _ => None,
        }
    }

    fn ends(event: &Event) -> Option<Ending> {
        (*event == Event::Deleted).then_some(Ending::Deleted)
    }
}

/// An event can be printed by tests and failing seeds, its key cannot.
impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Event::Joined { user, name, .. } => write!(f, "Joined({user}, {name})"),
            Event::Renamed { user, name } => write!(f, "Renamed({user}, {name})"),
            Event::Voted { user, .. } => write!(f, "Voted({user})"),
            Event::TookBack { user } => write!(f, "TookBack({user})"),
            Event::Shown => f.write_str("Shown"),
            Event::Reset => f.write_str("Reset"),
            Event::DeckSet(deck) => write!(f, "DeckSet({deck})"),
            Event::TimerStarted { ends } => write!(f, "TimerStarted({ends})"),
            Event::TimerStopped => f.write_str("TimerStopped"),
            Event::Kicked { user } => write!(f, "Kicked({user})"),
            Event::Left { user } => write!(f, "Left({user})"),
            Event::Deleted => f.write_str("Deleted"),
        }
    }
}

impl From<Refusal> for Code {
    fn from(refusal: Refusal) -> Code {
        match refusal {
            Refusal::BadKey => Code::BadKey,
            Refusal::NoKey | Refusal::IdTaken => Code::Unauthenticated,
            Refusal::NotSeated => Code::NotSeated,
            Refusal::HostOnly => Code::Forbidden,
            Refusal::Full => Code::RoomFull,
            Refusal::AlreadyShown => Code::WrongPhase,
            Refusal::NotInDeck => Code::NotInDeck,
            Refusal::NoName | Refusal::OtherName | Refusal::TimerRange | Refusal::KickSelf => Code::BadRequest,
            Refusal::NoSuchUser => Code::NotFound,
        }
    }
}
