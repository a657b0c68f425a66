//! Clocks that jump.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_rows::Terms;
use parlor_rules::time::Span;

on_every_store!(
    h158_a_clock_that_goes_back_does_not_stop_the_rows,
    h158_a_node_that_starts_after_the_jump_mends_it_too,
    h158_a_clock_that_goes_forward_makes_no_herd,
    rows_that_were_due_together_drift_apart,
);

async fn h158_a_clock_that_goes_back_does_not_stop_the_rows(stand: Stand) {
    let fake = Fake::new();
    let mut node = stand.node(&fake, exact());
    for (row, delay) in [("1", 10.0), ("2", 60.0), ("3", 7200.0)] {
        fake.put(row, 1);
        node.rows.keep(row, delay).await.expect("kept");
    }
    node.settle().await;
    stand.clock.set(stand.clock.now() - Span::minutes(60));
    node.settle_all().await;
    assert!(stand.next_in("1").await.is_some_and(|next| (0..=10_000).contains(&next)));
    assert!(stand.next_in("2").await.is_some_and(|next| (0..=60_000).contains(&next)));
    for row in ["1", "2", "3"] {
        fake.put(row, 2);
    }
    stand.clock.advance(Span(60_000));
    node.settle_all().await;
    assert_eq!((stand.version("1").await, stand.version("2").await), (Some(2), Some(2)));
    assert_eq!(node.rows.held("1").expect("held").columns["version"], 2, "memory follows, whatever the clock says");
    stand.clock.advance(Span::minutes(121));
    node.settle_all().await;
    assert_eq!(stand.version("3").await, Some(2));
}

async fn h158_a_node_that_starts_after_the_jump_mends_it_too(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut before = stand.node(&fake, exact());
    before.rows.keep("1", 10.0).await.expect("kept");
    before.settle().await;
    drop(before);
    stand.clock.set(stand.clock.now() - Span::minutes(5 * 60));
    let mut after = stand.node(&fake, exact());
    after.settle().await;
    stand.clock.advance(Span(10_000));
    fake.put("1", 2);
    after.settle_all().await;
    assert_eq!(stand.version("1").await, Some(2));
}

async fn h158_a_clock_that_goes_forward_makes_no_herd(stand: Stand) {
    let fake = Fake::new();
    let terms = Terms { at_once_max: 8, reads_per_second_max: 50, ..Terms::default() };
    let mut node = stand.node(&fake, terms);
    for row in 0..120 {
        fake.put(&row.to_string(), 1);
        node.rows.keep(&row.to_string(), 10.0 + f64::from(row % 7)).await.expect("kept");
    }
    stand.clock.advance(Span::minutes(24 * 60));
    let began = tokio::time::Instant::now();
    while fake.reads().len() < 120 {
        let pause = node.scheduler.tick().await;
        let _ = tokio::time::timeout(pause, node.scheduler.freed()).await;
    }
    node.scheduler.idle().await;
    assert!(fake.most_under_way() <= 8, "{} at once", fake.most_under_way());
    // The purse holds one second's worth; the other 70 readings take their time, whatever the machine does.
    assert!(began.elapsed().as_secs_f64() >= 70.0 / 50.0 - 0.001, "{:?}", began.elapsed());
    assert!((0..120).all(|row| fake.reads_of(&row.to_string()) == 1));
}

async fn rows_that_were_due_together_drift_apart(stand: Stand) {
    let fake = Fake::new();
    let mut node = stand.node(&fake, Terms::default());
    for row in 0..20 {
        fake.put(&row.to_string(), 1);
        node.rows.keep(&row.to_string(), 100.0).await.expect("kept");
    }
    node.settle_all().await;
    let mut next = Vec::new();
    for row in 0..20 {
        next.push(stand.next_in(&row.to_string()).await.expect("scheduled"));
    }
    assert!(next.iter().all(|next| (100_000..=105_000).contains(next)), "{next:?}");
    next.sort_unstable();
    next.dedup();
    assert!(next.len() > 10, "{next:?}");
}
