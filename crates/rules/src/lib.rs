//! WHAT MAY HAPPEN: the rooms as pure state machines.
//!
//! Nothing here waits, reads a clock, throws dice or touches the outside: time, ids and secrets come in
//! as arguments, so that the same history always gives the same room, on every node and in every test.

pub mod code;
pub mod here;
pub mod identity;
pub mod ids;
pub mod json;
pub mod kept;
pub mod kinds;
pub mod link;
pub mod names;
pub mod poker;
pub mod position;
pub mod receipts;
pub mod reels;
pub mod rights;
pub mod room;
pub mod secret;
pub mod session;
pub mod shop;
pub mod space;
pub mod time;

pub use code::Code;
pub use here::Here;
pub use identity::{Credential, Grant, Member, Proof, Viewer};
pub use ids::{ClientId, RoomId, UserId};
pub use json::Json;
pub use kept::{Commit, Done, Kept};
pub use kinds::{Address, Command, Event, Kind, Refusal, State, Wish};
pub use link::Link;
pub use names::{FoldedName, Name, Title};
pub use position::{Mark, Place, Position};
pub use receipts::{Receipt, Receipts, Ticket};
pub use rights::Right;
pub use room::{Act, Ending, Lifetime, Room, When};
pub use secret::SecretHash;
pub use session::Session;
pub use time::{Millis, Span};
