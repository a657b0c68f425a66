//! What happened, in order, with fake times: hashed whole, kept in part, printed when something fails.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Lines kept for a failing seed.
const KEPT_LINES: usize = 160;
const LINE_CHARS_SHOWN: usize = 600;

const DECK: &str = "\"valid_sizes\":\"";

/// Which promise was broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Check {
    /// Something acknowledged or shown is not there any more, or never was.
    Lost,
    /// A change was applied twice, or could be.
    Once,
    /// Two orders of one room, a step back, or a gap.
    Order,
    /// A picture that is not `view` at its position.
    Picture,
    /// Somebody was shown what is not theirs to see.
    Secret,
    /// Something came from a room that one is out of, or that is no more.
    Gone,
    /// Somebody who was connected was taken for away.
    Here,
    /// Somebody was left waiting when the weather had cleared.
    Alive,
    /// A task panicked or the house called itself damaged.
    Broken,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub check: Check,
    pub what: String,
    pub trace: Vec<String>,
}

pub struct Trace {
    started: Instant,
    /// The fake time of the newest line, in milliseconds, for whoever watches over the run.
    hand: Arc<AtomicU64>,
    aloud: bool,
    failed: Notify,
    inner: Mutex<Inner>,
}

struct Inner {
    hash: u64,
    lines: VecDeque<String>,
    failure: Option<Failure>,
}

impl Trace {
    pub fn new(aloud: bool, hand: Arc<AtomicU64>) -> Trace {
        let inner = Inner { hash: 0xcbf2_9ce4_8422_2325, lines: VecDeque::new(), failure: None };
        Trace { started: Instant::now(), hand, aloud, failed: Notify::new(), inner: Mutex::new(inner) }
    }

    pub fn note(&self, who: impl fmt::Display, what: impl fmt::Display) {
        let now = self.started.elapsed();
        self.hand.store(now.as_millis() as u64, Ordering::Relaxed);
        let line = format!("{:>10.3} {who:<4} {what}", now.as_secs_f64());
        let mut inner = self.lock();
        for byte in line.bytes() {
            inner.hash = (inner.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        let line = shown(&line);
        if self.aloud {
            println!("{line}");
        }
        if inner.lines.len() == KEPT_LINES {
            inner.lines.pop_front();
        }
        inner.lines.push_back(line);
    }

    /// The first failure counts; what follows from it does not.
    pub fn fail(&self, check: Check, what: impl Into<String>) {
        let what = what.into();
        self.note("!!!!", format!("{check:?}: {what}"));
        let mut inner = self.lock();
        if inner.failure.is_none() {
            let trace = inner.lines.iter().cloned().collect();
            inner.failure = Some(Failure { check, what, trace });
        }
        drop(inner);
        self.failed.notify_one();
    }

    pub async fn failed(&self) {
        loop {
            if self.failure().is_some() {
                return;
            }
            self.failed.notified().await;
        }
    }

    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.clone()
    }

    pub fn hash(&self) -> u64 {
        self.lock().hash
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line for people: decks are long and say little.
fn shown(line: &str) -> String {
    let mut parts = line.split(DECK);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(DECK);
        shown.push('…');
        shown.push_str(part.find('"').and_then(|end| part.get(end..)).unwrap_or_default());
    }
    shown.chars().take(LINE_CHARS_SHOWN).collect()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        write!(f, "{:?}: {}", self.check, self.what)
    }
}
