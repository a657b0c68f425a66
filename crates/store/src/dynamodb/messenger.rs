//! Hints from node to node. The table cannot push: whoever serves plugs in a way to do so.

use crate::rooms::{NodeId, RoomKey, Wake};

/// A node that announced people at a room, and where it is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub node: NodeId,
    pub address: String,
}

/// Sends hints to other nodes. Never waits, and may lose them: what a hint is about stands in the table.
pub trait Messenger: Send + Sync + 'static {
    fn push(&self, to: &[Member], room: &RoomKey, by: NodeId, wake: &Wake);
}
