//! The reference shelf: values in one map, with what is needed to take a failed batch back.
//!
//! Sorted sets are kept in the order of their scores too, and a small change to a large collection remembers that change alone:
//! a set of a million members is neither sorted nor copied to move one of them.

use crate::error::StoreError;
use crate::records::logic::{Shelf, ShelfMut, other_shape};
use crate::shapes::{Field, Key, Score, Value};
use bytes::Bytes;
use parlor_rules::time::Millis;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone)]
pub(crate) struct Kept {
    shape: Shape,
    pub(crate) deadline: Option<Millis>,
}

#[derive(Clone)]
enum Shape {
    /// A text, a document or a list.
    Plain(Value),
    Hash(BTreeMap<Field, Bytes>),
    Set(Ranked),
}

/// A sorted set, by name and as it ranks: by score, then by name.
#[derive(Clone, Default)]
struct Ranked {
    scores: BTreeMap<Field, Score>,
    order: BTreeSet<(Score, Field)>,
}

pub(crate) struct MemoryShelf<'a> {
    map: &'a mut BTreeMap<Key, Kept>,
    now: Millis,
    /// What was there before each change, in the order of the changes.
    before: Vec<Before>,
}

enum Before {
    Whole(Key, Option<Kept>),
    Field(Key, Field, Option<Bytes>),
    Score(Key, Field, Option<Score>),
}

#[cfg(feature = "dynamodb")]
impl Kept {
    pub(crate) fn new(value: Value, deadline: Option<Millis>) -> Kept {
        Kept { shape: value.into(), deadline }
    }

    pub(crate) fn value(&self) -> Value {
        self.shape.value()
    }
}

impl Ranked {
    fn set(&mut self, member: &Field, score: Option<Score>) -> Option<Score> {
        let was = match score {
            Some(score) => self.scores.insert(member.clone(), score),
            None => self.scores.remove(member),
        };
        if let Some(was) = was {
            self.order.remove(&(was, member.clone()));
        }
        self.order.extend(score.map(|score| (score, member.clone())));
        was
    }
}

impl From<Value> for Shape {
    fn from(value: Value) -> Shape {
        match value {
            Value::Hash(fields) => Shape::Hash(fields),
            Value::SortedSet(scores) => {
                let order = scores.iter().map(|(member, score)| (*score, member.clone())).collect();
                Shape::Set(Ranked { scores, order })
            }
            plain @ (Value::Text(_) | Value::Document(_) | Value::List(_)) => Shape::Plain(plain),
        }
    }
}

impl Shape {
    fn value(&self) -> Value {
        match self {
            Shape::Plain(value) => value.clone(),
            Shape::Hash(fields) => Value::Hash(fields.clone()),
            Shape::Set(ranked) => Value::SortedSet(ranked.scores.clone()),
        }
    }
}

fn set_field(fields: &mut BTreeMap<Field, Bytes>, field: &Field, value: Option<Bytes>) -> Option<Bytes> {
    match value {
        Some(value) => fields.insert(field.clone(), value),
        None => fields.remove(field),
    }
}

