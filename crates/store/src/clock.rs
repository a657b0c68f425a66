//! The one clock of a process, injected: real in the server, stepped in tests and simulation.

use parlor_rules::time::Millis;
use std::sync::Arc;

pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Millis;
}

impl<F: Fn() -> Millis + Send + Sync + 'static> Clock for F {
    fn now(&self) -> Millis {
        self()
    }
}

pub type SharedClock = Arc<dyn Clock>;
