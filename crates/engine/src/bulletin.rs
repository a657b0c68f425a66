//! Short words from node to node: that a session has ended, so that its sockets at other nodes close at once; that a cart has
//! changed.
//!
//! Nothing is kept under a bulletin's key, and a word can get lost: whoever depends on one looks now and then all the
//! same. Only with a store that others can use.

use crate::engine::House;
use crate::lookout::{Lookout, Sight};
use bytes::Bytes;
use parlor_store::{Announced, NodeId, RoomKey, Rooms, StoreError, Wake};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};

pub struct Bulletin {
    rooms: Arc<dyn Rooms>,
    key: RoomKey,
    node: NodeId,
    lookout: Lookout,
    /// A store that cannot tell everybody must know who listens, and for how long.
    announces: Interval,
    announcing: Option<Announcing>,
}

type Announcing = Pin<Box<dyn Future<Output = Result<Announced, StoreError>> + Send>>;

#[derive(PartialEq, Eq)]
pub enum Notice {
    /// Another node's word.
    Told(Bytes),
    /// The bulletin was out of sight for a while, and is in sight again: any word may have been missed.
    Unseen,
}

impl Bulletin {
    /// Nothing when no other process can use the store.
    pub fn at(house: &House, key: RoomKey) -> Option<Bulletin> {
        let lease = Duration::from_millis(house.rooms.limits().lease?.0);
        let (rooms, node) = (house.rooms.clone(), house.node);
        let lookout = Lookout::to_come(&rooms, &key, node);
        let mut announces = interval(lease / 3);
        announces.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Some(Bulletin { rooms, key, node, lookout, announces, announcing: None })
    }

    /// Tells the other nodes. Best effort.
    pub async fn tell(house: &House, key: &RoomKey, word: Bytes) {
        if house.rooms.limits().lease.is_none() {
            return;
        }
        if let Err(error) = house.rooms.tell(key, house.node, word).await {
            tracing::warn!(%error, bulletin = %key.spine, "other nodes find out later");
        }
    }

    /// The next notice. Nothing is lost when nobody waits for it to the end.
    pub async fn next(&mut self) -> Notice {
        loop {
            let sight = tokio::select! {
                sight = self.lookout.next(&self.rooms, &self.key, self.node) => sight,
                _ = self.announces.tick(), if self.announcing.is_none() => {
                    let (rooms, key, node) = (self.rooms.clone(), self.key.clone(), self.node);
                    self.announcing = Some(Box::pin(async move { rooms.announce(&key, node, Vec::new()).await }));
                    continue;
                }
                announced = said(&mut self.announcing) => {
                    self.announcing = None;
                    if let Err(error) = announced {
                        tracing::debug!(%error, bulletin = %self.key.spine, "that this node listens was not passed on");
                    }
                    continue;
                }
            };
            match sight {
                Sight::Wake(Wake::Told(word)) => return Notice::Told(word),
                Sight::Unseen { watching: true } => return Notice::Unseen,
                // Somebody else listens from now on: that is heard with the answer to the next word.
                Sight::Wake(Wake::Here) => self.announces.reset_immediately(),
                // A watch that is not taken up is tried again, and nobody moves a bulletin.
                Sight::Unseen { watching: false } | Sight::Wake(Wake::Moved(_) | Wake::Closed) => {}
            }
        }
    }
}

async fn said(announcing: &mut Option<Announcing>) -> Result<Announced, StoreError> {
    match announcing {
        Some(announcing) => announcing.await,
        None => pending().await,
    }
}
