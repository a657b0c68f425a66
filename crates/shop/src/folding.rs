//! How uses and views get from memory to rest.
//!
//! On a store of one process they are written down in groups, one record each, and put into their places later, many at a time:
//! the group makes them safe, the places make them readable. On a store that others use they go to their places at once,
//! each visit on the condition that it is still there.

use crate::error::Error;
use crate::guestbook::{Guestbook, Note, PARTS};
use crate::shop::Shop;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use parlor_layout::shop::visits as layout;
use parlor_rules::shop::visit::VIEWED_MAX;
use parlor_rules::shop::{Item, Visit};
use parlor_rules::{Millis, SecretHash};
use parlor_store::{Answer, Batch, Operation, Query, Score, Used, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Visits put into their places in one batch, where no rival can be. A cart that changes meanwhile waits for the batches of a turn, and
/// these read from the disk: few enough that nobody notices.
const VISITS_A_BATCH: usize = 64;
/// Visits put into their places before others may come in between.
const VISITS_A_PIECE: usize = 1024;
/// Parts of the book that are put into their places side by side: they share the disk's syncs.
const PARTS_AT_ONCE: usize = 8;
/// Visits put into their places in one go, each for itself, where there may be rivals.
const VISITS_A_SCRIPT: usize = 64;
/// Such goes that are under way at once.
const AT_ONCE_MAX: usize = 8;
/// Popular items counted in one batch; the same holds for it.
const ITEMS_A_BATCH: usize = 200;

const BORN: u8 = 1;
const COUNTS: u8 = 2;
const ENDED: u8 = 4;

/// The groups that are written and not yet taken away.
#[derive(Default)]
pub(crate) struct Journal {
    next: AtomicU64,
    kept: Mutex<Vec<u64>>,
}

impl Journal {
    fn kept(&self) -> MutexGuard<'_, Vec<u64>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held while notes of a part of the book are put into their places, so that a visit which ends meanwhile does not come back.
pub(crate) struct Folding(Vec<tokio::sync::Mutex<()>>);

impl Default for Folding {
    fn default() -> Folding {
        Folding((0..PARTS).map(|_| tokio::sync::Mutex::default()).collect())
    }
}

impl Folding {
    pub(crate) async fn of(&self, token: &SecretHash) -> tokio::sync::MutexGuard<'_, ()> {
        self.part(token.part_of(PARTS)).await
    }

    async fn part(&self, part: usize) -> tokio::sync::MutexGuard<'_, ()> {
        self.0[part].lock().await
    }
}

/// Notes between the book and their places. If they do not arrive, by an error or because whoever waited for it has hung up, they go
/// back into the book: placing them twice is placing them once.
struct OnTheWay<'a> {
    book: &'a Guestbook,
    taken: Vec<(Visit, Note)>,
    arrived: bool,
}

impl Drop for OnTheWay<'_> {
    fn drop(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        if self.arrived { self.book.placed(&taken) } else { self.book.give_back(taken) }
    }
}

/// The end of a visit on its way into the store, and with it what others noted before. If it does not arrive, theirs wait for the
/// next group.
pub(crate) struct Ended<'a> {
    shop: &'a Shop,
    others: Vec<u8>,
    note: Option<(u64, Operation)>,
}

impl Ended<'_> {
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.note.as_ref().map(|(_, operation)| operation.clone())
    }

    pub(crate) fn arrived(mut self) {
        self.others.clear();
        self.shop.journal.kept().extend(self.note.take().map(|(number, _)| number));
    }
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if !self.others.is_empty() {
            self.shop.book.give_back_journal(std::mem::take(&mut self.others));
        }
    }
}

/// A note without an item.
const NOTE_BYTES_MIN: usize = 42;

