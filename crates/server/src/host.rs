//! What the operating system gives: the time, randomness and memory. Everything else gets the first two passed in.

use parlor_engine::Dice;
use parlor_rules::Millis;
use std::cell::RefCell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a server that may have gone quiet gives memory back.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(5);

/// Of huge pages a small server uses a little each: without them it takes half the memory. The allocator does not ask for them
/// (`no_thp`); some systems give them unasked.
#[cfg(target_os = "linux")]
pub fn small_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true); // Where that cannot be asked for, it is only larger.
}

#[cfg(not(target_os = "linux"))]
pub fn small_pages() {}

/// The allocator looks whether freed memory should go back to the system when more is taken or freed. In a server that has gone
/// quiet nobody does either, and it would stay as large as its busiest moment.
pub async fn stay_small() {
    let mut every = tokio::time::interval(GIVE_BACK_EVERY);
    loop {
        every.tick().await;
        // On a thread that has next to nothing of its own: looking through all that a worker has would hold up its rooms.
        let _ = tokio::task::spawn_blocking(give_back).await;
    }
}

#[expect(unsafe_code, reason = "the allocator's own function, which is safe to call at any time, from any thread")]
fn give_back() {
    unsafe { libmimalloc_sys::mi_collect(false) }
}

pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(since.as_millis() as u64)
}

/// Without randomness no key is safe, so there is nothing to go on with.
pub fn bits() -> u64 {
    getrandom::u64().expect("the operating system gives random numbers")
}

/// The system's dice. Keys are asked of it one by one: should the machine be copied while it runs, the copy must not hand out
/// the same ones. What every act needs, a mark and a throw, comes from a stock.
pub struct SystemDice;

impl Dice for SystemDice {
    fn bits(&self) -> u64 {
        STOCK.with_borrow_mut(Stock::take)
    }

    fn secret(&self) -> u64 {
        bits()
    }
}

thread_local! {
    static STOCK: RefCell<Stock> = const { RefCell::new(Stock { bytes: [0; Stock::BYTES], left: 0 }) };
}

/// Random bytes, fetched many at a time: asking the system for a few costs as much.
struct Stock {
    bytes: [u8; Stock::BYTES],
    left: usize,
}

impl Stock {
    const BYTES: usize = 512;

    fn take(&mut self) -> u64 {
        if self.left == 0 {
            getrandom::fill(&mut self.bytes).expect("the operating system gives random numbers");
            self.left = Stock::BYTES;
        }
        self.left -= size_of::<u64>();
        let mut taken = [0; size_of::<u64>()];
        // Given out once, and then not there any more.
        taken.swap_with_slice(&mut self.bytes[self.left..][..size_of::<u64>()]);
        u64::from_le_bytes(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_bits_are_given_out_twice_and_none_stay_behind() {
        let mine = || (0..10_000).map(|_| SystemDice.bits()).collect::<Vec<u64>>();
        let others: Vec<_> = (0..4).map(|_| std::thread::spawn(mine)).collect();
        let mut all = mine();
        all.extend(others.into_iter().flat_map(|other| other.join().unwrap()));
        // Of so few out of so many, two alike would be a wonder.
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 50_000);
        let kept = STOCK.with_borrow(|stock| stock.bytes[stock.left..].to_vec());
        assert!(!kept.is_empty() && kept.iter().all(|byte| *byte == 0), "what was given out is not kept");
    }
}
