//! The guestbook: the visits known in memory, with uses and views that are not in their places yet.
//!
//! A visit that has a note is never forgotten before the note is kept. Nothing here waits; each of the parts has a lock of
//! its own, held for as long as one visit is looked at.

use parlor_rules::shop::popular::COUNTS_AGAIN_AFTER;
use parlor_rules::shop::visit::VIEWED_MAX;
use parlor_rules::shop::{Item, Visit};
use parlor_rules::{Millis, SecretHash};
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const PARTS: usize = 64;
/// Items that a visit counts for in the time that it counts for each once. Beyond it counts for none: whoever forgot the first to take
/// the next would count them all, again and again.
const COUNTED_MAX: usize = 64;

pub(crate) struct Guestbook {
    parts: Vec<Mutex<Part>>,
    known_max: usize,
    /// Whether notes are also written down: somebody must come for them.
    writes_down: bool,
    noted: AtomicUsize,
    /// How many visits have been forgotten: what was read before one more was may be of that one.
    forgotten: AtomicUsize,
    hashes: RandomState,
}

#[derive(Default)]
struct Part {
    visits: HashMap<[u8; 32], Known, BuildHasherDefault<Beginning>>,
    /// Those that have a note.
    noted: Vec<SecretHash>,
    /// Views that count, not kept yet.
    counted: HashMap<Item, f64>,
    /// The notes since the last group, as `folding` writes them down.
    journal: Vec<u8>,
}

struct Known {
    visit: Visit,
    /// When the store was last asked.
    asked: Millis,
    /// Which items it counted for, and when, in seconds: a little memory for many visits.
    counted: Vec<(u32, u32)>,
    note: Option<Note>,
    /// Its note has been taken and is on its way into its place.
    on_the_way: bool,
    /// It is new and not in the store yet.
    unborn: bool,
}

/// What a visit did since it was last put into its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Note {
    /// The newest last.
    pub(crate) viewed: Vec<Item>,
    /// The visit itself is new.
    pub(crate) born: bool,
}

impl Guestbook {
    pub(crate) fn new(known_max: usize, writes_down: bool) -> Guestbook {
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Guestbook {
            parts,
            known_max: (known_max / PARTS).max(1),
            writes_down,
            noted: AtomicUsize::new(0),
            forgotten: AtomicUsize::new(0),
            hashes: RandomState::new(),
        }
    }

    /// The visit as it is known here, if the store was asked after `since` or something is noted of it.
    pub(crate) fn find(&self, token: &SecretHash, since: Millis) -> Option<Visit> {
        let part = self.part(token);
        let known = part.visits.get(token.bytes())?;
        (known.asked >= since || known.is_noted()).then(|| known.visit.clone())
    }

    /// To be asked before the store is, and shown to `learn`.
    pub(crate) fn forgotten(&self) -> usize {
        self.forgotten.load(Ordering::SeqCst)
    }

    /// What the store says of a visit, unless one was forgotten meanwhile. What is noted here and not kept yet is newer.
    pub(crate) fn learn(&self, visit: Visit, now: Millis, forgotten: usize) -> Visit {
        let mut part = self.part(&visit.token);
        if self.forgotten() != forgotten {
            return visit;
        }
        part.make_room(self.known_max);
        let known = part.visits.entry(*visit.token.bytes()).or_insert_with(|| Known::new(visit.clone(), now));
        let last_used = known.visit.last_used.max(visit.last_used);
        known.visit = Visit { last_used, ..visit };
        known.asked = now;
        known.visit.clone()
    }

    /// A new visit, noted like a use.
    pub(crate) fn begin(&self, visit: Visit, now: Millis) {
        let mut part = self.part(&visit.token);
        part.make_room(self.known_max);
        let token = visit.token;
        let note = Note { born: true, ..Note::default() };
        part.visits.insert(*token.bytes(), Known { note: Some(note), unborn: true, ..Known::new(visit, now) });
        part.noted.push(token);
        if self.writes_down {
            crate::folding::write_down(&mut part.journal, &token, now, None, true, false);
        }
        self.noted.fetch_add(1, Ordering::Relaxed);
    }

