//! Jobs waiting for the committer, bounded in bytes and in number. Full is said at once; nobody waits to wait.

use crate::error::StoreError;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

pub(super) struct Queue<J> {
    waiting: Mutex<Waiting<J>>,
    /// For a committer on a thread of its own.
    filled: Condvar,
    /// For a committer that is a task.
    notify: Notify,
    bytes_max: usize,
    count_max: usize,
}

struct Waiting<J> {
    jobs: VecDeque<(J, usize)>,
    bytes: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// No handle is left: what waits is still done.
    Closing,
    /// The committer has stopped: nothing that waits or comes is done.
    Dead,
}

/// What the committer gets when it asks.
pub(super) enum Taken<J> {
    Jobs(Vec<J>),
    /// Nothing came for a while.
    Idle,
    Closed,
}

impl<J> Queue<J> {
    pub(super) fn new(bytes_max: usize, count_max: usize) -> Queue<J> {
        let waiting = Waiting { jobs: VecDeque::new(), bytes: 0, state: State::Open };
        Queue { waiting: Mutex::new(waiting), filled: Condvar::new(), notify: Notify::new(), bytes_max, count_max }
    }

    pub(super) fn push(&self, job: J, bytes: usize) -> Result<(), StoreError> {
        let mut waiting = self.lock();
        if waiting.state != State::Open {
            return Err(stopped());
        }
        // A job is let in when nothing waits, however large: it is below the limits of one commit.
        if waiting.jobs.len() >= self.count_max || (waiting.bytes + bytes > self.bytes_max && !waiting.jobs.is_empty()) {
            return Err(StoreError::Busy);
        }
        waiting.bytes += bytes;
        waiting.jobs.push_back((job, bytes));
        let first = waiting.jobs.len() == 1;
        drop(waiting);
        // The committer takes all there is, so only the first of them needs to wake it.
        if first {
            self.filled.notify_one();
            self.notify.notify_one();
        }
        Ok(())
    }

    pub(super) fn take_blocking(&self, count_max: usize, bytes_max: usize, idle: Duration) -> Taken<J> {
        let mut waiting = self.lock();
        loop {
            if !waiting.jobs.is_empty() {
                // Whoever has a core is likely to be about to hand in more; where cores are free this costs nothing.
                drop(waiting);
                std::thread::yield_now();
                waiting = self.lock();
            }
            if let Some(taken) = waiting.take(count_max, bytes_max) {
                return taken;
            }
            let (next, timeout) = self.filled.wait_timeout(waiting, idle).unwrap_or_else(PoisonError::into_inner);
            waiting = next;
            if timeout.timed_out() && waiting.jobs.is_empty() && waiting.state == State::Open {
                return Taken::Idle;
            }
        }
    }

    pub(super) async fn take(&self, count_max: usize, bytes_max: usize) -> Taken<J> {
        loop {
            if let Some(taken) = self.lock().take(count_max, bytes_max) {
                return taken;
            }
            self.notify.notified().await;
        }
    }

    pub(super) fn close(&self) {
        let mut waiting = self.lock();
        if waiting.state == State::Open {
            waiting.state = State::Closing;
        }
        drop(waiting);
        self.wake();
    }

    /// Drops what waits: whoever waits for it hears that it was not done.
    pub(super) fn die(&self) {
        let mut waiting = self.lock();
        waiting.state = State::Dead;
        waiting.bytes = 0;
        let jobs = std::mem::take(&mut waiting.jobs);
        drop(waiting);
        drop(jobs);
        self.wake();
    }

    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn wake(&self) {
        self.filled.notify_all();
        self.notify.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<J>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J> Waiting<J> {
    fn take(&mut self, count_max: usize, bytes_max: usize) -> Option<Taken<J>> {
        if self.state == State::Dead || (self.jobs.is_empty() && self.state == State::Closing) {
            return Some(Taken::Closed);
        }
        let mut taken = Vec::with_capacity(self.jobs.len().min(count_max));
        let mut taken_bytes = 0;
        while taken.len() < count_max && taken_bytes < bytes_max {
            let Some((job, bytes)) = self.jobs.pop_front() else { break };
            taken.push(job);
            taken_bytes += bytes;
        }
        self.bytes -= taken_bytes;
        (!taken.is_empty()).then_some(Taken::Jobs(taken))
    }
}

pub(super) fn stopped() -> StoreError {
    StoreError::Unavailable("the store has stopped".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_is_said_at_once_and_room_comes_back() {
        let queue = Queue::new(10, 3);
        assert_eq!(queue.push(1, 50), Ok(()), "one job is always let in");
        assert_eq!(queue.push(2, 1), Err(StoreError::Busy));
        assert!(matches!(queue.take_blocking(9, 99, Duration::ZERO), Taken::Jobs(jobs) if jobs == [1]));
        for job in 0..3 {
            assert_eq!(queue.push(job, 1), Ok(()));
        }
        assert_eq!(queue.push(9, 1), Err(StoreError::Busy), "three may wait");
        assert!(matches!(queue.take_blocking(2, 99, Duration::ZERO), Taken::Jobs(jobs) if jobs == [0, 1]));
        assert_eq!(queue.bytes(), 1);
    }

    #[test]
    fn closing_does_what_waits_and_dying_does_not() {
        let queue = Queue::new(10, 3);
        assert_eq!(queue.push(1, 1), Ok(()));
        queue.close();
        assert_eq!(queue.push(2, 1), Err(stopped()));
        assert!(matches!(queue.take_blocking(9, 9, Duration::ZERO), Taken::Jobs(jobs) if jobs == [1]));
        assert!(matches!(queue.take_blocking(9, 9, Duration::ZERO), Taken::Closed));

        let queue = Queue::new(10, 3);
        assert_eq!(queue.push(1, 1), Ok(()));
        queue.die();
        assert!(matches!(queue.take_blocking(9, 9, Duration::ZERO), Taken::Closed));
    }
}
