//! What a space shows. Everyone who may read sees the same; the host key and nothing else stays inside.

use super::{List, Map, PartName, Settings, Space};
use crate::here::Here;
use crate::identity::Viewer;
use crate::ids::UserId;
use crate::rights::Right;
use imbl::OrdMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Reader,
}

/// The parts are the room's own, not copies: a picture of a large space costs nothing.
#[derive(Clone, PartialEq)]
pub struct Shared {
    pub settings: Settings,
    pub maps: OrdMap<PartName, Map>,
    pub lists: OrdMap<PartName, List>,
    pub presences: OrdMap<PartName, u64>,
    pub here: Here,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Mine {
    pub user: Option<UserId>,
    pub right: Right,
}

/// There is none: a space is read part by part.
pub enum Export {}

pub(super) fn shared(space: &Space, here: &Here) -> Shared {
    Shared {
        settings: space.settings.clone(),
        maps: space.maps.clone(),
        lists: space.lists.clone(),
        presences: space.presences.clone(),
        here: here.clone(),
    }
}

pub(super) fn mine(viewer: &Viewer) -> Mine {
    Mine { user: viewer.user.clone(), right: viewer.right }
}
