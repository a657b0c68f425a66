//! One seed, one run: the same seed gives the same run, to the byte.

use crate::bugs::Bug;
use crate::client::{Client, SharedKey};
use crate::dice::Dice;
use crate::house::Standing;
use crate::trace::{Check, Failure};
use crate::weather::storm;
use crate::world::{Tally, World};
use parlor_store::embedded::ModelDisk;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, mpsc};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Report {
    pub seed: u64,
    /// Of every frame, fault and commit with its time.
    pub hash: u64,
    pub commits: u64,
    pub rooms: u64,
    pub tally: Tally,
    pub plan: String,
    pub failure: Option<Failure>,
}

pub fn run(seed: u64, bug: Bug) -> Report {
    go(seed, bug, false)
}

/// The same, with everything that happens printed as it happens.
pub fn run_aloud(seed: u64, bug: Bug) -> Report {
    go(seed, bug, true)
}

fn go(seed: u64, bug: Bug, aloud: bool) -> Report {
    listen_for_panics();
    let hand = Arc::new(AtomicU64::new(0));
    let _watchdog = watch_over(seed, hand.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without I/O needs nothing");
    let report = runtime.block_on(async {
        let world = Arc::new(World::new(Dice::new(seed), bug, aloud, hand));
        world.set_house(Some(Arc::new(Standing::open(&world, ModelDisk::new()))));
        let mut people: Vec<(usize, SharedKey)> = Vec::new();
        for index in 0..world.plan.clients {
            let other = world.dice.pick(&people).filter(|_| index > 2 && world.dice.per_mille(300)).cloned();
            let person = other.unwrap_or_else(|| (index, SharedKey::default()));
            tokio::spawn(Client::new(world.clone(), index, person.0, person.1.clone()).live());
            people.push(person);
        }
        tokio::select! {
            biased;
            () = world.trace.failed() => {}
            () = storm(world.clone()) => {}
        }
        if let Some(panic) = PANICS.take().into_iter().next() {
            world.trace.fail(Check::Broken, format!("a panic: {panic}"));
        }
        world.set_house(None);
        let history = world.history();
        Report {
            seed,
            hash: world.trace.hash(),
            commits: history.commits,
            rooms: history.rooms().len() as u64,
            tally: world.tally(),
            plan: format!("{:?}", world.plan),
            failure: world.trace.failure(),
        }
    });
    drop(runtime);
    WATCHED.set(false);
    report
}

/// Real time in which fake time must move. A whole run needs a twentieth of a second, or on a busy machine a minute when its rooms grow
/// large; how long it takes says nothing.
const STILL_MAX: Duration = Duration::from_secs(90);

/// Fake time stands still while a task spins, so that is the one failure only a real clock can see.
fn watch_over(seed: u64, hand: Arc<AtomicU64>) -> mpsc::Sender<()> {
    let (running, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let mut before = None;
        while ended.recv_timeout(STILL_MAX) == Err(mpsc::RecvTimeoutError::Timeout) {
            let now = hand.load(Ordering::Relaxed);
            if before.replace(now) == Some(now) {
                eprintln!(
                    "seed {seed} stands still for {STILL_MAX:?}: some task spins; see where with: parlor-sim --seed {seed}"
                );
                std::process::exit(1);
            }
        }
    });
    running
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A task's panic ends that task only, as it should; here it is also a failure.
fn listen_for_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if WATCHED.get() {
                PANICS.with_borrow_mut(|panics| panics.push(panic.to_string()));
            } else {
                usual(panic);
            }
        }));
    });
    WATCHED.set(true);
    PANICS.take();
}
