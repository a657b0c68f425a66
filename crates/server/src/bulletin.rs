//! Sessions that end at other nodes: their sockets here close at once.

use crate::doors::Doors;
use parlor_engine::{Bulletin, Notice};
use parlor_layout::session as layout;
use std::sync::Arc;

/// Until the server goes: hears which sessions have ended elsewhere. Returns at once when there is no elsewhere.
pub async fn read(doors: Arc<Doors>) {
    let mut going = doors.going.clone();
    let Some(mut bulletin) = Bulletin::at(doors.engine.house(), layout::bulletin()) else { return };
    loop {
        let notice = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            notice = bulletin.next() => notice,
        };
        match notice {
            Notice::Told(word) => match layout::read_ended(&word) {
                Some(token) => {
                    doors.sessions.heard_of_end(&token);
                    doors.attendance.end(&token);
                }
                None => tracing::warn!("another node told of a session in words that this one does not understand"),
            },
            Notice::Unseen => doors.attendance.look_at_all(doors.now()),
        }
    }
}
