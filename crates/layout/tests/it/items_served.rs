//! The documents' items on a server that speaks DynamoDB: random histories, appended commit by commit, load as their shelves.

use crate::histories::{History, batches};
use crate::reels_histories::{ReelsHistory, reels_batches};
use crate::space_histories::{SpaceHistory, space_batches};
use crate::support::Step;
use parlor_layout::items::Documents;
use parlor_layout::room_key;
use parlor_rules::{Address, Mark, Millis};
use parlor_store::dynamodb::{DynamoDb, Options, client, table};
use parlor_store::{CarriedRoom, Carry, Commit, Memory, NodeId, Over, Put, Rooms};
use parlor_testbed::Ministack;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

const HISTORIES: usize = 8;

struct Bench {
    store: DynamoDb,
    memory: Memory,
    _server: Ministack,
}

impl Bench {
    async fn start() -> Bench {
        let server = Ministack::start();
        let address = format!("dynamodb://parlor?endpoint={}", server.url()).parse().unwrap();
        let options = Options { credentials: Some(("test".into(), "test".into())), ..Options::default() };
        table::create_table(&client(&address, &options).await, "parlor").await.unwrap();
        let clock: parlor_store::SharedClock =
            Arc::new(|| Millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64));
        let store = DynamoDb::open(&address, Arc::new(Documents), clock.clone(), options).await.unwrap();
        Bench { store, memory: Memory::new(clock), _server: server }
    }

    /// Appends a history where another one may have been before, and looks at the room after each commit.
    async fn play(&self, address: &Address, steps: &[Step]) {
        let room = room_key(address);
        let mut at = None;
        for step in steps {
            let (entry, writes) = (step.entry.clone(), step.writes.clone());
            let commit = Commit { by: NodeId(1), mark: Mark(step.seq), entry, writes, deadline: None };
            let before = self.store.counts().now();
            let kept = self.store.append(&room, at, commit).await;
            at = Some(kept.unwrap_or_else(|error| panic!("{:?}: {error}", step.writes)));
            let counted = self.store.counts().now().since(&before);
            assert!(step.seq == 1 || counted.requests.get("TransactWriteItems") == Some(&1), "an act is one write: {counted:?}");
            let loaded = self.store.load(&room).await.unwrap().unwrap();
            assert_eq!((Some(loaded.place), loaded.records), (at, step.shelf.records()), "after {:?}", step.writes);
        }
        let carried: CarriedRoom = self.store.take_room(&room).await.unwrap().unwrap();
        assert_eq!(self.memory.put_room(&room, carried.clone(), Over::Anything).await, Ok(Put::Kept));
        self.store.close(&room, carried.place, NodeId(1)).await.unwrap();
        assert_eq!(
            self.store.put_room(&room, self.memory.take_room(&room).await.unwrap().unwrap(), Over::Nothing).await,
            Ok(Put::Kept)
        );
        assert_eq!(self.store.take_room(&room).await, Ok(Some(carried.clone())), "there and back");
        self.store.close(&room, carried.place, NodeId(1)).await.unwrap();
        self.store.settled().await;
        assert_eq!(self.store.load(&room).await, Ok(None));
    }
}

fn some<S: Strategy>(strategy: S) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..HISTORIES).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poker_rests_on_dynamodb_as_anywhere() {
    let bench = Bench::start().await;
    for batches in some(batches()) {
        let history = History::play(&batches);
        bench.play(&history.address, &history.steps).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_rest_on_dynamodb_as_anywhere() {
    let bench = Bench::start().await;
    for batches in some(space_batches()) {
        let history = SpaceHistory::play(&batches);
        bench.play(&history.address, &history.steps).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_rest_on_dynamodb_as_anywhere() {
    let bench = Bench::start().await;
    for batches in some(reels_batches()) {
        let history = ReelsHistory::play(&batches);
        bench.play(&history.address, &history.steps).await;
    }
}
