//! A hundred thousand rows: a tick looks at the head of the schedule alone.

use crate::fake::Fake;
use crate::on_every_store;
use crate::stand::{Stand, exact};
use async_trait::async_trait;
use parlor_layout::shop::rows as layout;
use parlor_rows::{Rows, Scheduler};
use parlor_rules::time::Span;
use parlor_store::{Answer, Applied, Batch, Operation, Query, Records, Score, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ROWS: usize = 100_000;

on_every_store!(a_tick_does_not_look_at_all_rows,);

/// Counts what is answered.
struct Counting {
    records: Arc<dyn Records>,
    answered: AtomicUsize,
}

#[async_trait]
impl Records for Counting {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let answers = self.records.read(tag, queries).await?;
        let size = |answer: &Answer| if let Answer::Members(members) = answer { members.len() } else { 1 };
        self.answered.fetch_add(answers.iter().map(size).sum(), Ordering::SeqCst);
        Ok(answers)
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.records.apply(batch).await
    }
}

async fn a_tick_does_not_look_at_all_rows(stand: Stand) {
    let fake = Fake::new();
    let now = stand.now_s();
    let set = |key, row: usize, score| Operation::SetScore {
        key,
        member: row.to_string().into(),
        score: Score::new(score).expect("a number"),
    };
    let rows: Vec<usize> = (0..ROWS).collect();
    for rows in rows.chunks(4_000) {
        let operations = rows.iter().flat_map(|row| {
            // One is due each millisecond for the next 100 seconds.
            let next = now + *row as f64 / 1000.0;
            [set(layout::delay_key(), *row, 200.0), set(layout::schedule_key(), *row, next)]
        });
        let batch = Batch { tag: layout::tag(0), operations: operations.collect(), ..Batch::default() };
        assert!(matches!(stand.records.apply(batch).await, Ok(Applied::Done(_))));
    }
    let records = Arc::new(Counting { records: stand.records.clone(), answered: AtomicUsize::new(0) });
    let rows = Rows::new(records.clone(), stand.clock.shared(), fake.clone(), exact());
    let mut scheduler = Scheduler::new(&rows);
    scheduler.tick().await;
    scheduler.idle().await;
    let walked = records.answered.swap(0, Ordering::SeqCst);
    assert!(walked >= ROWS, "the first tick mends, and so looks at all: {walked}");
    for _ in 0..20 {
        stand.clock.advance(Span(10));
        while fake.reads().len() < (stand.clock.now().0 as f64 - now * 1000.0) as usize {
            scheduler.tick().await;
            scheduler.idle().await;
        }
    }
    let (answered, read) = (records.answered.load(Ordering::SeqCst), fake.reads().len());
    assert!((200..=202).contains(&read), "{read} rows were due");
    assert!(answered < 40 * read, "{answered} answers for {read} rows");
    assert_eq!(rows.counts().await.expect("readable").total, ROWS);
}
