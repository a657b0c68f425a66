//! How much a space may hold: the same on every store, so that a space can move between them.

/// Maps, lists and presences together.
pub const PARTS_MAX: usize = 1_000;
/// Entries of one map, items of one list.
pub const ITEMS_MAX: usize = 200_000;
/// Keys, ids and values of all parts.
pub const SPACE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Operations of one batch.
pub const BATCH_OPS_MAX: usize = 64;
/// One presence's value of one person.
pub const PRESENCE_BYTES_MAX: usize = 2 * 1024;
/// Presences one person may have values in.
pub const PRESENCES_PER_PERSON_MAX: usize = 16;
pub const PRESENCE_SECONDS_DEFAULT: u64 = 60;
pub const PRESENCE_SECONDS_MAX: u64 = 3_600;
/// What an item or entry counts for besides its key and value.
pub const ITEM_BYTES: usize = 16;
