//! How a store on Redis behaves where that is a matter of taste.

use crate::limits::LEASE;
use parlor_rules::time::Span;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Options {
    /// How long a new connection may take.
    pub connect_within: Duration,
    /// How long one answer may take before the connection counts as broken.
    pub answer_within: Duration,
    /// How long something that failed is tried again before whoever asked is told.
    pub patience: Duration,
    /// How long a node's word of who is here holds.
    pub lease: Span,
    /// A collection with more items than this is read in parts, so that others are served in between.
    pub large: usize,
    /// Replicas that must have confirmed a commit before it is acknowledged.
    pub wait_for_replicas: usize,
    /// Start although the server may throw keys away when its memory is full.
    pub allow_eviction: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            connect_within: Duration::from_secs(2),
            answer_within: Duration::from_secs(3),
            patience: Duration::from_secs(8),
            lease: LEASE,
            large: 10_000,
            wait_for_replicas: 0,
            allow_eviction: false,
        }
    }
}
