//! Two nodes in one room: each shows who is at the other, as long as the other lives.

use crate::support::table::{Ear, address, clock};
use crate::support::{Link, Plain, Table, limits};
use parlor_engine::Limits;
use parlor_store::limits::LEASE;
use parlor_store::{Memory, NodeId, Rooms};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const ONE_LEASE: Duration = Duration::from_millis(LEASE.0);

/// Two tables at the same room, each with an engine and a line of its own. Stars in views are those who are here.
struct Pair {
    a: Table,
    b: Table,
    link_a: Arc<Link>,
    link_b: Arc<Link>,
}

impl Pair {
    async fn with(names: &[&str], limits: Limits) -> Pair {
        let clock = clock();
        let store = Memory::shared_by_nodes(clock.clone());
        let (link_a, link_b) = (Link::to(&store), Link::to(&store));
        let mut a = Table::on(link_a.clone(), clock.clone(), limits).await;
        let mut b = Table::rival(link_b.clone(), clock, limits, 2);
        for table in [&mut a, &mut b] {
            table.encode = Arc::new(Plain { stars: true, ..Plain::default() });
        }
        for name in names {
            a.act(name, "join").await.unwrap();
        }
        Pair { a, b, link_a, link_b }
    }

    async fn of(names: &[&str]) -> Pair {
        Pair::with(names, limits()).await
    }
}