    /// A use, and a view if there is an item; nothing for a visit that is not known here.
    pub(crate) fn touch(&self, token: &SecretHash, item: Option<&Item>, now: Millis) -> bool {
        let mut part = self.part(token);
        let Part { visits, noted, counted, journal } = &mut *part;
        let Some(known) = visits.get_mut(token.bytes()) else { return false };
        known.visit.last_used = known.visit.last_used.max(now);
        let note = known.note.get_or_insert_with(|| {
            noted.push(*token);
            self.noted.fetch_add(1, Ordering::Relaxed);
            Note::default()
        });
        let mut counts = false;
        if let Some(item) = item {
            note.viewed.retain(|other| other != item);
            note.viewed.push(item.clone());
            if note.viewed.len() > VIEWED_MAX {
                note.viewed.remove(0);
            }
            counts = counts_again(&mut known.counted, self.hashes.hash_one(item) as u32, now);
            if counts {
                *counted.entry(item.clone()).or_default() += 1.0;
            }
        }
        if self.writes_down {
            crate::folding::write_down(journal, token, now, item, false, counts);
        }
        true
    }

    /// Back into the book after a crash: a note that was kept in a group and not put into its place.
    pub(crate) fn remember(&self, visit: Visit, item: Option<Item>, born: bool, counts: bool) {
        let mut part = self.part(&visit.token);
        let Part { visits, noted, counted, .. } = &mut *part;
        let (token, used) = (visit.token, visit.last_used);
        let known = visits.entry(*token.bytes()).or_insert_with(|| Known::new(visit, Millis(0)));
        known.visit.last_used = known.visit.last_used.max(used);
        let note = known.note.get_or_insert_with(|| {
            noted.push(token);
            self.noted.fetch_add(1, Ordering::Relaxed);
            Note::default()
        });
        note.born |= born;
        known.unborn |= born;
        if let Some(item) = item {
            note.viewed.retain(|other| *other != item);
            note.viewed.push(item.clone());
            if counts {
                *counted.entry(item).or_default() += 1.0;
            }
        }
    }

    pub(crate) fn forget(&self, token: &SecretHash) {
        let mut part = self.part(token);
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        if part.visits.remove(token.bytes()).is_some_and(|known| known.note.is_some()) {
            part.noted.retain(|other| other != token);
            self.noted.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether it was used after `then`, as far as is known here.
    pub(crate) fn used_after(&self, token: &SecretHash, then: Millis) -> bool {
        self.part(token).visits.get(token.bytes()).is_some_and(|known| known.visit.last_used > then)
    }

    /// Whether something of it is not in its place yet.
    pub(crate) fn is_noted(&self, token: &SecretHash) -> bool {
        self.part(token).visits.get(token.bytes()).is_some_and(Known::is_noted)
    }

    /// Whether the visit itself is not in its place yet.
    pub(crate) fn is_unborn(&self, token: &SecretHash) -> bool {
        self.part(token).visits.get(token.bytes()).is_some_and(|known| known.unborn)
    }

    /// The note of one visit, if there is one.
    pub(crate) fn take(&self, token: &SecretHash) -> Option<(Visit, Note)> {
        let mut part = self.part(token);
        let known = part.visits.get_mut(token.bytes())?;
        let taken = (known.visit.clone(), known.note.take()?);
        known.on_the_way = true;
        part.noted.retain(|other| other != token);
        self.noted.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }

    /// At most so many visits of a part with their notes, the longest noted first. They are on their way until `placed` or
    /// `give_back`.
    pub(crate) fn take_some(&self, part: usize, most: usize) -> Vec<(Visit, Note)> {
        let mut taken = Vec::new();
        let mut part = lock(&self.parts[part]);
        let Part { visits, noted, .. } = &mut *part;
        let some = noted.len().min(most);
        for token in noted.drain(..some) {
            let Some(known) = visits.get_mut(token.bytes()) else { continue };
            let Some(note) = known.note.take() else { continue };
            known.on_the_way = true;
            taken.push((known.visit.clone(), note));
        }
        self.noted.fetch_sub(taken.len(), Ordering::Relaxed);
        taken
    }

    /// What was taken is in its place.
    pub(crate) fn placed(&self, taken: &[(Visit, Note)]) {
        for (visit, _) in taken {
            if let Some(known) = self.part(&visit.token).visits.get_mut(visit.token.bytes()) {
                (known.on_the_way, known.unborn) = (false, false);
            }
        }
    }

    /// All views that count and are not kept yet.
    pub(crate) fn take_counted(&self) -> HashMap<Item, f64> {
        let mut counted = HashMap::new();
        for part in &self.parts {
            for (item, by) in lock(part).counted.drain() {
                *counted.entry(item).or_default() += by;
            }
        }
        counted
    }

    /// What could not be put into its place waits on.
    pub(crate) fn give_back(&self, taken: Vec<(Visit, Note)>) {
        for (visit, note) in taken {
            let mut part = self.part(&visit.token);
            let Part { visits, noted, .. } = &mut *part;
            let token = visit.token;
            let known = visits.entry(*token.bytes()).or_insert_with(|| Known::new(visit, Millis(0)));
            let newer = known.note.take().map(|newer| newer.viewed).unwrap_or_else(|| {
                noted.push(token);
                self.noted.fetch_add(1, Ordering::Relaxed);
                Vec::new()
            });
            let mut viewed: Vec<Item> = note.viewed.into_iter().filter(|item| !newer.contains(item)).collect();
            viewed.extend(newer);
            known.note = Some(Note { viewed, born: note.born });
            (known.on_the_way, known.unborn) = (false, known.unborn || note.born);
        }
    }

    pub(crate) fn give_back_counted(&self, counted: HashMap<Item, f64>) {
        let mut part = lock(&self.parts[0]);
        for (item, by) in counted {
            *part.counted.entry(item).or_default() += by;
        }
    }

    /// The notes since the last time, as they are written down, one group.
    pub(crate) fn take_journal(&self) -> Vec<u8> {
        let mut group = Vec::new();
        for part in &self.parts {
            let mut part = lock(part);
            if group.is_empty() {
                std::mem::swap(&mut group, &mut part.journal);
            } else {
                group.append(&mut part.journal);
            }
        }
        group
    }

    /// A group that was not kept is part of the next, before what was noted meanwhile.
    pub(crate) fn give_back_journal(&self, mut group: Vec<u8>) {
        let mut part = lock(&self.parts[0]);
        group.append(&mut part.journal);
        part.journal = group;
    }

    /// How many visits have a note.
    pub(crate) fn noted(&self) -> usize {
        self.noted.load(Ordering::Relaxed)
    }

    pub(crate) fn noted_in(&self, part: usize) -> usize {
        lock(&self.parts[part]).noted.len()
    }

    fn part(&self, token: &SecretHash) -> MutexGuard<'_, Part> {
        lock(&self.parts[token.part_of(PARTS)])
    }
}

impl Known {
    fn new(visit: Visit, asked: Millis) -> Known {
        Known { visit, asked, counted: Vec::new(), note: None, on_the_way: false, unborn: false }
    }

