//! Sockets of people who came with a token of the app's. A signed token ends when it says; what the app said of a token
//! ends when it said, and then it is asked again: who is not let in any more is sent away, without having to do anything.

use super::webhook::{No, Opaque};
use crate::doors::Doors;
use futures_util::{StreamExt, stream};
use parlor_engine::Outbox;
use parlor_rules::{Address, Millis, Right, Span, UserId};
use parlor_wire::say;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often visits are looked after: they end on open sockets within about a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The app is not asked about one visit more often.
const ASK_EVERY_MIN: Span = Span::seconds(10);
/// Nobody is sent away because the app is slow; but if it says nothing for so long, nobody answers for them.
const UNANSWERED_MAX: Span = Span::minutes(10);
const ASKED_AT_ONCE_MAX: usize = 16;

#[derive(Default)]
pub struct Visits {
    all: Mutex<HashMap<u64, Visit>>,
    made: AtomicU64,
}

struct Visit {
    outbox: Arc<Outbox>,
    due: Millis,
    /// When there is nobody to ask, it is over then.
    ask: Option<Ask>,
}

#[derive(Clone)]
struct Ask {
    token: Arc<Opaque>,
    room: Address,
    user: UserId,
    /// Until when the app has last vouched for it.
    vouched: Millis,
}

/// A socket among those that will be looked at, until it is dropped.
pub struct Visiting {
    visits: Arc<Visits>,
    number: u64,
}

impl Visits {
    /// Sends it away at that time.
    pub fn until(self: &Arc<Self>, ends: Millis, outbox: Arc<Outbox>) -> Visiting {
        self.add(Visit { outbox, due: ends, ask: None })
    }

    /// Asks then whether this user may still be in that room.
    pub fn asking(
        self: &Arc<Self>,
        token: Arc<Opaque>,
        room: Address,
        user: UserId,
        until: Millis,
        outbox: Arc<Outbox>,
    ) -> Visiting {
        self.add(Visit { outbox, due: until, ask: Some(Ask { token, room, user, vouched: until }) })
    }

    fn add(self: &Arc<Self>, visit: Visit) -> Visiting {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        self.all().insert(number, visit);
        Visiting { visits: self.clone(), number }
    }

    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// Ends what is over, and gives what must be asked about.
    fn look(&self, now: Millis) -> Vec<(u64, Ask)> {
        let mut all = self.all();
        let over: Vec<u64> =
            all.iter().filter(|(_, visit)| visit.due <= now && visit.ask.is_none()).map(|(number, _)| *number).collect();
        let over: Vec<Visit> = over.iter().filter_map(|number| all.remove(number)).collect();
        let mut asks = Vec::new();
        for (number, visit) in all.iter_mut().filter(|(_, visit)| visit.due <= now) {
            visit.due = now + ASK_EVERY_MIN;
            asks.extend(visit.ask.clone().map(|ask| (*number, ask)));
        }
        drop(all);
        for visit in over {
            visit.outbox.send_away(say::session_ended());
        }
        asks
    }

    fn goes_on(&self, number: u64, until: Millis, now: Millis) {
        if let Some(Visit { due, ask: Some(ask), .. }) = self.all().get_mut(&number) {
            (*due, ask.vouched) = (until.max(now + ASK_EVERY_MIN), until);
        }
    }

    fn end(&self, number: u64) {
        let ended = self.all().remove(&number);
        if let Some(visit) = ended {
            visit.outbox.send_away(say::session_ended());
        }
    }

    /// A panic elsewhere leaves the list whole: every change to it is one step.
    fn all(&self) -> MutexGuard<'_, HashMap<u64, Visit>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Visiting {
    fn drop(&mut self) {
        let gone = self.visits.all().remove(&self.number);
        drop(gone); // After the list is free again.
    }
}

/// Until the server goes. Without tokens of an app there is nothing to look after.
pub async fn keep(doors: Arc<Doors>) {
    if !doors.auth.is_there() {
        return;
    }
    let mut going = doors.going.clone();
    loop {
        tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let asks = doors.visits.look(doors.now());
        if asks.is_empty() {
            continue;
        }
        // Beside this loop: a slow app keeps no signed token alive.
        let doors = doors.clone();
        tokio::spawn(async move {
            let asked = asks.into_iter().map(|(number, ask)| ask_about(&doors, number, ask));
            stream::iter(asked).buffer_unordered(ASKED_AT_ONCE_MAX).collect::<()>().await;
        });
    }
}

async fn ask_about(doors: &Doors, number: u64, ask: Ask) {
    match ask.token.granted(&ask.room, doors.now()).await {
        Ok(granted) if granted.member.id == ask.user && granted.right >= Right::Read => {
            doors.visits.goes_on(number, granted.until, doors.now());
        }
        Err(No::Unanswered) if doors.now() < ask.vouched + UNANSWERED_MAX => {}
        Ok(_) | Err(_) => doors.visits.end(number),
    }
}
