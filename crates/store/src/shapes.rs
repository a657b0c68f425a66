//! The shapes a value can rest in, the same on every backend: what `redis-cli` would show.
//!
//! A stream is the sixth shape; it is a room's spine and is written by `Rooms::append` alone.

use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

pub type Key = Arc<str>;
pub type Field = Arc<str>;

/// A sorted set's score: never NaN, ordered as numbers are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score(f64);

/// A collection that holds nothing is not kept: a record is absent, or it holds something.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Text(Bytes),
    /// JSON, as one text.
    Document(Bytes),
    Hash(BTreeMap<Field, Bytes>),
    List(Vec<Bytes>),
    SortedSet(BTreeMap<Field, Score>),
}

/// One record as a commit leaves it; always what it holds now, never a difference.
#[derive(Clone, PartialEq, Debug)]
pub enum Write {
    Put {
        key: Key,
        value: Value,
    },
    Drop {
        key: Key,
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
    /// As `SetField`; and what is set follows from another write of the same commit, for backends that keep it so that they
    /// need not write it.
    Lapse {
        key: Key,
        field: Field,
        value: Bytes,
    },
}

impl Score {
    /// No member has a higher one.
    pub const HIGHEST: Score = Score(f64::INFINITY);

    pub fn new(score: f64) -> Option<Score> {
        // Minus zero equals zero as a number but not as bytes; there is only one zero here.
        (!score.is_nan()).then_some(Score(score + 0.0))
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Score) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Write {
    pub fn key(&self) -> &Key {
        match self {
            Write::Put { key, .. }
            | Write::Drop { key }
            | Write::SetField { key, .. }
            | Write::DropField { key, .. }
            | Write::Lapse { key, .. } => key,
        }
    }

    pub(crate) fn name_bytes_longest(&self) -> usize {
        match self {
            Write::Put { key, value } => key.len().max(value.name_bytes_longest()),
            Write::Drop { key } => key.len(),
            Write::SetField { key, field, .. } | Write::DropField { key, field } | Write::Lapse { key, field, .. } => {
                key.len().max(field.len())
            }
        }
    }

    /// Roughly what the write carries, for limits.
    pub fn bytes(&self) -> usize {
        match self {
            Write::Put { key, value } => key.len() + value.bytes(),
            Write::Drop { key } => key.len(),
            Write::SetField { key, field, value } | Write::Lapse { key, field, value } => key.len() + field.len() + value.len(),
            Write::DropField { key, field } => key.len() + field.len(),
        }
    }
}

impl Value {
    pub fn bytes(&self) -> usize {
        match self {
            Value::Text(text) | Value::Document(text) => text.len(),
            Value::Hash(fields) => fields.iter().map(|(field, value)| field.len() + value.len()).sum(),
            Value::List(items) => items.iter().map(Bytes::len).sum(),
            Value::SortedSet(members) => members.keys().map(|member| member.len() + 8).sum(),
        }
    }

    /// A collection with nothing in it is the same as no record at all.
    pub fn is_nothing(&self) -> bool {
        match self {
            Value::Text(_) | Value::Document(_) => false,
            Value::Hash(fields) => fields.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::SortedSet(members) => members.is_empty(),
        }
    }

    pub(crate) fn name_bytes_longest(&self) -> usize {
        match self {
            Value::Text(_) | Value::Document(_) | Value::List(_) => 0,
            Value::Hash(fields) => fields.keys().map(|field| field.len()).max().unwrap_or(0),
            Value::SortedSet(members) => members.keys().map(|member| member.len()).max().unwrap_or(0),
        }
    }
}
