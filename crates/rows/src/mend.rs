//! Mending the schedule: after the clock went back, and for rows that somebody gave a delay and no place.
//!
//! A row that waits longer than any rule would make it wait gets a place within its delay, at random. This walks over all rows
//! and is done at the start and after a jump alone.

use crate::claim::Found;
use crate::delay::Delay;
use crate::rows::Rows;
use crate::terms::Terms;
use futures_util::{StreamExt, TryStreamExt, stream};
use parlor_layout::shop::rows as layout;
use parlor_rules::time::{Millis, Span};
use parlor_store::{Answer, Query, StoreError};
use std::sync::atomic::Ordering;

const PAGE: usize = 1_000;
const AT_ONCE_MAX: usize = 32;
/// Other nodes' clocks differ a little.
const TOLERATED: Span = Span::seconds(2);

impl Rows {
    pub(crate) async fn mend(&self, now: Millis) -> Result<usize, StoreError> {
        let mut mended = 0;
        for piece in 0..self.inner.heads.len() {
            let mut skip = 0;
            loop {
                let (looked, moved) = self.mend_page(piece, skip, now).await?;
                mended += moved;
                skip += looked;
                if looked < PAGE {
                    break;
                }
            }
            self.inner.heads[piece].store(0, Ordering::SeqCst);
        }
        if mended > 0 {
            tracing::info!(mended, "rows had no place in the schedule, or one that was too far away");
        }
        Ok(mended)
    }

    /// Answers how many were looked at and how many were moved.
    async fn mend_page(&self, piece: usize, skip: usize, now: Millis) -> Result<(usize, usize), StoreError> {
        let tag = layout::tag(piece as u64);
        let query = Query::Lowest { key: layout::delay_key(), skip, take: PAGE };
        let answers = self.inner.records.read(&tag, vec![query]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok((0, 0)) };
        let queries = members.iter().map(|(id, _)| Query::Score(layout::schedule_key(), id.clone())).collect();
        let places = self.inner.records.read(&tag, queries).await?;
        let lost = members.iter().zip(places).filter_map(|((id, delay_score), place)| {
            let schedule = if let Answer::Score(score) = place { Some(score) } else { None };
            // Zero or less is for the scheduler to take away, as soon as it has a place.
            let delay = Delay::kept(*delay_score);
            let is_lost = schedule.is_none_or(|at| layout::moment(at) > now + longest(delay, &self.inner.terms));
            let found = Found::placed(id, schedule, *delay_score);
            is_lost.then(|| (found, next(delay, schedule.is_none(), now, self.luck())))
        });
        let moves = stream::iter(lost.collect::<Vec<_>>())
            .map(|(found, next)| async move { found.move_to(&*self.inner.records, next).await })
            .buffer_unordered(AT_ONCE_MAX);
        let moved = moves.try_fold(0, |count, moved| async move { Ok(count + usize::from(moved)) }).await?;
        Ok((members.len(), moved))
    }
}

/// The longest that a row can rightly have to wait.
fn longest(delay: Option<Delay>, terms: &Terms) -> Span {
    let delay = delay.map_or(Span(0), |delay| delay.times(1.0 + terms.jitter));
    let pause = Span(terms.backoff_max.0 + (terms.backoff_max.0 as f64 * terms.jitter) as u64);
    Span(delay.max(pause).max(terms.lease).0 + TOLERATED.0)
}

/// At once where nobody has ever read it, else within its delay.
fn next(delay: Option<Delay>, is_new: bool, now: Millis, luck: f64) -> Millis {
    match delay {
        Some(delay) if !is_new => now + delay.times(luck),
        Some(_) | None => now,
    }
}
