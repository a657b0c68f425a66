//! Reading a row now because somebody says that it has changed.
//!
//! Who asks while another asks for the same row is answered by the next reading, which begins after the question: however many
//! ask at once, there are two readings.

use crate::error::RowsError;
use crate::row::RowSeen;
use crate::rows::{Rows, Settled, row_id};
use crate::settle::Outcome;
use parlor_store::Key;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Rows read at once because somebody asked.
const AT_ONCE_MAX: usize = 16;
/// How often a push tries again because others were quicker.
const ATTEMPTS_MAX: usize = 8;
/// The pause before the second try is up to twice this, and twice as long each time.
const PAUSE: Duration = Duration::from_millis(4);

pub(crate) struct Pushes {
    at_once: Semaphore,
    moments: AtomicU64,
    rows: Mutex<HashMap<Key, Arc<Line>>>,
}

/// Those who wait for one row.
type Line = tokio::sync::Mutex<Option<Answered>>;

/// Somebody in a line, which ends with the last of them.
struct Waiting<'a> {
    pushes: &'a Pushes,
    id: &'a Key,
    line: Arc<Line>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut lines = self.pushes.lines();
        // Two that know the line: the map and us.
        if Arc::strong_count(&self.line) == 2 {
            lines.remove(self.id);
        }
    }
}

/// The last answer and the moment its reading began.
struct Answered {
    began: u64,
    answer: Result<Option<RowSeen>, RowsError>,
}

impl Default for Pushes {
    fn default() -> Pushes {
        Pushes { at_once: Semaphore::new(AT_ONCE_MAX), moments: AtomicU64::new(0), rows: Mutex::default() }
    }
}

impl Rows {
    /// Reads a row now and keeps it, whatever its schedule says. Answers the row as it is kept after that.
    pub async fn refresh(&self, id: &str) -> Result<RowSeen, RowsError> {
        let id = row_id(id)?;
        let pushes = &self.inner.pushes;
        let asked = pushes.moment();
        let place = pushes.line_up(&id);
        self.in_line(&id, &place.line, asked).await?.ok_or(RowsError::NotKept)
    }

    async fn in_line(&self, id: &Key, line: &Line, asked: u64) -> Result<Option<RowSeen>, RowsError> {
        let mut last = line.lock().await;
        if let Some(last) = last.as_ref().filter(|last| last.began > asked) {
            return last.answer.clone();
        }
        let _place = self.inner.pushes.at_once.acquire().await.expect("it is never closed");
        let began = self.inner.pushes.moment();
        let answer = self.push(id).await;
        *last = Some(Answered { began, answer: answer.clone() });
        answer
    }

    async fn push(&self, id: &Key) -> Result<Option<RowSeen>, RowsError> {
        for attempt in 0..ATTEMPTS_MAX {
            if attempt > 0 {
                // Two that keep overtaking each other need different pauses.
                tokio::time::sleep(PAUSE.mul_f64(f64::from(1u32 << attempt) * self.luck())).await;
            }
            let found = self.find(id).await?;
            if found.delay().is_none() {
                return Ok(None);
            }
            match self.take(found).await? {
                Some(Settled::Kept(Outcome::Failed(error))) => return Err(error.into()),
                Some(Settled::Kept(_)) => return self.seen(id).await,
                Some(Settled::Lost) | None => {}
            }
        }
        Err(RowsError::Contended)
    }
}

impl Pushes {
    fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    fn line_up<'a>(&'a self, id: &'a Key) -> Waiting<'a> {
        let line = self.lines().entry(id.clone()).or_default().clone();
        Waiting { pushes: self, id, line }
    }

    /// A panic elsewhere leaves the map whole: every change to it is one step.
    fn lines(&self) -> MutexGuard<'_, HashMap<Key, Arc<Line>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
