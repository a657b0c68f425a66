//! Who listens to one room. A commit is shown to all of them: one encoding a class, one push a listener.
//!
//! Whoever asked for patches and was shown the last picture is told what changed since; the outbox knows whether that
//! picture is on its way to them, and takes the whole view if it is not.

mod aloud;

use crate::encode::{Encode, Farewell, Picture, Welcome};
use crate::outbox::Outbox;
use crate::sheets::Sheets;
pub(crate) use aloud::Ear;
use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::{Address, Credential, Ending, Event, Here, Kept, UserId, Viewer};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::Instant;

pub type ListenerId = u64;

pub struct Listener {
    pub credential: Credential,
    pub viewer: Viewer,
    pub outbox: Arc<Outbox>,
    pub encode: Arc<dyn Encode>,
    room: Address,
    /// What patches change.
    seen: Option<Seen>,
    /// What is known of it in a room that tells.
    ear: Option<Box<Ear>>,
    /// Told that it ended; without that, dropping it says to come back.
    dismissed: bool,
}

/// Somebody who comes to listen, and who the room takes them for.
pub(crate) struct Arrival {
    pub(crate) credential: Credential,
    pub(crate) viewer: Viewer,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) encode: Arc<dyn Encode>,
    pub(crate) ear: Option<Box<Ear>>,
}

/// What somebody was shown last.
struct Seen {
    picture: Arc<Picture>,
    class: Class,
    mine: Bytes,
}

