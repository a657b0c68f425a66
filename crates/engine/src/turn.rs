//! One turn of a room: think without waiting, then one conditional write. The only path by which a room changes.
//!
//! A turn owns all it needs, so the room's task can serve listeners while the store works. What it returns
//! is kept; before it returns, nothing of it is shown.

use crate::dice::Dice;
use crate::engine::{House, Request};
use crate::error::Error;
use crate::inbox::Pending;
use crate::live::{Live, Moved};
use parlor_layout as layout;
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Commit, Done, Ending, Event, Kept, Mark, Millis, Place, Position, Ticket, UserId};
use parlor_store::{NodeId, RoomKey, StoreError};
use std::sync::Arc;

/// What came of one act.
#[derive(Clone, PartialEq, Debug)]
pub struct Acted {
    /// The commit the act became part of.
    pub position: Position,
    /// It had been sent before; this is the first answer again.
    pub again: bool,
    /// Which of the commit's acts it is, if it is one.
    pub(crate) index: Option<usize>,
    /// What came of it, in a room that tells.
    pub events: Vec<Event>,
    /// The room has answered the listener it came from.
    pub told: bool,
}

impl Acted {
    fn at(position: Position) -> Acted {
        Acted { position, again: false, index: None, events: Vec::new(), told: false }
    }
}

/// As they came in: boxed, so that nothing large is moved on the way.
pub(crate) type Acts = Vec<Box<Pending>>;

pub(crate) struct Turn {
    pub(crate) live: Live,
    /// Those who waited for it.
    pub(crate) acts: Acts,
    /// One for each act that was decided, in order; acts beyond these did not fit and wait for the next turn.
    pub(crate) verdicts: Vec<Result<Acted, Error>>,
    /// Every commit the room took in this turn, ours and others', in order.
    pub(crate) commits: Vec<(Place, Commit)>,
    /// The room was read anew: what its listeners saw may belong to another history.
    pub(crate) anew: bool,
    pub(crate) ended: Option<Ending>,
}

pub(crate) async fn turn(
    house: Arc<House>,
    by: NodeId,
    address: Address,
    key: Arc<RoomKey>,
    live: Live,
    acts: Acts,
    mut away: Vec<UserId>,
) -> Turn {
    let mut fit = acts.len();
    let mut turn = Turn { live, acts, verdicts: Vec::new(), commits: Vec::new(), anew: false, ended: None };
    for _ in 0..house.limits.attempts_max {
        if !turn.live.trusted || turn.live.kept.is_over(house.clock.now()) {
            away.clear();
            if !turn.catch_up(&house, &address, &key, fit).await {
                return turn;
            }
        }
        let now = house.clock.now();
        if turn.live.kept.is_over(now) {
            // Best effort: a store that no longer shows the room has already done it.
            let _ = house.rooms.close(&key, turn.live.place, by).await;
            return turn.over(Ending::Expired, fit);
        }
        // Who was away when the turn began may have come while the store was asked: they are taken at their absence
        // once, before anything is waited for.
        let decided = decide_all(&*house.dice, &turn.live, &turn.acts[..fit], &std::mem::take(&mut away), now);
        let Some(commit) = decided.commit else {
            turn.verdicts = decided.verdicts;
            return turn;
        };
        if let Some(ending) = decided.ended {
            match house.rooms.close(&key, turn.live.place, by).await {
                Err(StoreError::Conflict) => turn.live.trusted = false,
                Err(error) => return turn.failed(error, fit),
                Ok(()) => {
                    turn.verdicts = decided.verdicts;
                    turn.ended = Some(ending);
                    return turn;
                }
            }
            continue;
        }
        let rest = layout::step(&address, turn.live.place.position.next().seq, &turn.live.kept, &decided.after, &commit);
        let mark = Mark(house.dice.bits());
        let deadline = decided.after.expires;
        let append = parlor_store::Commit { by, mark, entry: rest.entry, writes: rest.writes, deadline };
        match house.rooms.append(&key, Some(turn.live.place), append).await {
            Ok(place) => {
                turn.live = Live { kept: Arc::new(decided.after), place, trusted: true };
                turn.commits.push((place, commit));
                turn.verdicts = decided.verdicts;
                return turn;
            }
            Err(StoreError::Conflict) => {
                metrics::counter!("parlor_conflicts_total").increment(1);
                turn.live.trusted = false; // Rivals' commits first, then decide again.
            }
            Err(StoreError::TooLarge { .. }) if fit > 1 => fit /= 2,
            Err(error) => return turn.failed(error, fit),
        }
    }
    turn.failed(StoreError::Conflict, fit)
}

