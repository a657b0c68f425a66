//! A store of each kind, on a clock that is stepped.

use crate::fake::Fake;
use parlor_layout::shop::rows as layout;
use parlor_rows::{Rows, Scheduler, Source, Terms};
use parlor_rules::time::{Millis, Span};
use parlor_store::conformance::SteppedClock;
use parlor_store::{Answer, Applied, Batch, Embedded, Key, Memory, Operation, Options, Query, Records, Redis, Score, Value};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Well after the time of a real server, by which its keys end, so that steps back do not end them.
const AHEAD: Span = Span::minutes(6 * 60);

pub(crate) struct Stand {
    pub(crate) records: Arc<dyn Records>,
    pub(crate) clock: SteppedClock,
    /// Whether keys end by the stepped clock.
    pub(crate) ends_keys: bool,
    /// What must live as long as the store.
    _behind: Box<dyn Any + Send>,
}

fn now() -> Millis {
    Millis(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64)
}

impl Stand {
    pub(crate) async fn memory() -> Stand {
        let clock = SteppedClock::new(now() + AHEAD);
        let records = Arc::new(Memory::new(clock.shared()));
        Stand { records, clock, ends_keys: true, _behind: Box::new(()) }
    }

    pub(crate) async fn embedded() -> Stand {
        let clock = SteppedClock::new(now() + AHEAD);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = Options { free_bytes_min: 0, ..Options::default() };
        let records = Embedded::open(&folder.path().join("store"), clock.shared(), options).expect("a new folder opens");
        Stand { records: Arc::new(records), clock, ends_keys: true, _behind: Box::new(folder) }
    }

    pub(crate) async fn redis() -> Stand {
        let server = parlor_testbed::Redis::start();
        let url = server.url();
        Stand::at(&url, server).await
    }

    pub(crate) async fn at(url: &str, server: impl Any + Send) -> Stand {
        let clock = SteppedClock::new(now() + AHEAD);
        let address = url.parse().expect("an address");
        let redis = Redis::open(&address, Arc::new(now), parlor_store::redis::Options::default()).await;
        let records = redis.expect("the server is there").on(clock.shared());
        Stand { records: Arc::new(records), clock, ends_keys: false, _behind: Box::new(server) }
    }

    /// One of the nodes that share the store.
    pub(crate) fn node(&self, source: &Arc<Fake>, terms: Terms) -> Node {
        self.node_of(source.clone(), terms)
    }

    pub(crate) fn node_of(&self, source: Arc<dyn Source>, terms: Terms) -> Node {
        let rows = Rows::new(self.records.clone(), self.clock.shared(), source, terms);
        Node { scheduler: Scheduler::new(&rows), rows }
    }

    pub(crate) async fn read(&self, row: &str, query: Query) -> Answer {
        let answers = self.records.read(&layout::tag(layout::piece(row)), vec![query]).await;
        answers.expect("readable").remove(0)
    }

    pub(crate) async fn score(&self, key: Key, row: &str) -> Option<f64> {
        match self.read(row, Query::Score(key, row.into())).await {
            Answer::Score(score) => Some(score.get()),
            Answer::Absent => None,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn inv(&self, row: &str) -> Option<serde_json::Value> {
        match self.read(row, Query::Whole(layout::inv_key(row))).await {
            Answer::Whole(Value::Document(json)) => Some(serde_json::from_slice(&json).expect("JSON")),
            Answer::Absent => None,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn version(&self, row: &str) -> Option<u64> {
        self.inv(row).await.map(|row| row["version"].as_u64().expect("a version"))
    }

    /// When a row is read next, as milliseconds from now.
    pub(crate) async fn next_in(&self, row: &str) -> Option<i64> {
        let at = self.score(layout::schedule_key(), row).await?;
        Some((at * 1000.0).round() as i64 - self.clock.now().0 as i64)
    }

    /// As somebody with a client of the store's own would write it.
    pub(crate) async fn set_score(&self, key: Key, row: &str, score: f64) {
        let operation = Operation::SetScore { key, member: row.into(), score: Score::new(score).expect("a number") };
        let batch = Batch { tag: layout::tag(layout::piece(row)), operations: vec![operation], ..Batch::default() };
        assert!(matches!(self.records.apply(batch).await, Ok(Applied::Done(_))));
    }

    pub(crate) fn now_s(&self) -> f64 {
        self.clock.now().0 as f64 / 1000.0
    }

    /// Everything there could be of a row, by name, that is there.
    pub(crate) async fn remains(&self, row: &str) -> Vec<&'static str> {
        let mut there = Vec::new();
        let sets = [
            ("schedule:", layout::schedule_key()),
            ("delay:", layout::delay_key()),
            ("row-read:", layout::read_key()),
            ("row-failing:", layout::failing_key()),
            ("row-missing:", layout::missing_key()),
        ];
        for (name, key) in sets {
            if self.score(key, row).await.is_some() {
                there.push(name);
            }
        }
        for (name, key) in [("inv:", layout::inv_key(row)), ("row-state:", layout::state_key(row))] {
            if self.read(row, Query::Whole(key)).await != Answer::Absent {
                there.push(name);
            }
        }
        there
    }
}

pub(crate) struct Node {
    pub(crate) rows: Rows,
    pub(crate) scheduler: Scheduler,
}

impl Node {
    /// Begins to read what is due, and waits until nothing is being read.
    pub(crate) async fn settle(&mut self) {
        self.scheduler.tick().await;
        self.scheduler.idle().await;
    }

    /// Ticks until nothing more is begun.
    pub(crate) async fn settle_all(&mut self) {
        loop {
            self.scheduler.tick().await;
            if self.scheduler.busy() == 0 {
                return;
            }
            self.scheduler.idle().await;
        }
    }
}

/// Terms without luck, so that a test can say when a row is read next.
pub(crate) fn exact() -> Terms {
    Terms { jitter: 0.0, reads_per_second_max: 1_000_000, read_within: Span::seconds(3600), ..Terms::default() }
}

/// Waits for what another task does; the limit is there for a test that fails.
pub(crate) async fn until(what: &str, mut look: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !look().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap_or_else(|_| panic!("waited for {what}"));
}

/// The same cases on every store.
#[macro_export]
macro_rules! on_every_store {
    ($($case:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case($crate::stand::Stand::memory().await).await;
            })*
        }
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case($crate::stand::Stand::embedded().await).await;
            })*
        }
        mod redis {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case($crate::stand::Stand::redis().await).await;
            })*
        }
    };
}
