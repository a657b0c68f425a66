//! Rows that cannot be read: they wait longer each time, alone.

use crate::fake::{Fake, Mood};
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::{RowsError, SourceError, Terms};
use parlor_rules::time::Span;
use serde_json::json;

on_every_store!(
    h159_a_poison_row_keeps_nobody_else_waiting,
    h159_rows_that_hang_leave_places_for_others,
    h159_each_failure_waits_longer_up_to_a_bound,
    h160_a_source_that_is_down_leaves_the_old_row_up_to_an_age,
    a_push_that_fails_says_so,
);

async fn h159_a_poison_row_keeps_nobody_else_waiting(stand: Stand) {
    let fake = Fake::new();
    let terms = Terms { at_once_max: 4, read_within: Span(50), row_bytes_max: 1_000, ..exact() };
    let mut node = stand.node(&fake, terms);
    for (row, mood) in [("fails", Mood::Fails), ("hangs", Mood::Hangs), ("panics", Mood::Panics)] {
        fake.put(row, 1);
        fake.mood(row, Some(mood));
        node.rows.keep(row, 1.0).await.expect("kept");
    }
    fake.put_value("huge", json!({ "text": "x".repeat(5_000) }));
    node.rows.keep("huge", 1.0).await.expect("kept");
    stand.clock.advance(Span(10));
    for row in 0..30 {
        fake.put(&format!("good{row}"), 1);
        node.rows.keep(&format!("good{row}"), 1.0).await.expect("kept");
    }
    for round in 1..=5 {
        node.settle_all().await;
        for row in 0..30 {
            assert_eq!(fake.reads_of(&format!("good{row}")), round, "every good row is read every time");
        }
        stand.clock.advance(Span(1_010));
    }
    for row in ["fails", "hangs", "panics", "huge"] {
        assert_eq!(stand.inv(row).await, None);
        let seen = node.rows.seen(row).await.expect("readable").expect("it is still kept");
        assert!(seen.failures >= 2, "{row}: {}", seen.failures);
        assert!(fake.reads_of(row) < 5, "{row} was read {} times", fake.reads_of(row));
    }
    assert_eq!(node.rows.counts().await.expect("readable").failing, 4);
    fake.put("huge", 1);
    for row in ["fails", "hangs", "panics"] {
        fake.mood(row, None);
    }
    stand.clock.advance(Span::minutes(6));
    node.settle_all().await;
    for row in ["fails", "hangs", "panics", "huge"] {
        assert_eq!((stand.version(row).await, stand.next_in(row).await), (Some(1), Some(1_000)), "{row} is well again");
    }
    assert_eq!(node.rows.counts().await.expect("readable").failing, 0);
}

/// More rows hang than there are places; those known to fail share a few of them.
async fn h159_rows_that_hang_leave_places_for_others(stand: Stand) {
    let fake = Fake::new();
    let terms = Terms { at_once_max: 8, read_within: Span(50), ..exact() };
    let mut node = stand.node(&fake, terms);
    for row in 0..40 {
        fake.mood(&format!("hangs{row}"), Some(Mood::Hangs));
        node.rows.keep(&format!("hangs{row}"), 1.0).await.expect("kept");
    }
    node.settle_all().await;
    // From here on they are known; each hangs until it is released.
    stand.clock.advance(Span::minutes(6));
    for row in 0..40 {
        fake.mood(&format!("hangs{row}"), Some(Mood::Slow));
    }
    let mut node = stand.node(&fake, Terms { at_once_max: 8, ..exact() });
    fake.put("good", 1);
    node.rows.keep("good", 1.0).await.expect("kept");
    node.scheduler.tick().await;
    crate::stand::until("the good row", async || {
        node.scheduler.tick().await;
        stand.version("good").await == Some(1)
    })
    .await;
    crate::stand::until("a quarter of the places", async || {
        node.scheduler.tick().await;
        (node.scheduler.busy(), fake.waiting()) == (2, 2)
    })
    .await;
    // One that was given up may still be counted while the next begins.
    assert!(fake.most_under_way() >= 8, "unknown rows may have all of them");
}

async fn h159_each_failure_waits_longer_up_to_a_bound(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    fake.mood("1", Some(Mood::Fails));
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 10.0).await.expect("kept");
    let mut pauses = Vec::new();
    for _ in 0..8 {
        node.settle().await;
        let next = stand.next_in("1").await.expect("scheduled");
        pauses.push(next / 1_000);
        stand.clock.advance(Span(next as u64));
    }
    assert_eq!(pauses, [10, 20, 40, 80, 160, 300, 300, 300]);
    fake.mood("1", None);
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(1), Some(10_000)));
    assert_eq!(stand.score(layout::failing_key(), "1").await, None);
}

async fn h160_a_source_that_is_down_leaves_the_old_row_up_to_an_age(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let terms = Terms { lives_min: Span::minutes(2), backoff_max: Span::seconds(20), ..exact() };
    let mut node = stand.node(&fake, terms);
    node.rows.keep("1", 10.0).await.expect("kept");
    node.settle().await;
    fake.mood("1", Some(Mood::Fails));
    let (began, mut failures) = (stand.clock.now(), 0);
    while stand.clock.now().since(began) < Span::seconds(119) {
        stand.clock.advance(Span::seconds(1));
        node.settle().await;
        let seen = node.rows.seen("1").await.expect("readable").expect("kept");
        let row = seen.row.expect("the old row stays");
        assert_eq!(row.age(stand.clock.now()), stand.clock.now().since(began), "and says how old it is");
        assert!(seen.failures >= failures);
        failures = seen.failures;
        assert!(node.rows.held("1").is_some());
    }
    assert!(failures > 3);
    let counts = node.rows.counts().await.expect("readable");
    assert_eq!((counts.failing, counts.oldest_age), (1, Some(Span::seconds(119))));
    stand.clock.advance(Span::seconds(1));
    assert_eq!(node.rows.held("1"), None, "then it is too old");
    if stand.ends_keys {
        assert_eq!(stand.inv("1").await, None);
        assert_eq!(node.rows.seen("1").await.expect("readable").expect("still kept").row, None);
    }
    fake.mood("1", None);
    stand.clock.advance(Span::seconds(20));
    node.settle().await;
    assert_eq!(stand.version("1").await, Some(1), "and comes back with the source");
}

async fn a_push_that_fails_says_so(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 10.0).await.expect("kept");
    node.settle().await;
    let hasty = stand.node(&fake, Terms { read_within: Span(20), ..exact() });
    let failing = [
        (Mood::Fails, SourceError::Unavailable("it is away".into())),
        (Mood::Panics, SourceError::Panicked),
        (Mood::Hangs, SourceError::TimedOut),
    ];
    for (mood, error) in failing {
        fake.mood("1", Some(mood));
        // A panic that is told in full takes its time, a reading that hangs has none.
        let node = if mood == Mood::Hangs { &hasty } else { &node };
        assert_eq!(node.rows.refresh("1").await, Err(RowsError::Source(error)));
        assert_eq!(stand.version("1").await, Some(1), "the old row stays");
    }
}
