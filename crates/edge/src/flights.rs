//! One asks, the others wait: concurrent requests for one missing page are one request to the origin.
//!
//! Waiting never lasts longer than asking: a leader that fails, vanishes or gets what cannot be shared lets everybody go at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// How a flight ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Landing {
    /// The page is kept; look again.
    Kept,
    /// The answer is for the one who asked.
    Unshared,
    /// There was no good answer; `down` when there was none at all.
    Failed { down: bool },
}

type Board = Mutex<HashMap<Box<str>, watch::Receiver<Option<Landing>>>>;

/// The requests that are under way.
#[derive(Clone, Default)]
pub(crate) struct Flights(Arc<Board>);

pub(crate) enum Place {
    Leader(Leader),
    Follower(Follower),
}

impl Flights {
    pub(crate) fn join(&self, name: &str) -> Place {
        let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = board.get(name) {
            return Place::Follower(Follower(flight.clone()));
        }
        let (sender, receiver) = watch::channel(None);
        board.insert(name.into(), receiver);
        Place::Leader(Leader { board: self.0.clone(), name: name.into(), sender })
    }

    pub(crate) fn under_way(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The one who asks. Dropping it without a word means failure.
pub(crate) struct Leader {
    board: Arc<Board>,
    name: Box<str>,
    sender: watch::Sender<Option<Landing>>,
}

impl Leader {
    pub(crate) fn land(self, landing: Landing) {
        self.end(landing);
    }

    fn end(&self, landing: Landing) {
        let first = self.sender.send_if_modified(|state| {
            let first = state.is_none();
            if first {
                *state = Some(landing);
            }
            first
        });
        if first {
            self.board.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.end(Landing::Failed { down: true });
    }
}

/// One who waits.
pub(crate) struct Follower(watch::Receiver<Option<Landing>>);

impl Follower {
    pub(crate) async fn landed(mut self) -> Landing {
        match self.0.wait_for(Option::is_some).await {
            Ok(landing) => landing.unwrap_or(Landing::Failed { down: true }),
            Err(_) => Landing::Failed { down: true },
        }
    }
}
