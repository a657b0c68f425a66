//! What the engine's tests share: a plain encoding, people with keys, ears, and a store with weather.

pub(crate) mod link;
pub(crate) mod plain;
pub(crate) mod scattered;
pub(crate) mod table;
pub(crate) mod weather;

pub(crate) use link::Link;
pub(crate) use plain::Plain;
pub(crate) use scattered::Scattered;
pub(crate) use table::{Table, limits, patience};
pub(crate) use weather::Weather;
