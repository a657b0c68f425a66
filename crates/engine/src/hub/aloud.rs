//! The hub of a room that tells: commits in order, the room read out to whoever comes, and what people show of themselves.

use super::{Hub, Listener, ListenerId};
use crate::encode::{Encode, Picture, Reading, Step};
use crate::minutes::{Minutes, Sheets};
use crate::presences::{Book, News, Slot};
use bytes::Bytes;
use parlor_rules::space::{Frame, PartName, Showing};
use parlor_rules::{ClientId, Commit, Millis, Place, State, UserId, Viewer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Whoever could not take what people show is told all of it again after this time.
const BEHIND_FOR: Duration = Duration::from_secs(1);
/// Comparisons a round may cost for those who look at a part of the plane; beyond that they are told what everyone is.
const LOOKS_MAX: usize = 200_000;

/// One listener of a room that tells.
pub(crate) struct Ear {
    client: Option<ClientId>,
    /// What is left to be read to it.
    reading: Option<Box<dyn Reading>>,
    /// When to tell it of everybody, because it has not been told, or missed something.
    behind: Option<Instant>,
    /// Which parts of the plane it looks at.
    within: Vec<(PartName, Frame)>,
    /// Where it puts what it shows.
    slot: Option<Arc<Slot>>,
}

impl Ear {
    pub(crate) fn new(client: Option<ClientId>, slot: Option<Arc<Slot>>) -> Box<Ear> {
        Box::new(Ear { client, reading: None, behind: Some(Instant::now()), within: Vec::new(), slot })
    }
}

impl Hub {
    /// Everyone hears what happened; whoever did some of it is answered in its place. They are first: in a room of thousands
    /// it takes a while until all are told, and only they wait.
    pub(crate) fn tell_minutes(&mut self, minutes: &Minutes, state: &State, expires: Option<Millis>) {
        let mut sheets = Sheets::default();
        let authors = minutes.authors().iter().filter_map(|id| self.listeners.get_key_value(id));
        let others = self.listeners.iter().filter(|(id, _)| !minutes.authors().contains(id));
        for (id, listener) in authors.chain(others) {
            let class = state.class(&listener.viewer);
            for frame in minutes.frames(&self.room, expires, &mut sheets, (*id, &listener.encode, class)) {
                listener.outbox.push(frame);
            }
        }
    }

    /// Somebody who was here before hears what they missed.
    pub(crate) fn catch_up(
        &self,
        id: ListenerId,
        from: Place,
        missed: &[(Place, Arc<Commit>)],
        state: &State,
        expires: Option<Millis>,
    ) {
        let Some(listener) = self.listeners.get(&id) else { return };
        let (Some(tell), Some((last, _))) = (listener.encode.telling(), missed.last()) else { return };
        let class = state.class(&listener.viewer);
        let client = listener.ear.as_ref().and_then(|ear| ear.client.as_ref());
        let mut pieces = Vec::new();
        for (place, commit) in missed {
            for done in &commit.done {
                let own = done
                    .ticket
                    .as_ref()
                    .filter(|ticket| Some(&ticket.holder.client) == client && ticket.holder.user == listener.viewer.user);
                pieces.extend(tell.done(place.position.seq, done, class, own.map(|ticket| ticket.number)));
            }
        }
        let step = Step { base: from.position, at: last.position, mark: Some(last.mark), expires };
        listener.outbox.push(tell.told(&self.room, &step, &pieces));
    }

    /// Begins to read the room to one listener, or to all of them; gives those who wait for their first piece.
    pub(crate) fn read_out(&mut self, only: Option<ListenerId>) -> Vec<ListenerId> {
        let mut readers = Vec::new();
        for (id, listener) in self.listeners.iter_mut().filter(|(id, _)| only.is_none_or(|only| only == **id)) {
            let Listener { viewer, encode, ear: Some(ear), .. } = &mut **listener else { continue };
            let was_reading = ear.reading.is_some();
            ear.reading = encode.telling().map(|tell| tell.reading(viewer));
            // Whoever is being read to asks for the next piece anyway.
            if ear.reading.is_some() && !was_reading {
                readers.push(*id);
            }
        }
        readers
    }

    /// The next piece for one listener.
    pub(crate) fn read_on(&mut self, id: ListenerId, picture: &Picture, bytes: usize, more: impl FnOnce() + Send + 'static) {
        let Some(listener) = self.listeners.get_mut(&id) else { return };
        let Listener { outbox, ear: Some(ear), .. } = &mut **listener else { return };
        let Some(reading) = &mut ear.reading else { return };
        let (frame, last) = reading.next(&self.room, picture, bytes);
        if last {
            ear.reading = None;
            outbox.push(frame);
        } else {
            outbox.push_piece(frame, more);
        }
    }

    pub(crate) fn look_within(&mut self, id: ListenerId, presence: PartName, frame: Option<Frame>) {
        let Some(ear) = self.listeners.get_mut(&id).and_then(|listener| listener.ear.as_mut()) else { return };
        ear.within.retain(|(name, _)| *name != presence);
        ear.within.extend(frame.map(|frame| (presence, frame)));
        ear.behind = Some(Instant::now());
        self.behind_at = ear.behind;
    }

    /// What one listener has put into its slot.
    pub(crate) fn slot(&self, id: ListenerId) -> Vec<Showing> {
        let slot = self.listeners.get(&id).and_then(|listener| listener.ear.as_ref()?.slot.as_ref());
        slot.map(|slot| slot.take()).unwrap_or_default()
    }

    /// What those who listen have put into their slots.
    pub(crate) fn shown(&self) -> Vec<(ListenerId, Viewer, Vec<Showing>)> {
        let slots =
            self.listeners.iter().filter_map(|(id, listener)| Some((id, listener, listener.ear.as_ref()?.slot.as_ref()?)));
        let full = slots.map(|(id, listener, slot)| (*id, listener, slot.take())).filter(|(_, _, shown)| !shown.is_empty());
        full.map(|(id, listener, shown)| (id, listener.viewer.clone(), shown)).collect()
    }

    /// When somebody is to be told of everybody.
    pub(crate) fn behind_at(&self) -> Option<Instant> {
        self.behind_at
    }

    /// Tells of people: everyone the same few bytes, whoever has just come all of it.
    pub(crate) fn tell_of_people(&mut self, book: &mut Book, news: &News) {
        let now = Instant::now();
        let mut frames: BTreeMap<&'static str, Option<Bytes>> = BTreeMap::new();
        let mut wholes: BTreeMap<&'static str, Bytes> = BTreeMap::new();
        let lookers = self.listeners.values().filter(|listener| listener.ear.as_ref().is_some_and(|ear| !ear.within.is_empty()));
        let lookers = lookers.count();
        let looks = lookers > 0 && lookers * book.fresh() <= LOOKS_MAX;
        let mut dropped = 0u64;
        let mut behind_at: Option<Instant> = None;
        for listener in self.listeners.values_mut() {
            let Listener { encode, outbox, ear: Some(ear), .. } = &mut **listener else { continue };
            let Some(tell) = encode.telling() else { continue };
            let room = &self.room;
            let frame = if let Some(behind) = ear.behind {
                if behind > now {
                    behind_at = Some(behind_at.map_or(behind, |other| other.min(behind)));
                    continue;
                }
                if ear.within.is_empty() {
                    Some(wholes.entry(encode.name()).or_insert_with(|| tell.presence(room, &book.whole(&[]))).clone())
                } else {
                    Some(tell.presence(room, &book.whole(&ear.within)))
                }
            } else if looks && !ear.within.is_empty() {
                let own = book.within(news, &ear.within);
                (!own.is_empty()).then(|| tell.presence(room, &own))
            } else {
                let shared = || (!news.is_empty()).then(|| tell.presence(room, news));
                frames.entry(encode.name()).or_insert_with(shared).clone()
            };
            let Some(frame) = frame else { continue };
            let taken = outbox.push_now(frame);
            ear.behind = (!taken).then_some(now + BEHIND_FOR);
            behind_at = behind_at.into_iter().chain(ear.behind).min();
            dropped += u64::from(!taken);
        }
        self.behind_at = behind_at;
        book.close_round(lookers > 0);
        if dropped > 0 {
            metrics::counter!("parlor_ephemeral_dropped_total").increment(dropped);
        }
    }

    /// Here without listening, for a while. Says whether they were not here before.
    pub(crate) fn visit(&mut self, user: &UserId, until: Instant) -> bool {
        let until = self.visits.get(user).map_or(until, |earlier| until.max(*earlier));
        self.visits.insert(user.clone(), until);
        let came = self.here.comes(user);
        self.changes += u64::from(came);
        came
    }

    /// Says whether somebody is not here any more.
    pub(crate) fn end_visit(&mut self, user: &UserId) -> bool {
        if self.visits.remove(user).is_none() {
            return false;
        }
        let listens = self.listeners.values().any(|listener| super::sits(&listener.viewer) == Some(user));
        let gone = !listens && self.here.goes(user);
        self.changes += u64::from(gone);
        gone
    }

    pub(crate) fn visits_over_at(&self) -> Option<Instant> {
        self.visits.values().min().copied()
    }

    /// Those whose visit is over and who do not listen either.
    pub(crate) fn visits_over(&mut self, now: Instant) -> Vec<UserId> {
        let over: Vec<UserId> = self.visits.iter().filter(|(_, until)| **until <= now).map(|(user, _)| user.clone()).collect();
        over.into_iter().filter(|user| self.end_visit(user)).collect()
    }

    /// Whether this is the encoding of a door that has words for such rooms.
    pub(crate) fn can_tell(encode: &Arc<dyn Encode>) -> bool {
        encode.telling().is_some()
    }
}
