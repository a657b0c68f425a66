//! What time does to a room: timers, its end, and being unloaded while nobody needs it.

use crate::support::table::{BEGAN, clock};
use crate::support::{Table, Weather, limits};
use parlor_engine::{Engine, Entrance, Error, Limits};
use parlor_rules::{Millis, Position};
use parlor_store::Memory;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{advance, sleep};

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_timer_shows_the_cards_by_itself() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    table.act("ana", "vote 5").await.unwrap();
    table.act("ana", "timer 30").await.unwrap();
    let mut ear = table.listens("bo").await;
    let began = tokio::time::Instant::now();
    ear.sees(" ana:5").await;
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(30) - Duration::from_millis(1) && took < Duration::from_secs(31), "{took:?}");
    assert_eq!(table.act("ana", "vote 8").await.unwrap_err().code(), parlor_rules::Code::WrongPhase);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_ran_out_while_nobody_was_there_is_applied_before_any_act() {
    // The clock steps while no engine holds the room, as when the server was down.
    let now = Arc::new(AtomicU64::new(BEGAN));
    let clock = {
        let now = now.clone();
        Arc::new(move || Millis(now.load(Ordering::SeqCst)))
    };
    let store = Arc::new(Memory::new(clock.clone()));
    let table = Table::on(store.clone(), clock.clone(), limits()).await;
    table.act("ana", "join").await.unwrap();
    table.act("ana", "vote 5").await.unwrap();
    table.act("ana", "timer 30").await.unwrap();
    table.engine.kill();
    now.fetch_add(31_000, Ordering::SeqCst);
    let later = Table::rival(store, clock, limits(), 2);
    assert_eq!(later.act("ana", "vote 8").await.unwrap_err().code(), parlor_rules::Code::WrongPhase);
    let mut ear = later.listens("bo").await;
    ear.sees(" ana:5").await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_at_a_woken_room_sees_the_cards_an_overdue_timer_shows() {
    let now = Arc::new(AtomicU64::new(BEGAN));
    let clock = {
        let now = now.clone();
        Arc::new(move || Millis(now.load(Ordering::SeqCst)))
    };
    let store = Arc::new(Memory::new(clock.clone()));
    let table = Table::on(store.clone(), clock.clone(), limits()).await;
    table.act("ana", "join").await.unwrap();
    table.act("ana", "timer 30").await.unwrap();
    table.act("ana", "vote 5").await.unwrap();
    table.engine.kill();
    now.fetch_add(30_000, Ordering::SeqCst);
    let later = Table::rival(store, clock, limits(), 2);
    // Nobody acts: listening is enough.
    later.listens("bo").await.sees(" ana:5").await;
}

#[tokio::test(start_paused = true)]
async fn h36_every_listener_is_warned_once_and_hears_once_that_the_room_expired() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let mut ears = Vec::new();
    for who in ["ana", "bo", "cy", "nobody", "host"] {
        ears.push(table.listens(who).await);
    }
    let expires = Millis(BEGAN + 3_600_000);
    for ear in &mut ears {
        assert_eq!(ear.hears_of("closing").await, format!("closing {expires}"));
        assert_eq!(ear.hears().await, "ended Expired");
    }
    sleep(10 * MINUTE).await;
    for ear in &mut ears {
        assert_eq!(ear.rest(), Vec::<String>::new());
    }
    assert_eq!(table.act("ana", "vote 5").await.unwrap_err(), Error::NoRoom);
    assert_eq!(table.sees("ana").await.unwrap_err(), Error::NoRoom);
    assert_eq!(table.engine.live_rooms(), 0);
}

#[tokio::test(start_paused = true)]
async fn using_a_room_renews_it_and_the_warning_comes_again() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let _here = table.listens("ana").await;
    let mut ear = table.listens("bo").await;
    ear.hears_of("closing").await;
    table.act("ana", "vote 5").await.unwrap();
    let renewed = table.engine.house().clock.now().0 + 3_600_000;
    assert_eq!(ear.hears_of("closing").await, format!("closing {renewed}"));
    assert_eq!(ear.hears_of("ended").await, "ended Expired");
}

