//! What the layout promises: the documents' forms, the writes of each event, and that nothing is lost at rest.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod catalogue;
mod commands;
mod damage;
mod document_000;
mod golden;
mod histories;
mod old_rooms;
mod properties;
mod receipts;
mod schema;
mod secrets;
mod sessions;
mod space_damage;
mod space_golden;
mod space_histories;
mod space_properties;
