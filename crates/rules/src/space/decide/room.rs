//! Whether there is room: counts and bytes, looked at before anything is changed.

use super::super::limits::{ITEMS_MAX, PARTS_MAX, SPACE_BYTES_MAX};
use super::super::{Refusal, Space};

/// For one more map, list or presence.
pub(super) fn for_part(space: &Space) -> Result<(), Refusal> {
    if space.parts() < PARTS_MAX { Ok(()) } else { Err(Refusal::Parts) }
}

/// For one more entry or item beside so many.
pub(super) fn for_item(count: usize) -> Result<(), Refusal> {
    if count < ITEMS_MAX { Ok(()) } else { Err(Refusal::Items) }
}

/// For something that weighs so much, where something stood that weighed so much. What shrinks always fits.
pub(super) fn for_bytes(space: &Space, is: usize, was: usize) -> Result<(), Refusal> {
    if is <= was || space.bytes - was + is <= SPACE_BYTES_MAX { Ok(()) } else { Err(Refusal::Full) }
}
