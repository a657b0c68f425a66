//! Records that belong to no room: one script a batch. Its answer is kept on the server for a moment, so that a batch
//! whose answer was lost can be sent again.

use super::Redis;
use super::foresight::{Foresight, foresight};
use super::rooms::add_collection;
use super::values::{bytes, document, many, members, number, score, score_text, strange, text, value, words};
use crate::error::StoreError;
use crate::records::{Answer, Applied, Batch, COUNTER_MAX, Condition, Operation, Query, Records, Reply, Used};
use crate::rooms::Rooms;
use crate::shapes::{Key, Value};
use async_trait::async_trait;
use parlor_rules::time::Millis;
use redis::{Cmd, Value as Raw};
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::Ordering;

/// How much longer than anybody asks again an answer is kept.
const KEPT_LONGER: u64 = 4;

#[async_trait]
impl Records for Redis {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let mut keys = Keys::new(self, tag);
        let places: Vec<usize> = queries.iter().map(|query| keys.place(query.key())).collect();
        let first = keys.name(keys.keys[0]);
        let ran = self.link.run(&self.scripts.read, &first, |script| {
            script.arg(keys.keys.len());
            for key in &keys.keys {
                script.arg(keys.name(key));
            }
            for (query, place) in queries.iter().zip(&places) {
                add_query(script, query, *place);
            }
        });
        let mut answers = many(ran.await?.value)?.into_iter();
        match &*words(answers.next().unwrap_or(Raw::Nil))? {
            "read" => queries.iter().map(|query| answer(query, answers.next().unwrap_or(Raw::Nil))).collect(),
            "shape" => Err(keys.shape(answers.next())?),
            other => Err(strange("answers", other)),
        }
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.limits().check_batch(&batch)?;
        self.run_batch(batch).await
    }

    async fn apply_each(&self, tag: &str, batches: Vec<Batch>) -> Result<Vec<Applied>, StoreError> {
        for batch in &batches {
            self.limits().check_batch(batch)?;
        }
        self.run_batches(tag, &batches, Told { replies: false, once: false }).await
    }

    async fn use_members(&self, tag: &str, set: &Key, keep: usize, used: Vec<Used>) -> Result<Vec<bool>, StoreError> {
        if used.is_empty() {
            return Ok(Vec::new());
        }
        for used in &used {
            self.limits().check_used(used)?;
        }
        let lists: Vec<&Key> = used.iter().filter(|used| !used.items.is_empty()).map(|used| &used.list).collect();
        let first = self.names.loose(tag, set);
        let ran = self.link.run(&self.scripts.used, &first, |script| {
            script.arg(1 + lists.len()).arg(&first);
            for list in &lists {
                script.arg(self.names.loose(tag, list));
            }
            script.arg(keep);
            for Used { member, score, items, deadline, .. } in &used {
                script.arg(&**member).arg(score_text(score.get())).arg(until(*deadline)).arg(items.len());
                for item in items {
                    script.arg(&**item);
                }
            }
        });
        let mut answers = many(ran.await?.value)?.into_iter();
        match &*words(answers.next().unwrap_or(Raw::Nil))? {
            "used" => Ok(bytes(answers.next().unwrap_or(Raw::Nil))?.iter().map(|said| *said == b'1').collect()),
            "shape" => {
                let place = number(answers.next().unwrap_or(Raw::Nil))? as usize;
                let key = place.checked_sub(2).and_then(|list| lists.get(list).copied()).unwrap_or(set);
                Err(StoreError::Shape(key.to_string()))
            }
            other => Err(strange("who was there", other)),
        }
    }

    fn is_scattered(&self) -> bool {
        self.names.cluster
    }
}

impl Redis {
    /// As `apply`, however large it is.
    pub(super) async fn run_batch(&self, batch: Batch) -> Result<Applied, StoreError> {
        let told = Told { replies: true, once: !batch.may_repeat && !is_harmless(&batch) };
        let mut applied = self.run_batches(&batch.tag, std::slice::from_ref(&batch), told).await?;
        applied.pop().ok_or_else(|| strange("what came of a batch", "nothing"))
    }

