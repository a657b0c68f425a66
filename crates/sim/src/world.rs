//! What everybody in a simulated run shares: the time, the trace, the true history, and what is known to all.

use crate::bugs::Bug;
use crate::dice::Dice;
use crate::history::{History, Verdict};
use crate::house::Standing;
use crate::plan::Plan;
use crate::trace::Trace;
use parlor_rules::{Address, Millis, Place, UserId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The moment every run begins at.
const BEGAN: Millis = Millis(1_700_000_000_000);

pub struct World {
    pub plan: Plan,
    pub bug: Bug,
    pub dice: Dice,
    pub trace: Trace,
    started: Instant,
    history: Mutex<History>,
    board: Mutex<Board>,
    tally: Mutex<Tally>,
    house: Mutex<Option<Arc<Standing>>>,
    calm: AtomicBool,
    over: AtomicBool,
}

/// What people tell each other outside the house: which rooms there are, and what stands in their decks.
#[derive(Default)]
pub struct Board {
    pub rooms: Vec<(Address, String)>,
    /// Every card any deck ever had: each is some one person's, so a card seen is a vote seen.
    pub cards: BTreeSet<String>,
    pub quiet_until: Option<Instant>,
    pub doing: BTreeMap<usize, Doing>,
    /// Who is in which room, by the connections that were let in.
    pub connected: BTreeMap<(Address, UserId), BTreeSet<u64>>,
}

/// How one client is, for those who wait until all are well.
#[derive(Clone, Default, Debug)]
pub struct Doing {
    pub waits_for: Option<String>,
    pub at: BTreeMap<Address, Place>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    pub acks: u64,
    pub again: u64,
    pub refusals: u64,
    pub frames: u64,
    pub views: u64,
    pub patches: u64,
    pub resumed: u64,
    pub cuts: u64,
    pub crashes: u64,
    pub restarts: u64,
    pub conflicts: u64,
    pub ended: u64,
    pub too_slow: u64,
    pub removed: u64,
}

impl World {
    pub fn new(dice: Dice, bug: Bug, aloud: bool, hand: Arc<AtomicU64>) -> World {
        let plan = Plan::draw(&dice.fork(1));
        World {
            plan,
            bug,
            dice,
            trace: Trace::new(aloud, hand),
            started: Instant::now(),
            history: Mutex::default(),
            board: Mutex::default(),
            tally: Mutex::default(),
            house: Mutex::default(),
            calm: AtomicBool::new(false),
            over: AtomicBool::new(false),
        }
    }

    pub fn now(&self) -> Millis {
        Millis(BEGAN.0 + self.started.elapsed().as_millis() as u64)
    }

    pub fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self, count: impl FnOnce(&mut Tally)) {
        count(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn house(&self) -> Option<Arc<Standing>> {
        self.house.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_house(&self, house: Option<Arc<Standing>>) -> Option<Arc<Standing>> {
        std::mem::replace(&mut *self.house.lock().unwrap_or_else(PoisonError::into_inner), house)
    }

    pub fn judge(&self, verdict: Verdict) {
        if let Err((check, what)) = verdict {
            self.trace.fail(check, what);
        }
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    pub fn clear_up(&self) {
        self.calm.store(true, Ordering::Relaxed);
        self.board().quiet_until = None;
    }

    /// Everybody goes home.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub fn send_home(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
