//! Randomness, injected: the operating system's in the server, a seed's in tests and simulation.

pub trait Dice: Send + Sync + 'static {
    fn bits(&self) -> u64;
}

impl<F: Fn() -> u64 + Send + Sync + 'static> Dice for F {
    fn bits(&self) -> u64 {
        self()
    }
}