impl Turn {
    /// False when the turn is over because the room is gone or the store does not answer.
    async fn catch_up(&mut self, house: &House, address: &Address, key: &RoomKey, fit: usize) -> bool {
        match self.live.catch_up(&*house.rooms, address, key).await {
            Ok(Moved::By(commits)) => self.commits.extend(commits),
            Ok(Moved::Anew) => {
                self.anew = true;
                self.commits.clear();
            }
            Ok(Moved::Gone) => {
                let expired = self.live.kept.is_over(house.clock.now());
                self.ended = Some(if expired { Ending::Expired } else { Ending::Deleted });
                self.verdicts = vec![Err(Error::NoRoom); fit];
                return false;
            }
            Err(error) => {
                self.live.trusted = false;
                self.verdicts = vec![Err(error); fit];
                return false;
            }
        }
        true
    }

    fn over(mut self, ending: Ending, fit: usize) -> Turn {
        self.ended = Some(ending);
        self.verdicts = vec![Err(Error::NoRoom); fit];
        self
    }

    fn failed(mut self, error: StoreError, fit: usize) -> Turn {
        tracing::warn!(%error, "a commit was not kept");
        self.live.trusted = false;
        self.verdicts = vec![Err(error.into()); fit];
        self
    }
}

struct Decided {
    after: Kept,
    verdicts: Vec<Result<Acted, Error>>,
    /// Nothing when nothing changes.
    commit: Option<Commit>,
    ended: Option<Ending>,
}

/// Decides the waiting acts one after the other, each on what the one before it left. Overdue ticks come first, then
/// those who have been away too long.
fn decide_all(dice: &dyn Dice, live: &Live, acts: &[Box<Pending>], away: &[UserId], now: Millis) -> Decided {
    let mut draft = Draft {
        dice,
        after: Kept::clone(&live.kept), // Cheap: large collections share structure.
        position: live.place.position.next(),
        commit: Commit { at: now, renews: false, done: Vec::new() },
        ended: None,
    };
    draft.tick(now);
    draft.remove(away);
    let standing = live.place.position;
    let verdicts = acts.iter().map(|act| draft.decide(&act.request, standing)).collect();
    let Draft { after, commit, ended, .. } = draft;
    Decided { after, verdicts, commit: (!commit.done.is_empty()).then_some(commit), ended }
}

struct Draft<'a> {
    dice: &'a dyn Dice,
    after: Kept,
    position: Position,
    commit: Commit,
    ended: Option<Ending>,
}

impl Draft<'_> {
    fn tick(&mut self, now: Millis) {
        while let Some(due) = self.after.state.deadline().filter(|due| *due <= now) {
            let events = self.after.state.tick(due);
            if events.is_empty() {
                return;
            }
            self.take(Done { by: None, ticket: None, events }, false);
        }
    }

    fn remove(&mut self, away: &[UserId]) {
        for user in away {
            let events = self.after.state.away_too_long(user, self.commit.at);
            if !events.is_empty() {
                self.take(Done { by: None, ticket: None, events }, false);
            }
        }
    }

    fn decide(&mut self, act: &Request, standing: Position) -> Result<Acted, Error> {
        if self.ended.is_some() {
            return Err(Error::NoRoom);
        }
        let at = self.commit.at;
        let viewer = self.after.state.recognise(&act.credential)?;
        let holder = |client| Holder { user: viewer.user.clone(), client };
        let ticket = act.ticket.clone().map(|(client, number)| Ticket { holder: holder(client), number });
        if let Some(ticket) = &ticket {
            if let Some(receipt) = self.after.receipts.answered(ticket) {
                let position = Position { epoch: self.position.epoch, seq: receipt.seq };
                return Ok(Acted { again: true, ..Acted::at(position) });
            }
            if !self.after.receipts.has_room_for(ticket, at, |user| self.after.state.sits(user)) {
                return Err(Error::TooManyClients);
            }
        }
        let events = self.after.state.decide(&viewer, at, self.dice.bits(), &act.command)?;
        let renews = act.command.renews();
        let idle = events.is_empty() && ticket.is_none() && !(renews && self.after.wants_renewal(at));
        if idle {
            let position = if self.commit.done.is_empty() { standing } else { self.position };
            return Ok(Acted::at(position));
        }
        let told = if self.after.state.tells() { events.clone() } else { Vec::new() };
        let index = Some(self.commit.done.len());
        self.take(Done { by: viewer.user, ticket, events }, renews);
        Ok(Acted { index, events: told, ..Acted::at(self.position) })
    }

    fn take(&mut self, done: Done, renews: bool) {
        self.ended = done.events.iter().find_map(|event| event.ends());
        let step = Commit { at: self.commit.at, renews, done: vec![done] };
        self.after.apply(self.position.seq, &step);
        self.commit.renews |= renews;
        self.commit.done.extend(step.done);
    }
}
