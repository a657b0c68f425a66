//! What grows with use, and what must not.

use super::halls;
use crate::support::table::clock;
use crate::support::{Table, Weather, limits};
use parlor_layout::room::room_key;
use parlor_store::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use parlor_store::{Entry, Memory, Rooms, Since};
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[tokio::test(start_paused = true)]
async fn h10_after_thousands_of_votes_a_room_is_as_large_as_after_a_few() {
    let clock = clock();
    let store = Arc::new(Memory::new(clock.clone()));
    let table = Table::on(store.clone(), clock, limits()).await;
    let room = room_key(&table.room);
    table.act("ana", "join").await.unwrap();
    let (mut records, mut places) = (Vec::new(), Vec::new());
    for n in 0..3000 {
        table.act("ana", if n % 2 == 0 { "vote 5" } else { "vote 8" }).await.unwrap();
        let loaded = store.load(&room).await.unwrap().unwrap();
        records.push(format!("{:?}", loaded.records).len());
        places.push(loaded.place);
    }
    assert!(records[2999] <= records[9] + 64, "{} bytes, then {}", records[9], records[2999]);
    let mut longest = 0;
    for place in places {
        if let Since::Entries(kept) = store.since(&room, place).await.unwrap() {
            longest = longest.max(kept.len());
            assert!(kept.iter().map(Entry::bytes).sum::<usize>() <= TAIL_BYTES_MAX);
        }
    }
    assert!((1..=TAIL_COUNT_MAX).contains(&longest), "{longest} commits are kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h11_who_was_away_longer_than_the_tail_gets_the_room_whole_and_no_silent_gap() {
    for hall in halls() {
        let [here, there] = &hall.tables;
        here.create().await;
        for (who, wish) in [("ana", "join"), ("bo", "join"), ("bo", "vote 5")] {
            here.act(who, wish).await.unwrap();
        }
        // Loaded there, at a place that will soon be out of the kept tail.
        there.sees("bo").await.unwrap();
        let old = there.place().await;
        here.act("ana", "reset").await.unwrap();
        for n in 0..TAIL_COUNT_MAX + 10 {
            here.act("ana", if n % 2 == 0 { "vote 5" } else { "vote 8" }).await.unwrap();
        }
        let mut back = here.enters("bo", Some(old), &limits()).await.unwrap();
        let welcome = back.hears_of("welcome").await;
        assert!(!welcome.ends_with("resumed"), "{}: {welcome}", hall.name);
        assert!(back.hears_of("view").await.ends_with(" ana:? bo:_"), "{}: the reset was missed", hall.name);
        there.act("bo", "join").await.unwrap();
        assert!(there.sees("bo").await.unwrap().ends_with(" ana:? bo:_"), "{}: the reset was missed", hall.name);
    }
}

#[tokio::test(start_paused = true)]
async fn h130_thousands_who_come_to_watch_leave_nothing_in_the_store() {
    let clock = clock();
    let weather = Weather::over(Memory::new(clock.clone()));
    let table = Table::on(weather.clone(), clock, limits()).await;
    table.act("ana", "join").await.unwrap();
    let before = (weather.appends.load(Ordering::SeqCst), table.place().await, table.sees("ana").await.unwrap());
    for n in 0..2000 {
        table.listens(&format!("watcher-{n}")).await.hears_of("view").await;
    }
    assert_eq!((weather.appends.load(Ordering::SeqCst), table.place().await, table.sees("ana").await.unwrap()), before);
    assert_eq!(weather.loads.load(Ordering::SeqCst), 1, "a room is read once, however many watch");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h138_a_full_table_is_loaded_and_shown_whole() {
    for hall in halls() {
        let [here, there] = &hall.tables;
        here.create().await;
        let joins: Vec<_> = (0..parlor_rules::poker::SEATS_MAX)
            .map(|n| {
                let here = here.clone();
                tokio::spawn(async move { here.act(&format!("p{n}"), "join").await })
            })
            .collect();
        for join in joins {
            join.await.unwrap().unwrap();
        }
        let seen = there.sees("nobody").await.unwrap();
        assert_eq!(seen.matches(":_").count(), parlor_rules::poker::SEATS_MAX, "{}", hall.name);
    }
}
