//! The watch over a room or a bulletin, taken up again whenever it breaks.
//!
//! Nobody knows what happened while it was broken. So whoever watches is told of every moment from which something may
//! have been missed: when it breaks, when it still cannot be taken up, and when it is.

use parlor_store::{NodeId, RoomKey, Rooms, StoreError, Wake, Watch};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How long a broken watch waits before it is tried again: at once, then this, then twice as long each time.
const AGAIN_AFTER: Duration = Duration::from_millis(250);
const AGAIN_AFTER_MAX: Duration = Duration::from_secs(4);

type Coming = Pin<Box<dyn Future<Output = Result<Watch, StoreError>> + Send>>;

pub(crate) struct Lookout {
    state: State,
}

enum State {
    Watching(Watch),
    /// On its way, and how long to wait if it does not come.
    Broken(Coming, Duration),
}

/// What there is to see.
pub(crate) enum Sight {
    Wake(Wake),
    /// Something may have happened unseen, and perhaps still does.
    Unseen {
        watching: bool,
    },
}

impl Lookout {
    pub(crate) fn over(watch: Watch) -> Lookout {
        Lookout { state: State::Watching(watch) }
    }

    /// One that is still to be taken up.
    pub(crate) fn to_come(rooms: &Arc<dyn Rooms>, key: &RoomKey, node: NodeId) -> Lookout {
        Lookout { state: State::Broken(come(rooms, key, node, Duration::ZERO), AGAIN_AFTER) }
    }

    /// Nothing is lost when nobody waits for it to the end.
    pub(crate) async fn next(&mut self, rooms: &Arc<dyn Rooms>, key: &RoomKey, node: NodeId) -> Sight {
        match &mut self.state {
            State::Watching(watch) => {
                if let Some(wake) = watch.next().await {
                    return Sight::Wake(wake);
                }
                *self = Lookout::to_come(rooms, key, node);
            }
            State::Broken(coming, pause) => match coming.await {
                Ok(watch) => {
                    self.state = State::Watching(watch);
                    return Sight::Unseen { watching: true };
                }
                Err(error) => {
                    tracing::debug!(%error, key = %key.spine, "a watch could not be taken up again");
                    let pause = *pause;
                    self.state = State::Broken(come(rooms, key, node, pause), (pause * 2).min(AGAIN_AFTER_MAX));
                }
            },
        }
        Sight::Unseen { watching: false }
    }
}

fn come(rooms: &Arc<dyn Rooms>, key: &RoomKey, node: NodeId, pause: Duration) -> Coming {
    let (rooms, key) = (rooms.clone(), key.clone());
    Box::pin(async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        rooms.watch(&key, node).await
    })
}
