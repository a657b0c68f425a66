//! Records that belong to no room: conditions and operations, applied together.
//!
//! A key is always asked for under the same tag. A collection that loses its last item is gone, and its
//! deadline with it. An operation or a condition that needs another shape than is there fails the whole batch.

pub(crate) mod logic;

use crate::error::StoreError;
use crate::shapes::{Field, Key, Score, Value};
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::time::Millis;

/// Counters stay within this, the largest range that every backend counts in exactly.
pub const COUNTER_MAX: i64 = (1 << 53) - 1;

/// Conditions that must all hold, then operations that all happen; or nothing happens.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Keys that change together share a tag; a backend may keep different tags in different places. Without a tag
    /// each key is in a place of its own: see `Records::is_scattered`.
    pub tag: String,
    pub conditions: Vec<Condition>,
    pub operations: Vec<Operation>,
    /// Whoever asks does not mind if it happens twice where an answer got lost: then no backend remembers having answered.
    pub may_repeat: bool,
}

#[derive(Clone, Debug)]
pub enum Condition {
    Absent(Key),
    Present(Key),
    /// A text or document that holds exactly this.
    Holds(Key, Bytes),
    FieldAbsent(Key, Field),
    FieldPresent(Key, Field),
    FieldHolds(Key, Field, Bytes),
    /// A sorted set's member that is there with at most this score.
    ScoreAtMost(Key, Field, Score),
    /// A sorted set's member that is there with exactly this score.
    ScoreIs(Key, Field, Score),
    MemberAbsent(Key, Field),
    /// A collection with fewer fields, items or members than this; an absent one has none.
    FewerThan(Key, usize),
}

#[derive(Clone, Debug)]
pub enum Operation {
    /// Replaces whatever was there, its deadline too. Answers `Done`.
    Put { key: Key, value: Value, deadline: Option<Millis> },
    /// Answers `Was`.
    Drop { key: Key },
    /// A new deadline for a key that is there; nothing for one that is not. Answers `Was`.
    Renew { key: Key, deadline: Option<Millis> },
    /// Answers whether the field `Was` there.
    SetField { key: Key, field: Field, value: Bytes },
    /// Answers `Was`.
    DropField { key: Key, field: Field },
    /// Adds to a whole number kept as decimal text (absent counts as 0), clamped to the bounds; dropped at `drop_at`.
    /// Answers the `Number` it came to.
    AddField { key: Key, field: Field, by: i64, min: i64, max: i64, drop_at: Option<i64> },
    /// Appends at the tail, after removing the same item elsewhere, and keeps the newest `keep`. Answers how many are `Left`.
    Push { key: Key, item: Bytes, unique: bool, keep: usize },
    /// Answers whether the member `Was` there.
    SetScore { key: Key, member: Field, score: Score },
    /// Absent counts as 0. Answers the `Score` it came to; a sum that is no number fails the batch.
    AddScore { key: Key, member: Field, by: f64 },
    /// Answers `Was`.
    DropMember { key: Key, member: Field },
    /// Keeps the lowest-scored `keep` members. Answers how many are `Left`.
    KeepLowest { key: Key, keep: usize },
    /// Multiplies every score. Answers `Done`; a product that is no number fails the batch.
    Scale { key: Key, by: f64 },
}

/// A member of a sorted set that was used.
#[derive(Clone, Debug)]
pub struct Used {
    pub member: Field,
    pub score: Score,
    /// A list of its own, and what is pushed onto it, each item once. Without items it is left alone.
    pub list: Key,
    pub items: Vec<Bytes>,
    /// When the list ends.
    pub deadline: Option<Millis>,
}

/// What each operation answers, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    Done,
    /// Whether there was something to change or drop.
    Was(bool),
    Number(i64),
    Score(Score),
    /// How many are left.
    Left(usize),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Applied {
    Done(Vec<Reply>),
    /// The first condition, by index, that does not hold. Nothing happened.
    Refused(usize),
}

#[derive(Clone, Debug)]
pub enum Query {
    Whole(Key),
    Field(Key, Field),
    /// How many fields, items or members; 0 when absent.
    Count(Key),
    Score(Key, Field),
    /// How many members have a lower score, or the same score and a smaller name.
    Rank(Key, Field),
    /// Members from the lowest score upward, by rank.
    Lowest {
        key: Key,
        skip: usize,
        take: usize,
    },
    Deadline(Key),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Absent,
    Whole(Value),
    Bytes(Bytes),
    Count(usize),
    Score(Score),
    Members(Vec<(Field, Score)>),
    Deadline(Option<Millis>),
}

