//! Who hears what, and that nobody's trouble becomes another's.

use crate::support::{Plain, Table, limits};
use bytes::Bytes;
use parlor_engine::{Closed, Error, Limits};
use parlor_rules::Code;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_panic_in_one_rooms_task_ends_that_task_only() {
    let plain = Plain::default();
    let mut table = Table::new().await;
    table.encode = Arc::new(plain.clone());
    let fragile = table.at("fragile");
    fragile.create().await;
    fragile.act("ana", "join").await.unwrap();
    table.act("ana", "join").await.unwrap();
    let (mut broken, mut whole) = (fragile.listens("bo").await, table.listens("bo").await);
    broken.sees(" ana:_").await;
    whole.sees(" ana:_").await;

    plain.breaks.store(true, Ordering::SeqCst);
    let kept = fragile.act("ana", "vote 5").await; // The room breaks while showing this to its listeners.
    assert!(kept.is_ok() || kept == Err(Error::Interrupted), "{kept:?}");
    assert_eq!(broken.hears_of("come").await, "come back");
    assert_eq!(broken.rest(), Vec::<String>::new());
    table.act("ana", "vote 8").await.unwrap();
    whole.sees(" ana:?").await;
    // A listener that would break it again breaks it for nobody else for long.
    assert_eq!(fragile.enters("cy", None, &limits()).await.err(), Some(Error::Interrupted));

    plain.breaks.store(false, Ordering::SeqCst);
    assert_eq!(fragile.sees("ana").await.unwrap(), "view 3 ana:? host mine:5", "the room works again, nothing kept is lost");
    fragile.act("ana", "show").await.unwrap();
    whole.rest();
    table.act("ana", "show").await.unwrap();
    whole.sees(" ana:8").await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_listener_is_closed_with_a_reason_and_the_others_hear_everything() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let tight = Limits { outbox_bytes_max: 300, outbox_now_bytes_max: 100_000, ..limits() };
    let slow = table.enters("bo", None, &tight).await.unwrap();
    let mut quick = table.listens("cy").await;
    quick.hears_of("view").await;
    let mut heard = Vec::new();
    for n in 0..100 {
        table.says("ana", None, &format!("word{n}")).await.unwrap();
        let frame = quick.hears_of("now").await;
        heard.extend(frame.trim_start_matches("now ").split(',').map(str::to_owned));
    }
    assert_eq!(heard, (0..100).map(|n| format!("word{n}")).collect::<Vec<_>>());
    assert_eq!(slow.outbox.closed(), Some(Closed::TooSlow));
    let mut back = table.enters("bo", Some(table.place().await), &tight).await.unwrap();
    assert_eq!(back.hears().await, "welcome 7 at 2 resumed");
}

#[tokio::test(start_paused = true)]
async fn under_pressure_messages_of_the_moment_go_first_and_views_still_arrive() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let tight = Limits { outbox_now_bytes_max: 50, ..limits() };
    let mut slow = table.enters("bo", None, &tight).await.unwrap();
    let mut pacer = table.listens("cy").await;
    for n in 0..100 {
        table.says("ana", None, &format!("word{n}")).await.unwrap();
        pacer.hears_of("now").await;
    }
    table.act("ana", "vote 5").await.unwrap();
    pacer.sees(" ana:?").await;
    let heard = slow.rest();
    assert!(heard.iter().filter(|word| word.starts_with("now")).count() < 20, "{heard:?}");
    assert!(heard.iter().any(|word| word.contains(" ana:?")), "{heard:?}");
    assert_eq!(slow.outbox.closed(), None);
}

#[tokio::test(start_paused = true)]
async fn everyone_hears_a_message_but_the_connection_it_came_from() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let (mut tab, mut second, mut bo) = (table.listens("ana").await, table.listens("ana").await, table.listens("bo").await);
    table.says("ana", Some(&tab), "hello").await.unwrap();
    assert_eq!(second.hears_of("now").await, "now hello", "her second tab hears it");
    assert_eq!(bo.hears_of("now").await, "now hello");
    table.act("ana", "vote 5").await.unwrap();
    tab.sees(" ana:?").await;
    assert!(!tab.rest().iter().any(|word| word.starts_with("now")), "it came back to its author");
}

