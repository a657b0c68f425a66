//! What can be set about the store, beyond where it is.

use crate::limits::LEASE;
use parlor_rules::time::Span;
use std::fmt;
use std::time::Duration;

#[derive(Clone)]
pub struct Options {
    /// How long a node's announcement holds. Each costs a write unit, three times in this span for each room with people.
    pub lease: Span,
    /// Where other nodes reach this one, kept with its announcements.
    pub address: Option<String>,
    /// Which key and secret to use; without, they are found as the service's own tools find them.
    pub credentials: Option<(String, String)>,
    /// How long one request may take.
    pub answer_within: Duration,
    /// How long, and how often, something is tried again that the service was too busy for or did not answer.
    pub patience: Duration,
    pub tries_max: usize,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { lease, address, answer_within, patience, tries_max, credentials: _ } = self;
        let mut shown = f.debug_struct("Options");
        shown.field("lease", lease).field("address", address).field("answer_within", answer_within);
        shown.field("patience", patience).field("tries_max", tries_max).finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lease: LEASE,
            address: None,
            credentials: None,
            answer_within: Duration::from_secs(5),
            patience: Duration::from_secs(10),
            tries_max: 12,
        }
    }
}
