//! One look at a space: how it is run, which parts it has and how large they are, who is here. Not what the parts hold.

use crate::say::rights;
use parlor_rules::UserId;
use parlor_rules::space::{Mine, Settings, Shared};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct Summary {
    #[serde(flatten)]
    pub space: About,
    /// How many entries each map has.
    pub maps: BTreeMap<String, usize>,
    /// How many items each list has.
    pub lists: BTreeMap<String, usize>,
    /// Presences that were made on purpose, and for how many seconds a value holds.
    pub presences: BTreeMap<String, u64>,
    /// The user ids of those who are here.
    pub here: Vec<String>,
}

/// How a space is run.
#[derive(Serialize, ToSchema)]
pub struct About {
    pub name: Option<String>,
    /// What people with nothing but a user key may do: none, read or write.
    pub guests: &'static str,
    /// What people who are logged in may do: none, read or write.
    pub members: &'static str,
    /// How long the space lives after it was last changed; null: for ever.
    pub life_minutes: Option<u64>,
}

/// The part that is about whoever looks.
#[derive(Serialize, ToSchema)]
pub struct Me {
    pub user_id: Option<String>,
    pub rights: Vec<&'static str>,
}

impl From<&Settings> for About {
    fn from(settings: &Settings) -> About {
        About {
            name: settings.name.as_ref().map(ToString::to_string),
            guests: settings.guests.name(),
            members: settings.members.name(),
            life_minutes: settings.life.map(|life| life.get()),
        }
    }
}

impl From<&Shared> for Summary {
    fn from(shared: &Shared) -> Summary {
        Summary {
            space: (&shared.settings).into(),
            maps: shared.maps.iter().map(|(name, map)| (name.to_string(), map.entries.len())).collect(),
            lists: shared.lists.iter().map(|(name, list)| (name.to_string(), list.items.len())).collect(),
            presences: shared.presences.iter().map(|(name, seconds)| (name.to_string(), *seconds)).collect(),
            here: shared.here.iter().map(UserId::to_string).collect(),
        }
    }
}

impl From<&Mine> for Me {
    fn from(mine: &Mine) -> Me {
        Me { user_id: mine.user.as_ref().map(UserId::to_string), rights: rights(mine.right) }
    }
}