#[tokio::test(start_paused = true)]
async fn messages_gathered_into_one_frame_keep_the_order_of_each_author() {
    let table = Table::new().await;
    for who in ["ana", "bo"] {
        table.act(who, "join").await.unwrap();
    }
    let (mut ana, mut bo, mut cy) = (table.listens("ana").await, table.listens("bo").await, table.listens("cy").await);
    for n in 0..50 {
        for (who, ear) in [("ana", &ana), ("bo", &bo)] {
            let words = Bytes::from(format!("{who}{n}"));
            let credential = crate::support::table::credential(who);
            table.engine.blurt(&table.room, credential, ear.listening.as_ref().unwrap(), words);
        }
    }
    let both: Vec<String> = (0..50).flat_map(|n| [format!("ana{n}"), format!("bo{n}")]).collect();
    let of = |who: &str| both.iter().filter(|word| word.starts_with(who)).cloned().collect::<Vec<_>>();
    for (ear, expected) in [(&mut cy, both.clone()), (&mut ana, of("bo")), (&mut bo, of("ana"))] {
        let mut heard = Vec::new();
        while heard.len() < expected.len() {
            let frame = ear.hears_of("now").await;
            heard.extend(frame.trim_start_matches("now ").split(',').map(str::to_owned));
        }
        assert_eq!(heard, expected);
    }
}

#[tokio::test]
async fn what_waits_for_company_is_heard_when_its_time_is_over_and_nothing_else_happens() {
    let table = Table::on_time(Limits { gather_for: Duration::from_millis(30), ..limits() }).await;
    table.act("ana", "join").await.unwrap();
    let (mut bo, mut cy) = (table.listens("bo").await, table.listens("cy").await);
    for turn in 0..3 {
        for word in ["one", "two", "three"] {
            table.says("ana", None, &format!("{word}{turn}")).await.unwrap();
        }
        for ear in [&mut bo, &mut cy] {
            let mut heard = Vec::new();
            while heard.len() < 3 {
                let frame = tokio::time::timeout(Duration::from_secs(60), ear.hears_of("now")).await.expect("the room wakes up");
                heard.extend(frame.trim_start_matches("now ").split(',').map(str::to_owned));
            }
            assert_eq!(heard, ["one", "two", "three"].map(|word| format!("{word}{turn}")));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_may_not_speak_is_not_heard() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    table.act("bo", "join").await.unwrap();
    let mut ear = table.listens("ana").await;
    let (watcher, kicked) = (table.listens("cy").await, table.listens("bo").await);
    assert_eq!(table.says("cy", Some(&watcher), "psst").await.unwrap_err().code(), Code::NotSeated);
    table.act("ana", "kick bo").await.unwrap();
    assert_eq!(table.says("bo", Some(&kicked), "psst").await.unwrap_err().code(), Code::NotSeated);
    table.engine.blurt(
        &table.room,
        crate::support::table::credential("bo"),
        kicked.listening.as_ref().unwrap(),
        Bytes::from_static(b"psst"),
    );
    table.act("ana", "vote 5").await.unwrap();
    ear.sees(" ana:?").await;
    table.says("host", None, "quiet").await.unwrap();
    assert_eq!(ear.hears_of("now").await, "now quiet");
}

#[tokio::test(start_paused = true)]
async fn h21_a_kicked_connection_hears_that_and_nothing_more() {
    let table = Table::new().await;
    for who in ["ana", "bo", "cy"] {
        table.act(who, "join").await.unwrap();
    }
    let (mut first, mut second, mut cy) = (table.listens("bo").await, table.listens("bo").await, table.listens("cy").await);
    table.act("ana", "kick bo").await.unwrap();
    for ear in [&mut first, &mut second] {
        assert_eq!(ear.hears_of("ended").await, "ended Kicked");
    }
    table.act("ana", "vote 5").await.unwrap();
    table.says("ana", None, "gone").await.unwrap();
    table.act("ana", "show").await.unwrap();
    cy.sees(" ana:5").await;
    for ear in [&mut first, &mut second] {
        assert_eq!(ear.rest(), Vec::<String>::new());
    }
    let mut back = table.listens("bo").await; // Kicked is not banned: they may come back and watch.
    assert_eq!(back.hears_of("view").await, "view 7 ana:5 cy:_");
}

#[tokio::test(start_paused = true)]
async fn who_waits_when_the_room_is_deleted_is_told_that_it_is_gone() {
    let table = Table::new().await;
    table.act("ana", "join").await.unwrap();
    let mut ear = table.listens("bo").await;
    let submit = |who: &str, wish: &str| table.engine.submit(&table.room, table.request(who, wish, None)).unwrap();
    let (before, end, after) = (submit("ana", "vote 5"), submit("host", "delete"), submit("ana", "vote 8"));
    before.await.unwrap();
    end.await.unwrap();
    assert_eq!(after.await.unwrap_err(), Error::NoRoom);
    assert_eq!(ear.hears_of("ended").await, "ended Deleted");
    assert_eq!(table.sees("ana").await.unwrap_err(), Error::NoRoom);
}
