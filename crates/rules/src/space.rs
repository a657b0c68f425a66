//! A space: named maps and lists that people change together, and presences that are not kept. Document 001.
//!
//! Whoever may read sees all of it; nobody sees who holds which key. Every event is absolute, so that applying one
//! twice is harmless: a large space is read while others write to it.

mod apply;
pub mod command;
mod decide;
pub mod event;
pub mod limits;
pub mod list;
pub mod map;
pub mod names;
pub mod order;
#[cfg(test)]
mod properties;
pub mod refusal;
#[cfg(test)]
mod rulebook;
pub mod settings;
pub mod showing;
mod spacing;
pub mod view;

use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::{RoomId, UserId};
use crate::json::Json;
use crate::names::Name;
use crate::rights::Right;
use crate::room::{Act, Ending, Lifetime, Room, When};
use crate::secret::SecretHash;
use crate::time::Millis;
pub use command::{Command, Op, Spot};
pub use event::Event;
use imbl::OrdMap;
pub use list::{Item, List};
pub use map::{Entry, Map};
pub use names::{EntryKey, ItemId, PartName};
pub use order::Order;
pub use refusal::Refusal;
pub use settings::{Change, Life, Settings, Wish};
pub use showing::{Frame, Page, Showing};
pub use view::{Class, Export, Mine, Shared};

#[derive(Clone, PartialEq)]
pub struct Space {
    pub id: RoomId,
    pub host_key: SecretHash,
    pub settings: Settings,
    pub maps: OrdMap<PartName, Map>,
    pub lists: OrdMap<PartName, List>,
    /// Presences that were made on purpose, and for how many seconds a value of theirs holds.
    pub presences: OrdMap<PartName, u64>,
    /// What the values, keys and ids of all parts come to; counted as they change.
    pub bytes: usize,
}

impl Space {
    /// What somebody may do here.
    pub fn right_of(&self, credential: &Credential) -> Right {
        if credential.host.is_some() {
            return Right::Admin;
        }
        match (&credential.grant, &credential.session, &credential.user) {
            (Some(grant), _, _) => grant.right,
            (None, Some(_), _) => self.settings.members,
            (None, None, Some(_)) => self.settings.guests,
            (None, None, None) => Right::None,
        }
    }

    /// What `bytes` has to be, counted anew; for a space that is woken.
    pub fn weigh(&self) -> usize {
        self.maps.values().map(Map::bytes).sum::<usize>() + self.lists.values().map(List::bytes).sum::<usize>()
    }

    /// How many maps, lists and presences there are.
    pub fn parts(&self) -> usize {
        self.maps.len() + self.lists.len() + self.presences.len()
    }
}

/// What an entry or item counts for in the space's bytes.
fn weight(name: &str, value: &Json) -> usize {
    name.len() + value.len() + limits::ITEM_BYTES
}

impl Room for Space {
    type Wish = Wish;
    type Command = Command;
    type Event = Event;
    type Refusal = Refusal;
    type Class = Class;
    type Shared = Shared;
    type Mine = Mine;
    type Export = Export;

    const TELLS: bool = true;

    fn create(id: RoomId, host_key: SecretHash, wish: Wish) -> Space {
        Space {
            id,
            host_key,
            settings: wish.settings,
            maps: OrdMap::new(),
            lists: OrdMap::new(),
            presences: OrdMap::new(),
            bytes: 0,
        }
    }

    fn recognise(&self, credential: &Credential) -> Result<Viewer, Refusal> {
        if credential.host.is_some_and(|key| key != self.host_key) {
            return Err(Refusal::BadKey);
        }
        let right = self.right_of(credential);
        if right < Right::Read {
            return Err(Refusal::Needs(Right::Read));
        }
        let user = credential.user_id(&self.id);
        let name = credential.session.as_ref().map(|member| member.name.clone());
        let seated = user.is_some() && right >= Right::Presence;
        Ok(Viewer {
            user,
            proof: credential.proof(),
            name,
            seated,
            host: right == Right::Admin,
            right,
            info: view::about(credential),
        })
    }

    fn decide(&self, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
        decide::decide(self, act)
    }

    fn apply(&mut self, when: When, event: &Event) {
        apply::apply(self, when, event);
    }

    fn may_speak(&self, viewer: &Viewer) -> Result<(), Refusal> {
        if viewer.right >= Right::Presence { Ok(()) } else { Err(Refusal::Needs(Right::Presence)) }
    }

    fn class(&self, _viewer: &Viewer) -> Class {
        Class::Reader
    }

    fn shared(&self, Class::Reader: Class, here: &Here) -> Shared {
        view::shared(self, here)
    }

    fn mine(&self, viewer: &Viewer) -> Mine {
        view::mine(viewer)
    }

    fn export(&self, _viewer: &Viewer) -> Result<Export, Refusal> {
        Err(Refusal::NoExport)
    }

    fn tells(Class::Reader: Class, _event: &Event) -> bool {
        true
    }

    fn deadline(&self) -> Option<Millis> {
        None
    }

    fn tick(&self, _due: Millis) -> Vec<Event> {
        vec![]
    }

    fn seated(&self) -> Vec<UserId> {
        vec![] // Nobody has a place here that could be lost by being away.
    }

    fn away_too_long(&self, _user: &UserId, _at: Millis) -> Vec<Event> {
        vec![]
    }

    fn lifetime(&self) -> Lifetime {
        self.settings.life.map_or(Lifetime::Forever, |life| Lifetime::Sliding(life.span()))
    }

    fn renews(_command: &Command) -> bool {
        true
    }

    fn claims(_command: &Command) -> Option<&Name> {
        None
    }

    fn changes_roles(event: &Event) -> bool {
        matches!(event, Event::Updated(_))
    }

    /// Whoever sent something may send it again for as long as receipts are kept.
    fn sits(&self, _user: &UserId) -> bool {
        true
    }

    fn sends_out(_event: &Event, _viewer: &Viewer) -> Option<Ending> {
        None
    }

    fn ends(event: &Event) -> Option<Ending> {
        (*event == Event::Deleted).then_some(Ending::Deleted)
    }
}