impl<'a> MemoryShelf<'a> {
    pub(crate) fn new(map: &'a mut BTreeMap<Key, Kept>, now: Millis) -> MemoryShelf<'a> {
        MemoryShelf { map, now, before: Vec::new() }
    }

    /// The keys under which something was changed.
    #[cfg(feature = "dynamodb")]
    pub(crate) fn touched(&self) -> std::collections::BTreeSet<Key> {
        let key = |before: &Before| match before {
            Before::Whole(key, _) | Before::Field(key, ..) | Before::Score(key, ..) => key.clone(),
        };
        self.before.iter().map(key).collect()
    }

    pub(crate) fn take_back(&mut self) {
        while let Some(before) = self.before.pop() {
            match before {
                Before::Whole(key, Some(kept)) => drop(self.map.insert(key, kept)),
                Before::Whole(key, None) => drop(self.map.remove(&key)),
                Before::Field(key, field, was) => {
                    if let Some(Kept { shape: Shape::Hash(fields), .. }) = self.map.get_mut(&key) {
                        set_field(fields, &field, was);
                    }
                }
                Before::Score(key, member, was) => {
                    if let Some(Kept { shape: Shape::Set(ranked), .. }) = self.map.get_mut(&key) {
                        ranked.set(&member, was);
                    }
                }
            }
        }
    }

    fn live(&self, key: &Key) -> Option<&Kept> {
        self.map.get(key).filter(|kept| kept.deadline.is_none_or(|deadline| deadline > self.now))
    }

    fn hash(&self, key: &Key) -> Result<Option<&BTreeMap<Field, Bytes>>, StoreError> {
        match self.live(key).map(|kept| &kept.shape) {
            Some(Shape::Hash(fields)) => Ok(Some(fields)),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn ranked(&self, key: &Key) -> Result<Option<&Ranked>, StoreError> {
        match self.live(key).map(|kept| &kept.shape) {
            Some(Shape::Set(ranked)) => Ok(Some(ranked)),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    /// Replaces all there is under a key, or takes it away, and remembers what was there.
    fn replace(&mut self, key: &Key, kept: Option<Kept>) {
        let was = match kept {
            Some(kept) => self.map.insert(key.clone(), kept),
            None => self.map.remove(key),
        };
        self.before.push(Before::Whole(key.clone(), was));
    }
}

impl Shelf for MemoryShelf<'_> {
    fn whole(&self, key: &Key) -> Result<Option<Value>, StoreError> {
        Ok(self.live(key).map(|kept| kept.shape.value()))
    }

    fn deadline(&self, key: &Key) -> Result<Option<Option<Millis>>, StoreError> {
        Ok(self.live(key).map(|kept| kept.deadline))
    }

    fn text(&self, key: &Key) -> Result<Option<Bytes>, StoreError> {
        match self.live(key).map(|kept| &kept.shape) {
            Some(Shape::Plain(Value::Text(text) | Value::Document(text))) => Ok(Some(text.clone())),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn list(&self, key: &Key) -> Result<Vec<Bytes>, StoreError> {
        match self.live(key).map(|kept| &kept.shape) {
            Some(Shape::Plain(Value::List(items))) => Ok(items.clone()),
            Some(_) => Err(other_shape(key)),
            None => Ok(Vec::new()),
        }
    }

    fn field(&self, key: &Key, field: &Field) -> Result<Option<Bytes>, StoreError> {
        Ok(self.hash(key)?.and_then(|fields| fields.get(field).cloned()))
    }

    fn score(&self, key: &Key, member: &Field) -> Result<Option<Score>, StoreError> {
        Ok(self.ranked(key)?.and_then(|ranked| ranked.scores.get(member).copied()))
    }

    fn count(&self, key: &Key) -> Result<usize, StoreError> {
        match self.live(key).map(|kept| &kept.shape) {
            Some(Shape::Hash(fields)) => Ok(fields.len()),
            Some(Shape::Plain(Value::List(items))) => Ok(items.len()),
            Some(Shape::Set(ranked)) => Ok(ranked.scores.len()),
            Some(Shape::Plain(_)) => Err(other_shape(key)),
            None => Ok(0),
        }
    }

    fn rank(&self, key: &Key, member: &Field, score: Score) -> Result<usize, StoreError> {
        let place = (score, member.clone());
        Ok(self.ranked(key)?.map_or(0, |ranked| ranked.order.range(..place).count()))
    }

    fn lowest(&self, key: &Key, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, StoreError> {
        let members = self.ranked(key)?.into_iter().flat_map(|ranked| ranked.order.iter().skip(skip).take(take));
        Ok(members.map(|(score, member)| (member.clone(), *score)).collect())
    }
}

impl ShelfMut for MemoryShelf<'_> {
    fn put(&mut self, key: &Key, value: Value, deadline: Option<Millis>) -> Result<(), StoreError> {
        self.replace(key, Some(Kept { shape: value.into(), deadline }));
        Ok(())
    }

    fn drop_key(&mut self, key: &Key) -> Result<bool, StoreError> {
        let was = self.live(key).is_some();
        self.replace(key, None);
        Ok(was)
    }

    fn renew(&mut self, key: &Key, deadline: Option<Millis>) -> Result<bool, StoreError> {
        let Some(kept) = self.live(key).cloned() else { return Ok(false) };
        self.replace(key, Some(Kept { deadline, ..kept }));
        Ok(true)
    }

    fn set_field(&mut self, key: &Key, field: &Field, value: Option<Bytes>) -> Result<bool, StoreError> {
        let (was, count) = self.hash(key)?.map_or((false, 0), |fields| (fields.contains_key(field), fields.len()));
        match (value, count) {
            (None, _) if !was => {}
            // The last one takes the key with it.
            (None, 1) => self.replace(key, None),
            (Some(value), 0) => {
                let shape = Shape::Hash([(field.clone(), value)].into());
                self.replace(key, Some(Kept { shape, deadline: None }));
            }
            (value, _) => {
                if let Some(Kept { shape: Shape::Hash(fields), .. }) = self.map.get_mut(key) {
                    let was = set_field(fields, field, value);
                    self.before.push(Before::Field(key.clone(), field.clone(), was));
                }
            }
        }
        Ok(was)
    }

    fn set_score(&mut self, key: &Key, member: &Field, score: Option<Score>) -> Result<bool, StoreError> {
        let known = self.ranked(key)?.map(|ranked| (ranked.scores.contains_key(member), ranked.scores.len()));
        let (was, count) = known.unwrap_or((false, 0));
        match (score, count) {
            (None, _) if !was => {}
            // The last one takes the key with it.
            (None, 1) => self.replace(key, None),
            (Some(score), 0) => {
                let shape = Value::SortedSet([(member.clone(), score)].into()).into();
                self.replace(key, Some(Kept { shape, deadline: None }));
            }
            (score, _) => {
                if let Some(Kept { shape: Shape::Set(ranked), .. }) = self.map.get_mut(key) {
                    let was = ranked.set(member, score);
                    self.before.push(Before::Score(key.clone(), member.clone(), was));
                }
            }
        }
        Ok(was)
    }

    fn set_list(&mut self, key: &Key, items: Vec<Bytes>) -> Result<(), StoreError> {
        self.list(key)?;
        let deadline = self.live(key).and_then(|kept| kept.deadline);
        let kept = (!items.is_empty()).then(|| Kept { shape: Shape::Plain(Value::List(items)), deadline });
        self.replace(key, kept);
        Ok(())
    }
}
