//! Every bound of the engine, with its name and default. `parlor config` prints them.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Messages waiting for one room; a full inbox refuses, it does not wait.
    pub inbox_max: usize,
    /// Acts decided together in one commit.
    pub batch_acts_max: usize,
    /// How often a room decides again because a rival was faster.
    pub attempts_max: usize,
    /// Bytes waiting for one connection before it is dropped for being slow.
    pub outbox_bytes_max: usize,
    /// Bytes of ephemeral messages waiting for one connection before further ones are dropped.
    pub outbox_now_bytes_max: usize,
    /// Whole views are sent at most this often to each listener of a room.
    pub view_every: Duration,
    /// Ephemeral messages that follow each other within this time share a frame.
    pub gather_for: Duration,
    /// Bytes of ephemeral messages waiting for one room's other nodes before further ones are dropped.
    pub tell_bytes_max: usize,
    /// Bytes of a piece of a large room that is read to somebody who comes.
    pub piece_bytes: usize,
    /// Bytes of commits that a room which tells remembers for clients that come back.
    pub lately_bytes_max: usize,
    /// Bytes a second that a listener is told of what others show of themselves.
    pub presence_bytes_per_second: usize,
    /// A room that nobody listens to and nobody uses is unloaded after this time.
    pub idle_unload_after: Duration,
    /// Who sits and has been away for so long has left; zero: nobody ever has.
    pub away_after: Duration,
    /// Rooms kept in memory before the longest unused are unloaded.
    pub rooms_live_max: usize,
    /// How long before its end a room's listeners are warned.
    pub closing_notice: Duration,
    /// The same for a room whose end nobody can put off.
    pub closing_notice_fixed: Duration,
    /// Places a room remembers for clients that come back.
    pub recent_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            inbox_max: 1024,
            batch_acts_max: 256,
            attempts_max: 64,
            outbox_bytes_max: 1024 * 1024,
            outbox_now_bytes_max: 256 * 1024,
            view_every: Duration::from_millis(50),
            gather_for: Duration::from_micros(1100),
            tell_bytes_max: 256 * 1024,
            piece_bytes: 64 * 1024,
            lately_bytes_max: 256 * 1024,
            presence_bytes_per_second: 32 * 1024,
            idle_unload_after: Duration::from_secs(60),
            away_after: Duration::from_secs(600),
            rooms_live_max: 50_000,
            closing_notice: Duration::from_secs(300),
            closing_notice_fixed: Duration::from_secs(600),
            recent_max: 64,
        }
    }
}
