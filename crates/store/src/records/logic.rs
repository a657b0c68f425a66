//! What conditions, operations and queries mean, written once over a shelf that can hold any shape.
//!
//! Nothing here knows how a shelf rests. A shelf shows only what is live: past its deadline is not there.

use super::{Answer, Applied, Batch, COUNTER_MAX, Condition, Operation, Query, Reply};
use crate::error::StoreError;
use crate::shapes::{Field, Key, Score, Value};
use bytes::Bytes;
use parlor_rules::time::Millis;

type Kept<T> = Result<T, StoreError>;

/// What can be asked of one moment. Asking for a shape that is not there is `StoreError::Shape`.
pub(crate) trait Shelf {
    fn whole(&self, key: &Key) -> Kept<Option<Value>>;
    /// `None`: no such key.
    fn deadline(&self, key: &Key) -> Kept<Option<Option<Millis>>>;
    fn text(&self, key: &Key) -> Kept<Option<Bytes>>;
    fn list(&self, key: &Key) -> Kept<Vec<Bytes>>;
    fn field(&self, key: &Key, field: &Field) -> Kept<Option<Bytes>>;
    fn score(&self, key: &Key, member: &Field) -> Kept<Option<Score>>;
    fn count(&self, key: &Key) -> Kept<usize>;
    /// How many members come before this one.
    fn rank(&self, key: &Key, member: &Field, score: Score) -> Kept<usize>;
    fn lowest(&self, key: &Key, skip: usize, take: usize) -> Kept<Vec<(Field, Score)>>;

    fn exists(&self, key: &Key) -> Kept<bool> {
        Ok(self.deadline(key)?.is_some())
    }
}

/// What can be changed. Removing the last of a collection removes the key.
pub(crate) trait ShelfMut: Shelf {
    fn put(&mut self, key: &Key, value: Value, deadline: Option<Millis>) -> Kept<()>;
    fn drop_key(&mut self, key: &Key) -> Kept<bool>;
    fn renew(&mut self, key: &Key, deadline: Option<Millis>) -> Kept<bool>;
    /// Answers whether the field was there.
    fn set_field(&mut self, key: &Key, field: &Field, value: Option<Bytes>) -> Kept<bool>;
    /// Answers whether the member was there.
    fn set_score(&mut self, key: &Key, member: &Field, score: Option<Score>) -> Kept<bool>;
    /// Replaces the items and leaves the deadline.
    fn set_list(&mut self, key: &Key, items: Vec<Bytes>) -> Kept<()>;
}

/// On an error the shelf may be half changed: the caller takes back what was done.
pub(crate) fn apply(shelf: &mut impl ShelfMut, batch: &Batch) -> Kept<Applied> {
    for (index, condition) in batch.conditions.iter().enumerate() {
        if !holds(shelf, condition)? {
            return Ok(Applied::Refused(index));
        }
    }
    let mut replies = Vec::with_capacity(batch.operations.len());
    for same in batch.operations.chunk_by(push_on) {
        match same {
            [only] => replies.push(operate(shelf, only)?),
            pushes => push_all(shelf, pushes, &mut replies)?,
        }
    }
    Ok(Applied::Done(replies))
}

/// Whether both push onto one list: it is then read and written once for all of them. A push that keeps nothing takes the
/// list's deadline away with it, and stands alone.
fn push_on(one: &Operation, next: &Operation) -> bool {
    matches!((one, next), (Operation::Push { key, keep: 1.., .. }, Operation::Push { key: other, .. }) if key == other)
}

fn push_all(shelf: &mut impl ShelfMut, pushes: &[Operation], replies: &mut Vec<Reply>) -> Kept<()> {
    let Some(key) = pushes.first().map(Operation::key) else { return Ok(()) };
    let mut items = shelf.list(key)?;
    for push in pushes {
        let Operation::Push { item, unique, keep, .. } = push else { continue };
        if *unique {
            items.retain(|other| other != item);
        }
        items.push(item.clone());
        items.drain(..items.len().saturating_sub(*keep));
        replies.push(Reply::Left(items.len()));
    }
    shelf.set_list(key, items)
}

