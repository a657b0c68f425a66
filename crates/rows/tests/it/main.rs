//! Rows on every store, with a source that can be slow, fail and panic, and a clock that is stepped.

mod fake;
mod stand;

mod absence;
mod claims;
mod clocks;
mod cluster;
mod delays;
mod failures;
mod held;
mod keeping;
mod many;
mod pushes;
mod rivals;
mod sql;
