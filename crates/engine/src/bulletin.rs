//! Which sessions have ended, told from node to node, so that their sockets at other nodes close at once.
//!
//! Nothing is kept under the bulletin's key, and a notice can get lost: whoever holds sockets looks at their sessions now
//! and then all the same. Only with a store that others can use.

use crate::engine::House;
use crate::lookout::{Lookout, Sight};
use parlor_layout::session as layout;
use parlor_rules::SecretHash;
use parlor_store::{NodeId, RoomKey, Rooms, Wake};
use std::sync::Arc;

pub struct Bulletin {
    rooms: Arc<dyn Rooms>,
    key: RoomKey,
    node: NodeId,
    lookout: Lookout,
}

#[derive(PartialEq, Eq)]
pub enum Notice {
    /// The session that this token opened has ended at another node.
    Ended(SecretHash),
    /// The bulletin was out of sight for a while, and is in sight again: any session may have ended.
    Unseen,
}

impl Bulletin {
    /// Nothing when no other process can use the store.
    pub fn of(house: &House) -> Option<Bulletin> {
        house.rooms.limits().lease?;
        let (rooms, key, node) = (house.rooms.clone(), layout::bulletin(), house.node);
        let lookout = Lookout::to_come(&rooms, &key, node);
        Some(Bulletin { rooms, key, node, lookout })
    }

    /// Tells the other nodes that a session has ended. Best effort.
    pub async fn tell(house: &House, token: &SecretHash) {
        if house.rooms.limits().lease.is_none() {
            return;
        }
        if let Err(error) = house.rooms.tell(&layout::bulletin(), house.node, layout::ended(token)).await {
            tracing::warn!(%error, "other nodes find out later that a session has ended");
        }
    }

    /// The next notice. Nothing is lost when nobody waits for it to the end.
    pub async fn next(&mut self) -> Notice {
        loop {
            match self.lookout.next(&self.rooms, &self.key, self.node).await {
                Sight::Wake(Wake::Told(word)) => match layout::read_ended(&word) {
                    Some(token) => return Notice::Ended(token),
                    None => tracing::warn!("another node told of a session in words that this one does not understand"),
                },
                Sight::Unseen { watching: true } => return Notice::Unseen,
                // A watch that is not taken up is tried again, and nobody moves a bulletin or is at it.
                Sight::Unseen { watching: false } | Sight::Wake(Wake::Moved(_) | Wake::Closed | Wake::Here) => {}
            }
        }
    }
}
