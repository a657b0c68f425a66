//! What the rooms' histories really are, kept apart from the house: every commit somebody tried, and the one line
//! of them that the store has shown to be kept.
//!
//! A place is on the line once the store has said so, by answering an append or by showing it to a reader. From then
//! on it must stay; everything acked or shown must stand on it; replaying it gives every picture.

use crate::trace::Check;
use parlor_layout as layout;
use parlor_layout::shelf::Shelf;
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Commit, Kept, Millis, Place, Position};
use std::collections::BTreeMap;

pub type Wrong = (Check, String);
pub type Verdict = Result<(), Wrong>;

#[derive(Default)]
pub struct History {
    rooms: BTreeMap<Address, Past>,
    pub acks: Vec<Ack>,
    pub commits: u64,
}

/// An answer a client got for a numbered command.
#[derive(Clone, Debug)]
pub struct Ack {
    pub room: Address,
    pub holder: Holder,
    pub number: u64,
    pub position: Position,
}

#[derive(Default)]
struct Past {
    births: BTreeMap<u64, Tried>,
    tried: BTreeMap<(u64, u64), Tried>,
    line: Vec<Step>,
    tickets: BTreeMap<(Holder, u64), u64>,
    /// Closings under way, or whose answer was lost.
    closings: usize,
    closed: bool,
}

struct Tried {
    after: Option<Place>,
    commit: Commit,
    deadline: Option<Millis>,
    born: Option<Kept>,
}

pub struct Step {
    pub place: Place,
    pub kept: Kept,
}

impl History {
    /// Notes a commit before it is asked for: the answer may be lost and the commit kept all the same.
    pub fn trying(&mut self, room: &Address, after: Option<Place>, commit: &parlor_store::Commit) -> Verdict {
        let read = layout::entry_commit(room, &commit.entry).map_err(|error| (Check::Broken, error.to_string()))?;
        let past = self.rooms.entry(room.clone()).or_default();
        let mut tried = Tried { after, commit: read, deadline: commit.deadline, born: None };
        match after {
            Some(after) => {
                past.tried.insert((after.position.seq + 1, commit.mark.0), tried);
            }
            None => {
                let mut shelf = Shelf::default();
                shelf.lay(&commit.writes);
                let mut kept = layout::wake(room, &shelf.records()).map_err(|error| (Check::Broken, error.to_string()))?;
                kept.expires = commit.deadline;
                tried.born = Some(kept);
                past.births.insert(commit.mark.0, tried);
            }
        }
        Ok(())
    }

    /// The store has shown this place: it, and all before it, are the room's history from now on.
    pub fn kept(&mut self, room: &Address, place: Place) -> Verdict {
        let past = self.rooms.entry(room.clone()).or_default();
        self.commits += past.kept(room, place)?;
        Ok(())
    }

    pub fn closing(&mut self, room: &Address) {
        self.rooms.entry(room.clone()).or_default().closings += 1;
    }

    pub fn not_closed(&mut self, room: &Address) {
        if let Some(past) = self.rooms.get_mut(room) {
            past.closings = past.closings.saturating_sub(1);
        }
    }

    pub fn closed(&mut self, room: &Address, at: Place) -> Verdict {
        self.kept(room, at)?;
        let past = self.rooms.entry(room.clone()).or_default();
        past.closed = true;
        if past.line.last().is_some_and(|step| step.place != at) {
            return Err((Check::Order, format!("{room} was closed at {} but had moved on", at.position)));
        }
        Ok(())
    }

    /// Somebody was told that the room is not there.
    pub fn absent(&mut self, room: &Address, now: Millis, who: &str) -> Verdict {
        let Some(past) = self.rooms.get_mut(room) else { return Ok(()) };
        let Some(last) = past.line.last() else { return Ok(()) };
        if past.closed || last.kept.is_over(now) {
            return Ok(());
        }
        if past.closings > 0 {
            past.closed = true; // Its answer was lost, but it is done.
            return Ok(());
        }
        Err((Check::Lost, format!("{who} is told that {room} is not there; it was kept up to {}", last.place.position)))
    }

    /// Whether a room must not be shown any more.
    pub fn is_gone(&self, room: &Address, now: Millis) -> bool {
        self.rooms.get(room).is_some_and(|past| past.closed || past.line.last().is_none_or(|last| last.kept.is_over(now)))
    }

    pub fn tip(&self, room: &Address) -> Option<&Step> {
        self.rooms.get(room).and_then(|past| past.line.last())
    }