    /// One script for all of them.
    async fn run_batches(&self, tag: &str, batches: &[Batch], told: Told) -> Result<Vec<Applied>, StoreError> {
        let mut keys = Keys::new(self, tag);
        let placed: Vec<Placed<'_>> = batches.iter().map(|batch| Placed::new(&mut keys, batch)).collect();
        let Some(first) = keys.keys.first().map(|key| keys.name(key)) else {
            return Ok(batches.iter().map(|_| Applied::Done(Vec::new())).collect());
        };
        let id = self.dice.hash_one(self.batches.fetch_add(1, Ordering::Relaxed));
        let once = self.names.once(tag, &first, id).filter(|_| told.once);
        let keep_for = if once.is_some() { self.options.patience.as_millis() as u64 * KEPT_LONGER } else { 0 };
        let ran = self.link.run(&self.scripts.apply, &first, |script| {
            script.arg(1 + keys.keys.len()).arg(once.as_deref().unwrap_or(&first));
            for key in &keys.keys {
                script.arg(keys.name(key));
            }
            script.arg(keep_for).arg(u8::from(!told.replies));
            for placed in &placed {
                placed.add(script);
            }
        });
        let answers = many(ran.await?.value)?;
        let applied: Vec<Applied> =
            batches.iter().zip(answers).map(|(batch, answer)| applied(batch, answer, &keys, told)).collect::<Result<_, _>>()?;
        if applied.len() == batches.len() { Ok(applied) } else { Err(strange("what came of batches", "too few")) }
    }
}

/// What whoever asks wants to hear.
#[derive(Clone, Copy)]
struct Told {
    replies: bool,
    /// The same again if the first answer got lost.
    once: bool,
}

fn applied(batch: &Batch, answer: Raw, keys: &Keys<'_>, told: Told) -> Result<Applied, StoreError> {
    let mut parts = many(answer)?.into_iter();
    match &*words(parts.next().unwrap_or(Raw::Nil))? {
        "done" if !told.replies => Ok(Applied::Done(Vec::new())),
        "done" => {
            let replies = batch.operations.iter().map(|operation| reply(operation, parts.next().unwrap_or(Raw::Nil)));
            replies.collect::<Result<_, _>>().map(Applied::Done)
        }
        "refused" => Ok(Applied::Refused(number(parts.next().unwrap_or(Raw::Nil))? as usize)),
        "shape" => {
            let place = number(parts.next().unwrap_or(Raw::Nil))?;
            Err(keys.shape(Some(Raw::Int(place - 1)))?)
        }
        other => Err(strange("what came of a batch", other)),
    }
}

/// A batch whose keys have their places among those of the script.
struct Placed<'a> {
    batch: &'a Batch,
    foresight: Foresight<'a>,
    conditions: Vec<usize>,
    operations: Vec<usize>,
}

impl<'a> Placed<'a> {
    fn new(keys: &mut Keys<'a>, batch: &'a Batch) -> Placed<'a> {
        let conditions = batch.conditions.iter().map(|condition| keys.place(condition.key())).collect();
        let operations = batch.operations.iter().map(|operation| keys.place(operation.key())).collect();
        Placed { batch, foresight: foresight(batch), conditions, operations }
    }

    /// Its arguments, after how many they are: a script that refuses a batch goes on with the next.
    fn add(&self, script: &mut Cmd) {
        let mut own = Cmd::new();
        add_foresight(&mut own, &self.foresight, &self.operations);
        own.arg(self.batch.conditions.len());
        for (condition, place) in self.batch.conditions.iter().zip(&self.conditions) {
            add_condition(&mut own, condition, place + 1);
        }
        for (operation, place) in self.batch.operations.iter().zip(&self.operations) {
            add_operation(&mut own, operation, place + 1);
        }
        script.arg(own.args_iter().count());
        for arg in own.args_iter() {
            if let redis::Arg::Simple(bytes) = arg {
                script.arg(bytes);
            }
        }
    }
}

