//! A claim on a row: the right to write what is read next, for a while, unless somebody claims it later.
//!
//! Reading begins after the claim is kept, and only the newest claim may write; so what is written was read later than
//! everything written before it. A claim is lost when the row is claimed again, given another delay or taken from the schedule.

use crate::delay::Delay;
use crate::row::{Row, RowSeen};
use parlor_layout::shop::rows as layout;
use parlor_rules::time::{Millis, Span};
use parlor_store::{Answer, Applied, Batch, Condition, Key, Operation, Query, Records, Score, StoreError};

/// A claim's mark outlives its lease by this factor, for readers that come back late.
const MARK_LEASES: u64 = 2;

/// All that a store has of one row, from one moment.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) id: Key,
    pub(crate) schedule: Option<Score>,
    pub(crate) delay: Option<Score>,
    pub(crate) row: Option<Row>,
    pub(crate) failures: u32,
    pub(crate) missing_since: Option<Millis>,
}

/// A row that is ours to write.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) id: Key,
    pub(crate) delay: Delay,
    /// What was kept when the row was claimed.
    pub(crate) found: Found,
    mark: u64,
    delay_score: Score,
    lease: Score,
}

/// How many queries one row takes.
const QUERIES: usize = 7;

/// What must be asked of a store to know all about a row.
fn queries(id: &Key) -> [Query; QUERIES] {
    [
        Query::Score(layout::schedule_key(), id.clone()),
        Query::Score(layout::delay_key(), id.clone()),
        Query::Whole(layout::inv_key(id)),
        Query::Score(layout::read_key(), id.clone()),
        Query::Score(layout::failing_key(), id.clone()),
        Query::Score(layout::missing_key(), id.clone()),
        Query::Deadline(layout::inv_key(id)),
    ]
}

/// Looks at rows of one piece.
pub(crate) async fn find(records: &dyn Records, tag: &str, ids: &[Key]) -> Result<Vec<Found>, StoreError> {
    let answers = records.read(tag, ids.iter().flat_map(queries).collect()).await?;
    Ok(ids.iter().zip(answers.chunks(QUERIES)).map(|(id, answers)| Found::wake(id, answers)).collect())
}

impl Found {
    fn wake(id: &Key, answers: &[Answer]) -> Found {
        let score = |index: usize| match answers.get(index) {
            Some(Answer::Score(score)) => Some(*score),
            _ => None,
        };
        let json = match answers.get(2) {
            Some(Answer::Whole(record)) => layout::inv_json(record).cloned(),
            _ => None,
        };
        // A row that somebody else wrote has no time; it is as old as can be, and soon replaced.
        let read_at = score(3).map(layout::moment).unwrap_or_default();
        let until = match answers.get(6) {
            Some(Answer::Deadline(Some(until))) => *until,
            _ => Millis(u64::MAX),
        };
        Found {
            id: id.clone(),
            schedule: score(0),
            delay: score(1),
            row: json.and_then(|json| Row::wake(id, json, read_at, until)),
            failures: score(4).map_or(0, |count| count.get() as u32),
            missing_since: score(5).map(layout::moment),
        }
    }

    /// A row of which only its place and its delay are known: enough to move it.
    pub(crate) fn placed(id: &Key, schedule: Option<Score>, delay: Score) -> Found {
        Found { id: id.clone(), schedule, delay: Some(delay), row: None, failures: 0, missing_since: None }
    }

    pub(crate) fn delay(&self) -> Option<Delay> {
        self.delay.and_then(Delay::kept)
    }

    /// As others see it; nothing when it is not kept.
    pub(crate) fn seen(self) -> Option<RowSeen> {
        let delay = self.delay()?;
        // Without a place in the schedule it is read as soon as that is mended.
        let next = self.schedule.map(layout::moment).unwrap_or_default();
        let Found { id, row, failures, missing_since, .. } = self;
        Some(RowSeen { id, delay, next, failures, missing_since, row })
    }

    /// That the row's place in the schedule and its delay are as they were found.
    fn as_found(&self) -> Vec<Condition> {
        let is = |key: Key, score: Option<Score>| match score {
            Some(score) => Condition::ScoreIs(key, self.id.clone(), score),
            None => Condition::MemberAbsent(key, self.id.clone()),
        };
        vec![is(layout::schedule_key(), self.schedule), is(layout::delay_key(), self.delay)]
    }

    /// Moves the row forward by a lease and marks it as ours; nothing when it is no longer as it was found, or not to be kept.
    pub(crate) async fn claim(
        self,
        records: &dyn Records,
        mark: u64,
        now: Millis,
        lease: Span,
    ) -> Result<Option<Claim>, StoreError> {
        let (Some(delay), Some(delay_score)) = (self.delay(), self.delay) else { return Ok(None) };
        let until = layout::seconds(now + lease);
        let state = layout::state_key(&self.id);
        let batch = Batch {
            tag: layout::tag(layout::piece(&self.id)),
            conditions: self.as_found(),
            operations: vec![
                Operation::SetScore { key: layout::schedule_key(), member: self.id.clone(), score: until },
                Operation::Put { key: state, value: layout::state(mark), deadline: Some(now + Span(lease.0 * MARK_LEASES)) },
            ],
            ..Batch::default()
        };
        let kept = matches!(records.apply(batch).await?, Applied::Done(_));
        Ok(kept.then(|| Claim { id: self.id.clone(), delay, found: self, mark, delay_score, lease: until }))
    }

    /// Takes away all there is of a row that has no delay, or one of zero or less, unless somebody has given it one meanwhile.
    pub(crate) async fn clear(self, records: &dyn Records) -> Result<bool, StoreError> {
        let batch = Batch { conditions: self.as_found(), ..without(&self.id) };
        Ok(matches!(records.apply(batch).await?, Applied::Done(_)))
    }

    /// Sets when the row is read next, if nobody has moved it meanwhile.
    pub(crate) async fn move_to(&self, records: &dyn Records, next: Millis) -> Result<bool, StoreError> {
        let member = self.id.clone();
        let batch = Batch {
            tag: layout::tag(layout::piece(&self.id)),
            conditions: self.as_found(),
            operations: vec![Operation::SetScore { key: layout::schedule_key(), member, score: layout::seconds(next) }],
            ..Batch::default()
        };
        Ok(matches!(records.apply(batch).await?, Applied::Done(_)))
    }
}

impl Claim {
    /// That the claim is still ours, and the row still kept on the same terms.
    pub(crate) fn holds(&self) -> Vec<Condition> {
        vec![
            Condition::Holds(layout::state_key(&self.id), layout::state_text(self.mark)),
            Condition::ScoreIs(layout::schedule_key(), self.id.clone(), self.lease),
            Condition::ScoreIs(layout::delay_key(), self.id.clone(), self.delay_score),
        ]
    }
}

/// All that belongs to a row goes in one step, and with it every claim on it. The first answer is whether it had a delay, the
/// sixth whether it had a value.
pub(crate) fn without(id: &Key) -> Batch {
    let sets = [layout::delay_key(), layout::schedule_key(), layout::read_key(), layout::failing_key(), layout::missing_key()];
    let members = sets.map(|key| Operation::DropMember { key, member: id.clone() });
    let keys = [layout::inv_key(id), layout::state_key(id)].map(|key| Operation::Drop { key });
    let operations = members.into_iter().chain(keys).collect();
    Batch { tag: layout::tag(layout::piece(id)), operations, ..Batch::default() }
}