#[tokio::test(start_paused = true)]
async fn leaving_refusals_and_watching_do_not_renew_a_room() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    table.act("bo", "join").await.unwrap();
    let _here = (table.listens("ana").await, table.listens("bo").await);
    advance(30 * MINUTE).await;
    table.act("bo", "leave").await.unwrap();
    table.act("bo", "show").await.unwrap_err();
    table.sees("bo").await.unwrap();
    let mut ear = table.listens("bo").await;
    table.says("ana", None, "hello").await.unwrap();
    let began = tokio::time::Instant::now();
    ear.hears_of("ended").await;
    assert!(began.elapsed() <= 30 * MINUTE, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_room_past_its_end_is_not_there_whoever_asks_first() {
    // The clock has gone on and the room's task has not woken yet: whatever comes first must not see the dead room.
    for first in ["look", "listen", "say", "act"] {
        let now = Arc::new(AtomicU64::new(BEGAN));
        let clock = {
            let now = now.clone();
            Arc::new(move || Millis(now.load(Ordering::SeqCst)))
        };
        let table = Table::on(Arc::new(Memory::new(clock.clone())), clock, limits()).await;
        table.act("ana", "join").await.unwrap();
        now.fetch_add(3_599_999, Ordering::SeqCst);
        assert!(table.sees("ana").await.is_ok());
        now.fetch_add(1, Ordering::SeqCst);
        let answer = match first {
            "look" => table.sees("ana").await.map(|_| ()),
            "listen" => table.enters("ana", None, &limits()).await.map(|_| ()),
            "say" => table.says("ana", None, "hello").await,
            _ => table.act("ana", "vote 5").await.map(|_| ()),
        };
        assert_eq!(answer, Err(Error::NoRoom), "{first}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unused_room_is_unloaded_and_wakes_as_it_was() {
    let clock = clock();
    let weather = Weather::over(Memory::new(clock.clone()));
    let table = Table::on(weather.clone(), clock, limits()).await;
    table.act("ana", "join").await.unwrap();
    let voted = table.numbered("ana", "vote 5", 1).await.unwrap();
    assert_eq!((table.engine.live_rooms(), weather.loads.load(Ordering::SeqCst)), (1, 1));
    unloaded(&table.engine, 0).await;
    assert_eq!(table.sees("ana").await.unwrap(), "view 3 ana:? host mine:5");
    assert_eq!((table.engine.live_rooms(), weather.loads.load(Ordering::SeqCst)), (1, 2));
    let again = table.numbered("ana", "vote 5", 1).await.unwrap();
    assert!(again.again && again.position == voted.position);
    let before = weather.appends.load(Ordering::SeqCst);
    unloaded(&table.engine, 0).await;
    assert_eq!(weather.appends.load(Ordering::SeqCst), before, "unloading writes nothing");
}

#[tokio::test(start_paused = true)]
async fn a_room_with_a_listener_stays() {
    let table = Table::new().await;
    let ear = table.listens("bo").await;
    sleep(30 * MINUTE).await;
    assert_eq!(table.engine.live_rooms(), 1);
    drop(ear);
    unloaded(&table.engine, 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_gave_up_before_the_answer_leaves_no_ghost() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let outbox = Arc::new(parlor_engine::Outbox::new(&limits()));
    let who = crate::support::table::credential("bo");
    {
        let entering = table.engine.listen(
            &table.room,
            Entrance { request: 7, credential: who, client: None, outbox, encode: table.encode.clone(), resume: None },
        );
        tokio::pin!(entering);
        // Polled once, so that the request is on its way, then dropped as a closed connection drops it.
        let pending = std::future::poll_fn(|context| Poll::Ready(entering.as_mut().poll(context).is_pending())).await;
        assert!(pending);
    }
    unloaded(&table.engine, 0).await;
}

#[tokio::test(start_paused = true)]
async fn too_many_live_rooms_push_out_the_longest_unused_without_listeners() {
    let clock = clock();
    let limits = Limits { rooms_live_max: 10, ..limits() };
    let table = Table::on(Arc::new(Memory::new(clock.clone())), clock, limits).await;
    let heard = table.listens("ana").await;
    let others: Vec<_> = (0..30).map(|n| table.at(&format!("room{n}"))).collect();
    for other in &others {
        other.create().await;
        other.act("ana", "join").await.unwrap();
        tokio::task::yield_now().await;
        assert!(table.engine.live_rooms() <= 12, "{} rooms are live", table.engine.live_rooms());
    }
    table.act("ana", "join").await.unwrap();
    let mut heard = heard;
    heard.sees(" ana:_").await;
    assert!(!heard.rest().iter().any(|word| word == "come back"), "the room with a listener was pushed out");
    for other in &others {
        assert_eq!(other.sees("ana").await.unwrap(), "view 2 ana:_ host", "it wakes as it was");
    }
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_after_an_unload_resumes_where_they_were() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let there = table.place().await;
    table.act("ana", "vote 5").await.unwrap();
    unloaded(&table.engine, 0).await;
    let mut ear = table.enters("ana", Some(there), &limits()).await.unwrap();
    assert_eq!(ear.hears().await, "welcome 7 at 3 resumed");
    assert_eq!(ear.hears().await, "view 3 ana:? host mine:5");
    let never = parlor_rules::Place { position: Position { epoch: there.position.epoch, seq: 99 }, mark: there.mark };
    let mut lost = table.enters("ana", Some(never), &limits()).await.unwrap();
    assert_eq!(lost.hears().await, "welcome 7 at 3");
}

/// Idle rooms go long before they would end by themselves.
async fn unloaded(engine: &Engine, rooms: usize) {
    for _ in 0..5 {
        sleep(MINUTE).await; // Paused time: this only lets the rooms' own timers run.
    }
    assert_eq!(engine.live_rooms(), rooms);
}

/// A node that did not hear of it asks the store before it says that a room is over.
#[tokio::test(start_paused = true)]
async fn h36_a_room_that_another_node_has_renewed_is_not_over() {
    let now = Arc::new(AtomicU64::new(BEGAN));
    let clock = {
        let now = now.clone();
        Arc::new(move || Millis(now.load(Ordering::SeqCst)))
    };
    let step = |minutes: u64| now.fetch_add(minutes * 60_000, Ordering::SeqCst);
    let memory = Memory::new(clock.clone());
    // Whoever looks through the weather hears no hints.
    let weather = Weather::over(memory.clone());
    let deaf = Table::on(weather.clone(), clock.clone(), limits()).await;
    deaf.act("ana", "join").await.unwrap();
    let other = Table::rival(Arc::new(memory), clock, limits(), 2);
    step(50);
    other.act("ana", "vote 5").await.unwrap();
    step(20);
    assert!(deaf.sees("ana").await.unwrap().contains("ana"), "somebody who looks");
    other.act("ana", "vote 8").await.unwrap();
    step(59);
    deaf.listens("bo").await.sees("ana").await;
    other.act("ana", "vote 5").await.unwrap();
    step(59);
    assert!(deaf.says("ana", None, "hi").await.is_ok(), "somebody who speaks");
    // Where the store does not say, nobody is told that the room is gone.
    step(61);
    weather.down.store(true, Ordering::SeqCst);
    assert_eq!(deaf.sees("ana").await.unwrap_err().code(), parlor_rules::Code::Unavailable);
    weather.down.store(false, Ordering::SeqCst);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(deaf.sees("ana").await.unwrap_err(), Error::NoRoom);
}
