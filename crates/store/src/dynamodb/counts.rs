//! What was asked of the service and what it says that cost, in its own units: for the metrics, and for tests that count.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct Counts(Mutex<Counted>);

/// What was counted until now.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Counted {
    /// Requests by the operation's name, each try for itself.
    pub requests: BTreeMap<&'static str, u64>,
    pub read_units: f64,
    pub write_units: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Read,
    Write,
}

impl Counts {
    pub fn now(&self) -> Counted {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn asked(&self, operation: &'static str) {
        metrics::counter!("parlor_dynamodb_requests_total", "operation" => operation).increment(1);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).requests.entry(operation).or_default() += 1;
    }

    pub(super) fn cost(&self, kind: Kind, units: f64) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (sum, name) = match kind {
            Kind::Read => (&mut counted.read_units, "parlor_dynamodb_read_units_total"),
            Kind::Write => (&mut counted.write_units, "parlor_dynamodb_write_units_total"),
        };
        *sum += units;
        // Units come in halves; a counter is whole.
        metrics::counter!(name).absolute(*sum as u64);
    }
}

impl Counted {
    /// What was counted after an earlier look.
    pub fn since(&self, earlier: &Counted) -> Counted {
        let fresh = self.requests.iter().map(|(name, count)| (*name, count - earlier.requests.get(name).unwrap_or(&0)));
        Counted {
            requests: fresh.filter(|(_, count)| *count > 0).collect(),
            read_units: self.read_units - earlier.read_units,
            write_units: self.write_units - earlier.write_units,
        }
    }

    pub fn total(&self) -> u64 {
        self.requests.values().sum()
    }
}