    pub fn at(&self, room: &Address, place: Place) -> Option<&Step> {
        let step = self.rooms.get(room)?.line.get(place.position.seq.checked_sub(1)? as usize)?;
        (step.place == place).then_some(step)
    }

    pub fn rooms(&self) -> Vec<Address> {
        self.rooms.iter().filter(|(_, past)| !past.line.is_empty()).map(|(room, _)| room.clone()).collect()
    }

    /// Every acknowledged command is in exactly one commit, where the answer said.
    pub fn check_acks(&self) -> Verdict {
        for Ack { room, holder, number, position } in &self.acks {
            let lost = |why: &str| Err((Check::Lost, format!("{holder} #{number} was acked at {position} of {room}, {why}")));
            let Some(past) = self.rooms.get(room) else { return lost("a room nobody kept") };
            let last = past.line.last().map(|step| step.place.position);
            match past.tickets.get(&(holder.clone(), *number)) {
                Some(seq) if *seq == position.seq => {}
                Some(seq) => return lost(&format!("but is in commit {seq}")),
                // The last batch of a deleted room is not written: the closing is all that is kept of it.
                None if past.closed && last.map(Position::next) == Some(*position) => {}
                None => return lost("but is in no commit"),
            }
        }
        Ok(())
    }
}

impl Past {
    fn kept(&mut self, room: &Address, place: Place) -> Result<u64, Wrong> {
        let seq = place.position.seq;
        let known = self.line.len() as u64;
        if seq <= known {
            return match self.line.get(seq.saturating_sub(1) as usize) {
                Some(step) if step.place == place => Ok(0),
                _ => Err((Check::Order, format!("{room} has two commits {}", place.position))),
            };
        }
        if self.closed {
            return Err((Check::Gone, format!("{room} is closed and yet went on to {}", place.position)));
        }
        // Back along what was tried, to what is known.
        let mut path = vec![place];
        while let Some(oldest) = path.last().copied()
            && oldest.position.seq > known + 1
        {
            let unknown = || (Check::Order, format!("nobody wrote {} of {room}", oldest.position));
            path.push(self.tried.get(&(oldest.position.seq, oldest.mark.0)).and_then(|tried| tried.after).ok_or_else(unknown)?);
        }
        let added = path.len() as u64;
        for place in path.into_iter().rev() {
            self.step(room, place)?;
        }
        Ok(added)
    }

    fn step(&mut self, room: &Address, place: Place) -> Verdict {
        let position = place.position;
        let unknown = || (Check::Order, format!("nobody wrote {position} of {room}"));
        let Some(last) = self.line.last() else {
            let birth = self.births.get(&place.mark.0).ok_or_else(unknown)?;
            let kept = birth.born.clone().ok_or_else(unknown)?;
            self.line.push(Step { place, kept });
            return Ok(());
        };
        let tried = self.tried.get(&(position.seq, place.mark.0)).ok_or_else(unknown)?;
        if tried.after != Some(last.place) || position != last.place.position.next() {
            return Err((Check::Order, format!("{position} of {room} does not follow {}", last.place.position)));
        }
        if last.kept.is_over(tried.commit.at) {
            return Err((Check::Gone, format!("{room} had expired and yet went on to {position}")));
        }
        let mut kept = last.kept.clone();
        kept.apply(position.seq, &tried.commit);
        let deadlines = (kept.expires, tried.deadline);
        for ticket in tried.commit.done.iter().filter_map(|done| done.ticket.as_ref()) {
            let key = (ticket.holder.clone(), ticket.number);
            if let Some(first) = self.tickets.insert(key, position.seq) {
                let (holder, number) = (&ticket.holder, ticket.number);
                return Err((Check::Once, format!("{holder} #{number} was applied in commit {first} and again in {position}")));
            }
        }
        self.line.push(Step { place, kept });
        if deadlines.0 != deadlines.1 {
            return Err((
                Check::Picture,
                format!("{position} of {room} ends at {:?}, the store was told {:?}", deadlines.0, deadlines.1),
            ));
        }
        Ok(())
    }
}

/// In which part two rooms differ; what they hold may be secret and is not said.
pub fn difference(kept: &Kept, replayed: &Kept) -> Option<&'static str> {
    if kept.state != replayed.state {
        return Some("the table");
    }
    if kept.expires != replayed.expires {
        return Some("the deadline");
    }
    if kept.created != replayed.created {
        return Some("the time of creation");
    }
    (kept.receipts != replayed.receipts).then_some("the receipts")
}