/// One note at the end of a group: flags, token, moment, item.
pub(crate) fn write_down(group: &mut Vec<u8>, token: &SecretHash, at: Millis, item: Option<&Item>, born: bool, counts: bool) {
    let item = item.map_or("", Item::as_str);
    group.push(u8::from(born) * BORN + u8::from(counts) * COUNTS);
    group.extend_from_slice(token.bytes());
    group.extend_from_slice(&at.0.to_le_bytes());
    group.push(item.len() as u8);
    group.extend_from_slice(item.as_bytes());
}

struct Written {
    token: SecretHash,
    at: Millis,
    item: Option<Item>,
    flags: u8,
}

/// The notes of a group, as far as they can be read.
fn read_group(mut group: &[u8]) -> Vec<Written> {
    let mut notes = Vec::new();
    while let Some((head, rest)) = group.split_at_checked(NOTE_BYTES_MIN) {
        let Some((item, rest)) = rest.split_at_checked(usize::from(head[41])) else { break };
        let token = SecretHash::from_bytes(head[1..33].try_into().expect("it is 32 bytes long"));
        let at = Millis(u64::from_le_bytes(head[33..41].try_into().expect("it is 8 bytes long")));
        let item = std::str::from_utf8(item).ok().and_then(|item| item.parse().ok());
        notes.push(Written { token, at, item, flags: head[0] });
        group = rest;
    }
    notes
}

impl Shop {
    /// Writes down what was noted since the last time.
    pub(crate) async fn keep_group(&self) -> Result<(), Error> {
        let group = self.book.take_journal();
        if group.is_empty() {
            return Ok(());
        }
        let (number, set) = self.group(group);
        // Where it fails, the notes themselves still wait in the book and go to their places later.
        self.keep(Batch { operations: vec![set], may_repeat: true, ..Batch::default() }).await?;
        self.journal.kept().push(number);
        Ok(())
    }

    /// Everything that waits goes to its place, and the groups it was written down in go.
    pub async fn fold(&self) -> Result<(), Error> {
        let groups: Vec<u64> = self.journal.kept().clone();
        let parts = (0..PARTS).map(|part| self.fold_part(part).boxed());
        stream::iter(parts.collect::<Vec<_>>()).buffer_unordered(PARTS_AT_ONCE).try_collect::<()>().await?;
        let counted = self.book.take_counted();
        if let Err(error) = self.count_views(&counted, &groups).await {
            self.book.give_back_counted(counted);
            return Err(error);
        }
        self.journal.kept().retain(|number| !groups.contains(number));
        Ok(())
    }

    /// What waits in one part of the book, a piece at a time: whoever wants to read or end one visit meanwhile waits for a piece
    /// and not for all. Also with nothing to do it waits for whoever is at it, so that nothing is on its way afterwards
    /// that was noted before.
    async fn fold_part(&self, part: usize) -> Result<(), Error> {
        let (waiting, mut folded) = (self.book.noted_in(part), 0);
        loop {
            let _folding = self.folding.part(part).await;
            let taken = self.book.take_some(part, VISITS_A_PIECE);
            folded += taken.len();
            let done = taken.is_empty() || folded >= waiting;
            self.place_taken(taken).await?;
            if done {
                return Ok(());
            }
        }
    }

    /// One visit's note goes to its place now, so that whoever reads next finds it there.
    pub(crate) async fn fold_one(&self, token: &SecretHash) -> Result<(), Error> {
        if !self.book.is_noted(token) {
            return Ok(());
        }
        let _folding = self.folding.of(token).await;
        self.fold_one_held(token).await
    }

    /// The same for whoever holds `folding`.
    pub(crate) async fn fold_one_held(&self, token: &SecretHash) -> Result<(), Error> {
        self.place_taken(self.book.take(token).into_iter().collect()).await
    }

    async fn place_taken(&self, taken: Vec<(Visit, Note)>) -> Result<(), Error> {
        let mut on_the_way = OnTheWay { book: &self.book, taken, arrived: false };
        self.place(&on_the_way.taken).await?;
        on_the_way.arrived = true;
        Ok(())
    }