fn holds(shelf: &impl Shelf, condition: &Condition) -> Kept<bool> {
    Ok(match condition {
        Condition::Absent(key) => !shelf.exists(key)?,
        Condition::Present(key) => shelf.exists(key)?,
        Condition::Holds(key, bytes) => shelf.text(key)?.as_ref() == Some(bytes),
        Condition::FieldAbsent(key, field) => shelf.field(key, field)?.is_none(),
        Condition::FieldPresent(key, field) => shelf.field(key, field)?.is_some(),
        Condition::FieldHolds(key, field, bytes) => shelf.field(key, field)?.as_ref() == Some(bytes),
        Condition::ScoreAtMost(key, member, score) => shelf.score(key, member)?.is_some_and(|is| is <= *score),
        Condition::ScoreIs(key, member, score) => shelf.score(key, member)? == Some(*score),
        Condition::MemberAbsent(key, member) => shelf.score(key, member)?.is_none(),
        Condition::FewerThan(key, most) => shelf.count(key)? < *most,
    })
}

fn operate(shelf: &mut impl ShelfMut, operation: &Operation) -> Kept<Reply> {
    Ok(match operation {
        Operation::Put { key, value, deadline } => {
            if value.is_nothing() {
                shelf.drop_key(key)?;
            } else {
                shelf.put(key, value.clone(), *deadline)?;
            }
            Reply::Done
        }
        Operation::Drop { key } => Reply::Was(shelf.drop_key(key)?),
        Operation::Renew { key, deadline } => Reply::Was(shelf.renew(key, *deadline)?),
        Operation::SetField { key, field, value } => Reply::Was(shelf.set_field(key, field, Some(value.clone()))?),
        Operation::DropField { key, field } => Reply::Was(shelf.set_field(key, field, None)?),
        Operation::AddField { key, field, by, min, max, drop_at } => {
            let was = shelf.field(key, field)?.map(|text| whole_number(key, &text)).transpose()?.unwrap_or(0);
            // Not `clamp`, which panics when the bounds are the wrong way round.
            let is = was.saturating_add(*by).min((*max).min(COUNTER_MAX)).max((*min).max(-COUNTER_MAX));
            let kept = (*drop_at != Some(is)).then(|| Bytes::from(is.to_string()));
            shelf.set_field(key, field, kept)?;
            Reply::Number(is)
        }
        Operation::Push { .. } => {
            let mut replies = Vec::with_capacity(1);
            push_all(shelf, std::slice::from_ref(operation), &mut replies)?;
            replies.remove(0)
        }
        Operation::SetScore { key, member, score } => Reply::Was(shelf.set_score(key, member, Some(*score))?),
        Operation::AddScore { key, member, by } => {
            let was = shelf.score(key, member)?.map_or(0.0, Score::get);
            let is = number(key, was + by)?;
            shelf.set_score(key, member, Some(is))?;
            Reply::Score(is)
        }
        Operation::DropMember { key, member } => Reply::Was(shelf.set_score(key, member, None)?),
        Operation::KeepLowest { key, keep } => {
            let count = shelf.lowest(key, 0, 0).and_then(|_| shelf.count(key))?;
            for (member, _) in shelf.lowest(key, *keep, count.saturating_sub(*keep))? {
                shelf.set_score(key, &member, None)?;
            }
            Reply::Left(count.min(*keep))
        }
        Operation::Scale { key, by } => {
            for (member, score) in shelf.lowest(key, 0, usize::MAX)? {
                shelf.set_score(key, &member, Some(number(key, score.get() * by)?))?;
            }
            Reply::Done
        }
    })
}

pub(crate) fn ask(shelf: &impl Shelf, query: &Query) -> Kept<Answer> {
    Ok(match query {
        Query::Whole(key) => shelf.whole(key)?.map_or(Answer::Absent, Answer::Whole),
        Query::Field(key, field) => shelf.field(key, field)?.map_or(Answer::Absent, Answer::Bytes),
        Query::Count(key) => Answer::Count(shelf.count(key)?),
        Query::Score(key, member) => shelf.score(key, member)?.map_or(Answer::Absent, Answer::Score),
        Query::Rank(key, member) => match shelf.score(key, member)? {
            Some(score) => Answer::Count(shelf.rank(key, member, score)?),
            None => Answer::Absent,
        },
        Query::Lowest { key, skip, take } => Answer::Members(shelf.lowest(key, *skip, *take)?),
        Query::Deadline(key) => shelf.deadline(key)?.map_or(Answer::Absent, Answer::Deadline),
    })
}

pub(crate) fn other_shape(key: &Key) -> StoreError {
    StoreError::Shape(key.to_string())
}

fn whole_number(key: &Key, text: &[u8]) -> Kept<i64> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(|| other_shape(key))
}

fn number(key: &Key, score: f64) -> Kept<Score> {
    Score::new(score).ok_or_else(|| other_shape(key))
}
