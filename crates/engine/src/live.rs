//! A room in memory: what is kept of it, the place it stands at, and how it follows its stream.

use crate::error::Error;
use parlor_layout as layout;
use parlor_rules::{Address, Commit, Kept, Place};
use parlor_store::{Entry, RoomKey, Rooms, Since};
use std::collections::VecDeque;
use std::sync::Arc;

/// How often a load starts again because the tail was trimmed meanwhile.
const LOADS_MAX: usize = 8;

#[derive(Clone)]
pub struct Live {
    /// Shared with every picture and every turn of it; whoever changes it makes it their own first.
    pub kept: Arc<Kept>,
    pub place: Place,
    /// False when the last answer of the store is unknown, so that the place must be checked first.
    pub trusted: bool,
}

/// How a room moved under us.
pub enum Moved {
    /// These commits, in order; perhaps none.
    By(Vec<(Place, Commit)>),
    /// Another history, or too far: it was read anew.
    Anew,
    Gone,
}

impl Live {
    /// Reads a room: fuzzy records, then every commit after the place they were read at.
    pub async fn load(store: &dyn Rooms, address: &Address, key: &RoomKey) -> Result<Option<Live>, Error> {
        for _ in 0..LOADS_MAX {
            let Some(loaded) = store.load(key).await? else { return Ok(None) };
            let mut kept = layout::wake(address, &loaded.records)?;
            kept.expires = loaded.deadline;
            let mut live = Live { kept: Arc::new(kept), place: loaded.place, trusted: true };
            if live.follow(address, &loaded.after)?.is_some() {
                return Ok(Some(live));
            }
        }
        Err(Error::Contended)
    }

    /// Applies what others committed since our place.
    pub async fn catch_up(&mut self, store: &dyn Rooms, address: &Address, key: &RoomKey) -> Result<Moved, Error> {
        let moved = match store.since(key, self.place).await? {
            Since::Absent => Moved::Gone,
            Since::Entries(entries) => match self.follow(address, &entries)? {
                Some(commits) => Moved::By(commits),
                None => self.anew(store, address, key).await?,
            },
            Since::Lost => self.anew(store, address, key).await?,
        };
        self.trusted = true;
        Ok(moved)
    }

    async fn anew(&mut self, store: &dyn Rooms, address: &Address, key: &RoomKey) -> Result<Moved, Error> {
        Ok(match Live::load(store, address, key).await? {
            Some(live) => {
                *self = live;
                Moved::Anew
            }
            None => Moved::Gone,
        })
    }

    /// Nothing is applied unless every entry follows the one before it: a gap is never passed over.
    fn follow(&mut self, address: &Address, entries: &[Entry]) -> Result<Option<Vec<(Place, Commit)>>, Error> {
        let mut next = self.place.position.next();
        for entry in entries {
            if entry.place.position != next {
                return Ok(None);
            }
            next = next.next();
        }
        let mut commits = Vec::with_capacity(entries.len());
        for entry in entries {
            let commit = layout::entry_commit(address, &entry.fields)?;
            Arc::make_mut(&mut self.kept).apply(entry.place.position.seq, &commit);
            self.place = entry.place;
            commits.push((entry.place, commit));
        }
        Ok(Some(commits))
    }
}

/// The places a room was at lately: whoever was at one of them has missed nothing that cannot be told.
pub struct Recent {
    places: VecDeque<Place>,
    max: usize,
}

impl Recent {
    pub fn new(max: usize) -> Recent {
        Recent { places: VecDeque::new(), max }
    }

    pub fn note(&mut self, place: Place) {
        if self.places.back() == Some(&place) {
            return;
        }
        if self.places.len() == self.max {
            self.places.pop_front();
        }
        self.places.push_back(place);
    }

    pub fn forget(&mut self) {
        self.places.clear();
    }

    pub fn knows(&self, place: Place) -> bool {
        self.places.contains(&place)
    }
}
