//! Records that belong to no room (sessions, carts, visits): conditions and operations, applied together.

use crate::error::StoreError;
use crate::shapes::{Field, Key, Score, Value};
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::time::Millis;

/// Conditions that must all hold, then operations that all happen; or nothing happens.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Keys that change together share a tag; a backend may keep different tags in different places.
    pub tag: String,
    pub conditions: Vec<Condition>,
    pub operations: Vec<Operation>,
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
    MemberAbsent(Key, Field),
}

#[derive(Clone, Debug)]
pub enum Operation {
    Put {
        key: Key,
        value: Value,
        deadline: Option<Millis>,
    },
    Drop {
        key: Key,
    },
    /// A new deadline for a key that is there; nothing for one that is not.
    Renew {
        key: Key,
        deadline: Option<Millis>,
    },
    SetField {
        key: Key,
        field: Field,
        value: Bytes,
    },
    DropField {
        key: Key,
        field: Field,
    },
    /// Adds to a whole number kept as decimal text (absent counts as 0), clamped to the bounds; dropped at `drop_at`.
    AddField {
        key: Key,
        field: Field,
        by: i64,
        min: i64,
        max: i64,
        drop_at: Option<i64>,
    },
    /// Appends at the tail, after removing the same item elsewhere, and keeps the newest `keep`.
    Push {
        key: Key,
        item: Bytes,
        unique: bool,
        keep: usize,
    },
    SetScore {
        key: Key,
        member: Field,
        score: Score,
    },
    AddScore {
        key: Key,
        member: Field,
        by: f64,
    },
    DropMember {
        key: Key,
        member: Field,
    },
    /// Keeps the lowest-scored `keep` members.
    KeepLowest {
        key: Key,
        keep: usize,
    },
    /// Multiplies every score.
    Scale {
        key: Key,
        by: f64,
    },
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
}
