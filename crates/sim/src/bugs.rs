//! Bugs to plant: tests of the test. Each is what a tired founder might write; the weather must find it.

use async_trait::async_trait;
use bytes::Bytes;
use parlor_engine::{Encode, Farewell, Picture, Welcome};
use parlor_rules::poker::Card;
use parlor_rules::{Address, Kept, Place, State, UserId, Viewer};
use parlor_store::embedded::disk::Pair;
use parlor_store::embedded::{Disk, DiskError, ModelDisk, View};
use parlor_store::{Announced, Commit, Entry, Field, Limits, Loaded, NodeId, RoomKey, Rooms, Since, StoreError, Watch};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// The disk says "synced" when it has only written; it does sync, now and then.
    AckBeforeSync,
    /// A view tells a face-down card, in a field of its own.
    VoteShownEarly,
    /// A patch says that nothing has changed.
    PatchForgets,
    /// A writer that lost to a rival writes all the same.
    LostConflict,
    /// The records of what was answered are not written.
    ReceiptForgotten,
    /// A node that follows its rivals misses what one commit did.
    GapPassedOver,
    /// A node never hears that a rival has moved a room.
    HintLost,
    /// The tail lacks an entry. No bug of ours: the engine must notice and read the room anew.
    TailWithGap,
}

impl Bug {
    pub fn disk(self, disk: &ModelDisk) -> Arc<dyn Disk> {
        match self {
            Bug::AckBeforeSync => Arc::new(HastyDisk::new(disk.clone())),
            _ => Arc::new(disk.clone()),
        }
    }

    pub fn rooms(self, rooms: Arc<dyn Rooms>) -> Arc<dyn Rooms> {
        match self {
            Bug::LostConflict | Bug::ReceiptForgotten | Bug::GapPassedOver | Bug::HintLost | Bug::TailWithGap => {
                Arc::new(BadRooms { bug: self, rooms })
            }
            Bug::None | Bug::AckBeforeSync | Bug::VoteShownEarly | Bug::PatchForgets => rooms,
        }
    }

    pub fn encode(self, encode: Arc<dyn Encode>) -> Arc<dyn Encode> {
        match self {
            Bug::VoteShownEarly | Bug::PatchForgets => Arc::new(BadWords { bug: self, words: encode }),
            _ => encode,
        }
    }
}

/// Shows as durable whatever was written; every third sync is a real one.
struct HastyDisk {
    disk: ModelDisk,
    shown: Mutex<(BTreeMap<Vec<u8>, Bytes>, u64)>,
}

impl HastyDisk {
    fn new(disk: ModelDisk) -> HastyDisk {
        let mut shown = BTreeMap::new();
        let all = disk.durable().scan(b"", &[0xff; 64], &mut |key, value| {
            shown.insert(key.to_vec(), Bytes::copy_from_slice(value));
            true
        });
        all.expect("a model disk that was just opened can be read");
        HastyDisk { disk, shown: Mutex::new((shown, 0)) }
    }
}

impl Disk for HastyDisk {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in &batch {
            match value {
                Some(value) => shown.0.insert(key.clone(), value.clone()),
                None => shown.0.remove(key),
            };
        }
        self.disk.write(batch)
    }

    fn sync(&self) -> Result<(), DiskError> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.1 += 1;
        if shown.1.is_multiple_of(3) { self.disk.sync() } else { Ok(()) }
    }

    fn durable(&self) -> Arc<dyn View> {
        Arc::new(HastyView(self.shown.lock().unwrap_or_else(PoisonError::into_inner).0.clone()))
    }
}

struct HastyView(BTreeMap<Vec<u8>, Bytes>);

impl View for HastyView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), DiskError> {
        if from < to {
            for (key, value) in self.0.range(from.to_vec()..to.to_vec()) {
                if !each(key, value) {
                    break;
                }
            }
        }
        Ok(())
    }
}

