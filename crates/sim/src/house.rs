//! The house standing: a disk that can lose its power, the embedded store on it, one or two nodes, and their doors.

use crate::trace::Check;
use crate::witness::Witness;
use crate::world::World;
use parlor::doors::Doors;
use parlor_engine::{Engine, House, Sessions};
use parlor_rules::Millis;
use parlor_store::embedded::ModelDisk;
use parlor_store::embedded::model_disk::Call;
use parlor_store::{Embedded, Memory, NodeId, Options, Rooms, SharedClock};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

pub struct Standing {
    pub doors: Vec<Arc<Doors>>,
    pub witness: Arc<Witness>,
    /// Told when the store has given up.
    pub fatal: Arc<Notify>,
    /// Rung when the house is going. The doors' own signal wakes its listeners in an order no seed decides.
    pub bell: Arc<Notify>,
    disk: ModelDisk,
    store: Embedded,
    engines: Vec<Engine>,
    going: watch::Sender<bool>,
    committer: JoinHandle<()>,
    lines: Mutex<Vec<JoinHandle<()>>>,
}

/// How long a stopping house waits for what is under way.
const DRAIN: Duration = Duration::from_secs(10);

impl Standing {
    pub fn open(world: &Arc<World>, disk: ModelDisk) -> Standing {
        let dice = world.dice.fork(2);
        let seen = world.clone();
        let clock: SharedClock = Arc::new(move || -> Millis { seen.now() });
        let fatal = Arc::new(Notify::new());
        let told = fatal.clone();
        let options = Options { on_fatal: Arc::new(move |_: &str| told.notify_one()), ..Options::default() };
        let opened = Embedded::with_disk(world.bug.disk(&disk), clock.clone(), options);
        let (store, commits) = opened.expect("a model disk can be read");
        let (pause_dice, sync_ms_max) = (dice.fork(3), world.plan.sync_ms_max);
        let committer = tokio::spawn(commits.run(move || {
            let wait = Duration::from_millis(pause_dice.between(0, sync_ms_max));
            async move {
                if !wait.is_zero() {
                    sleep(wait).await;
                }
            }
        }));
        let witness = Arc::new(Witness::new(world.clone(), Arc::new(store.clone())));
        let rooms = world.bug.rooms(witness.clone() as Arc<dyn Rooms>);
        let (going, goes) = watch::channel(false);
        let mut engines = Vec::new();
        let mut doors = Vec::new();
        for _ in 0..world.plan.nodes {
            let node = NodeId(dice.bits());
            let house = House {
                rooms: rooms.clone(),
                clock: clock.clone(),
                dice: Arc::new(dice.fork(4)),
                node,
                limits: world.plan.limits,
                metronome: None, // Time is not real here.
            };
            let engine = Engine::new(house);
            // Nobody logs in here; guests' names are looked up all the same.
            let sessions = Sessions::new(Arc::new(Memory::new(clock.clone())), clock.clone(), Arc::new(dice.fork(6)));
            let mut door = Doors::new(engine.clone(), sessions, world.plan.config(), goes.clone());
            door.encode = world.bug.encode(door.encode);
            door.encode_patches = world.bug.encode(door.encode_patches);
            engines.push(engine);
            doors.push(Arc::new(door));
        }
        Standing { doors, witness, fatal, bell: Arc::default(), disk, store, engines, going, committer, lines: Mutex::default() }
    }

    pub fn keep_line(&self, line: JoinHandle<()>) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| !line.is_finished());
        lines.push(line);
    }

    /// The power goes: everything stops where it is, and of what was not synced some first part is left.
    pub async fn crash(&self, world: &World) -> ModelDisk {
        self.stop(world).await;
        let dice = world.dice.fork(5);
        self.disk.crash(|unsynced| dice.between(0, unsynced as u64) as usize)
    }

    /// Somebody restarts the server and waits for it: nothing may be lost, acked or not.
    pub async fn restart(&self, world: &World) -> ModelDisk {
        self.going.send_replace(true);
        self.bell.notify_waiters();
        for engine in &self.engines {
            if timeout(DRAIN, engine.drain()).await.is_err() {
                world.trace.fail(Check::Alive, "a node that was asked to stop is still deciding after ten seconds");
            }
        }
        sleep(Duration::from_millis(200)).await;
        self.stop(world).await;
        self.disk.crash(|unsynced| unsynced)
    }

    /// From now on the next sync fails, once.
    pub fn break_sync(&self) {
        self.disk.fail_when(|call| (call == Call::Sync).then(|| io::Error::other("the disk is broken")));
    }

    pub fn set_full(&self, full: bool) {
        self.disk.set_free_bytes(full.then_some(0));
    }

    pub async fn sweep(&self, world: &World) {
        if self.store.sweep(world.now(), 256).await.is_err() {
            world.trace.note("disk", "a sweep was not done");
        }
    }

    /// What is still held for somebody although nobody is here.
    pub fn leftovers(&self) -> Option<String> {
        let rooms: usize = self.engines.iter().map(Engine::live_rooms).sum();
        let connections: usize = self.doors.iter().map(|doors| doors.connections()).sum();
        (rooms + connections > 0).then(|| format!("everybody has gone and {rooms} rooms and {connections} connections are left"))
    }

    async fn stop(&self, world: &World) {
        world.set_house(None); // Nobody comes in any more.
        self.engines.iter().for_each(Engine::kill);
        self.committer.abort();
        let lines = std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.iter().for_each(JoinHandle::abort);
        for line in lines {
            if line.await.is_err_and(|error| error.is_panic()) {
                world.trace.fail(Check::Broken, "a conversation panicked");
            }
        }
        // What was aborted is dropped when it is next looked at.
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
    }
}
