//! Keeping rows as the document says, and hearing of those that change.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::{Changed, Counts, RowsError, Terms};
use parlor_rules::time::Span;
use parlor_store::{Answer, Query};
use serde_json::json;

on_every_store!(
    a_row_is_kept_as_the_document_says,
    a_row_is_read_again_after_its_delay,
    only_what_really_changed_is_told,
    zero_or_less_takes_a_row_away,
    the_documents_own_way_to_end_a_row_works_too,
    h156_what_is_kept_ends_after_a_few_delays,
    rows_are_listed_in_pages,
    an_id_has_bounds,
    another_delay_counts_at_once,
);

async fn a_row_is_kept_as_the_document_says(stand: Stand) {
    let fake = Fake::new();
    fake.put_value("237", json!({ "qty": 629, "name": "GTab 7inch", "description": "..." }));
    let mut node = stand.node(&fake, exact());
    let seen = node.rows.keep("237", 10.0).await.expect("kept").expect("it has a delay");
    assert_eq!((seen.delay.seconds(), seen.next, &seen.row), (10.0, stand.clock.now(), &None));
    assert_eq!(stand.score(layout::delay_key(), "237").await, Some(10.0));
    assert_eq!(stand.next_in("237").await, Some(0), "the schedule says now");
    node.settle().await;
    assert_eq!(stand.inv("237").await, Some(json!({ "qty": 629, "name": "GTab 7inch", "description": "..." })));
    assert_eq!(stand.next_in("237").await, Some(10_000));
    assert_eq!(stand.remains("237").await, ["schedule:", "delay:", "row-read:", "inv:"], "a claim leaves nothing behind");
    let row = node.rows.seen("237").await.expect("readable").expect("kept").row.expect("read");
    assert_eq!((row.columns["qty"].as_u64(), row.age(stand.clock.now())), (Some(629), Span(0)));
    let counts = Counts { total: 1, due: 0, failing: 0, oldest_age: Some(Span(0)) };
    assert_eq!(node.rows.counts().await, Ok(counts));
}

async fn a_row_is_read_again_after_its_delay(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 5.0).await.expect("kept");
    node.settle().await;
    fake.put("1", 2);
    stand.clock.advance(Span(4_999));
    node.settle().await;
    assert_eq!((stand.version("1").await, fake.reads_of("1")), (Some(1), 1));
    let age = node.rows.seen("1").await.expect("readable").expect("kept").row.expect("read").age(stand.clock.now());
    assert_eq!(age, Span(4_999), "the age is shown");
    stand.clock.advance(Span(1));
    node.settle().await;
    assert_eq!((stand.version("1").await, fake.reads_of("1")), (Some(2), 2));
}

async fn only_what_really_changed_is_told(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    let mut changes = node.rows.changed();
    node.rows.keep("1", 5.0).await.expect("kept");
    assert_eq!(changes.heard(), None);
    node.settle().await;
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())), "it is there now");
    for _ in 0..3 {
        stand.clock.advance(Span(5_000));
        node.settle().await;
        assert_eq!(changes.heard(), None, "the same row again is no news");
    }
    fake.put("1", 2);
    stand.clock.advance(Span(5_000));
    node.settle().await;
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())));
    node.rows.unschedule("1").await.expect("gone");
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())), "it is gone");
    node.rows.unschedule("1").await.expect("gone already");
    assert_eq!(changes.heard(), None);
    assert_eq!(fake.reads_of("1"), 5);
}

async fn zero_or_less_takes_a_row_away(stand: Stand) {
    let fake = Fake::new();
    let mut node = stand.node(&fake, exact());
    for (row, delay) in [("a", 0.0), ("b", -0.0), ("c", -1.0), ("d", f64::MIN)] {
        fake.put(row, 1);
        node.rows.keep(row, 10.0).await.expect("kept");
        node.settle().await;
        assert!(node.rows.held(row).is_some());
        assert_eq!(node.rows.keep(row, delay).await, Ok(None));
        assert_eq!(stand.remains(row).await, [""; 0]);
        assert_eq!((node.rows.held(row), node.rows.seen(row).await), (None, Ok(None)));
    }
    assert_eq!(node.rows.refresh("a").await, Err(RowsError::NotKept));
    assert_eq!(node.rows.unschedule("a").await, Ok(false));
    assert_eq!(node.rows.counts().await, Ok(Counts::default()));
}

