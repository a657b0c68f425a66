//! Randomness, injected: the operating system's in the server, a seed's in tests and simulation.

pub trait Dice: Send + Sync + 'static {
    fn bits(&self) -> u64;

    /// For keys and ids that must not be guessed: never from anything that was fetched before it was asked for.
    fn secret(&self) -> u64 {
        self.bits()
    }
}

impl<F: Fn() -> u64 + Send + Sync + 'static> Dice for F {
    fn bits(&self) -> u64 {
        self()
    }
}