struct BadRooms {
    bug: Bug,
    rooms: Arc<dyn Rooms>,
}

#[async_trait]
impl Rooms for BadRooms {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        self.rooms.load(room).await
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, mut commit: Commit) -> Result<Place, StoreError> {
        if self.bug == Bug::ReceiptForgotten {
            commit.writes.retain(|write| !write.key().starts_with("room_clients:"));
        }
        let again = commit.clone();
        match self.rooms.append(room, at, commit).await {
            Err(StoreError::Conflict) if self.bug == Bug::LostConflict && at.is_some() => {
                let now = self.rooms.load(room).await?.ok_or(StoreError::Conflict)?;
                self.rooms.append(room, Some(now.place), again).await
            }
            appended => appended,
        }
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        let mut since = self.rooms.since(room, place).await?;
        if let Since::Entries(entries) = &mut since {
            match self.bug {
                Bug::GapPassedOver => entries.iter_mut().take(1).for_each(forget),
                Bug::TailWithGap if entries.len() > 1 => drop(entries.remove(0)),
                _ => {}
            }
        }
        Ok(since)
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        self.rooms.close(room, at, by).await
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        if self.bug == Bug::HintLost {
            return Ok(Watch::silent());
        }
        self.rooms.watch(room, node).await
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        self.rooms.announce(room, node, here).await
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.rooms.tell(room, by, what).await
    }

    fn limits(&self) -> Limits {
        self.rooms.limits()
    }
}

/// The entry keeps its place and loses what it did; a missing place the engine would notice.
fn forget(entry: &mut Entry) {
    for (field, value) in &mut entry.fields {
        if &**field == "commit" {
            *value = Bytes::from_static(br#"{"at":0,"renews":false,"done":[]}"#);
        }
    }
}

struct BadWords {
    bug: Bug,
    words: Arc<dyn Encode>,
}

impl Encode for BadWords {
    fn name(&self) -> &'static str {
        self.words.name()
    }

    fn shared(&self, room: &Address, picture: &Picture, viewer: &Viewer) -> Bytes {
        let shared = self.words.shared(room, picture, viewer);
        let State::Poker(table) = &picture.kept.state else { unreachable!("a table") };
        let voted: Vec<&Card> = table.seats.values().filter_map(|seat| seat.vote.as_ref()).collect();
        match voted.as_slice() {
            [.., last] if self.bug == Bug::VoteShownEarly && voted.len() == table.seats.len() && !table.open => {
                let mut told = shared.to_vec();
                told.extend_from_slice(format!(r#","last_vote":"{last}""#).as_bytes());
                told.into()
            }
            _ => shared,
        }
    }

    fn patches(&self) -> bool {
        self.words.patches()
    }

    fn patch(&self, room: &Address, from: &Picture, to: &Picture, viewer: &Viewer) -> Bytes {
        let same = Picture { place: from.place, ..to.clone() };
        self.words.patch(room, if self.bug == Bug::PatchForgets { &same } else { from }, to, viewer)
    }

    fn bare(&self, patch: &Bytes) -> Bytes {
        self.words.bare(patch)
    }

    fn mine(&self, kept: &Kept, viewer: &Viewer) -> Bytes {
        self.words.mine(kept, viewer)
    }

    fn view(&self, shared: &Bytes, mine: &Bytes) -> Bytes {
        self.words.view(shared, mine)
    }

    fn welcome(&self, room: &Address, welcome: &Welcome) -> Bytes {
        self.words.welcome(room, welcome)
    }

    fn now(&self, from: Option<&UserId>, data: &Bytes) -> Bytes {
        self.words.now(from, data)
    }

    fn gathered(&self, room: &Address, messages: &[Bytes]) -> Bytes {
        self.words.gathered(room, messages)
    }

    fn farewell(&self, room: &Address, farewell: Farewell) -> Bytes {
        self.words.farewell(room, farewell)
    }
}
