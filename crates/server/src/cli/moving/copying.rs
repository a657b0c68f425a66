//! The steps of a move: what there is, one thing after the other across, and both sides compared.

use super::progress::Progress;
use futures_util::{StreamExt, stream};
use parlor_layout::catalogue::{Documents, thing};
use parlor_store::{CarriedRecord, CarriedRoom, Carry, Key, Loose, Over, Put, RoomKey, StoreError, Thing};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Things that are on their way at once.
const TOGETHER: usize = 32;
/// How often something that somebody else is busy with is tried.
const TRIES_MAX: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Mover {
    pub(super) source: Arc<dyn Carry>,
    /// Nothing when it is not there and is only to be looked at.
    pub(super) target: Option<Arc<dyn Carry>>,
    pub(super) replaces: bool,
}

/// All that a store has.
#[derive(Default)]
pub(super) struct Names {
    pub(super) rooms: BTreeSet<Key>,
    pub(super) records: BTreeSet<Loose>,
    pub(super) foreign: Vec<String>,
}

/// What came of all of them.
#[derive(Default)]
pub(super) struct Copied {
    rooms: usize,
    records: usize,
    same: usize,
    ended: usize,
    pub(super) refused: Vec<String>,
}

#[derive(Clone)]
enum Name {
    Room(RoomKey),
    Record(Loose),
}

pub(super) enum Outcome {
    Copied { bytes: usize },
    Same,
    Refused,
    Ended,
}

impl Mover {
    pub(super) async fn names(&self) -> Result<Names, String> {
        let mut names = Names::default();
        let mut foreign = BTreeSet::new();
        let mut after = None;
        loop {
            let page = self.source.list(&Documents, after).await.map_err(|error| error.to_string())?;
            names.rooms.extend(page.rooms.into_iter().map(|room| room.spine));
            names.records.extend(page.records);
            foreign.extend(page.foreign);
            after = page.next;
            if after.is_none() {
                names.foreign = foreign.into_iter().collect();
                return Ok(names);
            }
        }
    }

    pub(super) async fn copy(&self, names: &Names, progress: &mut Progress) -> Result<Copied, String> {
        let target = self.target.as_ref().ok_or("there is no store to copy to")?;
        self.each(names, progress, Some(&**target)).await
    }

    /// What copying would do.
    pub(super) async fn compare(&self, names: &Names, progress: &mut Progress) -> Result<Copied, String> {
        self.each(names, progress, None).await
    }

    /// Copies one after the other to a store, or without one only says what that would do.
    async fn each(&self, names: &Names, progress: &mut Progress, to: Option<&dyn Carry>) -> Result<Copied, String> {
        let mut copied = Copied::default();
        let mut outcomes = stream::iter(names.all())
            .map(|name| async move {
                let outcome = patiently(async || match to {
                    Some(target) => self.copy_one(target, &name).await,
                    None => self.compare_one(&name).await,
                });
                (outcome.await.map_err(|error| told(&name, &error)), name)
            })
            .buffer_unordered(TOGETHER);
        while let Some((outcome, name)) = outcomes.next().await {
            copied.count(&name, outcome?, progress);
        }
        copied.refused.sort();
        Ok(copied)
    }

    /// Reads both again: what there is now, and what there was when the copying began. Answers what differs and how.
    pub(super) async fn verify(&self, before: &Names, now: &Names, progress: &mut Progress) -> Result<Vec<String>, String> {
        let target = self.target.as_ref().ok_or("there is no store to compare with")?;
        let gone = Names {
            rooms: before.rooms.difference(&now.rooms).cloned().collect(),
            records: before.records.difference(&now.records).cloned().collect(),
            foreign: Vec::new(),
        };
        let mut different = Vec::new();
        let mut compared = stream::iter(now.all().chain(gone.all()))
            .map(|name| async move {
                let difference = patiently(async || self.difference(&**target, &name).await).await;
                (difference.map_err(|error| told(&name, &error)), name)
            })
            .buffer_unordered(TOGETHER);
        while let Some((difference, name)) = compared.next().await {
            let (bytes, difference) = difference?;
            progress.step(name.is_room(), bytes);
            different.extend(difference.map(|how| format!("{} ({how})", name.text())));
        }
        different.sort();
        Ok(different)
    }

