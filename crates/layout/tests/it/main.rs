//! What the layout promises: the documents' forms, the writes of each event, and that nothing is lost at rest.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod catalogue;
mod commands;
mod damage;
mod document_000;
mod document_002;
mod golden;
mod histories;
mod items;
mod items_damage;
mod items_poker;
mod items_schema;
mod items_served;
mod items_space;
mod old_rooms;
mod properties;
mod receipts;
mod reels_damage;
mod reels_golden;
mod reels_hazards;
mod reels_histories;
mod reels_properties;
mod schema;
mod secrets;
mod sessions;
mod space_damage;
mod space_golden;
mod space_histories;
mod space_properties;
mod support;
