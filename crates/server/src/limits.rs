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
/// Clients of a restarting server come back at a random moment within this time.
pub const COME_BACK_MS_MAX: u64 = 3000;
/// Addresses a throttle remembers.
pub const THROTTLED_ADDRESSES_MAX: usize = 100_000;