    async fn copy_one(&self, target: &dyn Carry, name: &Name) -> Result<Outcome, StoreError> {
        let (bytes, put) = match name {
            Name::Room(room) => {
                let Some(carried) = self.source.take_room(room).await? else { return Ok(Outcome::Ended) };
                (carried.bytes(), self.put_room(target, room, carried).await?)
            }
            Name::Record(record) => {
                let Some(carried) = self.source.take_record(record).await? else { return Ok(Outcome::Ended) };
                (carried.bytes(), self.put_record(target, record, carried).await?)
            }
        };
        Ok(match put {
            Put::Kept => Outcome::Copied { bytes },
            Put::Same => Outcome::Same,
            Put::Other => Outcome::Refused,
            Put::Ended => Outcome::Ended,
        })
    }

    async fn put_room(&self, target: &dyn Carry, room: &RoomKey, carried: CarriedRoom) -> Result<Put, StoreError> {
        let over = if self.replaces { Over::Anything } else { Over::Nothing };
        match target.put_room(room, carried.clone(), over).await? {
            Put::Other => {}
            put => return Ok(put),
        }
        // An earlier part of the same history came with an earlier move: going on from it overwrites nothing.
        match target.take_room(room).await? {
            Some(there) if is_earlier(&there, &carried) => target.put_room(room, carried, Over::At(there.place)).await,
            Some(_) => Ok(Put::Other),
            None => target.put_room(room, carried, Over::Nothing).await,
        }
    }

    async fn put_record(&self, target: &dyn Carry, record: &Loose, carried: CarriedRecord) -> Result<Put, StoreError> {
        match target.put_record(record, carried.clone(), self.replaces).await? {
            Put::Other => {}
            put => return Ok(put),
        }
        match target.take_record(record).await {
            Ok(Some(there)) if is_renewed(&there, &carried) => target.put_record(record, carried, true).await,
            Ok(_) | Err(StoreError::Shape(_)) => Ok(Put::Other),
            Err(error) => Err(error),
        }
    }

    async fn compare_one(&self, name: &Name) -> Result<Outcome, StoreError> {
        let judged = |bytes: usize, is_absent: bool, is_same: bool, goes_on: bool| match (is_absent, is_same) {
            (_, true) => Outcome::Same,
            (true, _) => Outcome::Copied { bytes },
            (false, false) if goes_on || self.replaces => Outcome::Copied { bytes },
            (false, false) => Outcome::Refused,
        };
        match name {
            Name::Room(room) => {
                let Some(here) = self.source.take_room(room).await? else { return Ok(Outcome::Ended) };
                let Some(target) = &self.target else { return Ok(Outcome::Copied { bytes: here.bytes() }) };
                let there = target.take_room(room).await?;
                let is_same = there.as_ref().is_some_and(|there| there.place == here.place && there.deadline == here.deadline);
                let goes_on = there.as_ref().is_some_and(|there| is_earlier(there, &here));
                Ok(judged(here.bytes(), there.is_none(), is_same, goes_on))
            }
            Name::Record(record) => {
                let Some(here) = self.source.take_record(record).await? else { return Ok(Outcome::Ended) };
                let Some(target) = &self.target else { return Ok(Outcome::Copied { bytes: here.bytes() }) };
                let there = match target.take_record(record).await {
                    Err(StoreError::Shape(_)) => return Ok(judged(here.bytes(), false, false, false)),
                    there => there?,
                };
                let is_same = there.as_ref() == Some(&here);
                let goes_on = there.as_ref().is_some_and(|there| is_renewed(there, &here));
                Ok(judged(here.bytes(), there.is_none(), is_same, goes_on))
            }
        }
    }

