//! What is popular: looked at now and then and held in memory, so that a page's rank costs nothing to ask for.
//!
//! Every so often scores are halved and the unpopular end is cut off, in small steps that a crash can stop anywhere: each step
//! says in the same batch how far it has come. Halving adds half of what was seen, so views that arrive meanwhile stay whole.

use crate::error::Error;
use crate::shop::Shop;
use parlor_layout::shop::visits as layout;
use parlor_rules::shop::popular::{CACHED_BELOW, KEPT_MAX, period};
use parlor_store::{Answer, Batch, Condition, Field, Operation, Query, Score, Value};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// Members changed in one batch: little enough that nobody notices.
const STEP: usize = 250;
/// Members cut off in one batch: they cost less than those that get another score.
const CUT_STEP: usize = 2000;

/// An item and how often it was viewed, halved now and then.
#[derive(Clone, PartialEq, Debug)]
pub struct Popular {
    pub item: Arc<str>,
    pub views: f64,
}

/// The most popular items as they were when last looked at.
#[derive(Default)]
pub struct Top {
    items: Vec<Popular>,
    ranks: HashMap<Arc<str>, usize>,
}

impl Top {
    /// 0 is the most popular.
    pub fn rank(&self, item: &str) -> Option<usize> {
        self.ranks.get(item).copied()
    }

    pub fn first(&self, n: usize) -> Vec<Popular> {
        self.items.iter().take(n).cloned().collect()
    }
}

/// How far the halving of a period has come.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Halved {
    period: u64,
    /// How many members are done, from the unpopular end; none: all of them.
    done: Option<usize>,
}

impl Shop {
    /// Looks at the first of what is popular.
    pub async fn look_at_popular(&self) -> Result<(), Error> {
        let mut members = Vec::new();
        for shard in self.shards() {
            members.extend(self.lowest(shard, 0, CACHED_BELOW).await?);
        }
        members.sort_by(|(one, score), (other, than)| score.cmp(than).then_with(|| one.cmp(other)));
        members.truncate(CACHED_BELOW);
        let items: Vec<Popular> = members.into_iter().map(|(item, score)| Popular { item, views: -score.get() }).collect();
        let ranks = items.iter().enumerate().map(|(rank, popular)| (popular.item.clone(), rank)).collect();
        *self.top.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Top { items, ranks });
        Ok(())
    }

    /// Halves what is due, and cuts off what is too much. Whoever does it, it happens once a period.
    pub async fn halve(&self) -> Result<(), Error> {
        for shard in self.shards() {
            self.halve_shard(shard).await?;
            self.trim(shard).await?;
        }
        Ok(())
    }

    async fn halve_shard(&self, shard: usize) -> Result<(), Error> {
        let now = period(self.now());
        loop {
            let tag = layout::tag(shard);
            let asked = vec![Query::Whole(layout::halved()), Query::Count(layout::popular())];
            let answers = self.records.read(&tag, asked).await?;
            let record = crate::visits::whole(&answers, 0).cloned();
            let count = if let Some(Answer::Count(count)) = answers.get(1) { *count } else { 0 };
            // Where nobody has looked at anything there is nothing to halve, and a server without a shop writes nothing.
            if count == 0 {
                return Ok(());
            }
            let halved = record.as_ref().and_then(wake_halved);
            let (from, next) = match halved {
                // The first time there is nothing to make up for.
                None => (None, Halved { period: now, done: None }),
                Some(Halved { period, done: None }) if period >= now => return Ok(()),
                Some(Halved { done: None, .. }) if count > self.kept_here() => {
                    // What goes anyway need not be halved first. Later it would move what has been counted as done.
                    self.trim(shard).await?;
                    continue;
                }
                Some(Halved { done: None, .. }) => (Some(0), Halved { period: now, done: None }),
                Some(Halved { period, done: Some(done) }) => (Some(done), Halved { period, done: None }),
            };
            let mut operations = Vec::new();
            let mut next = next;
            if let Some(done) = from.filter(|done| *done < count) {
                let take = STEP.min(count - done);
                // From the unpopular end, whose ranks do not move when popular ones become more so.
                for (member, score) in self.lowest(shard, count - done - take, take).await? {
                    operations.push(Operation::AddScore { key: layout::popular(), member, by: -score.get() / 2.0 });
                }
                next.done = (done + take < count).then_some(done + take);
            }
            let condition = match &record {
                Some(Value::Text(text)) => Condition::Holds(layout::halved(), text.clone()),
                _ => Condition::Absent(layout::halved()),
            };
            operations.push(Operation::Put { key: layout::halved(), value: halved_record(next), deadline: None });
            self.keep(Batch { tag, conditions: vec![condition], operations, ..Batch::default() }).await?;
        }
    }

    /// The unpopular end goes, step by step: always those that come next after the kept ones, since whoever looks for the last
    /// of a flood walks past all of it.
    async fn trim(&self, shard: usize) -> Result<(), Error> {
        while self.count(shard, layout::popular()).await? > self.kept_here() {
            let surplus = self.lowest(shard, self.kept_here(), CUT_STEP).await?;
            let gone = |(member, _): (Field, Score)| Operation::DropMember { key: layout::popular(), member };
            let operations = surplus.into_iter().map(gone).collect();
            self.keep(Batch { tag: layout::tag(shard), operations, ..Batch::default() }).await?;
        }
        Ok(())
    }

    /// How many items are kept in each place.
    fn kept_here(&self) -> usize {
        KEPT_MAX / self.shards().len()
    }

    async fn lowest(&self, shard: usize, skip: usize, take: usize) -> Result<Vec<(Field, Score)>, Error> {
        let query = Query::Lowest { key: layout::popular(), skip, take };
        let answers = self.records.read(&layout::tag(shard), vec![query]).await?;
        Ok(if let Some(Answer::Members(members)) = answers.into_iter().next() { members } else { Vec::new() })
    }
}

fn halved_record(halved: Halved) -> Value {
    Value::Text(match halved.done {
        None => halved.period.to_string().into(),
        Some(done) => format!("{} {done}", halved.period).into(),
    })
}

fn wake_halved(record: &Value) -> Option<Halved> {
    let Value::Text(text) = record else { return None };
    let mut words = std::str::from_utf8(text).ok()?.split(' ');
    let period = words.next()?.parse().ok()?;
    Some(Halved { period, done: words.next().map(str::parse).transpose().ok()? })
}
