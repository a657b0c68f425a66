//! What the fan-out bench asks of whatever it measures; a new peer is a new file that says these things.

use crate::Result;
use crate::child::Server;
use crate::line::Line;

pub const PAYLOAD_BYTES: usize = 64;

pub trait Peer {
    fn name(&self) -> String;
    fn start(&self) -> Result<Server>;
    /// The path of its WebSocket.
    fn path(&self) -> &'static str;
    /// Brings every line into the one room.
    fn gather(&self, lines: &mut [Line]) -> impl Future<Output = Result<Room>>;
    /// One client's message around a payload, as the text of a frame.
    fn say(&self, room: &Room, payload: &str) -> String;
    /// Each payload in a frame; says false when the frame is an error.
    fn hear(&self, frame: &[u8], each: &mut dyn FnMut(&[u8])) -> bool;
}

/// The room's name, where the peer has names.
pub struct Room(pub String);
