//! The store with somebody watching: everything it is asked and answers goes into the history and is held against it.

use crate::history::{Verdict, difference};
use crate::trace::Check;
use crate::world::World;
use async_trait::async_trait;
use bytes::Bytes;
use parlor_layout as layout;
use parlor_rules::{Address, Kind, Place, poker};
use parlor_store::{Announced, Commit, Field, Limits, Loaded, NodeId, RoomKey, Rooms, Since, StoreError, Watch};
use std::sync::Arc;

pub struct Witness {
    world: Arc<World>,
    store: Arc<dyn Rooms>,
}

impl Witness {
    pub fn new(world: Arc<World>, store: Arc<dyn Rooms>) -> Witness {
        Witness { world, store }
    }

    /// What is at rest now, held against the whole history: also the receipts.
    pub async fn inspect(&self, room: &Address) {
        let key = layout::room_key(room);
        match self.load(&key).await {
            Ok(Some(loaded)) => self.world.judge(self.compare(room, &loaded, true)),
            Ok(None) => {}
            Err(error) => self.world.trace.fail(Check::Broken, format!("{room} cannot be loaded: {error}")),
        }
    }

    fn compare(&self, room: &Address, loaded: &Loaded, receipts: bool) -> Verdict {
        let history = self.world.history();
        let Some(step) = history.at(room, loaded.place) else { return Ok(()) };
        let mut kept = layout::wake(room, &loaded.records).map_err(|error| (Check::Broken, error.to_string()))?;
        kept.expires = loaded.deadline;
        match difference(&kept, &step.kept) {
            None => Ok(()),
            Some("the receipts") if !receipts => Ok(()),
            Some("the receipts") => Err((Check::Once, format!("the receipts at rest in {room} are not its history's"))),
            Some(part) => Err((Check::Picture, format!("{part} at rest in {room} is not what its history gives"))),
        }
    }

    fn tip_seq(&self, room: &Address) -> u64 {
        self.world.history().tip(room).map_or(0, |step| step.place.position.seq)
    }

    /// What nobody did was done by time; it takes away only those who are not connected at that moment.
    fn nobody_here_is_removed(&self, room: &Address, commit: &Commit) -> Verdict {
        let read = layout::entry_commit(room, &commit.entry).map_err(|error| (Check::Broken, error.to_string()))?;
        let board = self.world.board();
        for event in read.done.iter().filter(|done| done.by.is_none()).flat_map(|done| &done.events) {
            let parlor_rules::Event::Poker(poker::Event::Left { user }) = event else { continue };
            self.world.count(|tally| tally.removed += 1);
            if board.connected.contains_key(&(room.clone(), user.clone())) {
                return Err((Check::Here, format!("{user} is in {room} and is removed for being away")));
            }
        }
        Ok(())
    }

    /// A reader sees at least what was known to be kept when it began to read.
    fn reaches(&self, room: &Address, tip: u64, seen: u64) -> Verdict {
        if seen < tip {
            return Err((Check::Lost, format!("{room} was kept up to commit {tip}; the store now shows {seen}")));
        }
        Ok(())
    }
}

pub fn address(room: &RoomKey) -> Address {
    let id = room.spine.rsplit(':').next().and_then(|id| id.parse().ok()).expect("every spine ends in a room's id");
    Address { kind: Kind::Poker, id }
}

#[async_trait]
impl Rooms for Witness {
    async fn load(&self, key: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        let room = address(key);
        let tip = self.tip_seq(&room);
        let loaded = self.store.load(key).await;
        match &loaded {
            Ok(Some(loaded)) => {
                let last = loaded.after.last().map_or(loaded.place, |entry| entry.place);
                let verdict = self.reaches(&room, tip, last.position.seq);
                self.world.judge(verdict.and_then(|()| self.world.history().kept(&room, last)));
                self.world.judge(self.compare(&room, loaded, false));
            }
            Ok(None) => self.world.judge(self.world.history().absent(&room, self.world.now(), "a node")),
            Err(_) => {}
        }
        loaded
    }

    async fn append(&self, key: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        let room = address(key);
        self.world.judge(self.world.history().trying(&room, at, &commit));
        self.world.judge(self.nobody_here_is_removed(&room, &commit));
        let mark = commit.mark;
        let appended = self.store.append(key, at, commit).await;
        match &appended {
            Ok(place) => {
                self.world.trace.note("disk", format!("{room} is kept at {}", place.position));
                let follows = place.mark == mark && at.is_none_or(|at| at.position.next() == place.position);
                let verdict = if follows {
                    self.world.history().kept(&room, *place)
                } else {
                    Err((Check::Order, format!("{room}: an append was answered with the wrong place {}", place.position)))
                };
                self.world.judge(verdict);
            }
            Err(StoreError::Conflict) => self.world.count(|tally| tally.conflicts += 1),
            Err(error) => self.world.trace.note("disk", format!("{room}: {error}")),
        }
        appended
    }

    async fn since(&self, key: &RoomKey, place: Place) -> Result<Since, StoreError> {
        let room = address(key);
        let tip = self.tip_seq(&room);
        let since = self.store.since(key, place).await;
        match &since {
            Ok(Since::Entries(entries)) => {
                let last = entries.last().map_or(place, |entry| entry.place);
                let whole = entries.len() as u64 == last.position.seq - place.position.seq;
                let mut verdict = self.reaches(&room, tip, last.position.seq);
                if !whole {
                    verdict = Err((Check::Order, format!("the tail of {room} after {} has a gap", place.position)));
                }
                self.world.judge(verdict.and_then(|()| self.world.history().kept(&room, last)));
            }
            Ok(Since::Absent) => self.world.judge(self.world.history().absent(&room, self.world.now(), "a node")),
            Ok(Since::Lost) | Err(_) => {}
        }
        since
    }

    async fn close(&self, key: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        let room = address(key);
        self.world.history().closing(&room);
        let closed = self.store.close(key, at, by).await;
        match &closed {
            Ok(()) => {
                self.world.trace.note("disk", format!("{room} is closed"));
                self.world.judge(self.world.history().closed(&room, at));
            }
            // Otherwise nobody knows whether it was done.
            Err(StoreError::Conflict | StoreError::Busy) => self.world.history().not_closed(&room),
            Err(_) => {}
        }
        closed
    }

    async fn watch(&self, key: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        self.store.watch(key, node).await
    }

    async fn announce(&self, key: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        self.store.announce(key, node, here).await
    }

    async fn tell(&self, key: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.store.tell(key, by, what).await
    }

    fn limits(&self) -> Limits {
        self.store.limits()
    }
}
