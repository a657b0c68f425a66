//! A shared map: keys and values, each with the number of the commit that set it.

use super::{EntryKey, weight};
use crate::json::Json;
use imbl::OrdMap;

#[derive(Clone, PartialEq, Default)]
pub struct Map {
    pub entries: OrdMap<EntryKey, Entry>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub value: Json,
    /// The commit that set it.
    pub version: u64,
}

impl Map {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What it counts for in the space's bytes.
    pub(super) fn bytes(&self) -> usize {
        self.entries.iter().map(|(key, entry)| weight(key.as_str(), &entry.value)).sum()
    }
}
