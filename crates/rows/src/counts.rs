//! How the rows are doing, in four numbers, without looking at all of them.

use crate::error::RowsError;
use crate::rows::Rows;
use parlor_layout::shop::rows as layout;
use parlor_rules::time::{Millis, Span};
use parlor_store::{Answer, Query, StoreError};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub total: usize,
    /// Those that should have been read by now.
    pub due: usize,
    /// Those whose last reading failed.
    pub failing: usize,
    /// How long ago the row was read whose last good reading is the oldest.
    pub oldest_age: Option<Span>,
}

impl Rows {
    pub async fn counts(&self) -> Result<Counts, RowsError> {
        let now = self.now();
        let mut counts = Counts::default();
        for piece in 0..self.inner.heads.len() {
            let tag = layout::tag(piece as u64);
            let queries = vec![
                Query::Count(layout::delay_key()),
                Query::Count(layout::failing_key()),
                Query::Lowest { key: layout::read_key(), skip: 0, take: 1 },
                Query::Count(layout::schedule_key()),
            ];
            let answers = self.inner.records.read(&tag, queries).await?;
            if let [Answer::Count(total), Answer::Count(failing), Answer::Members(oldest), Answer::Count(scheduled)] = &*answers {
                counts.total += total;
                counts.failing += failing;
                let age = oldest.first().map(|(_, read_at)| now.since(layout::moment(*read_at)));
                counts.oldest_age = counts.oldest_age.max(age);
                counts.due += self.due_count(&tag, *scheduled, now).await?;
            }
        }
        Ok(counts)
    }

    /// The place in the schedule from which on nothing is due: steps that double, then halves of the last step.
    async fn due_count(&self, tag: &str, scheduled: usize, now: Millis) -> Result<usize, StoreError> {
        let (mut due, mut step) = (0, 1);
        while due + step <= scheduled && self.is_due(tag, due + step - 1, now).await? {
            due += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if due + step <= scheduled && self.is_due(tag, due + step - 1, now).await? {
                due += step;
            }
        }
        Ok(due)
    }

    async fn is_due(&self, tag: &str, place: usize, now: Millis) -> Result<bool, StoreError> {
        let query = Query::Lowest { key: layout::schedule_key(), skip: place, take: 1 };
        let answers = self.inner.records.read(tag, vec![query]).await?;
        let Some(Answer::Members(members)) = answers.first() else { return Ok(false) };
        Ok(members.first().is_some_and(|(_, at)| layout::moment(*at) <= now))
    }
}
