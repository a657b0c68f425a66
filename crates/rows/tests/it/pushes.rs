//! Rows that are read because somebody says that they have changed.

use crate::fake::{Fake, Mood};
use crate::on_every_store;
use crate::stand::{Stand, exact};
use parlor_rows::RowsError;
use parlor_rules::time::Span;

on_every_store!(a_push_reads_now, many_pushes_at_once_are_two_readings, two_nodes_that_push_both_see_what_is_new,);

async fn a_push_reads_now(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    assert_eq!(node.rows.refresh("1").await, Err(RowsError::NotKept));
    assert_eq!(fake.reads_of("1"), 0, "what is not kept is not read");
    node.rows.keep("1", 3600.0).await.expect("kept");
    node.settle().await;
    fake.put("1", 2);
    stand.clock.advance(Span(7_000));
    let seen = node.rows.refresh("1").await.expect("read");
    let row = seen.row.expect("a row");
    assert_eq!((row.columns["version"].as_u64(), row.age(stand.clock.now())), (Some(2), Span(0)));
    assert_eq!(stand.next_in("1").await, Some(3_600_000), "its delay begins anew");
    fake.remove("1");
    assert_eq!(node.rows.refresh("1").await.expect("asked").row, None);
}

async fn many_pushes_at_once_are_two_readings(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 1);
    let mut node = stand.node(&fake, exact());
    node.rows.keep("1", 3600.0).await.expect("kept");
    node.settle().await;
    fake.mood("1", Some(Mood::Slow));
    let push = |rows: parlor_rows::Rows| tokio::spawn(async move { rows.refresh("1").await });
    let first = push(node.rows.clone());
    fake.until_waiting(1).await;
    fake.put("1", 2);
    let others: Vec<_> = (0..50).map(|_| push(node.rows.clone())).collect();
    // Most of them wait in line before the first is answered; whoever does not may be one more reading, which is no harm.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    fake.mood("1", None);
    fake.release(0);
    first.await.expect("no panic").expect("read");
    for other in others {
        let row = other.await.expect("no panic").expect("read").row.expect("a row");
        assert_eq!(row.columns["version"], 2, "who asked after the change sees the change");
    }
    assert!(fake.reads_of("1") < 20, "{} readings for 51 pushes", fake.reads_of("1"));
}

async fn two_nodes_that_push_both_see_what_is_new(stand: Stand) {
    let fake = Fake::new();
    fake.put("1", 0);
    let nodes = [stand.node(&fake, exact()), stand.node(&fake, exact())];
    nodes[0].rows.keep("1", 3600.0).await.expect("kept");
    for version in 1..=30 {
        fake.put("1", version);
        let (one, two) = tokio::join!(nodes[0].rows.refresh("1"), nodes[1].rows.refresh("1"));
        for pushed in [one, two] {
            let seen = pushed.expect("read").row.expect("a row");
            assert_eq!(seen.columns["version"], version);
        }
        assert_eq!(stand.version("1").await, Some(version));
    }
}
