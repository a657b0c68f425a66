//! HOW IT RESTS: state ⇄ records. The founding documents' key tables, as code.
//!
//! Pure, like the rules. Three functions a part: `touched` says which records an event changes, `record`
//! what one holds in a state, `wake` gives back the state that rests in them; properties say they agree.

pub mod catalogue;
pub mod damage;
pub mod history;
pub mod items;
pub mod poker;
pub mod receipts;
pub mod reels;
pub mod room;
pub mod schema;
pub mod session;
pub mod shelf;
pub mod shop;
pub mod space;
pub mod text;

pub use damage::Damaged;
pub use room::{Rest, creation, entry_commit, room_key, step, wake};
