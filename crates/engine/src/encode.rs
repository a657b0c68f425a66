//! How the hub gets bytes: it is given an `Encode` with each listener and knows nothing of the words in it.

use crate::presences::News;
use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::space::Page;
use parlor_rules::{Address, Done, Ending, Event, Here, Json, Kept, Mark, Millis, Place, Position, Right, UserId, Viewer};
use std::sync::Arc;

/// A room as it is at one moment; cheap to clone.
#[derive(Clone)]
pub struct Picture {
    pub place: Place,
    pub kept: Arc<Kept>,
    /// Who is connected, as far as this node knows.
    pub here: Here,
}

/// One encoding of what rooms say. Views come in two pieces: the part shared by a class of viewers is made
/// once for all of them, the part that is one viewer's own is small; `view` splices the two.
pub trait Encode: Send + Sync + 'static {
    /// Tells encodings apart, so that shared parts are made once for each.
    fn name(&self) -> &'static str;
    fn shared(&self, room: &Address, picture: &Picture, viewer: &Viewer) -> Bytes;
    fn mine(&self, kept: &Kept, viewer: &Viewer) -> Bytes;
    fn view(&self, shared: &Bytes, mine: &Bytes) -> Bytes;
    /// Whether its listeners asked to be told what changed, where they are known to have what it changed from.
    fn patches(&self) -> bool {
        false
    }
    /// What changed between two pictures that one class of viewers was shown; asked only of those who patch. `view`
    /// splices it with `mine` for whoever's own part changed, `bare` is for all others.
    fn patch(&self, _room: &Address, _from: &Picture, _to: &Picture, _viewer: &Viewer) -> Bytes {
        Bytes::new()
    }
    fn bare(&self, patch: &Bytes) -> Bytes {
        patch.clone()
    }
    /// The answer to a request to listen.
    fn welcome(&self, room: &Address, welcome: &Welcome) -> Bytes;
    /// One ephemeral message, made once for all who hear it.
    fn now(&self, from: Option<&UserId>, data: &Bytes) -> Bytes;
    /// Several ephemeral messages as one frame.
    fn gathered(&self, room: &Address, messages: &[Bytes]) -> Bytes;
    fn farewell(&self, room: &Address, farewell: Farewell) -> Bytes;
    /// How it speaks of rooms that tell; nothing when it has no words for them.
    fn telling(&self) -> Option<&dyn Tell> {
        None
    }
}

/// What an encoding needs for rooms that tell what changed instead of showing themselves again.
pub trait Tell: Send + Sync {
    /// One accepted act as those of a class hear it, made once for all of them; nothing when they are told nothing of it.
    /// The number stands in it for whoever sent it and may have missed the answer.
    fn done(&self, seq: u64, done: &Done, class: Class, number: Option<u64>) -> Option<Bytes>;
    /// Several such pieces as one frame.
    fn told(&self, room: &Address, step: &Step, pieces: &[Bytes]) -> Bytes;
    /// The answer to an act, in its place among what others did; with the mark if the room stands there now.
    fn acted(&self, request: u64, at: Position, mark: Option<Mark>, events: &[Event]) -> Bytes;
    /// All the room holds, in pieces.
    fn reading(&self, viewer: &Viewer) -> Box<dyn Reading>;
    fn presence(&self, room: &Address, news: &News) -> Bytes;
    /// Who shows what in one presence.
    fn people(&self, shown: &[(UserId, Option<Json>, Json)]) -> Bytes;
    /// A page of what the room holds; nothing when it has no such part.
    fn page(&self, picture: &Picture, viewer: &Viewer, page: &Page) -> Option<Bytes>;
}

/// From where to where a frame takes its listener; without a mark the last commit in it is not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub base: Position,
    pub at: Position,
    pub mark: Option<Mark>,
    pub expires: Option<Millis>,
}

/// Reads a room to one listener piece by piece. Each piece is as the room is when it is made: what changes meanwhile is
/// told in between, so that nothing need be held back however long the reading takes.
pub trait Reading: Send {
    /// The next piece of about so many bytes, and whether it is the last.
    fn next(&mut self, room: &Address, picture: &Picture, bytes: usize) -> (Bytes, bool);
}

/// What a new listener is told first; the view follows.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// The number of the request this answers.
    pub request: u64,
    pub place: Place,
    /// Whether the listener's own place was found, so that it has missed nothing it is not told now.
    pub resumed: bool,
    pub user: Option<UserId>,
    /// In rooms that give rights.
    pub right: Right,
}

/// The last, or nearly last, thing a listener hears of a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Farewell {
    /// The room will end at that time unless somebody uses it.
    Closing(Millis),
    Ended(Ending),
    /// Nothing ended, but this node stopped serving the room: come in again.
    ComeBack,
}
