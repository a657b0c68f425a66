//! A shared map: keys and values, each with the number of the commit that set it.

use super::EntryKey;
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
