//! Rows on a cluster: each in its piece, all of them read.

use crate::fake::Fake;
use crate::stand::{Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::Changed;
use parlor_rules::time::Span;
use parlor_testbed::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_kept_in_pieces_on_a_cluster() {
    let cluster = Cluster::start();
    let url = cluster.url();
    let stand = Stand::at(&url, cluster).await;
    assert!(stand.records.is_scattered());
    let fake = Fake::new();
    let (mut one, mut two) = (stand.node(&fake, exact()), stand.node(&fake, exact()));
    let ids: Vec<String> = (0..200).map(|row| row.to_string()).collect();
    for id in &ids {
        fake.put(id, 1);
        one.rows.keep(id, 10.0).await.expect("kept");
    }
    tokio::join!(one.settle_all(), two.settle_all());
    assert_eq!(fake.reads().len(), 200, "each once, by one of the two");
    for id in &ids {
        assert_eq!((stand.version(id).await, stand.next_in(id).await), (Some(1), Some(10_000)));
    }
    let pieces: std::collections::BTreeSet<u64> = ids.iter().map(|id| layout::piece(id)).collect();
    assert!(pieces.len() > 50, "{} pieces", pieces.len());
    let counts = one.rows.counts().await.expect("readable");
    assert_eq!((counts.total, counts.due, counts.failing), (200, 0, 0));
    let (mut after, mut listed) = (None, 0);
    loop {
        let page = one.rows.page(after.as_deref(), 30).await.expect("readable");
        listed += page.rows.len();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(listed, 200);
    let mut changes = one.rows.changed();
    fake.put("7", 2);
    one.rows.refresh("7").await.expect("read");
    assert_eq!((changes.heard(), stand.version("7").await), (Some(Changed::Row("7".into())), Some(2)));
    for id in &ids {
        one.rows.keep(id, -1.0).await.expect("gone");
        assert_eq!(stand.remains(id).await, [""; 0]);
    }
    stand.clock.advance(Span(10_000));
    tokio::join!(one.settle_all(), two.settle_all());
    assert_eq!(fake.reads().len(), 201);
}
