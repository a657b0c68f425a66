//! Records on the disk: a head per key, and a physical key per field and per member, so that one of many costs one.
//!
//! What a condition or an operation means is said in `records::logic`; this only finds and places the bytes.

use super::book::Book;
use super::codec::{self, Body, RecordHead};
use super::disk::DiskError;
use super::keys::{self, Owner};
use super::work::{Source, Work};
use crate::error::StoreError;
use crate::records::logic::{Shelf, ShelfMut, other_shape};
use crate::shapes::{Field, Key, Score, Value};
use bytes::Bytes;
use parlor_rules::time::Millis;
use std::collections::BTreeMap;

/// What can be read.
pub(super) struct ReadShelf<'a, S> {
    pub(super) source: &'a S,
    pub(super) now: Millis,
}

/// What can be changed, within a turn.
pub(super) struct WriteShelf<'a> {
    pub(super) work: &'a mut Work,
    pub(super) book: &'a mut Book,
    pub(super) now: Millis,
}

impl<S: Source> ReadShelf<'_, S> {
    fn live(&self, key: &Key) -> Result<Option<RecordHead>, DiskError> {
        Ok(head(self.source, key)?.filter(|head| head.is_live(self.now)))
    }

    fn hash(&self, key: &Key) -> Result<Option<(u64, u64)>, StoreError> {
        match self.live(key)?.map(|head| head.body) {
            Some(Body::Hash { number, count }) => Ok(Some((number, count))),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn sorted_set(&self, key: &Key) -> Result<Option<(u64, u64)>, StoreError> {
        match self.live(key)?.map(|head| head.body) {
            Some(Body::SortedSet { number, count }) => Ok(Some((number, count))),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn fields(&self, number: u64) -> Result<BTreeMap<Field, Bytes>, DiskError> {
        let (from, to) = keys::sort_of(number, b'f');
        let mut fields = BTreeMap::new();
        let mut good = true;
        self.source.scan(
            &from,
            &to,
            &mut |key, value| match key.get(from.len()..).and_then(|field| codec::name(field).ok()) {
                Some(field) => fields.insert(field, Bytes::copy_from_slice(value)).is_none(),
                None => {
                    good = false;
                    false
                }
            },
        )?;
        if good { Ok(fields) } else { Err(codec::broken()) }
    }

    /// Members from the lowest score upward, past `skip` of them.
    fn ranked(&self, number: u64, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, DiskError> {
        let (from, to) = keys::sort_of(number, b's');
        let (mut members, mut passed, mut good) = (Vec::new(), 0usize, true);
        if take == 0 {
            return Ok(members);
        }
        self.source.scan(&from, &to, &mut |key, _| {
            passed += 1;
            if passed <= skip {
                return true;
            }
            match keys::parse_by_score(key).and_then(|(score, member)| Some((codec::name(member).ok()?, score))) {
                Some(member) => members.push(member),
                None => good = false,
            }
            good && members.len() < take
        })?;
        if good { Ok(members) } else { Err(codec::broken()) }
    }
}

fn head(source: &impl Source, key: &Key) -> Result<Option<RecordHead>, DiskError> {
    source.get(&keys::record(key))?.map(|bytes| RecordHead::decode(&bytes)).transpose()
}

fn score_on_disk(source: &impl Source, number: u64, member: &Field) -> Result<Option<Score>, DiskError> {
    let Some(bytes) = source.get(&keys::member(number, member))? else { return Ok(None) };
    let bits = bytes.as_ref().try_into().map(u64::from_le_bytes).map_err(|_| codec::broken())?;
    Score::new(f64::from_bits(bits)).map(Some).ok_or_else(codec::broken)
}

impl<S: Source> Shelf for ReadShelf<'_, S> {
    fn whole(&self, key: &Key) -> Result<Option<Value>, StoreError> {
        Ok(match self.live(key)?.map(|head| head.body) {
            Some(Body::Here(value)) => Some(value),
            Some(Body::Hash { number, .. }) => Some(Value::Hash(self.fields(number)?)),
            Some(Body::SortedSet { number, .. }) => {
                Some(Value::SortedSet(self.ranked(number, 0, usize::MAX)?.into_iter().collect()))
            }
            None => None,
        })
    }

    fn deadline(&self, key: &Key) -> Result<Option<Option<Millis>>, StoreError> {
        Ok(self.live(key)?.map(|head| head.deadline))
    }

    fn text(&self, key: &Key) -> Result<Option<Bytes>, StoreError> {
        match self.live(key)?.map(|head| head.body) {
            Some(Body::Here(Value::Text(text) | Value::Document(text))) => Ok(Some(text)),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn list(&self, key: &Key) -> Result<Vec<Bytes>, StoreError> {
        match self.live(key)?.map(|head| head.body) {
            Some(Body::Here(Value::List(items))) => Ok(items),
            Some(_) => Err(other_shape(key)),
            None => Ok(Vec::new()),
        }
    }

    fn field(&self, key: &Key, field: &Field) -> Result<Option<Bytes>, StoreError> {
        let Some((number, _)) = self.hash(key)? else { return Ok(None) };
        Ok(self.source.get(&keys::field(number, field))?)
    }

    fn score(&self, key: &Key, member: &Field) -> Result<Option<Score>, StoreError> {
        let Some((number, _)) = self.sorted_set(key)? else { return Ok(None) };
        Ok(score_on_disk(self.source, number, member)?)
    }

    fn count(&self, key: &Key) -> Result<usize, StoreError> {
        match self.live(key)?.map(|head| head.body) {
            Some(Body::Hash { count, .. } | Body::SortedSet { count, .. }) => Ok(count as usize),
            Some(Body::Here(Value::List(items))) => Ok(items.len()),
            Some(Body::Here(_)) => Err(other_shape(key)),
            None => Ok(0),
        }
    }

    fn rank(&self, key: &Key, member: &Field, score: Score) -> Result<usize, StoreError> {
        let Some((number, _)) = self.sorted_set(key)? else { return Ok(0) };
        let (from, _) = keys::sort_of(number, b's');
        let mut before = 0;
        self.source.scan(&from, &keys::by_score(number, score, member), &mut |_, _| {
            before += 1;
            true
        })?;
        Ok(before)
    }

    fn lowest(&self, key: &Key, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, StoreError> {
        let Some((number, _)) = self.sorted_set(key)? else { return Ok(Vec::new()) };
        Ok(self.ranked(number, skip, take)?)
    }
}

impl WriteShelf<'_> {
    fn read(&self) -> ReadShelf<'_, Work> {
        ReadShelf { source: self.work, now: self.now }
    }

    fn keep(&mut self, key: &Key, mut head: RecordHead) {
        head.filed = self.book.file(self.work, Owner::Record, key, head.deadline, head.filed);
        self.work.put(keys::record(key), head.encode());
    }

    /// Removes whatever is under the key, live or not; answers whether it was live.
    fn clear(&mut self, key: &Key) -> Result<bool, DiskError> {
        let Some(head) = head(self.work, key)? else { return Ok(false) };
        if let Some(number) = head.number() {
            self.book.bury(self.work, number);
        }
        self.book.unfile(self.work, Owner::Record, key, head.filed);
        self.work.remove(keys::record(key));
        Ok(head.is_live(self.now))
    }

    /// The live head, or a fresh one of the wanted shape once the expired one is gone.
    fn head_or(&mut self, key: &Key, fresh: impl FnOnce(u64) -> Body) -> Result<RecordHead, DiskError> {
        if let Some(head) = self.read().live(key)? {
            return Ok(head);
        }
        self.clear(key)?;
        Ok(RecordHead { deadline: None, filed: None, body: fresh(self.book.number()) })
    }

    fn put_score(&mut self, number: u64, member: &Field, was: Option<Score>, score: Option<Score>) {
        if let Some(was) = was {
            self.work.remove(keys::by_score(number, was, member));
        }
        match score {
            Some(score) => {
                self.work.put(keys::by_score(number, score, member), Bytes::new());
                let bits = score.get().to_bits().to_le_bytes();
                self.work.put(keys::member(number, member), Bytes::copy_from_slice(&bits));
            }
            None => self.work.remove(keys::member(number, member)),
        }
    }
}

impl Shelf for WriteShelf<'_> {
    fn whole(&self, key: &Key) -> Result<Option<Value>, StoreError> {
        self.read().whole(key)
    }

    fn deadline(&self, key: &Key) -> Result<Option<Option<Millis>>, StoreError> {
        self.read().deadline(key)
    }

    fn text(&self, key: &Key) -> Result<Option<Bytes>, StoreError> {
        self.read().text(key)
    }

    fn list(&self, key: &Key) -> Result<Vec<Bytes>, StoreError> {
        self.read().list(key)
    }

    fn field(&self, key: &Key, field: &Field) -> Result<Option<Bytes>, StoreError> {
        self.read().field(key, field)
    }

    fn score(&self, key: &Key, member: &Field) -> Result<Option<Score>, StoreError> {
        self.read().score(key, member)
    }

    fn count(&self, key: &Key) -> Result<usize, StoreError> {
        self.read().count(key)
    }

    fn rank(&self, key: &Key, member: &Field, score: Score) -> Result<usize, StoreError> {
        self.read().rank(key, member, score)
    }

    fn lowest(&self, key: &Key, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, StoreError> {
        self.read().lowest(key, skip, take)
    }
}

impl ShelfMut for WriteShelf<'_> {
    fn put(&mut self, key: &Key, value: Value, deadline: Option<Millis>) -> Result<(), StoreError> {
        self.clear(key)?;
        let body = match value {
            Value::Hash(fields) => {
                let number = self.book.number();
                let count = fields.len() as u64;
                for (field, value) in fields {
                    self.work.put(keys::field(number, &field), value);
                }
                Body::Hash { number, count }
            }
            Value::SortedSet(members) => {
                let number = self.book.number();
                for (member, score) in &members {
                    self.put_score(number, member, None, Some(*score));
                }
                Body::SortedSet { number, count: members.len() as u64 }
            }
            value => Body::Here(value),
        };
        self.keep(key, RecordHead { deadline, filed: None, body });
        Ok(())
    }

    fn drop_key(&mut self, key: &Key) -> Result<bool, StoreError> {
        Ok(self.clear(key)?)
    }

    fn renew(&mut self, key: &Key, deadline: Option<Millis>) -> Result<bool, StoreError> {
        let Some(head) = self.read().live(key)? else { return Ok(false) };
        if head.deadline != deadline {
            self.keep(key, RecordHead { deadline, ..head });
        }
        Ok(true)
    }

    fn set_field(&mut self, key: &Key, field: &Field, value: Option<Bytes>) -> Result<bool, StoreError> {
        let was = self.field(key, field)?.is_some();
        if value.is_none() && !was {
            return Ok(false);
        }
        let mut head = self.head_or(key, |number| Body::Hash { number, count: 0 })?;
        let Body::Hash { number, count } = &mut head.body else { return Err(other_shape(key)) };
        let at = keys::field(*number, field);
        match (value, was) {
            (Some(value), true) => self.work.put(at, value),
            (Some(value), false) => {
                *count += 1;
                self.work.put(at, value);
                self.keep(key, head);
            }
            (None, _) => {
                *count = count.saturating_sub(1);
                self.work.remove(at);
                if *count == 0 {
                    self.clear(key)?;
                } else {
                    self.keep(key, head);
                }
            }
        }
        Ok(was)
    }

    fn set_score(&mut self, key: &Key, member: &Field, score: Option<Score>) -> Result<bool, StoreError> {
        let was = self.score(key, member)?;
        if score.is_none() && was.is_none() {
            return Ok(false);
        }
        let mut head = self.head_or(key, |number| Body::SortedSet { number, count: 0 })?;
        let Body::SortedSet { number, count } = &mut head.body else { return Err(other_shape(key)) };
        let at = *number;
        *count = (*count + u64::from(score.is_some())).saturating_sub(u64::from(was.is_some()));
        let left = *count;
        self.put_score(at, member, was, score);
        if left == 0 {
            self.clear(key)?;
        } else if was.is_some() != score.is_some() {
            self.keep(key, head);
        }
        Ok(was.is_some())
    }

    fn set_list(&mut self, key: &Key, items: Vec<Bytes>) -> Result<(), StoreError> {
        let live = self.read().live(key)?;
        if live.as_ref().is_some_and(|head| !matches!(head.body, Body::Here(Value::List(_)))) {
            return Err(other_shape(key));
        }
        if items.is_empty() {
            self.clear(key)?;
            return Ok(());
        }
        let (deadline, filed) = match live {
            Some(head) => (head.deadline, head.filed),
            None => {
                self.clear(key)?;
                (None, None)
            }
        };
        self.keep(key, RecordHead { deadline, filed, body: Body::Here(Value::List(items)) });
        Ok(())
    }
}