/// Renewing twice is renewing once: it needs no memory of having been asked.
fn is_harmless(batch: &Batch) -> bool {
    batch.operations.iter().all(|operation| matches!(operation, Operation::Renew { .. }))
}

/// The distinct keys of a batch, in the order they come up.
struct Keys<'a> {
    redis: &'a Redis,
    tag: &'a str,
    keys: Vec<&'a Key>,
    places: HashMap<&'a Key, usize>,
}

impl<'a> Keys<'a> {
    fn new(redis: &'a Redis, tag: &'a str) -> Keys<'a> {
        Keys { redis, tag, keys: Vec::new(), places: HashMap::new() }
    }

    /// Counted from 1, as Lua does.
    fn place(&mut self, key: &'a Key) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len()
        })
    }

    fn name(&self, key: &str) -> String {
        self.redis.names.loose(self.tag, key)
    }

    fn shape(&self, place: Option<Raw>) -> Result<StoreError, StoreError> {
        let place = number(place.unwrap_or(Raw::Nil))? as usize;
        Ok(StoreError::Shape(self.keys.get(place - 1).map(|key| key.to_string()).unwrap_or_default()))
    }
}

/// What the script looks at before it changes anything, or that it must be able to take everything back.
fn add_foresight(script: &mut Cmd, foresight: &Foresight<'_>, places: &[usize]) {
    let (shapes, numbers, saves) = match foresight {
        Foresight::Safe => (&[][..], &[][..], false),
        Foresight::Unclear => (&[][..], &[][..], true),
        Foresight::Looks { shapes, numbers } => (&shapes[..], &numbers[..], false),
    };
    script.arg(u8::from(saves)).arg(shapes.len()).arg(numbers.len());
    for (operation, shape) in shapes {
        script.arg(places[*operation] + 1).arg(shape);
    }
    for (operation, field) in numbers {
        script.arg(places[*operation] + 1).arg(&***field);
    }
}

fn add_query(script: &mut Cmd, query: &Query, place: usize) {
    match query {
        Query::Whole(_) => drop(script.arg("w").arg(place)),
        Query::Field(_, field) => drop(script.arg("f").arg(place).arg(&**field)),
        Query::Count(_) => drop(script.arg("c").arg(place)),
        Query::Score(_, member) => drop(script.arg("s").arg(place).arg(&**member)),
        Query::Rank(_, member) => drop(script.arg("r").arg(place).arg(&**member)),
        Query::Lowest { skip, take, .. } => drop(script.arg("l").arg(place).arg(skip).arg(take)),
        Query::Deadline(_) => drop(script.arg("d").arg(place)),
    }
}

fn answer(query: &Query, raw: Raw) -> Result<Answer, StoreError> {
    Ok(match (query, raw) {
        (Query::Lowest { .. }, raw) => Answer::Members(members(raw)?),
        (Query::Whole(_) | Query::Field(..) | Query::Score(..) | Query::Rank(..), Raw::Nil) => Answer::Absent,
        (Query::Whole(key), raw) => {
            let mut parts = many(raw)?.into_iter();
            let kind = words(parts.next().unwrap_or(Raw::Nil))?;
            Answer::Whole(value(key, &kind, parts.next().unwrap_or(Raw::Nil))?)
        }
        (Query::Field(..), raw) => Answer::Bytes(bytes(raw)?.into()),
        (Query::Score(..), raw) => Answer::Score(score(&bytes(raw)?)?),
        (Query::Count(_) | Query::Rank(..), raw) => Answer::Count(number(raw)? as usize),
        (Query::Deadline(_), raw) => match number(raw)? {
            -2 => Answer::Absent,
            -1 => Answer::Deadline(None),
            deadline => Answer::Deadline(Some(Millis(deadline as u64))),
        },
    })
}

