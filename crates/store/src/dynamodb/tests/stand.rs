//! A table of its own for each test, on a clock that is stepped.

use super::super::opening::{http, limited};
use super::super::{DynamoDb, Options, Plain, table};
use super::faults::{Faults, Harm};
use crate::conformance::{Stand, Stepped, SteppedClock};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedHttpClient};
use parlor_rules::time::{Millis, Span};
use parlor_testbed::Ministack;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) struct Bench {
    server: Ministack,
    tables: AtomicUsize,
}

/// Impatient in waiting, patient in trying: a test has no time to lose but many faults to get over.
pub(super) fn options() -> Options {
    Options { patience: Duration::from_secs(60), tries_max: 40, answer_within: Duration::from_secs(30), ..Options::default() }
}

impl Bench {
    pub(super) fn start() -> Bench {
        Bench { server: Ministack::start(), tables: AtomicUsize::new(0) }
    }

    pub(super) fn client(&self, http: SharedHttpClient) -> Client {
        let config = aws_sdk_dynamodb::Config::builder().behavior_version(BehaviorVersion::latest()).http_client(http);
        let config = config.region(Region::new("us-east-1")).endpoint_url(self.server.url());
        let config = config.credentials_provider(Credentials::new("test", "test", None, None, "tests"));
        Client::from_conf(limited(config, &options()).build())
    }

    /// The name of a table that is there and empty.
    pub(super) async fn table(&self) -> String {
        let name = format!("parlor-{}", self.tables.fetch_add(1, Ordering::Relaxed));
        assert_eq!(table::create_table(&self.client(http()), &name).await, Ok(true));
        name
    }

    /// A node of its own on a table, through weather that can be made.
    pub(super) fn node(&self, table: &str, clock: &SteppedClock, harm: Harm) -> (DynamoDb, Faults) {
        let faults = Faults::new(http(), harm);
        let client = self.client(faults.client());
        (DynamoDb::with(client, table, Arc::new(Plain), clock.shared(), options()), faults)
    }

    pub(super) async fn store(&self) -> (DynamoDb, SteppedClock, Faults) {
        let (clock, table) = (clock(), self.table().await);
        let (store, faults) = self.node(&table, &clock, Harm::None);
        (store, clock, faults)
    }

    pub(super) async fn stand(&self) -> Far {
        let (store, clock, _) = self.store().await;
        Far(Stepped { store, clock })
    }

    #[expect(dead_code, reason = "for whoever looks into a failure")]
    pub(super) fn log_end(&self) -> String {
        self.server.log_end()
    }
}

/// Begins tomorrow: the server deletes by its own clock what is over, which is not to be a matter of luck here.
pub(super) fn clock() -> SteppedClock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    SteppedClock::new(Millis(now.as_millis() as u64) + Span::minutes(24 * 60))
}

/// A stepped clock, and a server behind a wire.
pub(super) struct Far(Stepped<DynamoDb>);

impl Stand for Far {
    type Store = DynamoDb;

    fn store(&self) -> DynamoDb {
        self.0.store()
    }

    fn now(&self) -> Millis {
        self.0.now()
    }

    async fn advance(&self, span: Span) {
        self.0.advance(span).await;
    }

    fn is_stepped(&self) -> bool {
        true
    }

    fn is_far(&self) -> bool {
        true
    }
}