    /// To be kept with the end of a visit: where notes are written down in groups, a visit that was born in one would come
    /// back after a crash.
    pub(crate) fn ended(&self, token: &SecretHash) -> Ended<'_> {
        let (mut others, mut note) = (Vec::new(), None);
        if self.alone {
            others = self.book.take_journal();
            let mut group = others.clone();
            write_down(&mut group, token, self.now(), None, false, false);
            let at = group.len() - NOTE_BYTES_MIN;
            group[at] = ENDED;
            note = Some(self.group(group));
        }
        Ended { shop: self, others, note }
    }

    /// After a crash: what was written down and not put into its place.
    pub(crate) async fn remember(&self) -> Result<(), Error> {
        let answers = self.records.read("", vec![Query::Whole(layout::notes())]).await?;
        let Some(Answer::Whole(Value::Hash(groups))) = answers.into_iter().next() else { return Ok(()) };
        let mut groups: Vec<(u64, _)> = groups.iter().filter_map(|(number, group)| Some((number.parse().ok()?, group))).collect();
        groups.sort_unstable_by_key(|(number, _)| *number);
        for Written { token, at, item, flags } in groups.iter().flat_map(|(_, group)| read_group(group)) {
            if flags & ENDED != 0 {
                self.book.forget(&token);
                continue;
            }
            let known = match self.book.find(&token, Millis(0)) {
                Some(visit) => Some(visit),
                None => self.read_visit(&token).await?,
            };
            let born = (flags & BORN != 0).then_some(Visit { token, shopper: None, cart: token, since: at, last_used: at });
            // A visit that is not there and was not born here has ended: its notes end with it.
            let Some(visit) = known.or(born) else { continue };
            let visit = Visit { last_used: at.max(visit.last_used), ..visit };
            self.book.remember(visit, item, flags & BORN != 0, flags & COUNTS != 0);
        }
        let last = groups.last().map_or(0, |(number, _)| *number);
        self.journal.next.store(last + 1, Ordering::Relaxed);
        *self.journal.kept() = groups.iter().map(|(number, _)| *number).collect();
        self.fold().await
    }

    fn group(&self, group: Vec<u8>) -> (u64, Operation) {
        let number = self.journal.next.fetch_add(1, Ordering::Relaxed);
        (number, Operation::SetField { key: layout::notes(), field: number.to_string().into(), value: group.into() })
    }

    async fn place(&self, visits: &[(Visit, Note)]) -> Result<(), Error> {
        if self.alone {
            for visits in visits.chunks(VISITS_A_BATCH) {
                let operations = visits.iter().flat_map(|(visit, note)| self.placing(visit, note)).collect();
                self.keep(Batch { operations, may_repeat: true, ..Batch::default() }).await?;
            }
            return Ok(());
        }
        let mut by_tag: HashMap<String, Vec<&(Visit, Note)>> = HashMap::new();
        for noted in visits {
            by_tag.entry(self.tag(&noted.0.token)).or_default().push(noted);
        }
        let groups = by_tag.iter().flat_map(|(tag, visits)| visits.chunks(VISITS_A_SCRIPT).map(move |some| (tag, some)));
        // Boxed, because the compiler cannot see by itself that such a stream may move between threads.
        let placed = groups.map(|(tag, some)| self.place_if_there(tag, some).boxed());
        stream::iter(placed.collect::<Vec<_>>()).buffer_unordered(AT_ONCE_MAX).try_collect().await
    }

    /// Those that are new, and each other one on the condition that it is still there.
    async fn place_if_there(&self, tag: &str, visits: &[&(Visit, Note)]) -> Result<(), Error> {
        let (born, used): (Vec<&(Visit, Note)>, Vec<_>) = visits.iter().partition(|(_, note)| note.born);
        let batch =
            |(visit, note): &(Visit, Note)| Batch { operations: self.placing(visit, note), may_repeat: true, ..Batch::default() };
        self.records.apply_each(tag, born.iter().map(|noted| batch(noted)).collect()).await?;
        let all = used.iter().map(|(visit, note)| self.used(visit, note)).collect();
        let there = self.records.use_members(tag, &layout::recent(), VIEWED_MAX, all).await?;
        for ((visit, _), _) in used.iter().zip(there).filter(|(_, there)| !there) {
            // It has ended at another node.
            self.book.forget(&visit.token);
        }
        Ok(())
    }

    fn used(&self, visit: &Visit, note: &Note) -> Used {
        Used {
            member: layout::field(&visit.token),
            score: layout::seconds(visit.last_used),
            list: layout::viewed(&visit.token),
            items: note.viewed.iter().map(|item| item.as_str().as_bytes().to_vec().into()).collect(),
            // Where the visit goes without it, it goes by itself.
            deadline: Some(visit.ends(&self.terms.lifetimes)),
        }
    }

    /// What a note changes. Doing it twice is doing it once.
    fn placing(&self, visit: &Visit, note: &Note) -> Vec<Operation> {
        let member = layout::field(&visit.token);
        let mut operations = Vec::with_capacity(note.viewed.len() + 3);
        if !note.viewed.is_empty() {
            let key = layout::viewed(&visit.token);
            for item in &note.viewed {
                let item = item.as_str().as_bytes().to_vec().into();
                operations.push(Operation::Push { key: key.clone(), item, unique: true, keep: VIEWED_MAX });
            }
            // Where the visit goes without it, it goes by itself.
            operations.push(Operation::Renew { key, deadline: Some(visit.ends(&self.terms.lifetimes)) });
        }
        // What many visits share comes last: a store looks at it once for all of them.
        let used = layout::seconds(visit.last_used);
        operations.push(Operation::SetScore { key: layout::recent(), member: member.clone(), score: used });
        if note.born {
            operations.push(Operation::SetScore { key: layout::born(), member, score: layout::seconds(visit.since) });
        }
        operations
    }

    /// Views are counted and the groups that tell of them go, together: a crash in between would count them twice.
    async fn count_views(&self, counted: &HashMap<Item, f64>, groups: &[u64]) -> Result<(), Error> {
        let mut by_shard: HashMap<usize, Vec<Operation>> = HashMap::new();
        for (item, by) in counted {
            let shard = if self.records.is_scattered() { layout::shard_of_name(item.as_str()) } else { 0 };
            let add = Operation::AddScore { key: layout::popular(), member: layout::item(item), by: -by };
            by_shard.entry(shard).or_default().push(add);
        }
        if !groups.is_empty() {
            let gone =
                groups.iter().map(|number| Operation::DropField { key: layout::notes(), field: number.to_string().into() });
            by_shard.entry(0).or_default().extend(gone);
        }
        for (shard, operations) in by_shard {
            let tag = if self.alone { String::new() } else { layout::tag(shard) };
            for operations in operations.chunks(ITEMS_A_BATCH) {
                let batch =
                    Batch { tag: tag.clone(), operations: operations.to_vec(), may_repeat: !self.alone, ..Batch::default() };
                self.keep(batch).await?;
            }
        }
        Ok(())
    }
}

/// A score that every member has at most: it is there.
pub(crate) const ALWAYS: Score = Score::HIGHEST;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_read_as_it_was_written_and_a_torn_one_as_far_as_it_goes() {
        let (one, other) = (SecretHash::of(b"1"), SecretHash::of(b"2"));
        let mut group = Vec::new();
        write_down(&mut group, &one, Millis(7), None, true, false);
        write_down(&mut group, &other, Millis(8), Some(&"tea".parse().unwrap()), false, true);
        let notes = read_group(&group);
        assert_eq!(notes.len(), 2);
        assert!(notes[0].token == one && notes[0].flags == BORN && notes[0].item.is_none());
        assert!(notes[1].token == other && notes[1].flags == COUNTS && notes[1].at == Millis(8));
        assert_eq!(notes[1].item.as_ref().map(Item::as_str), Some("tea"));
        for cut in 0..group.len() {
            assert!(read_group(&group[..cut]).len() < 2, "cut at {cut}");
        }
    }
}