pub struct Hub {
    room: Address,
    /// What all were shown last; shared with those who come after, so that they need no patch of their own.
    shown: Option<Arc<Picture>>,
    /// Boxed: the map keeps room for many where there are a few.
    listeners: BTreeMap<ListenerId, Box<Listener>>,
    /// Who sits and has a listener, however many.
    here: Here,
    /// Those who are here without a listener, and until when.
    visits: BTreeMap<UserId, Instant>,
    /// When somebody is to be told of everybody, in a room that tells.
    behind_at: Option<Instant>,
    /// How often who is here has changed.
    changes: u64,
    /// Ephemeral messages of this gathering, each with its encoding and the listener it came from.
    gathered: Vec<(Option<ListenerId>, &'static str, Bytes)>,
}

impl Hub {
    pub fn new(room: Address) -> Hub {
        Hub {
            room,
            shown: None,
            listeners: BTreeMap::new(),
            here: Here::default(),
            visits: BTreeMap::new(),
            behind_at: None,
            changes: 0,
            gathered: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.listeners.is_empty()
    }

    pub fn len(&self) -> usize {
        self.listeners.len()
    }

    pub fn viewer(&self, id: ListenerId) -> Option<&Viewer> {
        self.listeners.get(&id).map(|listener| &listener.viewer)
    }

    pub fn here(&self) -> &Here {
        &self.here
    }

    /// The number of the last change of who is here.
    pub fn change(&self) -> u64 {
        self.changes
    }

    /// Says whether somebody is here who was not before.
    pub(crate) fn enter(&mut self, id: ListenerId, arrival: Arrival, welcome: &Welcome) -> bool {
        let Arrival { credential, viewer, outbox, encode, ear } = arrival;
        // A connection listens once: whoever enters again hears nothing more of the earlier entrance.
        let again = self.listeners.iter().find(|(_, other)| Arc::ptr_eq(&other.outbox, &outbox)).map(|(id, _)| *id);
        let was_here = again.and_then(|id| self.leave(id));
        outbox.push(encode.welcome(&self.room, welcome));
        let room = self.room.clone();
        let comes = sits(&viewer).filter(|user| self.here.comes(user));
        self.changes += u64::from(comes.is_some());
        let arrived = comes.is_some_and(|user| was_here.as_ref() != Some(user));
        if ear.is_some() {
            self.behind_at = Some(Instant::now());
        }
        let listener = Listener { credential, viewer, outbox, encode, room, seen: None, ear, dismissed: false };
        self.listeners.insert(id, Box::new(listener));
        arrived
    }

    /// Says who is not here any more, if that was the last they listened with.
    pub fn leave(&mut self, id: ListenerId) -> Option<UserId> {
        let mut listener = self.listeners.remove(&id)?;
        listener.dismissed = true;
        let user = sits(&listener.viewer)?;
        let others = self.listeners.values().any(|other| sits(&other.viewer) == Some(user));
        let gone = !others && !self.visits.contains_key(user) && self.here.goes(user);
        self.changes += u64::from(gone);
        gone.then(|| user.clone())
    }

    /// Roles may have changed: everyone is recognised anew, and those the events name are sent out.
    pub fn recognise(&mut self, kept: &Kept, events: &[&Event]) {
        let mut out = Vec::new();
        for (id, listener) in &mut self.listeners {
            let ending = events.iter().find_map(|event| event.sends_out(&listener.viewer));
            match (ending, kept.state.recognise(&listener.credential)) {
                (None, Ok(viewer)) => listener.viewer = viewer,
                (Some(ending), _) => out.push((*id, ending)),
                (None, Err(_)) => out.push((*id, Ending::Kicked)),
            }
        }
        for (id, ending) in out {
            self.dismiss(id, ending);
        }
        let listening = self.listeners.values().filter_map(|listener| sits(&listener.viewer).cloned());
        let here: Here = listening.chain(self.visits.keys().cloned()).collect();
        self.changes += u64::from(here != self.here);
        self.here = here;
    }

    /// Shows the room as it is now to everyone, or to one.
    pub fn show(&mut self, picture: Picture, only: Option<ListenerId>) {
        let is_shown = |shown: &&Arc<Picture>| shown.place == picture.place && shown.here == picture.here;
        let picture = match self.shown.as_ref().filter(is_shown) {
            Some(shown) => shown.clone(),
            None => Arc::new(picture),
        };
        let mut sheets = Sheets::of(&self.room, &picture);
        for (id, listener) in self.listeners.iter_mut().filter(|(id, _)| only.is_none_or(|only| only == **id)) {
            listener.show(*id, &mut sheets);
        }
        // Also what the first who comes is shown, so that those who come after share it.
        if only.is_none() || self.shown.is_none() {
            self.shown = Some(picture);
        }
    }

    /// Nobody looks: whoever comes is shown the room as it is then.
    pub fn forget_shown(&mut self) {
        self.shown = None;
    }

    /// Takes in a message for those here now, to be heard at the next `hand_out`.
    pub fn gather(&mut self, author: Option<ListenerId>, from: Option<&UserId>, data: &Bytes) {
        let mut encodings: Vec<&'static str> = Vec::new();
        for listener in self.listeners.values() {
            let name = listener.encode.name();
            if !encodings.contains(&name) {
                encodings.push(name);
                self.gathered.push((author, name, listener.encode.now(from, data)));
            }
        }
    }

    pub fn has_gathered(&self) -> bool {
        !self.gathered.is_empty()
    }

    /// Everyone hears what was gathered, except their own: those who said nothing share one frame.
    pub fn hand_out(&mut self) {
        if self.gathered.is_empty() {
            return;
        }
        let gathered = std::mem::take(&mut self.gathered);
        let mut frames: BTreeMap<&'static str, Bytes> = BTreeMap::new();
        let mut dropped = 0u64;
        for (id, listener) in &self.listeners {
            let name = listener.encode.name();
            let spoke = gathered.iter().any(|(author, ..)| *author == Some(*id));
            let heard = |own: bool| -> Vec<Bytes> {
                let mine = gathered.iter().filter(|(author, encoding, _)| *encoding == name && (!own || *author != Some(*id)));
                mine.map(|(_, _, message)| message.clone()).collect()
            };
            let frame = if spoke {
                let others = heard(true);
                if others.is_empty() {
                    continue;
                }
                listener.encode.gathered(&self.room, &others)
            } else {
                frames.entry(name).or_insert_with(|| listener.encode.gathered(&self.room, &heard(false))).clone()
            };
            dropped += u64::from(!listener.outbox.push_now(frame));
        }
        if dropped > 0 {
            metrics::counter!("parlor_ephemeral_dropped_total").increment(dropped);
        }
    }

    pub fn tell(&self, farewell: Farewell) {
        self.listeners.keys().for_each(|id| self.tell_one(*id, farewell));
    }

    pub fn tell_one(&self, id: ListenerId, farewell: Farewell) {
        if let Some(listener) = self.listeners.get(&id) {
            listener.outbox.push(listener.encode.farewell(&self.room, farewell));
        }
    }

    /// The room is over: everyone is told why.
    pub fn end(&mut self, ending: Ending) {
        for id in self.listeners.keys().copied().collect::<Vec<_>>() {
            self.dismiss(id, ending);
        }
    }

    fn dismiss(&mut self, id: ListenerId, ending: Ending) {
        if let Some(mut listener) = self.listeners.remove(&id) {
            listener.dismissed = true;
            listener.outbox.push(listener.encode.farewell(&self.room, Farewell::Ended(ending)));
        }
    }
}

impl Listener {
    fn show(&mut self, id: ListenerId, sheets: &mut Sheets<'_>) {
        let Listener { viewer, encode, outbox, .. } = self;
        let (picture, class) = (sheets.picture, sheets.picture.kept.state.class(viewer));
        let mine = encode.mine(&picture.kept, viewer);
        if !encode.patches() {
            return outbox.push_view(id, encode.view(&sheets.whole(encode, class, viewer), &mine));
        }
        let has_it = self
            .seen
            .as_ref()
            .is_some_and(|seen| (seen.picture.place, &seen.mine) == (picture.place, &mine) && seen.picture.here == picture.here);
        let seen = self.seen.replace(Seen { picture: picture.clone(), class, mine: mine.clone() });
        if has_it {
            return; // Whoever has just come was shown exactly this.
        }
        let patch = seen.filter(|seen| seen.class == class).and_then(|seen| {
            let patch = sheets.patch(encode, class, viewer, &seen.picture)?;
            Some(if seen.mine == mine { patch.bare.clone() } else { encode.view(&patch.piece, &mine) })
        });
        let mut whole = || encode.view(&sheets.whole(encode, class, viewer), &mine);
        match patch {
            Some(patch) => outbox.push_patch(id, patch, whole),
            None => outbox.push_view(id, whole()),
        }
    }
}

/// Only whoever proved to hold a seat is there for it.
fn sits(viewer: &Viewer) -> Option<&UserId> {
    viewer.user.as_ref().filter(|_| viewer.seated)
}

/// A room's task can end without a word (a panic, a shutdown); its listeners then hear that they should come again.
impl Drop for Listener {
    fn drop(&mut self) {
        if !self.dismissed {
            self.outbox.push(self.encode.farewell(&self.room, Farewell::ComeBack));
        }
    }
}
