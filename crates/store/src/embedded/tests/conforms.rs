//! The suite on the real engine and on the model disk; the same script as the reference.

use super::super::*;
use crate::conformance::{Deadlines, Stepped, SteppedClock, carry_suite, differential, suite};
use crate::memory::Memory;
use parlor_rules::time::Span;

/// Without a log, so that the disk itself is what is tested.
pub(super) fn no_reserve() -> Options {
    let tuning = Tuning { log_bytes: 0, ..Tuning::default() };
    Options { free_bytes_min: 0, on_fatal: Arc::new(|what| panic!("{what}")), tuning, ..Options::default() }
}

/// With a log so short that it comes round often, and is sometimes too short.
pub(super) fn short_log() -> Options {
    Options { tuning: Tuning { log_bytes: 64 * 1024, ..Tuning::default() }, ..no_reserve() }
}

/// A store on a model disk, its committer a task of this runtime.
pub(super) fn on_model(disk: &ModelDisk, clock: &SteppedClock) -> Embedded {
    let (store, commits) =
        Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), no_reserve()).expect("an empty disk opens");
    tokio::spawn(commits.run(tokio::task::yield_now));
    store
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_the_real_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let count = std::cell::Cell::new(0);
    suite(async || {
        count.set(count.get() + 1);
        let clock = SteppedClock::new(Millis(1_000_000));
        let path = folder.path().join(count.get().to_string());
        let options = if count.get() % 2 == 0 { no_reserve() } else { short_log() };
        let store = Embedded::open(&path, clock.shared(), options).expect("a new folder opens");
        Stepped { store, clock }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_can_be_carried() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let count = std::cell::Cell::new(0);
    carry_suite(async || {
        count.set(count.get() + 1);
        let clock = SteppedClock::new(Millis(1_000_000));
        let path = folder.path().join(count.get().to_string());
        let options = if count.get() % 2 == 0 { no_reserve() } else { short_log() };
        let store = Embedded::open(&path, clock.shared(), options).expect("a new folder opens");
        Stepped { store, clock }
    })
    .await;
}

#[tokio::test]
async fn a_model_disk_can_be_carried() {
    carry_suite(async || {
        let clock = SteppedClock::new(Millis(1_000_000));
        Stepped { store: on_model(&ModelDisk::new(), &clock), clock }
    })
    .await;
}

#[cfg(feature = "redb")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_redb() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let count = std::cell::Cell::new(0);
    suite(async || {
        count.set(count.get() + 1);
        let clock = SteppedClock::new(Millis(1_000_000));
        let name = if count.get() % 2 == 0 { "redb" } else { "redb+log" };
        let disk = bare::disk(name, &folder.path().join(count.get().to_string()), &short_log().tuning).expect("it opens");
        let (store, commits) = Embedded::with_disk(disk, clock.shared(), no_reserve()).expect("an empty disk opens");
        std::thread::spawn(move || commits.run_blocking());
        Stepped { store, clock }
    })
    .await;
}

#[tokio::test]
async fn the_suite_passes_on_the_model_disk() {
    suite(async || {
        let clock = SteppedClock::new(Millis(1_000_000));
        Stepped { store: on_model(&ModelDisk::new(), &clock), clock }
    })
    .await;
}

#[tokio::test]
async fn random_scripts_go_as_in_the_reference() {
    for seed in 0..60 {
        let clock = SteppedClock::new(Millis(1_000_000));
        let disk = ModelDisk::new();
        let store = on_model(&disk, &clock);
        differential(seed, 150, &Memory::new(clock.shared()), &store, &clock, Deadlines::Near).await;
        // Once everything has ended or is closed, a sweep leaves nothing but the counter.
        clock.advance(Span::minutes(60));
        while store.sweep(clock.now(), 50).await.expect("sweeps").more {}
    }
}

#[tokio::test]
async fn random_scripts_go_as_in_the_reference_on_the_real_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, options) in [("plain", no_reserve()), ("with a log", short_log())] {
        let clock = SteppedClock::new(Millis(1_000_000));
        let store = Embedded::open(&folder.path().join(name), clock.shared(), options).expect("a new folder opens");
        differential(4242, 1500, &Memory::new(clock.shared()), &store, &clock, Deadlines::Near).await;
    }
}
