//! Who is told what changed, and who gets everything.

use crate::support::{Plain, Table};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

async fn patching() -> Table {
    let mut table = Table::new().await;
    table.encode = Arc::new(Plain { stars: true, patches: true, ..Plain::default() });
    for who in ["ana", "bo"] {
        table.act(who, "join").await.unwrap();
    }
    table
}

async fn a_moment() {
    sleep(Duration::from_millis(200)).await;
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_gets_everything_and_then_what_changes() {
    let table = patching().await;
    let mut ana = table.listens("ana").await;
    assert_eq!(ana.rest(), ["welcome 7 at 3", "view 3 ana*:_ bo:_ host"]);
    table.act("bo", "vote 5").await.unwrap();
    a_moment().await;
    assert_eq!(ana.rest(), ["patch 3->4 ana*:_ bo:?"], "her own part is as it was");
    table.act("ana", "vote 8").await.unwrap();
    a_moment().await;
    assert_eq!(ana.rest(), ["patch 4->5 ana*:? bo:? host mine:8"]);
}

#[tokio::test(start_paused = true)]
async fn what_would_change_a_view_that_still_waits_is_a_view() {
    let table = patching().await;
    let mut slow = table.listens("ana").await;
    for card in ["1", "2", "3"] {
        table.act("bo", &format!("vote {card}")).await.unwrap();
        a_moment().await;
    }
    assert_eq!(slow.rest(), ["welcome 7 at 3", "view 6 ana*:_ bo:? host"]);
    for card in ["5", "8"] {
        table.act("bo", &format!("vote {card}")).await.unwrap();
        a_moment().await;
    }
    assert_eq!(slow.rest(), ["patch 6->7 ana*:_ bo:?", "patch 7->8 ana*:_ bo:?"], "one patch waits for the other");
}

#[tokio::test(start_paused = true)]
async fn who_comes_between_two_shows_is_patched_from_what_they_saw() {
    let table = patching().await;
    let mut ana = table.listens("ana").await;
    a_moment().await;
    ana.rest();
    // Kept and not shown yet: views go out every 50 ms.
    table.act("bo", "vote 5").await.unwrap();
    table.act("bo", "vote 8").await.unwrap();
    let mut cy = table.listens("cy").await;
    assert_eq!(cy.rest(), ["welcome 7 at 5", "view 5 ana*:_ bo:?"]);
    table.act("ana", "vote 1").await.unwrap();
    a_moment().await;
    let heard = ana.rest();
    assert!(heard.iter().all(|word| word.starts_with("patch")) && heard.last().unwrap().starts_with("patch 4->6"), "{heard:?}");
    assert_eq!(cy.rest(), ["patch 5->6 ana*:? bo:?"]);
}

#[tokio::test(start_paused = true)]
async fn those_who_did_not_ask_get_whole_views_beside_those_who_did() {
    let mut table = patching().await;
    let mut ana = table.listens("ana").await;
    table.encode = Arc::new(Plain { stars: true, ..Plain::default() });
    let mut bo = table.listens("bo").await;
    a_moment().await;
    ana.rest();
    bo.rest();
    table.act("bo", "vote 5").await.unwrap();
    a_moment().await;
    assert_eq!(ana.rest(), ["patch 3->4 ana*:_ bo*:?"]);
    assert_eq!(bo.rest(), ["view 4 ana*:_ bo*:? mine:5"]);
    drop(bo);
    a_moment().await;
    assert_eq!(ana.rest(), ["patch 4->4 ana*:_ bo:?"], "who is here changes at the same place");
}
