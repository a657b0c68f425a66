//! Sessions that end at other nodes: their sockets here close at once.

use crate::doors::Doors;
use parlor_engine::{Bulletin, Notice};
use std::sync::Arc;

/// Until the server goes: hears which sessions have ended elsewhere. Returns at once when there is no elsewhere.
pub async fn read(doors: Arc<Doors>) {
    let mut going = doors.going.clone();
    let Some(mut bulletin) = Bulletin::of(doors.engine.house()) else { return };
    loop {
        let notice = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            notice = bulletin.next() => notice,
        };
        match notice {
            Notice::Ended(token) => {
                doors.sessions.heard_of_end(&token);
                doors.attendance.end(&token);
            }
            Notice::Unseen => doors.attendance.look_at_all(doors.now()),
        }
    }
}
