//! Hints from a backend to whoever watches a room: kept apart from the stream, which alone is the truth.
//!
//! Hints that say the same are one; what other nodes told is kept in order and bounded, the newest being dropped when
//! nobody listens fast enough. A teller that is dropped ends the watch: then nothing more is known, and the room must
//! be read again.

use crate::rooms::Wake;
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Messages of other nodes that wait for one room.
const TOLD_MAX: usize = 256;

pub struct Watch {
    shared: Arc<Shared>,
    /// Dropped with the watch, so that a backend can forget who listened.
    _guard: Option<Box<dyn Send + Sync>>,
}

/// The backend's end of a watch.
pub struct Teller {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    heard: Mutex<Heard>,
    news: Notify,
}

#[derive(Default)]
struct Heard {
    /// The newest of its kind: a room that moved again, or was closed after that.
    moved: Option<Wake>,
    here: bool,
    told: VecDeque<Bytes>,
    over: bool,
}

/// A watch and the teller of its hints.
pub fn hints(guard: impl FnOnce() -> Option<Box<dyn Send + Sync>>) -> (Teller, Watch) {
    let shared = Arc::new(Shared::default());
    (Teller { shared: shared.clone() }, Watch { shared, _guard: guard() })
}

impl Watch {
    /// A watch that never hears anything and never ends.
    pub fn silent() -> Watch {
        Watch { shared: Arc::default(), _guard: None }
    }

    /// The next hint not seen yet; `None` when the backend can give no more and the room must be read again.
    pub async fn next(&mut self) -> Option<Wake> {
        loop {
            // Only one waits here, so a hint that comes between the look and the wait is not missed.
            if let Some(next) = self.shared.lock().next() {
                return next;
            }
            self.shared.news.notified().await;
        }
    }
}

impl Teller {
    pub fn tell(&self, wake: Wake) {
        self.shared.lock().hear(wake);
        self.shared.news.notify_one();
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.news.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        // Every change is one step, so a panic elsewhere leaves nothing half done.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heard {
    fn hear(&mut self, wake: Wake) {
        match wake {
            Wake::Moved(_) | Wake::Closed => self.moved = Some(wake),
            Wake::Here => self.here = true,
            Wake::Told(what) if self.told.len() < TOLD_MAX => self.told.push_back(what),
            Wake::Told(_) => metrics::counter!("parlor_ephemeral_dropped_total").increment(1),
        }
    }

    /// `None`: nothing yet. What was heard before the end is still handed over.
    fn next(&mut self) -> Option<Option<Wake>> {
        if let Some(moved) = self.moved.take() {
            return Some(Some(moved));
        }
        if std::mem::take(&mut self.here) {
            return Some(Some(Wake::Here));
        }
        if let Some(told) = self.told.pop_front() {
            return Some(Some(Wake::Told(told)));
        }
        self.over.then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::position::{Mark, Place, Position};
    use parlor_rules::time::Millis;

    #[tokio::test]
    async fn the_newest_replaces_the_older_and_messages_keep_their_order() {
        let (teller, mut watch) = hints(|| None);
        let place = |seq| Place { position: Position { seq, ..Position::first(Millis(1)) }, mark: Mark(seq) };
        teller.tell(Wake::Moved(place(1)));
        teller.tell(Wake::Told(Bytes::from("a")));
        teller.tell(Wake::Here);
        teller.tell(Wake::Moved(place(2)));
        teller.tell(Wake::Told(Bytes::from("b")));
        teller.tell(Wake::Here);
        assert_eq!(watch.next().await, Some(Wake::Moved(place(2))));
        assert_eq!(watch.next().await, Some(Wake::Here));
        assert_eq!(watch.next().await, Some(Wake::Told(Bytes::from("a"))));
        drop(teller);
        assert_eq!(watch.next().await, Some(Wake::Told(Bytes::from("b"))));
        assert_eq!(watch.next().await, None);
        assert_eq!(watch.next().await, None, "and it stays over");
    }

    #[tokio::test]
    async fn who_does_not_listen_is_not_kept_everything_for() {
        let (teller, mut watch) = hints(|| None);
        for _ in 0..TOLD_MAX * 2 {
            teller.tell(Wake::Told(Bytes::from("x")));
        }
        drop(teller);
        let mut heard = 0;
        while watch.next().await.is_some() {
            heard += 1;
        }
        assert_eq!(heard, TOLD_MAX);
    }
}
