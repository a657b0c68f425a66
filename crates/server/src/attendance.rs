//! Who is here with a session: the sockets of each, so that they can be closed when it ends.
//!
//! Guests are not in it. One timer looks after all of it: a session may end although its socket stays open,
//! because watching does not renew it, or because it was ended at another node and the notice got lost.

use crate::doors::Doors;
use futures_util::{StreamExt, stream};
use parlor_engine::Outbox;
use parlor_rules::{Millis, SecretHash, Session, Span};
use parlor_wire::say;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often sessions are looked after: they end on open sockets within about a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Where other nodes can end sessions, each is looked at in the store this often.
const PROVE_EVERY: Span = Span::seconds(30);

/// Sessions looked at side by side.
const LOOKS_AT_ONCE_MAX: usize = 64;

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
    /// When it is to be looked at although it should live.
    prove_at: Millis,
    sockets: Vec<(u64, Arc<Outbox>)>,
}

/// A socket among its session's, until it is dropped.
pub struct Attending {
    pub session: Arc<Session>,
    attendance: Arc<Attendance>,
    socket: u64,
}

impl Attendance {
    pub fn attend(self: &Arc<Self>, session: Arc<Session>, outbox: Arc<Outbox>, now: Millis) -> Attending {
        let socket = self.sockets.fetch_add(1, Ordering::Relaxed);
        let mut all = self.present();
        let present = all.entry(session.token.hex()).or_insert_with(|| Present {
            session: session.clone(),
            expires: session.expires,
            prove_at: now + some_of(PROVE_EVERY, &session.token),
            sockets: Vec::new(),
        });
        present.sockets.push((socket, outbox));
        drop(all);
        Attending { session, attendance: self.clone(), socket }
    }

    /// The session is over: all its sockets are told so and closed.
    pub fn end(&self, token: &SecretHash) {
        let ended = self.present().remove(&token.hex());
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

    /// Any of them may have ended elsewhere: each is looked at once, soon.
    pub fn look_at_all(&self, now: Millis) {
        for present in self.present().values_mut() {
            present.prove_at = now;
        }
    }

    /// Those that should have ended, and where others can end them also those that were not looked at for long.
    fn to_look_at(&self, now: Millis, others: bool) -> Vec<Arc<Session>> {
        let mut all = self.present();
        let due = all.values_mut().filter(|present| present.expires <= now || (others && present.prove_at <= now));
        due.map(|present| {
            present.prove_at = now + PROVE_EVERY;
            present.session.clone()
        })
        .collect()
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
    let others = doors.engine.house().rooms.limits().lease.is_some();
    loop {
        tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        doors.sessions.write_renewals().await;
        let looks = doors.attendance.to_look_at(doors.now(), others).into_iter().map(|session| look(&doors, session));
        stream::iter(looks).buffer_unordered(LOOKS_AT_ONCE_MAX).collect::<()>().await;
    }
}

async fn look(doors: &Doors, session: Arc<Session>) {
    match doors.sessions.find(&session.token).await {
        Ok(Some(living)) => doors.attendance.renewed(&session, living.expires),
        Ok(None) => doors.attendance.end(&session.token),
        // It is looked at again; nobody is sent away because a store is slow.
        Err(error) => tracing::warn!(%error, "whether a session lives could not be seen"),
    }
}

/// A part of this time that differs from session to session, so that not all are looked at together.
fn some_of(time: Span, token: &SecretHash) -> Span {
    let [a, b, ..] = token.derive("parlor attendance", "");
    Span(time.0 * (1 + u64::from(u16::from_be_bytes([a, b]))) / (1 << 16))
}
