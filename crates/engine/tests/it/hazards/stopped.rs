//! A writer that stops between reading and writing, and a node that dies: there is no lock that could be lost or left.

use crate::support::table::clock;
use crate::support::{Table, Weather, limits};
use parlor_store::Memory;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Two engines with weather of their own over one store.
async fn two() -> (Arc<Weather>, Arc<Table>, Table) {
    let clock = clock();
    let memory = Memory::new(clock.clone());
    let (slow, well) = (Weather::over(memory.clone()), Weather::over(memory));
    let first = Table::on(slow.clone(), clock.clone(), limits()).await;
    (slow, Arc::new(first), Table::rival(well, clock, limits(), 2))
}

/// Begins an act and leaves it standing at the store.
async fn stands(slow: &Weather, table: &Arc<Table>, who: &'static str, wish: &'static str) -> tokio::task::JoinHandle<bool> {
    slow.open_gate(false);
    let table = table.clone();
    let acting = tokio::spawn(async move { table.act(who, wish).await.is_ok() });
    sleep(Duration::from_secs(6)).await; // Longer than document 000's lock.
    acting
}

#[tokio::test(start_paused = true)]
async fn h01_a_writer_that_stops_between_reading_and_writing_overwrites_nothing() {
    let (slow, first, second) = two().await;
    first.act("ana", "join").await.unwrap();
    first.act("bo", "join").await.unwrap();
    let standing = stands(&slow, &first, "ana", "vote 5").await;
    second.act("bo", "vote 8").await.unwrap();
    slow.open_gate(true);
    assert!(standing.await.unwrap());
    second.act("host", "show").await.unwrap();
    assert!(second.sees("nobody").await.unwrap().ends_with(" ana:5 bo:8"));
}

#[tokio::test(start_paused = true)]
async fn h07_a_node_that_dies_while_it_writes_holds_nobody_up() {
    let (slow, first, second) = two().await;
    first.act("ana", "join").await.unwrap();
    let standing = stands(&slow, &first, "ana", "vote 5").await;
    first.engine.kill();
    let began = Instant::now();
    second.act("bo", "join").await.unwrap();
    second.act("bo", "vote 8").await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert!(!standing.await.unwrap(), "what was not kept was acknowledged");
}

#[tokio::test(start_paused = true)]
async fn h09_a_write_that_comes_late_brings_nobody_back() {
    let (slow, first, second) = two().await;
    first.act("ana", "join").await.unwrap();
    first.act("bo", "join").await.unwrap();
    let standing = stands(&slow, &first, "bo", "vote 5").await;
    second.act("ana", "kick bo").await.unwrap();
    slow.open_gate(true);
    assert!(!standing.await.unwrap(), "a kicked voter was taken");
    for table in [&*first, &second] {
        table.act("ana", "join").await.unwrap();
        assert!(table.sees("ana").await.unwrap().ends_with(" ana:_ host"));
    }
}

#[tokio::test(start_paused = true)]
async fn h134_acts_of_the_same_millisecond_have_places_of_their_own() {
    let table = Table::new().await;
    let now = table.engine.house().clock.now();
    let joined = table.act("ana", "join").await.unwrap().position;
    let voted = table.act("ana", "vote 5").await.unwrap().position;
    assert_eq!(table.engine.house().clock.now(), now);
    assert_eq!(voted, joined.next());
}
