//! Two who would read the same row, readers that are slow, and readers that die.

use crate::fake::{Fake, Mood};
use crate::on_every_store;
use crate::stand::{Node, Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::Changed;
use parlor_rules::time::Span;

on_every_store!(
    h154_two_workers_never_read_a_row_for_the_same_time,
    h154_a_slow_reading_never_puts_an_older_row_over_a_newer,
    h155_a_worker_that_dies_loses_no_row,
    h156_a_row_that_was_taken_away_is_not_brought_back,
    h156_nor_by_somebody_who_read_it_before_it_was_kept_again,
    h156_nor_when_the_document_is_taken_at_its_word,
    h167_a_push_overtakes_a_reading_that_began_before_it,
    a_delay_that_changes_while_a_row_is_read_counts,
);

async fn h154_two_workers_never_read_a_row_for_the_same_time(stand: Stand) {
    let fake = Fake::new();
    let mut nodes: Vec<Node> = (0..3).map(|_| stand.node(&fake, exact())).collect();
    for row in 0..60 {
        fake.put(&row.to_string(), 1);
        nodes[0].rows.keep(&row.to_string(), 10.0).await.expect("kept");
    }
    for round in 1..=3 {
        let [one, two, three] = &mut nodes[..] else { unreachable!("three were made") };
        tokio::join!(one.settle_all(), two.settle_all(), three.settle_all());
        assert_eq!(fake.reads().len(), round * 60);
        assert!((0..60).all(|row| fake.reads_of(&row.to_string()) == round));
        stand.clock.advance(Span(10_000));
    }
}

async fn h154_a_slow_reading_never_puts_an_older_row_over_a_newer(stand: Stand) {
    let fake = Fake::new();
    let (mut slow, mut quick) = (stand.node(&fake, exact()), stand.node(&fake, exact()));
    fake.put("1", 1);
    slow.rows.keep("1", 10.0).await.expect("kept");
    fake.mood("1", Some(Mood::Slow));
    slow.scheduler.tick().await;
    fake.until_waiting(1).await;
    fake.mood("1", None);
    fake.put("1", 2);
    stand.clock.advance(Span(exact().lease.0 - 1));
    quick.settle().await;
    assert_eq!((stand.version("1").await, fake.reads_of("1")), (None, 1), "the lease holds");
    stand.clock.advance(Span(1_000));
    quick.settle().await;
    assert_eq!(stand.version("1").await, Some(2));
    let next = stand.next_in("1").await;
    fake.release(0);
    slow.scheduler.idle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(2), next), "the late one changes nothing");
    assert_eq!(slow.rows.held("1"), None, "not even its own memory");
}

async fn h155_a_worker_that_dies_loses_no_row(stand: Stand) {
    let fake = Fake::new();
    let mut dies = stand.node(&fake, exact());
    for row in ["1", "2", "3"] {
        fake.put(row, 1);
        fake.mood(row, Some(Mood::Slow));
        dies.rows.keep(row, 10.0).await.expect("kept");
    }
    dies.scheduler.tick().await;
    fake.until_waiting(3).await;
    for row in ["1", "2", "3"] {
        assert!(stand.score(layout::schedule_key(), row).await.is_some(), "moved, not removed");
        fake.mood(row, None);
    }
    drop(dies);
    let mut lives = stand.node(&fake, exact());
    lives.settle().await;
    assert_eq!(fake.reads().len(), 3, "the leases hold");
    stand.clock.advance(exact().lease);
    lives.settle_all().await;
    for row in ["1", "2", "3"] {
        assert_eq!((stand.version(row).await, stand.next_in(row).await), (Some(1), Some(10_000)));
    }
}

/// A node that has begun to read a row which it keeps.
async fn reading(stand: &Stand, fake: &std::sync::Arc<Fake>) -> Node {
    let mut node = stand.node(fake, exact());
    fake.put("1", 1);
    fake.mood("1", Some(Mood::Slow));
    node.rows.keep("1", 10.0).await.expect("kept");
    node.scheduler.tick().await;
    fake.until_waiting(1).await;
    node
}

async fn h156_a_row_that_was_taken_away_is_not_brought_back(stand: Stand) {
    let fake = Fake::new();
    let mut node = reading(&stand, &fake).await;
    let mut changes = node.rows.changed();
    assert_eq!(node.rows.unschedule("1").await, Ok(true));
    fake.release(0);
    node.scheduler.idle().await;
    assert_eq!(stand.remains("1").await, [""; 0]);
    assert_eq!((node.rows.held("1"), changes.heard()), (None, None));
    stand.clock.advance(Span::minutes(60));
    node.settle().await;
    assert_eq!((stand.remains("1").await, fake.reads_of("1")), (vec![], 1));
}

async fn h156_nor_by_somebody_who_read_it_before_it_was_kept_again(stand: Stand) {
    let fake = Fake::new();
    let mut node = reading(&stand, &fake).await;
    node.rows.unschedule("1").await.expect("gone");
    node.rows.keep("1", 10.0).await.expect("the same delay again");
    fake.put("1", 2);
    fake.mood("1", None);
    fake.release(0);
    node.scheduler.idle().await;
    assert_eq!(stand.inv("1").await, None, "what was read is older than the wish to keep it");
    assert_eq!(stand.next_in("1").await, Some(0), "and it is still due");
    node.settle().await;
    assert_eq!(stand.version("1").await, Some(2));
}

async fn h156_nor_when_the_document_is_taken_at_its_word(stand: Stand) {
    let fake = Fake::new();
    let mut node = reading(&stand, &fake).await;
    stand.set_score(layout::delay_key(), "1", -1.0).await;
    stand.set_score(layout::schedule_key(), "1", stand.now_s()).await;
    fake.release(0);
    node.scheduler.idle().await;
    assert_eq!(stand.inv("1").await, None);
    stand.clock.advance(Span(1_000));
    node.settle().await;
    assert_eq!((stand.remains("1").await, fake.reads_of("1")), (vec![], 1));
}

async fn h167_a_push_overtakes_a_reading_that_began_before_it(stand: Stand) {
    let fake = Fake::new();
    let mut node = reading(&stand, &fake).await;
    let mut changes = node.rows.changed();
    fake.put("1", 2);
    fake.mood("1", None);
    let pushed = node.rows.refresh("1").await.expect("read");
    assert_eq!(pushed.row.expect("a row").columns["version"], 2);
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())));
    fake.release(0);
    node.scheduler.idle().await;
    assert_eq!(stand.version("1").await, Some(2));
    assert_eq!(node.rows.held("1").expect("held").columns["version"], 2);
    assert_eq!(changes.heard(), None, "nobody is told of the old one");
}

async fn a_delay_that_changes_while_a_row_is_read_counts(stand: Stand) {
    let fake = Fake::new();
    let mut node = reading(&stand, &fake).await;
    node.rows.keep("1", 3.0).await.expect("kept");
    fake.mood("1", None);
    fake.release(0);
    node.scheduler.idle().await;
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(1), Some(3_000)));
}
