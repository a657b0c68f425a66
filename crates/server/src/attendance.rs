//! Who is here with a session: the sockets of each, so that they can be closed when it ends.
//!
//! Guests are not in it. One timer looks after all of it: a session may end although its socket stays open,
//! because watching does not renew it.

use crate::doors::Doors;
use parlor_engine::Outbox;
use parlor_rules::{Millis, Session};
use parlor_wire::say;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often sessions are looked after: they end on open sockets within about a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct Attendance {
    /// By the token's hash.
    present: Mutex<HashMap<String, Present>>,
    sockets: AtomicU64,
}

struct Present {
    session: Arc<Session>,
    /// As far as is known here; other servers may have renewed it.
    expires: Millis,
    sockets: Vec<(u64, Arc<Outbox>)>,
}

/// A socket among its session's, until it is dropped.
pub struct Attending {
    pub session: Arc<Session>,
    attendance: Arc<Attendance>,
    socket: u64,
}

impl Attendance {
    pub fn attend(self: &Arc<Self>, session: Arc<Session>, outbox: Arc<Outbox>) -> Attending {
        let socket = self.sockets.fetch_add(1, Ordering::Relaxed);
        let mut all = self.present();
        let present = all.entry(session.token.hex()).or_insert_with(|| Present {
            session: session.clone(),
            expires: session.expires,
            sockets: Vec::new(),
        });
        present.sockets.push((socket, outbox));
        drop(all);
        Attending { session, attendance: self.clone(), socket }
    }

    /// The session is over: all its sockets are told so and closed.
    pub fn end(&self, session: &Session) {
        let ended = self.present().remove(&session.token.hex());
        for (_, outbox) in ended.into_iter().flat_map(|present| present.sockets) {
            outbox.send_away(say::session_ended());
        }
    }

    pub fn renewed(&self, session: &Session, expires: Millis) {
        if let Some(present) = self.present().get_mut(&session.token.hex()) {
            present.expires = present.expires.max(expires);
        }
    }

    pub fn sockets(&self) -> usize {
        self.present().values().map(|present| present.sockets.len()).sum()
    }

    fn overdue(&self, now: Millis) -> Vec<Arc<Session>> {
        let all = self.present();
        all.values().filter(|present| present.expires <= now).map(|present| present.session.clone()).collect()
    }

    /// A panic elsewhere leaves the list whole: every change to it is one step.
    fn present(&self) -> MutexGuard<'_, HashMap<String, Present>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Attending {
    fn drop(&mut self) {
        let mut all = self.attendance.present();
        let token = self.session.token.hex();
        let Some(present) = all.get_mut(&token) else { return };
        present.sockets.retain(|(socket, _)| *socket != self.socket);
        if present.sockets.is_empty() {
            all.remove(&token);
        }
    }
}

/// Until the server goes: writes the renewals that wait, and ends on its sockets what has ended in the store.
pub async fn keep(doors: Arc<Doors>) {
    let mut going = doors.going.clone();
    loop {
        tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        doors.sessions.write_renewals().await;
        for session in doors.attendance.overdue(doors.now()) {
            match doors.sessions.find(&session.token).await {
                Ok(Some(living)) => doors.attendance.renewed(&session, living.expires),
                Ok(None) => doors.attendance.end(&session),
                // It is looked at again; nobody is sent away because a store is slow.
                Err(error) => tracing::warn!(%error, "whether a session lives could not be seen"),
            }
        }
    }
}