    fn is_noted(&self) -> bool {
        self.note.is_some() || self.on_the_way
    }
}

impl Part {
    /// When there are too many, those go of which nothing is noted, any of them: they are read again when they come. Where
    /// nearly all have a note it waits until more could go, or each newcomer would look through all of them in vain.
    fn make_room(&mut self, known_max: usize) {
        let idle = self.visits.len().saturating_sub(self.noted.len());
        if self.visits.len() < known_max || idle < known_max.div_ceil(4) {
            return;
        }
        let mut excess = self.visits.len() / 4 + 1;
        self.visits.retain(|_, known| {
            let goes = excess > 0 && !known.is_noted();
            excess -= usize::from(goes);
            !goes
        });
    }
}

/// A token's hash is as good as random already, and only this server makes tokens: its first bytes will do.
#[derive(Default)]
struct Beginning(u64);

impl Hasher for Beginning {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    /// How long a token is does not tell them apart.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Whether a view of this item counts, given what the visit counted for; takes note of it if so.
fn counts_again(counted: &mut Vec<(u32, u32)>, item: u32, now: Millis) -> bool {
    let now = (now.0 / 1000) as u32;
    let again_after = (COUNTS_AGAIN_AFTER.0 / 1000) as u32;
    counted.retain(|(_, at)| now.saturating_sub(*at) < again_after);
    if counted.len() >= COUNTED_MAX || counted.iter().any(|(other, _)| *other == item) {
        return false;
    }
    counted.push((item, now));
    true
}

/// A panic elsewhere leaves a part whole: nothing in it is half done between two calls.
fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever comes for what is written down comes only where the store is one process's own.
    #[test]
    fn what_nobody_comes_for_is_not_written_down() {
        for writes_down in [true, false] {
            let book = Guestbook::new(10, writes_down);
            let token = SecretHash::of(b"1");
            let now = Millis(5);
            book.begin(Visit { token, shopper: None, cart: token, since: now, last_used: now }, now);
            for _ in 0..1000 {
                assert!(book.touch(&token, Some(&"tea".parse().unwrap()), now));
            }
            assert_eq!(book.take_journal().is_empty(), !writes_down);
        }
    }
}
