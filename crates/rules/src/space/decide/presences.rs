//! What may be done to presences; their values are not kept and not known here.

use super::super::limits::PRESENCE_SECONDS_MAX;
use super::super::{Event, PartName, Refusal, Space};
use super::room;

pub(super) fn create(space: &Space, presence: &PartName, seconds: u64) -> Result<Vec<Event>, Refusal> {
    if !(1..=PRESENCE_SECONDS_MAX).contains(&seconds) {
        return Err(Refusal::Seconds);
    }
    if space.presences.contains_key(presence) {
        return Ok(vec![]);
    }
    room::for_part(space)?;
    Ok(vec![Event::PresenceCreated { presence: presence.clone(), seconds }])
}

/// Somebody may have a value in a presence that nobody made, so this always happens.
pub(super) fn delete(presence: &PartName) -> Vec<Event> {
    vec![Event::PresenceDeleted { presence: presence.clone() }]
}
