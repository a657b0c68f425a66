//! What rooms that tell say of their commits: each act once, in order, to everyone but the connection it came from.
//!
//! That connection is answered in the same place of the same order, so a client that takes what it hears as it comes
//! has the room. Acts that follow each other closely share a frame, and all who did nothing share its very bytes.

use crate::encode::{Encode, Step, Tell};
use crate::hub::ListenerId;
use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::{Address, Commit, Done, Millis, Place, Position};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One accepted act that nobody has heard of yet.
struct Minute {
    done: Done,
    place: Place,
    /// Whether it is the last of its commit.
    ends: bool,
    /// Who waits for the answer, and to which of their requests.
    author: Option<(ListenerId, u64)>,
}

pub(crate) struct Minutes {
    /// Where everyone who listens stands.
    base: Position,
    waiting: Vec<Minute>,
    authors: BTreeSet<ListenerId>,
}

/// What one sort of listener hears of the minutes.
struct Sheet {
    /// One for each minute; nothing where there is nothing to tell.
    pieces: Vec<Option<Bytes>>,
    /// For whoever did none of it.
    whole: Bytes,
}

/// Sheets by encoding and class, made when the first of their sort asks.
#[derive(Default)]
pub(crate) struct Sheets(BTreeMap<(&'static str, Class), Sheet>);

impl Minutes {
    pub(crate) fn from(base: Position) -> Minutes {
        Minutes { base, waiting: Vec::new(), authors: BTreeSet::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Who did some of it.
    pub(crate) fn authors(&self) -> &BTreeSet<ListenerId> {
        &self.authors
    }

    /// Takes down a commit; `author` knows who waits for the answer to its nth act.
    pub(crate) fn take(&mut self, place: Place, commit: &Commit, author: impl Fn(usize) -> Option<(ListenerId, u64)>) {
        let last = commit.done.len().saturating_sub(1);
        for (index, done) in commit.done.iter().enumerate() {
            let author = author(index);
            self.authors.extend(author.map(|(id, _)| id));
            self.waiting.push(Minute { done: done.clone(), place, ends: index == last, author });
        }
    }

    /// Everybody has heard: from now on they stand here.
    pub(crate) fn clear(&mut self, base: Position) {
        *self = Minutes::from(base);
    }

    /// The frames for one listener.
    pub(crate) fn frames(
        &self,
        room: &Address,
        expires: Option<Millis>,
        sheets: &mut Sheets,
        (id, encode, class): (ListenerId, &Arc<dyn Encode>, Class),
    ) -> Vec<Bytes> {
        let Some(tell) = encode.telling() else { return Vec::new() };
        let sheet = sheets.0.entry((encode.name(), class)).or_insert_with(|| self.sheet(room, expires, tell, class));
        if !self.authors.contains(&id) {
            return vec![sheet.whole.clone()];
        }
        let mut frames = Vec::new();
        let (mut stands, mut run, mut others) = (self.base, Vec::new(), None::<&Minute>);
        let step =
            |base, last: &Minute| Step { base, at: last.place.position, mark: last.ends.then_some(last.place.mark), expires };
        for (minute, piece) in self.waiting.iter().zip(&sheet.pieces) {
            let Some((_, request)) = minute.author.filter(|(author, _)| *author == id) else {
                run.extend(piece.clone());
                others = Some(minute);
                continue;
            };
            if let Some(last) = others.take() {
                frames.push(tell.told(room, &step(stands, last), &std::mem::take(&mut run)));
                stands = if last.ends { last.place.position } else { stands };
            }
            let mark = minute.ends.then_some(minute.place.mark);
            frames.push(tell.acted(request, minute.place.position, mark, &minute.done.events));
            stands = if minute.ends { minute.place.position } else { stands };
        }
        if let Some(last) = others {
            frames.push(tell.told(room, &step(stands, last), &run));
        }
        frames
    }

    fn sheet(&self, room: &Address, expires: Option<Millis>, tell: &dyn Tell, class: Class) -> Sheet {
        let pieces: Vec<Option<Bytes>> =
            self.waiting.iter().map(|minute| tell.done(minute.place.position.seq, &minute.done, class, None)).collect();
        let said: Vec<Bytes> = pieces.iter().flatten().cloned().collect();
        let last = self.waiting.last().map_or(self.base, |minute| minute.place.position);
        let mark = self.waiting.last().map(|minute| minute.place.mark);
        let whole = tell.told(room, &Step { base: self.base, at: last, mark, expires }, &said);
        Sheet { pieces, whole }
    }
}

/// The commits a room took lately, for those who come back: bounded by what they carry.
pub(crate) struct Lately {
    commits: std::collections::VecDeque<(Place, Arc<Commit>, usize)>,
    bytes: usize,
    bytes_max: usize,
}

impl Lately {
    pub(crate) fn new(bytes_max: usize) -> Lately {
        Lately { commits: std::collections::VecDeque::new(), bytes: 0, bytes_max }
    }

    pub(crate) fn note(&mut self, place: Place, commit: &Commit) {
        let size = commit.done.iter().map(|done| 64 + done.events.iter().map(event_bytes).sum::<usize>()).sum();
        self.bytes += size;
        self.commits.push_back((place, Arc::new(commit.clone()), size));
        while self.bytes > self.bytes_max
            && let Some((_, _, size)) = self.commits.pop_front()
        {
            self.bytes -= size;
        }
    }

    pub(crate) fn forget(&mut self) {
        self.commits.clear();
        self.bytes = 0;
    }

    /// Every commit after a place; nothing when that is not known here.
    pub(crate) fn since(&self, place: Place) -> Option<Vec<(Place, Arc<Commit>)>> {
        let index = self.commits.iter().position(|(other, ..)| *other == place)?;
        Some(self.commits.iter().skip(index + 1).map(|(place, commit, _)| (*place, commit.clone())).collect())
    }
}

/// Roughly what an event takes in memory.
fn event_bytes(event: &parlor_rules::Event) -> usize {
    use parlor_rules::space::Event;
    match event {
        parlor_rules::Event::Space(Event::MapSet { value, .. } | Event::ItemPut { value, .. } | Event::ItemSet { value, .. }) => {
            128 + value.len()
        }
        _ => 128,
    }
}
