//! Rows in memory, for whoever cannot wait.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact, until};
use parlor_rows::{Changed, Terms};
use parlor_rules::time::Span;
use tokio::sync::watch;

on_every_store!(
    what_one_node_reads_the_others_hold_soon,
    a_row_that_was_never_asked_for_is_there_a_moment_later,
    the_loop_reads_what_is_due_until_it_is_told_to_go,
);

async fn what_one_node_reads_the_others_hold_soon(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let (mut reads, mut shows) = (stand.node(&fake, exact()), stand.node(&fake, exact()));
    reads.rows.keep("1", 10.0).await.expect("kept");
    reads.settle().await;
    assert_eq!(shows.rows.held("1"), None);
    shows.scheduler.tick().await;
    assert_eq!(shows.rows.held("1").expect("held").columns["version"], 1);
    let mut changes = shows.rows.changed();
    fake.put("1", 2);
    reads.rows.refresh("1").await.expect("read");
    assert_eq!(shows.rows.held("1").expect("held").columns["version"], 1, "for a second at most");
    stand.clock.advance(Span(1_000));
    assert!(shows.rows.held("1").is_some());
    shows.scheduler.tick().await;
    assert_eq!(shows.rows.held("1").expect("held").columns["version"], 2);
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())), "and whoever listens here is told");
    reads.rows.unschedule("1").await.expect("gone");
    stand.clock.advance(Span(1_000));
    assert!(shows.rows.held("1").is_some());
    shows.scheduler.tick().await;
    assert_eq!(shows.rows.held("1"), None);
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())));
}

async fn a_row_that_was_never_asked_for_is_there_a_moment_later(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 10.0).await.expect("kept");
    node.settle().await;
    let fresh = stand.node(&fake, Terms { look_every: None, ..exact() });
    let (go, going) = watch::channel(false);
    let running = tokio::spawn({
        let rows = fresh.rows.clone();
        async move { rows.run(going).await }
    });
    until("the row in memory", async || fresh.rows.held("1").is_some()).await;
    go.send(true).expect("it listens");
    running.await.expect("it ends");
}

async fn the_loop_reads_what_is_due_until_it_is_told_to_go(stand: Stand) {
    let fake = Fake::new();
    let node = stand.node(&fake, exact());
    let (go, going) = watch::channel(false);
    let running = tokio::spawn({
        let rows = node.rows.clone();
        async move { rows.run(going).await }
    });
    let mut changes = node.rows.changed();
    for row in ["1", "2", "3"] {
        fake.put(row, 1);
        node.rows.keep(row, 5.0).await.expect("kept");
        assert_eq!(changes.next().await, Some(Changed::Row(row.into())));
    }
    fake.put("2", 2);
    stand.clock.advance(Span(5_000));
    assert_eq!(changes.next().await, Some(Changed::Row("2".into())));
    assert_eq!(stand.version("2").await, Some(2));
    drop(go);
    running.await.expect("it ends when nobody can tell it any more, too");
}