/// Records at rest. A key past its deadline reads as absent, even if the backend is late to delete it.
#[async_trait]
pub trait Records: Send + Sync + 'static {
    /// Answers to all queries from one moment.
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError>;

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError>;

    /// Batches of one tag that have nothing to do with each other, in order; each may happen twice where an answer got lost, and
    /// what their operations answer is not told. One that fails is the answer: those before it have happened.
    async fn apply_each(&self, tag: &str, batches: Vec<Batch>) -> Result<Vec<Applied>, StoreError> {
        let mut all = Vec::with_capacity(batches.len());
        for batch in batches {
            let applied = self.apply(Batch { tag: tag.to_owned(), may_repeat: true, ..batch }).await?;
            all.push(if let Applied::Done(_) = applied { Applied::Done(Vec::new()) } else { applied });
        }
        Ok(all)
    }

    /// Members of one sorted set that were used: each that is there gets its score, and its items on its list, of which the newest
    /// `keep` stay. Says which were there. Each is for itself, as in `apply_each`; the same batches, where a backend
    /// has no shorter way to say it.
    async fn use_members(&self, tag: &str, set: &Key, keep: usize, used: Vec<Used>) -> Result<Vec<bool>, StoreError> {
        let batches = used.into_iter().map(|used| used.batch(set, keep)).collect();
        let applied = self.apply_each(tag, batches).await?;
        Ok(applied.iter().map(|applied| matches!(applied, Applied::Done(_))).collect())
    }

    /// Whether keys without a tag are in different places: then a batch or a read without one names a single key.
    fn is_scattered(&self) -> bool {
        false
    }
}

impl Used {
    pub(crate) fn batch(self, set: &Key, keep: usize) -> Batch {
        let Used { member, score, list, items, deadline } = self;
        let conditions = vec![Condition::ScoreAtMost(set.clone(), member.clone(), Score::HIGHEST)];
        let renew = (!items.is_empty()).then(|| Operation::Renew { key: list.clone(), deadline });
        let push = |item| Operation::Push { key: list.clone(), item, unique: true, keep };
        let score = Operation::SetScore { key: set.clone(), member, score };
        let operations = items.into_iter().map(push).chain(renew).chain([score]).collect();
        Batch { conditions, operations, may_repeat: true, ..Batch::default() }
    }
}

impl Condition {
    pub fn key(&self) -> &Key {
        match self {
            Condition::Absent(key)
            | Condition::Present(key)
            | Condition::Holds(key, _)
            | Condition::FieldAbsent(key, _)
            | Condition::FieldPresent(key, _)
            | Condition::FieldHolds(key, _, _)
            | Condition::ScoreAtMost(key, _, _)
            | Condition::ScoreIs(key, _, _)
            | Condition::MemberAbsent(key, _)
            | Condition::FewerThan(key, _) => key,
        }
    }
}

impl Query {
    pub fn key(&self) -> &Key {
        match self {
            Query::Whole(key)
            | Query::Field(key, _)
            | Query::Count(key)
            | Query::Score(key, _)
            | Query::Rank(key, _)
            | Query::Lowest { key, .. }
            | Query::Deadline(key) => key,
        }
    }
}

impl Batch {
    pub fn bytes(&self) -> usize {
        self.operations.iter().map(Operation::bytes).sum()
    }

    pub(crate) fn name_bytes_longest(&self) -> usize {
        let conditions = self.conditions.iter().map(|condition| match condition {
            Condition::Absent(key) | Condition::Present(key) | Condition::Holds(key, _) | Condition::FewerThan(key, _) => {
                key.len()
            }
            Condition::FieldAbsent(key, name)
            | Condition::FieldPresent(key, name)
            | Condition::FieldHolds(key, name, _)
            | Condition::ScoreAtMost(key, name, _)
            | Condition::ScoreIs(key, name, _)
            | Condition::MemberAbsent(key, name) => key.len().max(name.len()),
        });
        conditions.chain(self.operations.iter().map(Operation::name_bytes_longest)).max().unwrap_or(0)
    }
}

impl Operation {
    pub fn key(&self) -> &Key {
        match self {
            Operation::Put { key, .. }
            | Operation::Drop { key }
            | Operation::Renew { key, .. }
            | Operation::SetField { key, .. }
            | Operation::DropField { key, .. }
            | Operation::AddField { key, .. }
            | Operation::Push { key, .. }
            | Operation::SetScore { key, .. }
            | Operation::AddScore { key, .. }
            | Operation::DropMember { key, .. }
            | Operation::KeepLowest { key, .. }
            | Operation::Scale { key, .. } => key,
        }
    }

    /// Roughly what the operation carries, for limits.
    fn bytes(&self) -> usize {
        let payload = match self {
            Operation::Put { value, .. } => value.bytes(),
            Operation::SetField { field, value, .. } => field.len() + value.len(),
            Operation::Push { item, .. } => item.len(),
            Operation::DropField { field, .. } | Operation::AddField { field, .. } => field.len(),
            Operation::SetScore { member, .. } | Operation::AddScore { member, .. } | Operation::DropMember { member, .. } => {
                member.len()
            }
            Operation::Drop { .. } | Operation::Renew { .. } | Operation::KeepLowest { .. } | Operation::Scale { .. } => 0,
        };
        self.key().len() + payload
    }

    fn name_bytes_longest(&self) -> usize {
        let name = match self {
            Operation::Put { value, .. } => value.name_bytes_longest(),
            Operation::SetField { field, .. } | Operation::DropField { field, .. } | Operation::AddField { field, .. } => {
                field.len()
            }
            Operation::SetScore { member, .. } | Operation::AddScore { member, .. } | Operation::DropMember { member, .. } => {
                member.len()
            }
            Operation::Drop { .. }
            | Operation::Renew { .. }
            | Operation::Push { .. }
            | Operation::KeepLowest { .. }
            | Operation::Scale { .. } => 0,
        };
        self.key().len().max(name)
    }
}