/// A client that only knows the document writes a delay of −1 and puts the row into the schedule.
async fn the_documents_own_way_to_end_a_row_works_too(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    stand.set_score(layout::delay_key(), "1", 5.0).await;
    stand.set_score(layout::schedule_key(), "1", stand.now_s()).await;
    node.settle().await;
    assert_eq!(stand.version("1").await, Some(1), "and to keep one");
    stand.set_score(layout::delay_key(), "1", -1.0).await;
    stand.set_score(layout::schedule_key(), "1", stand.now_s()).await;
    stand.clock.advance(Span(1_000));
    node.settle().await;
    assert_eq!((stand.remains("1").await, fake.reads_of("1")), (vec![], 1));
    assert_eq!(node.rows.held("1"), None);
}

async fn h156_what_is_kept_ends_after_a_few_delays(stand: Stand) {
    let fake = Fake::new();
    for (row, delay, lives) in [("short", 2.0, Span::minutes(5)), ("long", 3600.0, Span::seconds(4 * 3600))] {
        fake.put(row, 1);
        let mut node = stand.node(&fake, exact());
        node.rows.keep(row, delay).await.expect("kept");
        node.settle().await;
        let deadline = stand.read(row, Query::Deadline(layout::inv_key(row))).await;
        assert_eq!(deadline, Answer::Deadline(Some(stand.clock.now() + lives)));
        let until = node.rows.seen(row).await.expect("readable").expect("kept").row.expect("read").until;
        assert_eq!(until, stand.clock.now() + lives);
    }
}

async fn rows_are_listed_in_pages(stand: Stand) {
    let fake = Fake::new();
    let node = stand.node(&fake, exact());
    for row in 0..25 {
        node.rows.keep(&row.to_string(), 10.0 + f64::from(row)).await.expect("kept");
    }
    let (mut after, mut ids, mut pages) = (None, Vec::new(), 0);
    loop {
        let page = node.rows.page(after.as_deref(), 10).await.expect("readable");
        assert!(page.rows.len() <= 10);
        ids.extend(page.rows.into_iter().map(|row| row.id.to_string()));
        pages += 1;
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(ids, (0..25).map(|row| row.to_string()).collect::<Vec<_>>(), "the shortest delay first");
    assert_eq!(pages, 3);
    assert_eq!(node.rows.page(Some("nonsense"), 5).await.expect("readable").rows.len(), 5);
    let counts = node.rows.counts().await.expect("readable");
    assert_eq!((counts.total, counts.due), (25, 25));
    stand.set_score(layout::schedule_key(), "7", stand.now_s() + 9.0).await;
    assert_eq!(node.rows.counts().await.expect("readable").due, 24);
}

async fn an_id_has_bounds(stand: Stand) {
    let node = stand.node(&Fake::new(), Terms::default());
    for id in [String::new(), "x".repeat(257)] {
        assert_eq!(node.rows.keep(&id, 5.0).await, Err(RowsError::Id));
        assert_eq!(node.rows.seen(&id).await, Err(RowsError::Id));
        assert_eq!(node.rows.held(&id), None);
    }
    for id in ["x".repeat(256).as_str(), "a:b", "{a}", "é\n\0", " ", "schedule:"] {
        assert!(node.rows.keep(id, 5.0).await.is_ok_and(|row| row.is_some_and(|row| *row.id == *id)), "{id:?}");
    }
}

async fn another_delay_counts_at_once(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 3600.0).await.expect("kept");
    node.settle().await;
    fake.put("1", 2);
    node.rows.keep("1", 2.0).await.expect("kept");
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(2), Some(2_000)));
}