/// The last view an ear has heard by now.
fn last(ear: &mut Ear) -> String {
    ear.rest().into_iter().rfind(|heard| heard.starts_with("view")).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_view_says_who_is_at_another_node_and_goes_out_when_that_changes() {
    let Pair { a, b, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    let mut bo = b.listens("bo").await;
    let asked = Instant::now();
    assert_eq!(ana.sees("bo*").await, "view 3 ana*:_ bo*:_ host");
    assert!(asked.elapsed() < SECOND, "it took {:?}", asked.elapsed());
    assert_eq!(a.sees("cy").await.unwrap(), "view 3 ana*:_ bo*:_");
    assert_eq!(bo.sees("ana*").await, "view 3 ana*:_ bo*:_");
    drop(bo);
    assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
    assert!(asked.elapsed() < 2 * SECOND, "it took {:?}", asked.elapsed());
    drop(ana);
    sleep(SECOND).await;
    assert_eq!(b.sees("cy").await.unwrap(), "view 3 ana:_ bo:_");
}

#[tokio::test(start_paused = true)]
async fn the_first_look_at_a_room_that_slept_shows_who_is_elsewhere() {
    let Pair { a, b, .. } = Pair::of(&["ana"]).await;
    let _ana = a.listens("ana").await;
    sleep(SECOND).await;
    assert_eq!(b.sees("cy").await.unwrap(), "view 2 ana*:_");
}

#[tokio::test(start_paused = true)]
async fn who_sits_down_at_another_node_is_here_from_then_on() {
    let Pair { a, b, .. } = Pair::of(&["ana"]).await;
    let mut ana = a.listens("ana").await;
    let _bo = b.listens("bo").await;
    sleep(SECOND).await;
    b.act("bo", "join").await.unwrap();
    assert_eq!(ana.sees("bo*").await, "view 3 ana*:_ bo*:_ host");
    b.act("bo", "leave").await.unwrap();
    assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
}

#[tokio::test(start_paused = true)]
async fn a_killed_nodes_people_are_away_when_its_lease_is_over_and_not_much_before() {
    for wait in [0, 3, 9] {
        let Pair { a, b, .. } = Pair::of(&["ana", "bo"]).await;
        let mut ana = a.listens("ana").await;
        let bo = b.listens("bo").await;
        ana.sees("bo*").await;
        sleep(MINUTE + wait * SECOND).await;
        b.engine.kill();
        drop(bo);
        let killed = Instant::now();
        sleep(ONE_LEASE * 2 / 3 - SECOND).await;
        assert!(!ana.rest().iter().any(|view| view.contains("bo:")), "too early");
        assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
        // Its last word was said at most a third of a lease before, and it is looked at three times a lease.
        let after = killed.elapsed();
        assert!(after >= ONE_LEASE * 2 / 3 && after <= ONE_LEASE * 4 / 3 + SECOND, "after {after:?}");
        // From then on they are as absent as anybody, and leave in their time.
        assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
        assert_eq!((killed.elapsed() - after).as_secs(), 600);
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_last_of_two_tabs_at_two_nodes_takes_somebody_away() {
    let Pair { a, b, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    let (here, there) = (a.listens("bo").await, b.listens("bo").await);
    ana.sees("bo*").await;
    sleep(SECOND).await;
    drop(here);
    sleep(30 * MINUTE).await;
    assert!(!ana.rest().iter().any(|view| view.contains("bo:")), "the second tab was there all the time");
    let here = a.listens("bo").await;
    sleep(SECOND).await;
    drop(there);
    sleep(20 * MINUTE).await;
    assert!(!ana.rest().iter().any(|view| view.contains("bo:")), "and now the first");
    drop(here);
    assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
}

#[tokio::test(start_paused = true)]
async fn who_listens_at_another_node_is_not_removed() {
    let Pair { a, b, .. } = Pair::of(&["ana", "bo"]).await;
    let (mut ana, mut bo) = (a.listens("ana").await, b.listens("bo").await);
    sleep(40 * MINUTE).await;
    assert_eq!(last(&mut ana), "view 3 ana*:_ bo*:_ host");
    assert_eq!(last(&mut bo), "view 3 ana*:_ bo*:_");
    drop(bo);
    assert_eq!(ana.hears_of("view 4").await, "view 4 ana*:_ host");
}

#[tokio::test(start_paused = true)]
async fn who_comes_to_another_node_unheard_just_before_the_end_is_not_removed() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    sleep(9 * MINUTE).await;
    b.sees("bo").await.unwrap(); // Its task is awake and has nothing to say.
    sleep(MINUTE - SECOND).await;
    link_a.deaf.store(true, Ordering::SeqCst);
    let _bo = b.listens("bo").await;
    sleep(2 * SECOND).await;
    link_a.deaf.store(false, Ordering::SeqCst);
    sleep(20 * MINUTE).await;
    assert_eq!(last(&mut ana), "view 3 ana*:_ bo*:_ host");
}

#[tokio::test(start_paused = true)]
async fn while_the_others_cannot_be_asked_what_was_heard_holds_for_a_lease() {
    let Pair { a, b, link_a, link_b } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    let _bo = b.listens("bo").await;
    ana.sees("bo*").await;
    sleep(MINUTE).await;
    link_b.mute.store(true, Ordering::SeqCst);
    link_a.mute.store(true, Ordering::SeqCst);
    let silent = Instant::now();
    assert_eq!(ana.sees("bo:").await, "view 3 ana*:_ bo:_ host");
    let after = silent.elapsed();
    assert!(after >= ONE_LEASE * 2 / 3 && after <= ONE_LEASE, "after {after:?}");
    sleep(30 * MINUTE).await;
    assert_eq!(a.sees("cy").await.unwrap(), "view 3 ana*:_ bo:_", "nobody is removed who could not be asked for");
    assert!(link_a.announces.load(Ordering::SeqCst) < 40 * 60, "a store that fails is asked with patience");
    link_b.mute.store(false, Ordering::SeqCst);
    link_a.mute.store(false, Ordering::SeqCst);
    assert_eq!(ana.sees("bo*").await, "view 3 ana*:_ bo*:_ host");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_slow_to_pass_on_who_is_here_holds_up_nothing() {
    let Pair { a, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    link_a.open_gate(false);
    let bo = a.listens("bo").await;
    ana.sees("bo*").await;
    a.act("bo", "vote 5").await.unwrap();
    ana.sees("bo*:?").await;
    drop(bo);
    ana.sees("bo:?").await;
    sleep(MINUTE).await;
    let under_way = link_a.announces.load(Ordering::SeqCst);
    sleep(MINUTE).await;
    assert_eq!(link_a.announces.load(Ordering::SeqCst), under_way, "one word at a time");
}

#[tokio::test(start_paused = true)]
async fn a_crowd_that_comes_and_goes_is_announced_now_and_then() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = b.listens("ana").await;
    sleep(MINUTE).await;
    let before = link_a.announces.load(Ordering::SeqCst);
    for _ in 0..500 {
        let bo = a.listens("bo").await;
        sleep(Duration::from_millis(1)).await;
        drop(bo);
        sleep(Duration::from_millis(1)).await;
    }
    let _bo = a.listens("bo").await;
    ana.sees("bo*").await;
    let spoken = link_a.announces.load(Ordering::SeqCst) - before;
    assert!(spoken <= 13, "{spoken} times in a second");
}

#[tokio::test(start_paused = true)]
async fn a_room_that_goes_to_rest_leaves_no_word_behind() {
    let Pair { a, b, .. } = Pair::of(&["ana"]).await;
    let ana = a.listens("ana").await;
    sleep(SECOND).await;
    drop(ana);
    sleep(10 * MINUTE).await;
    assert_eq!(a.engine.live_rooms() + b.engine.live_rooms(), 0, "a room that speaks of nobody still goes to rest");
    assert_eq!(b.sees("cy").await.unwrap(), "view 2 ana:_");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_rooms_people_are_not_in_the_one_that_follows() {
    let Pair { a, b, .. } = Pair::of(&["ana"]).await;
    let _ana = a.listens("ana").await;
    sleep(SECOND).await;
    a.act("host", "delete").await.unwrap();
    sleep(SECOND).await;
    assert_eq!(a.room, address("table"));
    b.create().await;
    b.act("ana", "join").await.unwrap();
    assert_eq!(b.sees("cy").await.unwrap(), "view 2 ana:_");
}

#[tokio::test(start_paused = true)]
async fn a_store_of_one_process_is_never_asked() {
    let clock = clock();
    let link = Link::to(&Memory::new(clock.clone()));
    let table = Table::on(link.clone(), clock, limits()).await;
    table.act("ana", "join").await.unwrap();
    let _ana = table.listens("ana").await;
    table.says("ana", None, "hello").await.unwrap();
    sleep(30 * MINUTE).await;
    assert_eq!((link.announces.load(Ordering::SeqCst), link.tells.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_lost_hint_is_found_by_the_next_announcement() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    ana.sees("ana*").await;
    link_a.deaf.store(true, Ordering::SeqCst);
    b.act("bo", "vote 5").await.unwrap();
    let lost = Instant::now();
    assert_eq!(ana.sees("bo:?").await, "view 4 ana*:_ bo:? host");
    assert!(lost.elapsed() <= ONE_LEASE / 3 + SECOND, "after {:?}", lost.elapsed());
    b.act("host", "delete").await.unwrap();
    let lost = Instant::now();
    assert_eq!(ana.hears_of("ended").await, "ended Deleted");
    assert!(lost.elapsed() <= ONE_LEASE / 3 + SECOND, "after {:?}", lost.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_room_that_is_only_looked_at_finds_a_lost_hint_too() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    assert_eq!(a.sees("ana").await.unwrap(), "view 3 ana:_ bo:_ host");
    link_a.deaf.store(true, Ordering::SeqCst);
    b.act("bo", "vote 5").await.unwrap();
    sleep(ONE_LEASE / 3 + SECOND).await;
    assert_eq!(a.engine.live_rooms(), 1, "it is still the same task");
    assert_eq!(a.sees("ana").await.unwrap(), "view 4 ana:_ bo:? host");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_is_taken_up_again_and_what_was_missed_is_read() {
    // Without announcements, so that nothing else can find what was missed.
    let clock = clock();
    let store = Memory::new(clock.clone());
    let link = Link::to(&store);
    let a = Table::on(link.clone(), clock.clone(), limits()).await;
    let b = Table::rival(Arc::new(store), clock, limits(), 2);
    a.act("ana", "join").await.unwrap();
    b.act("bo", "join").await.unwrap();
    let mut ana = a.listens("ana").await;
    ana.sees("bo:_").await;
    link.down.store(true, Ordering::SeqCst);
    link.break_watches();
    sleep(MINUTE).await;
    let tried = link.watches.load(Ordering::SeqCst);
    assert!((3..40).contains(&tried), "tried {tried} times in a minute");
    b.act("bo", "vote 5").await.unwrap();
    link.down.store(false, Ordering::SeqCst);
    assert_eq!(ana.sees("bo:?").await, "view 4 ana:_ bo:? host");
    sleep(MINUTE).await;
    b.act("bo", "vote 8").await.unwrap();
    b.act("host", "show").await.unwrap();
    assert_eq!(ana.sees("bo:8").await, "view 6 ana:_ bo:8 host", "it hears again");
    let tried = link.watches.load(Ordering::SeqCst);
    sleep(10 * MINUTE).await;
    assert_eq!(link.watches.load(Ordering::SeqCst), tried);
}

#[tokio::test(start_paused = true)]
async fn while_a_watch_cannot_be_taken_up_the_room_is_looked_at_now_and_then() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana", "bo"]).await;
    let mut ana = a.listens("ana").await;
    ana.sees("ana*").await;
    link_a.blind.store(true, Ordering::SeqCst);
    link_a.mute.store(true, Ordering::SeqCst);
    link_a.break_watches();
    sleep(MINUTE).await;
    b.act("bo", "vote 5").await.unwrap();
    assert_eq!(ana.sees("bo:?").await, "view 4 ana*:_ bo:? host");
}

/// What was said, of all that was heard by now.
fn said(ear: &mut Ear) -> Vec<String> {
    let heard = ear.rest().into_iter().filter(|heard| heard.starts_with("now"));
    heard.flat_map(|frame| frame.trim_start_matches("now ").split(',').map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_at_one_node_is_heard_once_at_every_other() {
    let Pair { a, b, .. } = Pair::of(&["ana", "bo"]).await;
    let (mut ana, mut tab, mut bo) = (a.listens("ana").await, b.listens("ana").await, b.listens("bo").await);
    a.says("ana", Some(&ana), "hello").await.unwrap();
    b.says("bo", Some(&bo), "hi").await.unwrap();
    sleep(SECOND).await;
    assert_eq!(said(&mut ana), ["hi"], "not her own");
    assert_eq!(said(&mut bo), ["hello"]);
    let both = said(&mut tab);
    assert!(both == ["hello", "hi"] || both == ["hi", "hello"], "{both:?}");
    // Also by somebody whose node has no listener of the room.
    drop(ana);
    sleep(SECOND).await;
    a.says("ana", None, "by the way").await.unwrap();
    sleep(SECOND).await;
    assert_eq!(said(&mut bo), ["by the way"]);
}

#[tokio::test(start_paused = true)]
async fn messages_that_follow_each_other_are_told_together_and_in_order() {
    let Pair { a, b, link_a, .. } = Pair::of(&["ana"]).await;
    let (ana, mut bo) = (a.listens("ana").await, b.listens("bo").await);
    let words: Vec<String> = (0..100).map(|n| format!("word{n}")).collect();
    for word in &words {
        let data = bytes::Bytes::from(word.clone());
        a.engine.blurt(&a.room, crate::support::table::credential("ana"), ana.listening.as_ref().unwrap(), data);
    }
    sleep(SECOND).await;
    assert_eq!(said(&mut bo), words);
    let tells = link_a.tells.load(Ordering::SeqCst);
    assert!(tells < 10, "told {tells} times");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_slow_to_tell_drops_messages_and_holds_up_nobody() {
    let Pair { a, b, link_a, .. } = Pair::with(&["ana"], Limits { tell_bytes_max: 200, ..limits() }).await;
    let (mut near, mut far) = (a.listens("bo").await, b.listens("bo").await);
    sleep(SECOND).await;
    link_a.open_gate(false);
    for n in 0..100 {
        a.says("ana", None, &format!("word{n}")).await.unwrap();
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(said(&mut near).len(), 100, "those at the same node hear everything");
    assert_eq!(link_a.tells.load(Ordering::SeqCst), 1, "one word at a time");
    link_a.open_gate(true);
    sleep(SECOND).await;
    let heard = said(&mut far);
    assert!((2..20).contains(&heard.len()), "{heard:?}");
    a.says("ana", None, "again").await.unwrap();
    sleep(SECOND).await;
    assert_eq!(said(&mut far), ["again"]);
}

#[tokio::test(start_paused = true)]
async fn what_no_node_would_say_is_passed_over() {
    let Pair { a, b, link_b, .. } = Pair::of(&["ana"]).await;
    let mut ana = a.listens("ana").await;
    for rubbish in ["", "rubbish", "\u{1}\u{2}abcdefgh"] {
        let key = parlor_layout::room_key(&a.room);
        link_b.tell(&key, NodeId(77), bytes::Bytes::from(rubbish)).await.unwrap();
    }
    b.says("ana", None, "hello").await.unwrap();
    sleep(SECOND).await;
    assert_eq!(said(&mut ana), ["hello"]);
}
