//! HOW IT HAPPENS: load → decide → apply → append → publish, one task per live room.
//!
//! There is one path by which anything changes (`turn`), and one way anything is shown (`hub`). Nothing is
//! acknowledged or shown before the store has kept it; no listener can slow a room.

pub mod limits;
pub mod error;
pub mod dice;
pub mod encode;
pub mod outbox;
mod sheets;
pub mod hub;
pub mod live;
mod metronome;
mod minutes;
pub mod presences;
mod absence;
mod elsewhere;
mod lookout;
mod telling;
pub mod turn;
pub mod inbox;
pub mod task;
pub mod engine;
pub mod sessions;
pub mod bulletin;

pub use bulletin::{Bulletin, Notice};
pub use dice::Dice;
pub use encode::{Encode, Farewell, Picture, Reading, Step, Tell, Welcome};
pub use engine::{Acted, Acting, Engine, Entrance, House, Listening, Request, Seen};
pub use error::Error;
pub use limits::Limits;
pub use metronome::Metronome;
pub use outbox::{Closed, Outbox};
pub use presences::{News, Shown};
pub use sessions::{LoggedIn, Sessions};
