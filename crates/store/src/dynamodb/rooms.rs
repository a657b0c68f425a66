//! The promise about rooms, kept on the table.

use super::DynamoDb;
use super::mirroring::MIRROR_EVERY;
use super::names;
use crate::error::StoreError;
use crate::hints::Watch;
use crate::limits::{Limits, TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::rooms::{Announced, Commit, Entry, Loaded, NodeId, RoomKey, Rooms, Since, Wake};
use crate::shapes::Field;
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::position::Place;

/// How often commits are read again that are not all to be seen yet.
const LOOKS_MAX: u32 = 8;

/// With the names that the service counts too, twice this is what one transaction takes: the rest is for what must be
/// written anew because of it.
pub const COMMIT_BYTES_MAX: usize = 2 * 1024 * 1024;

#[async_trait]
impl Rooms for DynamoDb {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        let pk = self.partition(room)?;
        let Some(picture) = self.picture(room, &pk).await? else { return Ok(None) };
        let (place, deadline, life) = (picture.head.place, picture.head.deadline, picture.head.life.clone());
        let old = picture.old();
        let (head, items) = picture.into_items();
        let litter = self.form.litter(room, &head, &items).into_iter();
        self.sweep(&pk, &life, litter.filter_map(|sk| Some((old.get(&sk).copied()?, sk))).collect());
        Ok(Some(Loaded { place, deadline, records: self.form.records(room, head, items)?, after: Vec::new() }))
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        self.limits().check_commit(room, &commit)?;
        let pk = self.partition(room)?;
        match at {
            Some(at) => self.follow(room, &pk, at, commit).await,
            None => self.create(room, &pk, commit).await,
        }
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        let pk = self.partition(room)?;
        for tried in 0..LOOKS_MAX {
            let standing = self.read_head(&pk).await?;
            let Some(head) = standing.and_then(|standing| standing.live(self.clock.now())) else {
                // Nothing more is mirrored there either.
                self.heads.remove(&room.spine);
                return Ok(Since::Absent);
            };
            let (life, stands) = (head.life.clone(), head.place);
            self.heads.insert(room.spine.clone(), head.into());
            if stands == place {
                return Ok(Since::Entries(Vec::new()));
            }
            if stands.position.epoch != place.position.epoch || stands.position.seq <= place.position.seq {
                return Ok(Since::Lost);
            }
            let mut entries = self.events_from(&pk, &life, place.position).await?.into_iter();
            let Some(first) = entries.next().filter(|first| first.place == place) else { return Ok(Since::Lost) };
            let entries: Vec<Entry> = entries.collect();
            if entries.last().is_none_or(|last| last.place.position.seq < stands.position.seq) {
                // The head was seen before the commit's own item, or it was trimmed just now.
                self.link.wait(tried).await;
                continue;
            }
            // The table keeps somewhat more than the tail that every store promises; no client is to depend on that.
            let bytes = first.bytes() + entries.iter().map(Entry::bytes).sum::<usize>();
            let in_tail = entries.len() < TAIL_COUNT_MAX && bytes <= TAIL_BYTES_MAX;
            return Ok(if in_tail { Since::Entries(entries) } else { Since::Lost });
        }
        Err(StoreError::Busy)
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        let pk = self.partition(room)?;
        let known = self.heads.get(&room.spine).filter(|head| head.place == at);
        self.heads.remove(&room.spine);
        let head = match known {
            Some(head) => head,
            None => {
                let head = self.read_head(&pk).await?.and_then(|standing| standing.live(self.clock.now()));
                head.filter(|head| head.place == at).ok_or(StoreError::Conflict)?.into()
            }
        };
        let kept = self.renewed.get(&head.life).unwrap_or(head.kept);
        self.close_at(&pk, at, kept).await?;
        self.tell_others(room, by, &Wake::Closed);
        self.clear_closed(&pk, &head.life);
        Ok(())
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        Ok(self.watchers.add(&room.spine, node))
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, here: Vec<Field>) -> Result<Announced, StoreError> {
        self.give_word(room, &self.partition(room)?, node, here).await
    }

    async fn leave(&self, room: &RoomKey, node: NodeId, _named: bool) -> Result<(), StoreError> {
        self.take_back(room, &self.partition(room)?, node).await
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        self.tell_others(room, by, &Wake::Told(what));
        Ok(())
    }

    async fn mirror(&self, room: &RoomKey, presence: &str, shown: Vec<(Field, Bytes)>) -> Result<(), StoreError> {
        self.put_shown(room, presence, &shown).await
    }

    fn limits(&self) -> Limits {
        let (lease, mirror_every) = (Some(self.link.options.lease), Some(MIRROR_EVERY));
        Limits { bytes_max: COMMIT_BYTES_MAX, lease, mirror_every, ..Limits::default() }
    }
}

impl DynamoDb {
    pub(super) fn partition(&self, room: &RoomKey) -> Result<String, StoreError> {
        names::partition(self.form.partition(room))
    }
}
