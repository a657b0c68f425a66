//! What a room's task can be asked. Large contents are boxed: an inbox is allocated in blocks of messages.

use crate::encode::Encode;
use crate::engine::{Entrance, Request};
use crate::error::Error;
use crate::hub::ListenerId;
use crate::presences::{Bell, Slot};
use crate::turn::Acted;
use bytes::Bytes;
use parlor_rules::kinds::Export;
use parlor_rules::space::{Page, Showing};
use parlor_rules::{Credential, Place};
use std::sync::Arc;
use tokio::sync::oneshot;

pub(crate) enum Message {
    Act(Box<Pending>),
    Listen(Box<Listen>),
    Unlisten(ListenerId),
    Look(Box<Look>),
    Export(Box<TakeHome>),
    Say(Box<Say>),
    Show(Box<Show>),
    /// Somebody who listens has put something to show into their slot.
    Shown,
    /// A listener has been written a piece of the room and can take the next.
    More(ListenerId),
    /// Memory is asked for: go, if nobody listens.
    Unload,
}

pub(crate) struct Pending {
    pub(crate) request: Request,
    /// The listener it came from and the number of its request: a room that tells answers there, in order.
    pub(crate) from: Option<(ListenerId, u64)>,
    pub(crate) answer: oneshot::Sender<Result<Acted, Error>>,
}

pub(crate) struct Listen {
    pub(crate) id: ListenerId,
    pub(crate) entrance: Entrance,
    /// Where the listener will put what they show; only in rooms that tell.
    pub(crate) slot: Option<Arc<Slot>>,
    /// With the bell to ring when there is something in it.
    pub(crate) answer: oneshot::Sender<Result<Option<Arc<Bell>>, Error>>,
}

/// One look at a room, or at a page of what it holds, without listening.
pub(crate) struct Look {
    pub(crate) credential: Credential,
    pub(crate) encode: Arc<dyn Encode>,
    pub(crate) page: Option<Page>,
    pub(crate) answer: oneshot::Sender<Result<Seen, Error>>,
}

/// A wish for the room's past.
pub(crate) struct TakeHome {
    pub(crate) credential: Credential,
    pub(crate) answer: oneshot::Sender<Result<Export, Error>>,
}

/// What was seen: the view, encoded, and where the room stood.
pub struct Seen {
    pub place: Place,
    pub view: Bytes,
}

/// Something for those here now; not kept.
pub(crate) struct Say {
    pub(crate) credential: Credential,
    pub(crate) listener: Option<ListenerId>,
    pub(crate) data: Bytes,
    pub(crate) answer: Option<oneshot::Sender<Result<(), Error>>>,
}

/// Something of oneself, for as long as one is here; not kept.
pub(crate) struct Show {
    pub(crate) credential: Credential,
    pub(crate) listener: Option<ListenerId>,
    pub(crate) showing: Showing,
    pub(crate) answer: Option<oneshot::Sender<Result<(), Error>>>,
}

impl Message {
    /// Answers whoever waits with an error.
    pub(crate) fn refuse(self, error: Error) {
        // Whoever asked may have stopped waiting; that is their right.
        match self {
            Message::Act(pending) => drop(pending.answer.send(Err(error))),
            Message::Listen(listen) => drop(listen.answer.send(Err(error))),
            Message::Look(look) => drop(look.answer.send(Err(error))),
            Message::Export(export) => drop(export.answer.send(Err(error))),
            Message::Say(say) => drop(say.answer.map(|answer| answer.send(Err(error)))),
            Message::Show(show) => drop(show.answer.map(|answer| answer.send(Err(error)))),
            Message::Unlisten(_) | Message::More(_) | Message::Shown | Message::Unload => {}
        }
    }
}
