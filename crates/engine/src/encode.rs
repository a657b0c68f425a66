//! How the hub gets bytes: it is given an `Encode` with each listener and knows nothing of the words in it.

use bytes::Bytes;
use parlor_rules::{Address, Ending, Here, Kept, Millis, Place, UserId, Viewer};

/// A room as it is at one moment; cheap to clone.
#[derive(Clone)]
pub struct Picture {
    pub place: Place,
    pub kept: Kept,
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
