//! A store in bad weather: replies get lost, it does not answer, another history takes over.

use crate::support::table::{BEGAN, clock};
use crate::support::{Table, Weather, limits, patience};
use parlor_engine::{Error, Limits};
use parlor_rules::Code;
use parlor_store::Memory;
use std::sync::Arc;
use std::sync::atomic::Ordering;

async fn table() -> (Arc<Weather>, Table) {
    with(limits()).await
}

async fn with(limits: Limits) -> (Arc<Weather>, Table) {
    let clock = clock();
    let weather = Weather::over(Memory::new(clock.clone()));
    let table = Table::on(weather.clone(), clock, limits).await;
    (weather, table)
}

#[tokio::test(start_paused = true)]
async fn h08_a_change_whose_answer_was_lost_is_answered_once_when_sent_again() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    let before = table.place().await.position;
    weather.replies_to_lose.store(1, Ordering::SeqCst);
    let lost = table.numbered("ana", "vote 5", 1).await.unwrap_err();
    assert_eq!(lost.code(), Code::Unavailable);
    for _ in 0..3 {
        let again = table.numbered("ana", "vote 5", 1).await.unwrap();
        assert!(again.again, "{again:?}");
        assert_eq!(again.position, before.next());
    }
    assert_eq!(table.place().await.position, before.next(), "one event, however often it was sent");
    assert_eq!(table.sees("ana").await.unwrap(), "view 3 ana:? host mine:5");
}

#[tokio::test(start_paused = true)]
async fn listeners_see_a_change_whose_answer_was_lost() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    let mut ear = table.listens("bo").await;
    weather.replies_to_lose.store(1, Ordering::SeqCst);
    table.act("ana", "vote 5").await.unwrap_err();
    // Nobody sends it again; the room finds out by itself what became of it.
    ear.sees(" ana:?").await;
}

#[tokio::test(start_paused = true)]
async fn while_the_store_is_down_nothing_is_shown_and_afterwards_all_is_well() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    let mut ear = table.listens("bo").await;
    ear.sees(" ana:_").await;
    weather.down.store(true, Ordering::SeqCst);
    for _ in 0..5 {
        assert_eq!(table.act("ana", "vote 5").await.unwrap_err().code(), Code::Unavailable);
    }
    assert_eq!(table.sees("ana").await.unwrap(), "view 2 ana:_ host", "what is kept can still be seen");
    assert_eq!(ear.rest(), Vec::<String>::new());
    weather.down.store(false, Ordering::SeqCst);
    table.act("ana", "vote 5").await.unwrap();
    ear.sees(" ana:?").await;
}

#[tokio::test(start_paused = true)]
async fn a_room_that_cannot_be_loaded_is_unavailable_and_not_gone() {
    let (weather, table) = table().await;
    weather.down.store(true, Ordering::SeqCst);
    assert_eq!(table.act("ana", "join").await.unwrap_err().code(), Code::Unavailable);
    assert_eq!(table.sees("ana").await.unwrap_err().code(), Code::Unavailable);
    weather.down.store(false, Ordering::SeqCst);
    table.act("ana", "join").await.unwrap();
}

/// A store in which the same room went another way: the same ids, other marks, other people.
async fn other_history(acts: &[(&str, &str)]) -> Memory {
    let frozen = Arc::new(|| parlor_rules::Millis(BEGAN));
    let memory = Memory::new(frozen.clone());
    let other = Table::rival(Arc::new(memory.clone()), frozen, limits(), 2);
    other.create().await;
    for (who, wish) in acts {
        other.act(who, wish).await.unwrap();
    }
    memory
}

#[tokio::test(start_paused = true)]
async fn h06_after_a_failover_listeners_see_the_other_history_and_nobody_resumes_the_lost_one() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    table.act("ana", "vote 5").await.unwrap();
    let lost = table.place().await;
    let mut ear = table.listens("bo").await;
    ear.sees(" ana:?").await;
    weather.fail_over(other_history(&[("cy", "join"), ("cy", "vote 8")]).await, true);
    assert_eq!(ear.hears_of("view").await, "view 3 cy:?");
    let now = table.place().await;
    assert_eq!(now.position, lost.position, "the ids alone cannot tell them apart");
    assert_ne!(now.mark, lost.mark);
    let mut late = table.enters("ana", Some(lost), &limits()).await.unwrap();
    assert_eq!(late.hears().await, "welcome 7 at 3");
    assert_eq!(late.hears().await, "view 3 cy:?");
    let mut known = table.enters("ana", Some(now), &limits()).await.unwrap();
    assert_eq!(known.hears().await, "welcome 7 at 3 resumed");
}

