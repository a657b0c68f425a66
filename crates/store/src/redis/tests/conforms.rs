//! The suite that every backend passes, on every kind of server; and the same random script as the reference.

use super::super::*;
use crate::conformance::{Deadlines, Stand, SteppedClock, carry_suite, differential, suite};
use crate::memory::Memory;
use parlor_rules::time::{Millis, Span};
use parlor_testbed::{Cluster, Flavour, Redis as Server, Sentinels};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A store on a real server, whose clock cannot be stepped.
struct Real(Redis);

impl Stand for Real {
    type Store = Redis;

    fn store(&self) -> Redis {
        self.0.clone()
    }

    fn now(&self) -> Millis {
        self.0.clock().now()
    }

    async fn advance(&self, span: Span) {
        tokio::time::sleep(Duration::from_millis(span.0)).await;
    }

    fn is_stepped(&self) -> bool {
        false
    }
}

pub(super) fn own_clock() -> SharedClock {
    Arc::new(|| Millis(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64))
}

pub(super) async fn open(url: &str, options: Options) -> Redis {
    let address: Address = url.parse().expect("an address");
    Redis::open(&address, own_clock(), options).await.expect("the server is there")
}

async fn passes(url: &str, options: Options, flush: impl Fn()) {
    suite(async || {
        flush();
        Real(open(url, options.clone()).await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_redis() {
    let server = Server::start();
    passes(&server.url(), Options::default(), || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_when_rooms_are_read_in_parts() {
    let server = Server::start();
    passes(&server.url(), Options { large: 8, ..Options::default() }, || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_valkey() {
    let server = Server::start_as(Flavour::Valkey, &[]);
    passes(&server.url(), Options::default(), || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_through_sentinels() {
    let servers = Sentinels::start();
    passes(&servers.url(), Options::default(), || servers.primary().flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_passes_on_a_cluster() {
    let cluster = Cluster::start();
    passes(&cluster.url(), Options::default(), || cluster.flush()).await;
}

async fn can_be_carried(url: &str, options: Options, flush: impl Fn()) {
    carry_suite(async || {
        flush();
        Real(open(url, options.clone()).await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_can_be_carried() {
    let server = Server::start();
    can_be_carried(&server.url(), Options::default(), || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_can_be_carried_in_parts() {
    let server = Server::start();
    can_be_carried(&server.url(), Options { large: 8, ..Options::default() }, || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn valkey_can_be_carried() {
    let server = Server::start_as(Flavour::Valkey, &[]);
    can_be_carried(&server.url(), Options::default(), || server.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_can_be_carried() {
    let cluster = Cluster::start();
    can_be_carried(&cluster.url(), Options::default(), || cluster.flush()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_scripts_go_as_in_the_reference() {
    let server = Server::start();
    let cluster = Cluster::start();
    for seed in 0..12 {
        for url in [server.url(), cluster.url()] {
            server.flush();
            cluster.flush();
            let clock = SteppedClock::new(own_clock().now());
            let store = open(&url, Options::default()).await.on(clock.shared());
            differential(seed, 150, &Memory::new(clock.shared()), &store, &clock, Deadlines::FarOrPast).await;
        }
    }
}
