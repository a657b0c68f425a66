//! The suites that every backend passes, and the same random script as the reference.

use super::faults::Harm;
use super::stand::{Bench, clock};
use crate::conformance::{Deadlines, carry_suite, differential, suite};
use crate::memory::Memory;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_dynamodb() {
    let bench = Bench::start();
    suite(async || bench.stand().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dynamodb_can_be_carried() {
    let bench = Bench::start();
    carry_suite(async || bench.stand().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_scripts_go_as_in_the_reference() {
    let bench = Bench::start();
    for seed in 0..10 {
        let (store, clock, _) = bench.store().await;
        differential(seed, 120, &Memory::new(clock.shared()), &store, &clock, Deadlines::Near).await;
        store.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h68_random_scripts_go_as_in_the_reference_in_bad_weather() {
    let bench = Bench::start();
    for seed in 0..8 {
        let (clock, table) = (clock(), bench.table().await);
        let (store, faults) = bench.node(&table, &clock, Harm::OneIn(5, seed));
        differential(100 + seed, 80, &Memory::new(clock.shared()), &store, &clock, Deadlines::Near).await;
        assert!(faults.met().len() > 20, "the weather was good: {:?}", faults.met());
    }
}
