//! What becomes of a reading: the row is kept, or its failure is, or it goes; always on the condition that the claim holds.

use crate::claim::{Claim, without};
use crate::row::Row;
use crate::source::SourceError;
use crate::terms::Terms;
use parlor_layout::shop::rows as layout;
use parlor_rules::time::{Millis, Span};
use parlor_store::{Batch, Key, Operation, Score};

/// Failures are counted up to this; the pause has long reached its bound.
const FAILURES_MAX: u32 = 1_000;

/// How a reading ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Read(Row),
    /// The database has no such row.
    Missing,
    Failed(SourceError),
}

/// The one batch that an outcome is. `luck` is between 0 and 1.
pub(crate) fn batch(claim: &Claim, outcome: &Outcome, terms: &Terms, now: Millis, luck: f64) -> Batch {
    let id = &claim.id;
    let mut batch = match outcome {
        Outcome::Read(row) => {
            let next = now + claim.delay.times(1.0 + terms.jitter * luck);
            Batch {
                operations: vec![
                    Operation::Put { key: layout::inv_key(id), value: layout::inv(&row.json), deadline: Some(row.until) },
                    set(layout::schedule_key(), id, layout::seconds(next)),
                    set(layout::read_key(), id, layout::seconds(row.read_at)),
                    drop(layout::failing_key(), id),
                    drop(layout::missing_key(), id),
                ],
                ..Batch::default()
            }
        }
        Outcome::Missing if now.since(missing_since(claim, now)) >= terms.missing_for => without(id),
        Outcome::Missing => {
            let since = missing_since(claim, now);
            // The longer it has been missing, the longer until it is asked for again.
            let pause = claim.delay.span().max(now.since(since)).min(terms.backoff_max.max(claim.delay.span()));
            Batch {
                operations: vec![
                    Operation::Drop { key: layout::inv_key(id) },
                    set(layout::schedule_key(), id, layout::seconds(now + spread(pause, terms, luck))),
                    set(layout::missing_key(), id, layout::seconds(since)),
                    drop(layout::read_key(), id),
                    drop(layout::failing_key(), id),
                ],
                ..Batch::default()
            }
        }
        Outcome::Failed(_) => {
            let failures = claim.found.failures.saturating_add(1).min(FAILURES_MAX);
            let next = now + spread(pause(claim, terms, failures), terms, luck);
            let count = Score::new(f64::from(failures)).expect("a count is a number");
            Batch {
                operations: vec![set(layout::schedule_key(), id, layout::seconds(next)), set(layout::failing_key(), id, count)],
                ..Batch::default()
            }
        }
    };
    batch.tag = layout::tag(layout::piece(id));
    batch.conditions = claim.holds();
    // Where everything goes, the mark is gone already.
    batch.operations.push(Operation::Drop { key: layout::state_key(id) });
    batch
}

/// How long what was read may be shown when it cannot be read again.
pub(crate) fn lives(claim: &Claim, terms: &Terms) -> Span {
    claim.delay.times(terms.lives_delays).max(terms.lives_min)
}

/// Twice as long after each failure, never more often than the row is read anyway unless that is very rarely.
fn pause(claim: &Claim, terms: &Terms, failures: u32) -> Span {
    let first = claim.delay.span().min(terms.backoff_max);
    let doubled = first.0.saturating_mul(1u64.checked_shl(failures - 1).unwrap_or(u64::MAX));
    Span(doubled.min(terms.backoff_max.0))
}

/// Rows that failed together are not asked for together.
fn spread(pause: Span, terms: &Terms, luck: f64) -> Span {
    Span(pause.0 + (pause.0 as f64 * terms.jitter * luck) as u64)
}

fn missing_since(claim: &Claim, now: Millis) -> Millis {
    claim.found.missing_since.unwrap_or(now).min(now)
}

fn set(key: Key, id: &Key, score: Score) -> Operation {
    Operation::SetScore { key, member: id.clone(), score }
}

fn drop(key: Key, id: &Key) -> Operation {
    Operation::DropMember { key, member: id.clone() }
}