fn add_condition(script: &mut Cmd, condition: &Condition, place: usize) {
    match condition {
        Condition::Absent(_) => drop(script.arg("a").arg(place)),
        Condition::Present(_) => drop(script.arg("p").arg(place)),
        Condition::Holds(_, bytes) => drop(script.arg("h").arg(place).arg(&*text(bytes)).arg(&*document(bytes))),
        Condition::FieldAbsent(_, field) => drop(script.arg("A").arg(place).arg(&**field)),
        Condition::FieldPresent(_, field) => drop(script.arg("P").arg(place).arg(&**field)),
        Condition::FieldHolds(_, field, value) => drop(script.arg("H").arg(place).arg(&**field).arg(&**value)),
        Condition::ScoreAtMost(_, member, most) => {
            script.arg("m").arg(place).arg(&**member).arg(score_text(most.get()));
        }
        Condition::ScoreIs(_, member, exactly) => {
            script.arg("e").arg(place).arg(&**member).arg(score_text(exactly.get()));
        }
        Condition::MemberAbsent(_, member) => drop(script.arg("n").arg(place).arg(&**member)),
        Condition::FewerThan(_, most) => drop(script.arg("c").arg(place).arg(most)),
    }
}

/// As Redis reads it; nothing for what stays.
fn until(deadline: Option<Millis>) -> String {
    deadline.map(|deadline| deadline.0.to_string()).unwrap_or_default()
}

fn add_operation(script: &mut Cmd, operation: &Operation, place: usize) {
    match operation {
        Operation::Put { value: Value::Text(bytes), deadline, .. } => {
            script.arg("s").arg(place).arg(until(*deadline)).arg(&*text(bytes));
        }
        Operation::Put { value: Value::Document(bytes), deadline, .. } => {
            script.arg("s").arg(place).arg(until(*deadline)).arg(&*document(bytes));
        }
        Operation::Put { value, deadline, .. } => add_collection(script, value, place, Some(&until(*deadline))),
        Operation::Drop { .. } => drop(script.arg("d").arg(place)),
        Operation::Renew { deadline, .. } => drop(script.arg("r").arg(place).arg(until(*deadline))),
        Operation::SetField { field, value, .. } => drop(script.arg("f").arg(place).arg(&**field).arg(&**value)),
        Operation::DropField { field, .. } => drop(script.arg("x").arg(place).arg(&**field)),
        Operation::AddField { field, by, min, max, drop_at, .. } => {
            let (min, max) = ((*min).max(-COUNTER_MAX), (*max).min(COUNTER_MAX));
            script.arg("i").arg(place).arg(&**field).arg(by).arg(min).arg(max);
            script.arg(drop_at.map(|at| at.to_string()).unwrap_or_default());
        }
        Operation::Push { item, unique, keep, .. } => {
            script.arg("u").arg(place).arg(&**item).arg(u8::from(*unique)).arg(keep);
        }
        Operation::SetScore { member, score, .. } => {
            script.arg("c").arg(place).arg(&**member).arg(score_text(score.get()));
        }
        Operation::AddScore { member, by, .. } => drop(script.arg("q").arg(place).arg(&**member).arg(score_text(*by))),
        Operation::DropMember { member, .. } => drop(script.arg("w").arg(place).arg(&**member)),
        Operation::KeepLowest { keep, .. } => drop(script.arg("k").arg(place).arg(keep)),
        Operation::Scale { by, .. } => drop(script.arg("g").arg(place).arg(score_text(*by))),
    }
}

fn reply(operation: &Operation, raw: Raw) -> Result<Reply, StoreError> {
    Ok(match operation {
        Operation::Put { .. } | Operation::Scale { .. } => Reply::Done,
        Operation::AddField { .. } => Reply::Number(number(raw)?),
        Operation::AddScore { .. } => Reply::Score(score(&bytes(raw)?)?),
        Operation::Push { .. } | Operation::KeepLowest { .. } => Reply::Left(number(raw)? as usize),
        Operation::Drop { .. }
        | Operation::Renew { .. }
        | Operation::SetField { .. }
        | Operation::DropField { .. }
        | Operation::SetScore { .. }
        | Operation::DropMember { .. } => Reply::Was(number(raw)? == 1),
    })
}
