//! The reference shelf: whole values in one map, with what is needed to take a failed batch back.

use crate::error::StoreError;
use crate::records::logic::{Shelf, ShelfMut, other_shape};
use crate::shapes::{Field, Key, Score, Value};
use bytes::Bytes;
use parlor_rules::time::Millis;
use std::collections::BTreeMap;

#[derive(Clone)]
pub(super) struct Kept {
    pub(super) value: Value,
    pub(super) deadline: Option<Millis>,
}

pub(super) struct MemoryShelf<'a> {
    map: &'a mut BTreeMap<Key, Kept>,
    now: Millis,
    /// What each key held before the batch first touched it.
    before: Vec<(Key, Option<Kept>)>,
}

impl<'a> MemoryShelf<'a> {
    pub(super) fn new(map: &'a mut BTreeMap<Key, Kept>, now: Millis) -> MemoryShelf<'a> {
        MemoryShelf { map, now, before: Vec::new() }
    }

    pub(super) fn take_back(&mut self) {
        while let Some((key, kept)) = self.before.pop() {
            match kept {
                Some(kept) => self.map.insert(key, kept),
                None => self.map.remove(&key),
            };
        }
    }

    fn live(&self, key: &Key) -> Option<&Kept> {
        self.map.get(key).filter(|kept| kept.deadline.is_none_or(|deadline| deadline > self.now))
    }

    fn hash(&self, key: &Key) -> Result<Option<&BTreeMap<Field, Bytes>>, StoreError> {
        match self.live(key).map(|kept| &kept.value) {
            Some(Value::Hash(fields)) => Ok(Some(fields)),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn members(&self, key: &Key) -> Result<Option<&BTreeMap<Field, Score>>, StoreError> {
        match self.live(key).map(|kept| &kept.value) {
            Some(Value::SortedSet(members)) => Ok(Some(members)),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    /// Members as they rank: by score, then by name.
    fn ranked(&self, key: &Key) -> Result<Vec<(Score, Field)>, StoreError> {
        let members = self.members(key)?.into_iter().flatten();
        let mut ranked: Vec<(Score, Field)> = members.map(|(member, score)| (*score, member.clone())).collect();
        ranked.sort();
        Ok(ranked)
    }

    /// What is there now, remembered first; the value `empty` when there is nothing live.
    fn change(&mut self, key: &Key, empty: Value) -> &mut Value {
        self.remember(key);
        if self.live(key).is_none() {
            self.map.insert(key.clone(), Kept { value: empty, deadline: None });
        }
        &mut self.map.get_mut(key).expect("it was inserted above if it was not there").value
    }

    fn remember(&mut self, key: &Key) {
        self.before.push((key.clone(), self.map.get(key).cloned()));
    }

    fn drop_if_nothing(&mut self, key: &Key) {
        if self.map.get(key).is_some_and(|kept| kept.value.is_nothing()) {
            self.map.remove(key);
        }
    }
}

impl Shelf for MemoryShelf<'_> {
    fn whole(&self, key: &Key) -> Result<Option<Value>, StoreError> {
        Ok(self.live(key).map(|kept| kept.value.clone()))
    }

    fn deadline(&self, key: &Key) -> Result<Option<Option<Millis>>, StoreError> {
        Ok(self.live(key).map(|kept| kept.deadline))
    }

    fn text(&self, key: &Key) -> Result<Option<Bytes>, StoreError> {
        match self.live(key).map(|kept| &kept.value) {
            Some(Value::Text(text) | Value::Document(text)) => Ok(Some(text.clone())),
            Some(_) => Err(other_shape(key)),
            None => Ok(None),
        }
    }

    fn list(&self, key: &Key) -> Result<Vec<Bytes>, StoreError> {
        match self.live(key).map(|kept| &kept.value) {
            Some(Value::List(items)) => Ok(items.clone()),
            Some(_) => Err(other_shape(key)),
            None => Ok(Vec::new()),
        }
    }

    fn field(&self, key: &Key, field: &Field) -> Result<Option<Bytes>, StoreError> {
        Ok(self.hash(key)?.and_then(|fields| fields.get(field).cloned()))
    }

    fn score(&self, key: &Key, member: &Field) -> Result<Option<Score>, StoreError> {
        Ok(self.members(key)?.and_then(|members| members.get(member).copied()))
    }

    fn count(&self, key: &Key) -> Result<usize, StoreError> {
        match self.live(key).map(|kept| &kept.value) {
            Some(Value::Hash(fields)) => Ok(fields.len()),
            Some(Value::List(items)) => Ok(items.len()),
            Some(Value::SortedSet(members)) => Ok(members.len()),
            Some(Value::Text(_) | Value::Document(_)) => Err(other_shape(key)),
            None => Ok(0),
        }
    }

    fn rank(&self, key: &Key, member: &Field, score: Score) -> Result<usize, StoreError> {
        Ok(self.ranked(key)?.iter().take_while(|(other, name)| (*other, name) < (score, member)).count())
    }

    fn lowest(&self, key: &Key, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, StoreError> {
        Ok(self.ranked(key)?.into_iter().skip(skip).take(take).map(|(score, member)| (member, score)).collect())
    }
}

impl ShelfMut for MemoryShelf<'_> {
    fn put(&mut self, key: &Key, value: Value, deadline: Option<Millis>) -> Result<(), StoreError> {
        self.remember(key);
        self.map.insert(key.clone(), Kept { value, deadline });
        Ok(())
    }

    fn drop_key(&mut self, key: &Key) -> Result<bool, StoreError> {
        let was = self.live(key).is_some();
        self.remember(key);
        self.map.remove(key);
        Ok(was)
    }

    fn renew(&mut self, key: &Key, deadline: Option<Millis>) -> Result<bool, StoreError> {
        if self.live(key).is_none() {
            return Ok(false);
        }
        self.remember(key);
        if let Some(kept) = self.map.get_mut(key) {
            kept.deadline = deadline;
        }
        Ok(true)
    }

    fn set_field(&mut self, key: &Key, field: &Field, value: Option<Bytes>) -> Result<bool, StoreError> {
        let was = self.hash(key)?.is_some_and(|fields| fields.contains_key(field));
        if let Value::Hash(fields) = self.change(key, Value::Hash(BTreeMap::new())) {
            match value {
                Some(value) => fields.insert(field.clone(), value),
                None => fields.remove(field),
            };
        }
        self.drop_if_nothing(key);
        Ok(was)
    }

    fn set_score(&mut self, key: &Key, member: &Field, score: Option<Score>) -> Result<bool, StoreError> {
        let was = self.members(key)?.is_some_and(|members| members.contains_key(member));
        if let Value::SortedSet(members) = self.change(key, Value::SortedSet(BTreeMap::new())) {
            match score {
                Some(score) => members.insert(member.clone(), score),
                None => members.remove(member),
            };
        }
        self.drop_if_nothing(key);
        Ok(was)
    }

    fn set_list(&mut self, key: &Key, items: Vec<Bytes>) -> Result<(), StoreError> {
        self.list(key)?;
        *self.change(key, Value::List(Vec::new())) = Value::List(items);
        self.drop_if_nothing(key);
        Ok(())
    }
}
