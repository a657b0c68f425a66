//! Every kind of room there is, one line each; the compiler leads from here to what a new kind needs.

use crate::code::Code;
use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::{NotAnId, RoomId, UserId};
use crate::names::Name;
use crate::poker;
use crate::reels;
use crate::room::{Act, Ending, Lifetime, Room, When};
use crate::secret::SecretHash;
use crate::space::{self, PartName};
use crate::time::Millis;
use std::fmt;
use std::str::FromStr;

macro_rules! kinds {
    ($($Kind:ident($Room:ty, $module:ident) = $name:literal;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind { $($Kind),* }

        #[expect(clippy::large_enum_variant, reason = "there is one of these a room; a box would cost every room a detour")]
        #[derive(Clone, PartialEq)]
        pub enum State { $($Kind($Room)),* }

        #[derive(Clone, PartialEq, Debug)]
        pub enum Command { $($Kind($module::Command)),* }

        #[derive(Clone, PartialEq, Debug)]
        pub enum Event { $($Kind($module::Event)),* }

        #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
        pub enum Refusal {
            $(#[error(transparent)] $Kind($module::Refusal),)*
            #[error("this room does not know that command")]
            OtherKind,
        }

        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Class { $($Kind($module::Class)),* }

        pub enum Shared { $($Kind($module::Shared)),* }

        pub enum Mine { $($Kind($module::Mine)),* }

        pub enum Export { $($Kind($module::Export)),* }

        /// What a new room is to be.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Wish { $($Kind($module::Wish)),* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$Kind),*];

            pub fn name(self) -> &'static str {
                match self { $(Kind::$Kind => $name),* }
            }

            /// Whether rooms of this kind tell what changed instead of showing themselves again.
            pub fn tells(self) -> bool {
                match self { $(Kind::$Kind => <$Room>::TELLS),* }
            }
        }

        impl Wish {
            pub fn kind(&self) -> Kind {
                match self { $(Wish::$Kind(_) => Kind::$Kind),* }
            }
        }

        impl State {
            pub fn create(id: RoomId, host_key: SecretHash, wish: Wish) -> State {
                match wish { $(Wish::$Kind(wish) => State::$Kind(<$Room>::create(id, host_key, wish))),* }
            }

            pub fn kind(&self) -> Kind {
                match self { $(State::$Kind(_) => Kind::$Kind),* }
            }

            pub fn recognise(&self, credential: &Credential) -> Result<Viewer, Refusal> {
                match self { $(State::$Kind(room) => room.recognise(credential).map_err(Refusal::$Kind)),* }
            }

            pub fn decide(&self, by: &Viewer, at: Millis, dice: u64, command: &Command) -> Result<Vec<Event>, Refusal> {
                match (self, command) {
                    $((State::$Kind(room), Command::$Kind(command)) => {
                        let act = Act { by: by.clone(), at, dice, command: command.clone() };
                        let events = room.decide(&act).map_err(Refusal::$Kind)?;
                        Ok(events.into_iter().map(Event::$Kind).collect())
                    })*
                    _ => Err(Refusal::OtherKind),
                }
            }

            /// An event of another kind changes nothing; only a damaged store could bring one.
            pub fn apply(&mut self, when: When, event: &Event) {
                match (self, event) {
                    $((State::$Kind(room), Event::$Kind(event)) => room.apply(when, event),)*
                    _ => {}
                }
            }

            pub fn tells(&self) -> bool {
                match self { $(State::$Kind(_) => <$Room>::TELLS),* }
            }

            pub fn may_speak(&self, viewer: &Viewer) -> Result<(), Refusal> {
                match self { $(State::$Kind(room) => room.may_speak(viewer).map_err(Refusal::$Kind)),* }
            }

            pub fn class(&self, viewer: &Viewer) -> Class {
                match self { $(State::$Kind(room) => Class::$Kind(room.class(viewer))),* }
            }

            pub fn shared(&self, viewer: &Viewer, here: &Here) -> Shared {
                match self { $(State::$Kind(room) => Shared::$Kind(room.shared(room.class(viewer), here))),* }
            }

            pub fn mine(&self, viewer: &Viewer) -> Mine {
                match self { $(State::$Kind(room) => Mine::$Kind(room.mine(viewer))),* }
            }

            pub fn export(&self, viewer: &Viewer) -> Result<Export, Refusal> {
                match self { $(State::$Kind(room) => room.export(viewer).map(Export::$Kind).map_err(Refusal::$Kind)),* }
            }

            pub fn deadline(&self) -> Option<Millis> {
                match self { $(State::$Kind(room) => room.deadline()),* }
            }

            pub fn tick(&self, due: Millis) -> Vec<Event> {
                match self { $(State::$Kind(room) => room.tick(due).into_iter().map(Event::$Kind).collect()),* }
            }

            pub fn sits(&self, user: &UserId) -> bool {
                match self { $(State::$Kind(room) => room.sits(user)),* }
            }

            pub fn seated(&self) -> Vec<UserId> {
                match self { $(State::$Kind(room) => room.seated()),* }
            }

            pub fn away_too_long(&self, user: &UserId, at: Millis) -> Vec<Event> {
                match self { $(State::$Kind(room) => room.away_too_long(user, at).into_iter().map(Event::$Kind).collect()),* }
            }

            pub fn lifetime(&self) -> Lifetime {
                match self { $(State::$Kind(room) => room.lifetime()),* }
            }
        }

        impl Command {
            pub fn kind(&self) -> Kind {
                match self { $(Command::$Kind(_) => Kind::$Kind),* }
            }

            pub fn renews(&self) -> bool {
                match self { $(Command::$Kind(command) => <$Room>::renews(command)),* }
            }

            pub fn claims(&self) -> Option<&Name> {
                match self { $(Command::$Kind(command) => <$Room>::claims(command)),* }
            }
        }

        impl Event {
            pub fn changes_roles(&self) -> bool {
                match self { $(Event::$Kind(event) => <$Room>::changes_roles(event)),* }
            }

            pub fn sends_out(&self, viewer: &Viewer) -> Option<Ending> {
                match self { $(Event::$Kind(event) => <$Room>::sends_out(event, viewer)),* }
            }

            /// Whether viewers of a class are told of it as it is.
            pub fn is_told(&self, class: Class) -> bool {
                match (self, class) {
                    $((Event::$Kind(event), Class::$Kind(class)) => <$Room>::tells(class, event),)*
                    _ => false,
                }
            }

            pub fn ends(&self) -> Option<Ending> {
                match self { $(Event::$Kind(event) => <$Room>::ends(event)),* }
            }
        }

        impl From<&Refusal> for Code {
            fn from(refusal: &Refusal) -> Code {
                match refusal {
                    $(Refusal::$Kind(refusal) => refusal.clone().into(),)*
                    Refusal::OtherKind => Code::BadRequest,
                }
            }
        }
    };
}