    async fn difference(&self, target: &dyn Carry, name: &Name) -> Result<(usize, Option<&'static str>), StoreError> {
        let now = self.source.now().max(target.now());
        // The two clocks may differ a little: at the end of a life one side has nothing any more.
        let is_ending = |deadline| deadline_within(deadline, now);
        Ok(match name {
            Name::Room(room) => match (self.source.take_room(room).await?, target.take_room(room).await?) {
                (Some(here), Some(there)) => (here.bytes(), room_difference(&here, &there)),
                (Some(one), None) if is_ending(one.deadline) => (0, None),
                (None, Some(one)) if is_ending(one.deadline) => (0, None),
                (Some(_), None) => (0, Some("not at the other store")),
                (None, Some(_)) => (0, Some("gone from the source")),
                (None, None) => (0, None),
            },
            Name::Record(record) => match (self.source.take_record(record).await?, target.take_record(record).await?) {
                (Some(here), Some(there)) if here.value != there.value => (0, Some("another value")),
                (Some(here), Some(there)) if here.deadline != there.deadline => (0, Some("another lifetime")),
                (Some(here), Some(_)) => (here.bytes(), None),
                (Some(one), None) if is_ending(one.deadline) => (0, None),
                (None, Some(one)) if is_ending(one.deadline) => (0, None),
                (Some(_), None) => (0, Some("not at the other store")),
                (None, Some(_)) => (0, Some("gone from the source")),
                (None, None) => (0, None),
            },
        })
    }
}

fn deadline_within(deadline: Option<parlor_rules::Millis>, now: parlor_rules::Millis) -> bool {
    const SKEW_MS: u64 = 2000;
    deadline.is_some_and(|deadline| deadline.0 <= now.0 + SKEW_MS)
}

fn room_difference(here: &CarriedRoom, there: &CarriedRoom) -> Option<&'static str> {
    [
        (here.place != there.place, "another place"),
        (here.deadline != there.deadline, "another lifetime"),
        (here.records != there.records, "other records"),
        (here.tail != there.tail, "another history"),
    ]
    .into_iter()
    .find_map(|(differs, how)| differs.then_some(how))
}

/// Whether a room is what another one was before its last commits.
fn is_earlier(there: &CarriedRoom, here: &CarriedRoom) -> bool {
    here.tail.iter().any(|entry| entry.place == there.place)
}

/// Whether a record is the same and only ends later.
fn is_renewed(there: &CarriedRecord, here: &CarriedRecord) -> bool {
    let is_later = match (there.deadline, here.deadline) {
        (Some(there), Some(here)) => here > there,
        (Some(_), None) => true,
        (None, _) => false,
    };
    there.value == here.value && is_later
}

/// Again while somebody else is busy with it, a bounded number of times.
async fn patiently<T>(attempt: impl AsyncFn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    for _ in 1..TRIES_MAX {
        match attempt().await {
            Err(StoreError::Busy) => tokio::time::sleep(PAUSE).await,
            done => return done,
        }
    }
    attempt().await
}

fn told(name: &Name, error: &StoreError) -> String {
    format!("{}: {error}; the same command goes on where this one ended", name.text())
}

fn counted(rooms: usize, records: usize) -> String {
    let ending = |count: usize| if count == 1 { "" } else { "s" };
    format!("{rooms} room{} and {records} record{}", ending(rooms), ending(records))
}

impl Names {
    pub(super) fn counted(&self) -> String {
        counted(self.rooms.len(), self.records.len())
    }

    fn all(&self) -> impl Iterator<Item = Name> {
        let room = |spine: &Key| match thing(spine) {
            Some(Thing::Spine(room)) => Some(Name::Room(room)),
            Some(Thing::Part(_) | Thing::Record { .. }) | None => None,
        };
        self.rooms.iter().filter_map(room).chain(self.records.iter().cloned().map(Name::Record))
    }
}

impl Name {
    fn is_room(&self) -> bool {
        matches!(self, Name::Room(_))
    }

    fn text(&self) -> &str {
        match self {
            Name::Room(room) => &room.spine,
            Name::Record(record) => &record.key,
        }
    }
}

impl Copied {
    fn count(&mut self, name: &Name, outcome: Outcome, progress: &mut Progress) {
        let mut bytes = 0;
        match outcome {
            Outcome::Copied { bytes: carried } => {
                bytes = carried;
                *(if name.is_room() { &mut self.rooms } else { &mut self.records }) += 1;
            }
            Outcome::Same => self.same += 1,
            Outcome::Refused => self.refused.push(name.text().to_owned()),
            Outcome::Ended => self.ended += 1,
        }
        progress.step(name.is_room(), bytes);
    }

    pub(super) fn told(&self, what: &str) -> String {
        let mut told = format!("{} {what}", counted(self.rooms, self.records));
        if self.same > 0 {
            told.push_str(&format!(", {} there already", self.same));
        }
        if self.ended > 0 {
            told.push_str(&format!(", {} ended meanwhile", self.ended));
        }
        told
    }
}