#[tokio::test(start_paused = true)]
async fn a_failover_that_nobody_noticed_is_found_by_the_next_act() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    let mut ear = table.listens("bo").await;
    ear.sees(" ana:_").await;
    let lost = table.place().await;
    weather.fail_over(other_history(&[("cy", "join")]).await, false);
    table.act("dee", "join").await.unwrap();
    assert_eq!(ear.hears_of("view").await, "view 3 cy:_ dee:_");
    let mut late = table.enters("ana", Some(lost), &limits()).await.unwrap();
    assert_eq!(late.hears().await, "welcome 7 at 3");
}

#[tokio::test(start_paused = true)]
async fn a_failover_that_lost_the_room_ends_it_for_its_listeners() {
    let (weather, table) = table().await;
    let mut ear = table.listens("bo").await;
    ear.hears_of("view").await;
    weather.fail_over(Memory::new(clock()), true);
    assert_eq!(ear.hears().await, "ended Deleted");
    assert_eq!(table.act("ana", "join").await.unwrap_err(), Error::NoRoom);
}

#[tokio::test(start_paused = true)]
async fn a_full_inbox_refuses_at_once_and_what_was_taken_is_answered() {
    let (weather, table) = with(Limits { inbox_max: 4, batch_acts_max: 2, ..limits() }).await;
    table.act("p0", "join").await.unwrap();
    weather.open_gate(false);
    let (mut taken, mut refused) = (Vec::new(), 0);
    for n in 0..40 {
        match table.engine.submit(&table.room, table.request(&format!("p{n}"), "join", None)) {
            Ok(acting) => taken.push(acting),
            Err(error) => {
                assert_eq!(error.code(), Code::Unavailable);
                refused += 1;
            }
        }
        tokio::task::yield_now().await;
    }
    assert!(refused > 0 && taken.len() >= 4, "{} taken, {refused} refused", taken.len());
    let other = table.at("other");
    weather.open_gate(true);
    for acting in taken {
        acting.await.unwrap();
    }
    other.create().await;
    other.act("ana", "join").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_room_behind_a_slow_store_still_serves_its_listeners() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    let mut ear = table.listens("bo").await;
    ear.sees(" ana:_").await;
    weather.open_gate(false);
    let vote = table.engine.submit(&table.room, table.request("ana", "vote 5", None)).unwrap();
    table.says("ana", None, "hurry").await.unwrap();
    assert_eq!(ear.hears().await, "now hurry");
    assert_eq!(table.sees("nobody").await.unwrap(), "view 2 ana:_", "a change that is not kept is not shown");
    weather.open_gate(true);
    patience("the vote", vote).await.unwrap();
    ear.sees(" ana:?").await;
}

#[tokio::test(start_paused = true)]
async fn draining_answers_what_is_under_way_and_takes_nothing_new() {
    let (weather, table) = table().await;
    table.act("ana", "join").await.unwrap();
    weather.open_gate(false);
    let vote = table.engine.submit(&table.room, table.request("ana", "vote 5", None)).unwrap();
    let mut draining = tokio::spawn({
        let engine = table.engine.clone();
        async move { engine.drain().await }
    });
    tokio::task::yield_now().await;
    assert_eq!(table.act("ana", "vote 8").await.unwrap_err(), Error::Draining);
    let early = tokio::time::timeout(std::time::Duration::from_secs(60), &mut draining).await;
    assert!(early.is_err(), "it did not wait for what was under way");
    weather.open_gate(true);
    assert!(!patience("the vote", vote).await.unwrap().again);
    patience("the drain", draining).await.unwrap();
    assert_eq!(table.sees("ana").await.unwrap(), "view 3 ana:? host mine:5");
}