kinds! {
    Poker(poker::Poker, poker) = "poker";
    Space(space::Space, space) = "space";
    Reels(reels::Reels, reels) = "reels";
}

impl State {
    /// For how many seconds what somebody shows in a presence would hold; only some kinds have presences.
    pub fn presence_seconds(&self, by: &Viewer, presence: &PartName, asked: Option<u64>) -> Result<u64, Refusal> {
        match self {
            State::Space(space) => space.presence_seconds(by, presence, asked).map_err(Refusal::Space),
            State::Poker(_) | State::Reels(_) => Err(Refusal::OtherKind),
        }
    }
}

impl Refusal {
    /// A game's own word for it, where it has one.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Refusal::Reels(refusal) => Some(refusal.reason()),
            Refusal::Poker(_) | Refusal::Space(_) | Refusal::OtherKind => None,
        }
    }
}

impl Event {
    /// The presence whose values all end with it.
    pub fn ends_presence(&self) -> Option<&PartName> {
        match self {
            Event::Space(space::Event::PresenceDeleted { presence }) => Some(presence),
            Event::Space(_) | Event::Poker(_) | Event::Reels(_) => None,
        }
    }
}

/// Where a room is found, on every door: `poker/lusab-babad-gutih-tugad`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address {
    pub kind: Kind,
    pub id: RoomId,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAnAddress {
    #[error("a room is addressed as <kind>/<id>, for example poker/lusab-babad-gutih-tugad")]
    Form,
    #[error("there is no room kind {0:?}; known kinds: {known}", known = Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "))]
    Kind(String),
    #[error(transparent)]
    Id(#[from] NotAnId),
}

impl FromStr for Kind {
    type Err = NotAnAddress;
    fn from_str(text: &str) -> Result<Kind, NotAnAddress> {
        let known = Kind::ALL.iter().find(|kind| kind.name() == text);
        known.copied().ok_or_else(|| NotAnAddress::Kind(text.chars().take(20).collect()))
    }
}

impl FromStr for Address {
    type Err = NotAnAddress;
    fn from_str(text: &str) -> Result<Address, NotAnAddress> {
        let (kind, id) = text.split_once('/').ok_or(NotAnAddress::Form)?;
        Ok(Address { kind: kind.parse()?, id: id.parse()? })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name(), self.id)
    }
}
