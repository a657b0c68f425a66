//! Delays that nobody can mean, by the front door and by the back door.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::{DELAY_S_MAX, DelayRefused, RowsError};
use parlor_rules::time::Span;

on_every_store!(
    h157_delays_that_are_no_numbers_are_refused,
    h157_a_tiny_delay_does_not_run_hot,
    h157_an_endless_delay_in_the_store_is_brought_within_bounds,
    a_row_without_a_delay_does_not_end_the_loop,
    a_delay_without_a_place_in_the_schedule_gets_one,
);

async fn h157_delays_that_are_no_numbers_are_refused(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let node = stand.node(&fake, exact());
    for delay in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, DELAY_S_MAX + 1.0] {
        assert_eq!(node.rows.keep("1", delay).await, Err(RowsError::Delay(DelayRefused)), "{delay}");
    }
    assert_eq!(stand.remains("1").await, [""; 0]);
    node.rows.keep("1", 10.0).await.expect("kept");
    assert!(node.rows.keep("1", f64::NAN).await.is_err());
    assert_eq!(stand.score(layout::delay_key(), "1").await, Some(10.0), "what is refused changes nothing");
}

async fn h157_a_tiny_delay_does_not_run_hot(stand: Stand) {
    let fake = Fake::new();
    for (row, delay) in [("1", 1e-9), ("2", 5e-324), ("3", 0.3)] {
        fake.put(row, 1);
        let mut node = stand.node(&fake, exact());
        node.rows.keep(row, delay).await.expect("kept");
        assert_eq!(stand.score(layout::delay_key(), row).await, Some(1.0), "raised to the shortest there is");
        // Somebody else does not know the shortest.
        stand.set_score(layout::delay_key(), row, delay).await;
        for _ in 0..20 {
            node.settle().await;
        }
        assert_eq!((fake.reads_of(row), stand.next_in(row).await), (1, Some(1_000)));
    }
}

async fn h157_an_endless_delay_in_the_store_is_brought_within_bounds(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    stand.set_score(layout::delay_key(), "1", f64::INFINITY).await;
    stand.set_score(layout::schedule_key(), "1", f64::NEG_INFINITY).await;
    let mut node = stand.node(&fake, exact());
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(1), Some(DELAY_S_MAX as i64 * 1000)));
}

async fn a_row_without_a_delay_does_not_end_the_loop(stand: Stand) {
    let fake = Fake::new();
    fake.put("2", 1);
    let mut node = stand.node(&fake, exact());
    stand.set_score(layout::schedule_key(), "1", stand.now_s() - 5.0).await;
    node.rows.keep("2", 10.0).await.expect("kept");
    node.settle().await;
    assert_eq!((stand.remains("1").await, fake.reads_of("1")), (vec![], 0));
    assert_eq!(stand.version("2").await, Some(1));
}

async fn a_delay_without_a_place_in_the_schedule_gets_one(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    stand.set_score(layout::delay_key(), "1", 10.0).await;
    let mut node = stand.node(&fake, exact());
    node.settle().await;
    assert_eq!((stand.version("1").await, stand.next_in("1").await), (Some(1), Some(10_000)));
    stand.set_score(layout::schedule_key(), "1", f64::INFINITY).await;
    let mut other = stand.node(&fake, exact());
    stand.clock.advance(Span(10_000));
    other.settle().await;
    assert!(stand.next_in("1").await.is_some_and(|next| next <= 10_000), "nor is a place without end one");
}
