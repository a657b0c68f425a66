//! The bounds of the doors. Names and defaults are in `settings`.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct DoorLimits {
    pub frame_bytes_max: usize,
    pub message_rate_max: u64,
    pub rooms_per_socket_max: usize,
    pub acts_waiting_max: usize,
    pub connections_max: usize,
    pub connections_per_address_max: usize,
    pub creates_per_minute_max: u64,
    pub bad_keys_per_minute_max: u64,
    pub logins_per_minute_max: u64,
    pub hello_within: Duration,
    pub ping_every: Duration,
}

/// How long one write to a socket may take before the reader counts as gone.
pub const WRITE_WITHIN: Duration = Duration::from_secs(30);
/// How long the head of an HTTP request may take.
pub const REQUEST_HEAD_WITHIN: Duration = Duration::from_secs(10);
/// How long the body of an HTTP request may take.
pub const REQUEST_BODY_WITHIN: Duration = Duration::from_secs(10);
/// How long a gRPC call may take until its answer, or its stream, begins.
pub const CALL_WITHIN: Duration = Duration::from_secs(30);
/// Streams one HTTP/2 connection may have open.
pub const STREAMS_MAX: u32 = 128;
/// Streams a peer may open and reset before they are served; then the connection ends (rapid reset).
pub const RESET_STREAMS_MAX: usize = 20;
/// Streams we may have to reset because the peer got them wrong; then the connection ends.
pub const WRONG_STREAMS_MAX: usize = 128;
/// The head of a request in HTTP/2, all its continuations together.
pub const HEADER_BYTES_MAX: u32 = 16 * 1024;
/// What a peer may send ahead on one stream and on all of a connection, and what waits to be written on one stream.
pub const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
pub const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
pub const STREAM_SEND_BYTES_MAX: usize = 64 * 1024;
/// The words of a new room: a whole evening of reels.
pub const WISH_BYTES_MAX: usize = 1024 * 1024;
/// Rooms that are not there, asked for from one address in a minute; then codes short enough to be guessed are not looked at.
/// A whole party sits behind one address, and asks once more when its game was closed.
pub const MISSES_PER_MINUTE_MAX: u64 = 300;
/// Clients of a restarting server come back at a random moment within this time.
pub const COME_BACK_MS_MAX: u64 = 3000;
/// Addresses a throttle remembers.
pub const THROTTLED_ADDRESSES_MAX: usize = 100_000;
