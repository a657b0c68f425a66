//! WHERE IT RESTS: shapes under keys, positions, deadlines. Nothing here knows what a record means.
//!
//! Two small promises, `Rooms` and `Records`, asked alike of every backend by `conformance`; and `Carry`, for stores
//! that can be copied whole.

pub mod carry;
pub mod clock;
pub mod error;
pub mod hints;
pub mod items;
pub mod limits;
pub mod records;
pub mod rooms;
pub mod shapes;

mod watchers;

pub mod memory;

#[cfg(feature = "embedded")]
pub mod embedded;

#[cfg(feature = "redis")]
pub mod redis;

#[cfg(feature = "dynamodb")]
pub mod dynamodb;

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;

pub use carry::{CarriedRecord, CarriedRoom, Carry, Catalogue, Cursor, Loose, Over, Page, Put, Thing};
pub use clock::{Clock, SharedClock};
pub use error::StoreError;
pub use hints::{Teller, Watch};
pub use limits::Limits;
pub use memory::Memory;
pub use records::{Answer, Applied, Batch, Condition, Operation, Query, Records, Reply, Used};
pub use rooms::{Announced, Commit, Entry, Loaded, NodeId, RoomKey, Rooms, Since, Wake};
pub use shapes::{Field, Key, Score, Value, Write};

#[cfg(feature = "redis")]
pub use redis::Redis;

#[cfg(feature = "embedded")]
pub use embedded::{Embedded, OpenError, Options};
