//! What the bench of map writes asks of whatever it measures; a new rival is a new file that says these things.
//!
//! A change counts as delivered when one client other than its author has decoded it.

use crate::Result;
use crate::child::Server;
use crate::line::Line;
use std::net::SocketAddr;

pub const VALUE_BYTES: usize = 64;

/// One client at its room.
pub struct Chair {
    pub room: String,
    pub person: usize,
    /// Writes sent so far.
    pub number: u64,
}

/// What a frame meant to one client.
#[derive(Default)]
pub struct Heard {
    pub acks: u64,
    pub changes: u64,
    /// What the protocol wants to have answered, as frames.
    pub answer: Vec<u8>,
}

pub trait Rival: 'static {
    fn name(&self) -> String;
    fn start(&self) -> Result<Server>;
    /// Names of so many rooms, made where rooms must be made.
    fn rooms(&self, address: SocketAddr, count: usize) -> impl Future<Output = Result<Vec<String>>>;
    /// A line that is in its room.
    fn sit(&self, address: SocketAddr, room: &str, person: usize) -> impl Future<Output = Result<Line>>;
    /// One more write of this client, framed.
    fn write(&self, chair: &mut Chair, frames: &mut Vec<u8>);
    /// Says false when the frame is an error.
    fn hear(&self, chair: &Chair, frame: &[u8], heard: &mut Heard) -> bool;
}

/// A value that differs from the last one.
pub fn value(number: u64) -> String {
    format!("{number:0>16}{:x<width$}", "", width = VALUE_BYTES - 16)
}

/// Waits for a frame that `is` the one.
pub async fn wait_for(line: &mut Line, is: impl Fn(&[u8]) -> bool) -> Result<()> {
    let waiting = async {
        loop {
            while let Some(frame) = line.frames.take()? {
                if is(frame) {
                    return Ok(());
                }
            }
            if !line.fill().await? {
                return Err("the server closed the line at the beginning".to_owned());
            }
        }
    };
    tokio::time::timeout(crate::line::ANSWER_WITHIN, waiting).await.map_err(|_| "the server does not let anybody in")?
}

/// How often it stands there, none overlapping.
pub fn count(frame: &[u8], what: &[u8]) -> u64 {
    memchr::memmem::find_iter(frame, what).count() as u64
}

/// Rooms that need no making.
pub fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|room| format!("room-{room}")).collect()
}
