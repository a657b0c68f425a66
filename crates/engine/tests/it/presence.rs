//! Who is here, and what becomes of those who stay away: the seat, the card and the admin's right stay until it has
//! been too long.

use crate::support::table::{Ear, clock, credential};
use crate::support::{Plain, Table, Weather, limits};
use parlor_engine::Limits;
use parlor_store::Memory;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

/// Stars in its views are those who are here.
async fn starred(limits: Limits) -> (Arc<Weather>, Table) {
    let clock = clock();
    let weather = Weather::over(Memory::new(clock.clone()));
    let mut table = Table::on(weather.clone(), clock, limits).await;
    table.encode = Arc::new(Plain { stars: true, ..Plain::default() });
    (weather, table)
}

async fn with_people(names: &[&str]) -> (Arc<Weather>, Table) {
    let (weather, table) = starred(limits()).await;
    for name in names {
        table.act(name, "join").await.unwrap();
    }
    (weather, table)
}

/// The last view an ear has heard by now.
fn last(ear: &mut Ear) -> String {
    ear.rest().pop().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_view_says_who_is_here_and_goes_out_when_that_changes() {
    let (weather, table) = with_people(&["ana", "bo"]).await;
    let mut ana = table.listens("ana").await;
    assert_eq!(ana.sees("ana").await, "view 3 ana*:_ bo:_ host");
    let bo = table.listens("bo").await;
    assert_eq!(ana.sees("bo*").await, "view 3 ana*:_ bo*:_ host", "at the same position");
    assert_eq!(table.sees("cy").await.unwrap(), "view 3 ana*:_ bo*:_");
    drop(bo);
    assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
    assert_eq!(weather.appends.load(Ordering::SeqCst), 3, "none of it was written");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_is_here_from_the_moment_they_sit() {
    let (_, table) = with_people(&["ana"]).await;
    let mut bo = table.listens("bo").await;
    table.act("bo", "join").await.unwrap();
    assert_eq!(bo.sees("bo").await, "view 3 ana:_ bo*:_");
    table.act("bo", "leave").await.unwrap();
    assert_eq!(bo.hears_of("view").await, "view 4 ana:_");
}

#[tokio::test(start_paused = true)]
async fn only_the_last_of_two_tabs_takes_somebody_away() {
    let (_, table) = with_people(&["ana", "bo"]).await;
    let mut ana = table.listens("ana").await;
    let first = table.listens("bo").await;
    ana.sees("bo*").await;
    let second = table.listens("bo").await;
    drop(first);
    sleep(30 * MINUTE).await;
    assert!(!ana.rest().iter().any(|view| view.contains("bo:")), "the second tab was there all the time");
    drop(second);
    let gone = Instant::now();
    assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
    assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
    assert_eq!(gone.elapsed().as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn h127_the_late_close_of_an_old_socket_takes_nobody_away() {
    let (_, table) = with_people(&["ana", "bo"]).await;
    let mut ana = table.listens("ana").await;
    let old = table.listens("bo").await;
    sleep(20 * MINUTE).await;
    let new = table.listens("bo").await; // The old one is dead, and nobody has noticed yet.
    sleep(SECOND).await;
    drop(old);
    sleep(20 * MINUTE).await;
    assert_eq!(last(&mut ana), "view 3 ana*:_ bo*:_ host");
    drop(new);
}

#[tokio::test(start_paused = true)]
async fn h127_who_comes_back_in_time_has_kept_everything() {
    let (_, table) = with_people(&["ana", "bo"]).await;
    table.act("ana", "vote 5").await.unwrap();
    let bo = table.listens("bo").await;
    for _ in 0..4 {
        let ana = table.listens("ana").await;
        sleep(SECOND).await;
        drop(ana);
        sleep(10 * MINUTE - SECOND).await;
    }
    assert_eq!(table.sees("ana").await.unwrap(), "view 4 ana:? bo*:_ host mine:5");
    drop(bo);
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_too_late_has_left_and_another_is_the_admin() {
    let (_, table) = with_people(&["ana", "bo"]).await;
    table.act("ana", "vote 5").await.unwrap();
    let expires = table.engine.house().clock.now().0 + 3_600_000;
    let mut bo = table.listens("bo").await;
    let ana = table.listens("ana").await;
    bo.sees("ana*").await;
    drop(ana);
    assert_eq!(bo.hears_of("view 5").await, "view 5 bo*:_ host");
    assert_eq!(table.act("ana", "vote 8").await.unwrap_err().code(), parlor_rules::Code::NotSeated);
    let mut back = table.listens("ana").await;
    assert_eq!(back.hears_of("view").await, "view 5 bo*:_");
    assert_eq!(bo.hears_of("closing").await, format!("closing {expires}"), "it did not renew the room");
}

#[tokio::test(start_paused = true)]
async fn a_removal_can_complete_the_round() {
    let (_, table) = starred(limits()).await;
    for who in ["ana", "bo", "cy"] {
        table.act(who, "join").await.unwrap();
    }
    table.act("ana", "auto").await.unwrap();
    let mut ana = table.listens("ana").await;
    let _bo = table.listens("bo").await;
    for who in ["ana", "bo"] {
        table.act(who, "vote 5").await.unwrap();
    }
    assert_eq!(ana.sees("ana*:5").await, "view 8 ana*:5 bo*:5 host mine:5");
}

#[tokio::test(start_paused = true)]
async fn whoever_only_sends_commands_is_away_since_the_last_that_was_accepted() {
    let (_, table) = with_people(&["ana", "bo"]).await;
    let mut ana = table.listens("ana").await;
    for card in ["1", "2", "2", "2"] {
        sleep(9 * MINUTE).await;
        table.act("bo", &format!("vote {card}")).await.unwrap(); // Also the same card again, which changes nothing.
    }
    let accepted = Instant::now();
    sleep(5 * MINUTE).await;
    table.act("bo", "show").await.unwrap_err(); // A refusal is no sign of life, nor is a look.
    table.sees("bo").await.unwrap();
    ana.rest();
    assert_eq!(ana.hears_of("view 8").await, "view 8 ana*:_ host");
    assert_eq!(accepted.elapsed().as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_comes_at_the_very_end_is_in_time() {
    let (weather, table) = with_people(&["ana", "bo"]).await;
    let _ana = table.listens("ana").await;
    let before = weather.appends.load(Ordering::SeqCst);
    // The task wakes with the limit reached and the command in its inbox.
    let command = async {
        sleep(10 * MINUTE).await;
        table.act("bo", "vote 5").await
    };
    command.await.unwrap();
    sleep(9 * MINUTE).await;
    assert_eq!(weather.appends.load(Ordering::SeqCst), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_room_that_wakes_up_counts_anew() {
    let (weather, table) = with_people(&["ana", "bo"]).await;
    let before = weather.appends.load(Ordering::SeqCst);
    sleep(40 * MINUTE).await;
    assert_eq!(table.engine.live_rooms(), 0, "a room that nobody listens to still goes to rest");
    assert_eq!(weather.appends.load(Ordering::SeqCst), before, "and removes nobody in its sleep");
    let mut ana = table.listens("ana").await;
    let woken = Instant::now();
    assert_eq!(ana.hears_of("view").await, "view 3 ana*:_ bo:_ host");
    assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
    assert_eq!(woken.elapsed().as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_everybody_has_the_whole_time_to_come_back() {
    let clock = clock();
    let store = Arc::new(Memory::new(clock.clone()));
    let table = Table::on(store.clone(), clock.clone(), limits()).await;
    for who in ["ana", "bo"] {
        table.act(who, "join").await.unwrap();
    }
    let (ana, bo) = (table.listens("ana").await, table.listens("bo").await);
    sleep(25 * MINUTE).await;
    table.engine.kill();
    drop((ana, bo));
    sleep(5 * MINUTE).await;
    let again = Table::rival(store, clock, limits(), 2);
    let mut ana = again.listens("ana").await;
    sleep(9 * MINUTE).await;
    let bo = again.listens("bo").await;
    sleep(15 * MINUTE).await;
    assert_eq!(last(&mut ana), "view 3 ana:_ bo:_ host");
    drop(bo);
}

#[tokio::test(start_paused = true)]
async fn with_no_limit_nobody_is_ever_removed() {
    let (_, table) = starred(Limits { away_after: Duration::ZERO, ..limits() }).await;
    for who in ["ana", "bo"] {
        table.act(who, "join").await.unwrap();
    }
    let mut ana = table.listens("ana").await;
    sleep(50 * MINUTE).await;
    assert!(ana.rest().iter().all(|heard| heard.starts_with("welcome") || heard.starts_with("view 3")));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_delays_a_removal_and_does_not_spin() {
    let (weather, table) = with_people(&["ana", "bo"]).await;
    let mut ana = table.listens("ana").await;
    sleep(9 * MINUTE).await;
    weather.down.store(true, Ordering::SeqCst);
    sleep(2 * MINUTE).await;
    assert!(weather.appends.load(Ordering::SeqCst) < 20);
    assert!(!last(&mut ana).starts_with("view 4"));
    weather.down.store(false, Ordering::SeqCst);
    assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
}

#[tokio::test(start_paused = true)]
async fn who_holds_another_key_is_not_there_for_the_seat() {
    let (_, table) = with_people(&["ana"]).await;
    let mut host = table.listens("host").await;
    let mut cy = table.listens("cy").await;
    assert!(credential("cy").user.is_some());
    assert_eq!(cy.hears_of("view").await, "view 2 ana:_");
    assert_eq!(host.hears_of("view").await, "view 2 ana:_ host");
}
