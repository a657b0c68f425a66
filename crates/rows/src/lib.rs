//! ROWS: hot rows of a real database, copied by schedule and delay, never an older one over a newer.
//!
//! Everything rests in the records of any store, as document 004 has it. Whoever reads a row holds a claim on it: the row's
//! place in the schedule is moved forward and never taken away, so a reader that dies is followed by another, and only the
//! newest claim may write. What was read stays for a few delays and no longer.

mod claim;
mod counts;
mod delay;
mod error;
mod held;
mod listing;
mod mend;
mod push;
mod reading;
mod row;
mod rows;
mod scheduler;
mod settle;
mod source;
mod sql;
mod terms;

pub use counts::Counts;
pub use delay::{DELAY_S_MAX, DELAY_S_MIN, Delay, DelayRefused};
pub use error::RowsError;
pub use listing::Page;
pub use row::{Row, RowSeen};
pub use rows::{Changed, Changes, ROW_ID_BYTES_MAX, Rows};
pub use scheduler::Scheduler;
pub use source::{Columns, Source, SourceError};
pub use sql::Sql;
pub use terms::Terms;
