//! What a space shows. Everyone who may read sees the same; the host key and nothing else stays inside.

use super::{List, Map, PartName, Settings, Space};
use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::UserId;
use crate::json::{Json, VALUE_BYTES_MAX};
use crate::names::Name;
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

/// What others see of somebody: what the app says, or else the name they have everywhere.
pub(super) fn about(credential: &Credential) -> Option<Json> {
    let said = credential.grant.as_ref().and_then(|grant| grant.info.clone());
    said.or_else(|| credential.session.as_ref().and_then(|member| named(&member.name)))
}

fn named(name: &Name) -> Option<Json> {
    // A name has no control characters, so that these are all that JSON would escape.
    let quoted = name.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    Json::read(&format!(r#"{{"name":"{quoted}"}}"#), VALUE_BYTES_MAX).ok()
}

pub(super) fn mine(viewer: &Viewer) -> Mine {
    Mine { user: viewer.user.clone(), right: viewer.right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Grant;

    #[test]
    fn a_member_is_known_by_name_and_somebody_with_a_token_by_what_the_app_says() {
        let mut ana = Credential::member("ana".parse().unwrap(), r#"An"a \\ B"#.parse().unwrap());
        assert_eq!(about(&ana).unwrap().as_str(), r#"{"name":"An\"a \\\\ B"}"#);
        let info = Json::read(r#"{"team":7}"#, 100).ok();
        ana.grant = Some(Grant { right: Right::Read, info: info.clone() });
        assert_eq!(about(&ana), info);
        assert_eq!(about(&Credential::guest(b"key")), None);
    }
}
