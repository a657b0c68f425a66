//! Wakes rooms on time. The runtime's timers come in whole milliseconds, rounded up, which is as long as messages of the moment
//! wait for company at all; so one thread for the whole house keeps that time, to about a tenth of one.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::Notify;
use tokio::time::Instant;

pub struct Metronome {
    shared: Arc<Shared>,
}

struct Shared {
    calls: Mutex<Calls>,
    changed: Condvar,
}

#[derive(Default)]
struct Calls {
    /// By moment, and by number where two are for the same one.
    waiting: BTreeMap<(Instant, u64), Weak<Notify>>,
    number: u64,
    closed: bool,
}

impl Metronome {
    pub fn start() -> std::io::Result<Metronome> {
        let shared = Arc::new(Shared { calls: Mutex::default(), changed: Condvar::new() });
        let beating = shared.clone();
        std::thread::Builder::new().name("metronome".into()).spawn(move || beating.run())?;
        Ok(Metronome { shared })
    }

    /// Notifies at that moment, if anybody still holds what is to be notified.
    pub fn call(&self, at: Instant, whom: &Arc<Notify>) {
        let mut calls = self.shared.lock();
        calls.number += 1;
        let call = (at, calls.number);
        calls.waiting.insert(call, Arc::downgrade(whom));
        let is_first = calls.waiting.first_key_value().is_some_and(|(first, _)| *first == call);
        drop(calls);
        if is_first {
            self.shared.changed.notify_one();
        }
    }
}

impl Drop for Metronome {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn run(&self) {
        let mut due = Vec::new();
        let mut calls = self.lock();
        while !calls.closed {
            let now = Instant::now();
            while let Some(call) = calls.waiting.first_entry().filter(|call| call.key().0 <= now) {
                due.extend(call.remove().upgrade());
            }
            if !due.is_empty() {
                // Not under the lock: every room that gathers something takes it.
                drop(calls);
                due.drain(..).for_each(|whom: Arc<Notify>| whom.notify_one());
                calls = self.lock();
                continue;
            }
            let next = calls.waiting.first_key_value().map(|((at, _), _)| at.duration_since(now));
            calls = match next {
                Some(pause) => self.changed.wait_timeout(calls, pause).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(calls).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn everyone_is_called_in_the_order_of_their_moments_and_nobody_early() {
        let metronome = Metronome::start().unwrap();
        let begun = Instant::now();
        let (heard, mut order) = tokio::sync::mpsc::unbounded_channel();
        // The last is asked for first, so that the thread must be woken for each of the others.
        for ms in [20, 12, 4, 4, 0] {
            let (whom, heard) = (Arc::new(Notify::new()), heard.clone());
            let at = begun + Duration::from_millis(ms);
            metronome.call(at, &whom);
            tokio::spawn(async move {
                whom.notified().await;
                assert!(Instant::now() >= at, "nobody is called early");
                heard.send(ms).unwrap();
            });
        }
        drop(heard);
        let mut came = Vec::new();
        while let Some(ms) = order.recv().await {
            came.push(ms);
        }
        assert_eq!(came, [0, 4, 4, 12, 20]);
    }

    #[tokio::test]
    async fn whoever_is_gone_is_not_waited_for_and_does_not_stop_the_others() {
        let metronome = Metronome::start().unwrap();
        let (gone, stays) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        metronome.call(Instant::now(), &gone);
        metronome.call(Instant::now() + Duration::from_millis(1), &stays);
        drop(gone);
        stays.notified().await;
        let shared = metronome.shared.clone();
        assert!(shared.lock().waiting.is_empty());
        drop(metronome);
        let thread_is_gone = || Arc::strong_count(&shared) == 1;
        while !thread_is_gone() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
