//! The names of partitions and items that are the store's own.

use super::action::Id;
use super::form::HEAD;
use crate::error::StoreError;
use parlor_rules::position::Position;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The service takes 2,048 bytes in a partition's name and 1,024 in an item's; with what is added, this much is left for a name.
const NAME_BYTES: usize = 800;
/// Where a name that was too long ends and its digest begins.
const CUT: char = '\u{1f}';

/// A name that fits, the same for the same name, another one for another. What was too long cannot be read back from it.
pub(super) fn short(name: &str) -> Cow<'_, str> {
    if name.len() <= NAME_BYTES && !name.contains(CUT) {
        return Cow::Borrowed(name);
    }
    let mut digest = String::new();
    for byte in Sha256::digest(name.as_bytes()) {
        let _ = write!(digest, "{byte:02x}");
    }
    let end = (0..=NAME_BYTES - 100).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    Cow::Owned(format!("{}{CUT}{digest}", &name[..end.min(name.len())]))
}

pub(super) fn is_short(name: &str) -> bool {
    matches!(short(name), Cow::Borrowed(_))
}

/// A partition that the service takes.
pub(super) fn partition(name: String) -> Result<String, StoreError> {
    let fits = !name.is_empty() && name.len() <= 1900 && !name.ends_with(EVENTS) && !name.starts_with(RECORD);
    if fits { Ok(name) } else { Err(StoreError::Damaged(format!("no room can rest in the partition {name:?}"))) }
}

const EVENTS: &str = "#EVENTS";

pub(super) fn head(pk: &str) -> Id {
    Id::new(pk, HEAD)
}

pub(super) fn events(pk: &str) -> String {
    format!("{pk}{EVENTS}")
}

/// A commit of one life of a room: in order among those of that life, and apart from all others.
pub(super) fn event(life: &str, seq: u64) -> String {
    format!("{life}-{seq:015}")
}

pub(super) fn event_part(life: &str, seq: u64, part: usize) -> String {
    format!("{life}-{seq:015}#{part:03}")
}

/// What no other room with the same id had or will have: when it was made, and something random.
pub(super) fn life(position: Position, random: u64) -> String {
    format!("{}.{:08x}", position.epoch, random as u32)
}

/// What the partitions of records of no room begin with.
pub(super) const RECORD: &str = "KEY:";
pub(super) const RECORD_SK: &str = "KEY";

pub(super) fn record(key: &str) -> Id {
    Id::new(format!("{RECORD}{}", short(key)), RECORD_SK)
}

pub(super) fn record_part(key: &str, part: usize) -> Id {
    Id::new(format!("{RECORD}{}", short(key)), format!("{RECORD_SK}#{part:03}"))
}

pub(super) const MEMBER: &str = "MEMBER#";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        for name in ["", "a", "é", &"x".repeat(NAME_BYTES)] {
            assert_eq!(short(name), name);
        }
        let long =
            ["x".repeat(801), "x".repeat(802), "é".repeat(2000), format!("{}\u{1f}", "x"), format!("{}y", "x".repeat(4000))];
        let names: std::collections::BTreeSet<String> = long.iter().map(|name| short(name).into_owned()).collect();
        assert_eq!(names.len(), long.len());
        assert!(names.iter().all(|name| name.len() <= NAME_BYTES));
        assert!(long.iter().all(|name| !is_short(name)));
        let forged = short(&long[0]).into_owned();
        assert_ne!(short(&forged), forged, "a name that looks like a cut one is cut itself");
    }

    #[test]
    fn events_are_in_order() {
        let position = Position { epoch: 7, seq: 1 };
        let life = life(position, 0xabcd);
        let names = [event(&life, 9), event_part(&life, 9, 0), event_part(&life, 9, 1), event(&life, 10), event(&life, 1 << 40)];
        assert!(names.is_sorted());
    }
}
