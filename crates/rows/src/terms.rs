//! How rows are kept where that is a matter of taste, with a bound for everything that waits or grows.

use parlor_rules::time::Span;

#[derive(Clone, Debug)]
pub struct Terms {
    /// How long a claim on a row holds; a row whose reader died is due again after it.
    pub lease: Span,
    /// How long one reading may take; shorter than the lease.
    pub read_within: Span,
    /// Readings under way at once on this node.
    pub at_once_max: usize,
    /// Readings that this node begins in one second.
    pub reads_per_second_max: u32,
    /// A row that is larger as JSON is not kept.
    pub row_bytes_max: usize,
    /// How many delays long a row is kept when it cannot be read any more…
    pub lives_delays: f64,
    /// …and at least this long.
    pub lives_min: Span,
    /// The longest pause after failures.
    pub backoff_max: Span,
    /// How long the database may have no such row before its schedule is given up.
    pub missing_for: Span,
    /// The part of a delay by which a row is read later, at random, so that rows which were due together drift apart.
    pub jitter: f64,
    /// Bytes of rows held in memory for whoever cannot wait.
    pub held_bytes_max: usize,
    /// How often a row that is held and asked for is compared with the store; nothing where nobody else writes the store.
    pub look_every: Option<Span>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            lease: Span::seconds(30),
            read_within: Span::seconds(10),
            at_once_max: 32,
            reads_per_second_max: 2_000,
            row_bytes_max: 64 * 1024,
            lives_delays: 4.0,
            lives_min: Span::minutes(5),
            backoff_max: Span::minutes(5),
            missing_for: Span::minutes(60),
            jitter: 0.05,
            held_bytes_max: 16 * 1024 * 1024,
            look_every: Some(Span::seconds(1)),
        }
    }
}
