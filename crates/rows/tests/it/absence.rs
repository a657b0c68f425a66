//! Rows that the database does not have: out of the cache at once, asked for again for a while, then forgotten.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_rows::{Changed, Terms};
use parlor_rules::time::Span;

on_every_store!(a_missing_row_goes_and_may_come_back, a_row_that_stays_missing_is_forgotten,);

async fn a_missing_row_goes_and_may_come_back(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 10.0).await.expect("kept");
    node.settle().await;
    let mut changes = node.rows.changed();
    fake.remove("1");
    stand.clock.advance(Span(10_000));
    node.settle().await;
    assert_eq!((stand.inv("1").await, node.rows.held("1")), (None, None));
    assert_eq!(stand.remains("1").await, ["schedule:", "delay:", "row-missing:"]);
    assert_eq!((changes.heard(), changes.heard()), (Some(Changed::Row("1".into())), None));
    assert_eq!(node.rows.seen("1").await.expect("readable").expect("kept").missing_since, Some(stand.clock.now()));
    fake.put("1", 1);
    stand.clock.advance(Span(10_000));
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(1), Some(10_000)));
    assert_eq!(changes.heard(), Some(Changed::Row("1".into())));
}

async fn a_row_that_stays_missing_is_forgotten(stand: Stand) {
    let fake = Fake::new();
    let terms = Terms { missing_for: Span::minutes(60), ..exact() };
    let mut node = stand.node(&fake, terms);
    node.rows.keep("1", 10.0).await.expect("kept");
    let began = stand.clock.now();
    let mut pause_max = 0;
    while let Some(next) = stand.next_in("1").await {
        pause_max = pause_max.max(next);
        stand.clock.advance(Span(next as u64));
        node.settle().await;
    }
    let took = stand.clock.now().since(began);
    assert!(took >= Span::minutes(60) && took <= Span::minutes(66), "{took:?}");
    assert_eq!(pause_max, 300_000, "the pauses grow up to a bound");
    assert_eq!(stand.remains("1").await, [""; 0]);
    assert_eq!(node.rows.seen("1").await, Ok(None));
}
