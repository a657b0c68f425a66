//! The commit that follows a place, as one transaction on the condition that the head has not moved.

use super::DynamoDb;
use super::action::{Action, Id};
use super::attribute::Attribute;
use super::events;
use super::expression::Expression;
use super::failure::{ACTIONS_MAX, Refusal, TRANSACTION_BYTES_MAX};
use super::form::HEAD;
use super::head::{Head, Standing, Touched, keep};
use super::laying::head_after;
use super::link::Written;
use super::names;
use super::staging::{Laying, Over};
use crate::error::StoreError;
use crate::rooms::{Commit, Entry, RoomKey, Wake};
use parlor_rules::position::{Place, Position};
use parlor_rules::time::Millis;
use std::collections::VecDeque;
use std::sync::Arc;

/// How often what an earlier room left may be in the way of one commit: each try drops all that was met.
const LEFTOVERS_MAX: usize = 4;

impl DynamoDb {
    /// Where the room stands, if it stands at `at`; otherwise what an append from there comes to.
    async fn head_at(
        &self,
        room: &RoomKey,
        pk: &str,
        at: Place,
        commit: &Commit,
    ) -> Result<Result<Arc<Head>, Place>, StoreError> {
        let now = self.clock.now();
        if let Some(head) = self.heads.get(&room.spine).filter(|head| head.place == at && head.is_live(now)) {
            return Ok(Ok(head));
        }
        let head = self.read_head(pk).await?.and_then(|standing| standing.live(now)).ok_or(StoreError::Conflict)?;
        let head = Arc::new(head);
        self.heads.insert(room.spine.clone(), head.clone());
        match head.place {
            place if place == at => Ok(Ok(head)),
            // The answer to an earlier asking got lost.
            place if place == next(at.position, commit) => Ok(Err(place)),
            _ => Err(StoreError::Conflict),
        }
    }

    pub(super) async fn follow(&self, room: &RoomKey, pk: &str, at: Place, commit: Commit) -> Result<Place, StoreError> {
        for _ in 0..LEFTOVERS_MAX {
            if let Some(place) = self.try_to_follow(room, pk, at, &commit).await? {
                return Ok(place);
            }
        }
        Err(StoreError::Busy)
    }

    /// Nothing when something that an earlier room left stood in the way, and does no more.
    async fn try_to_follow(&self, room: &RoomKey, pk: &str, at: Place, commit: &Commit) -> Result<Option<Place>, StoreError> {
        let before = match self.head_at(room, pk, at, commit).await? {
            Ok(head) => head,
            Err(kept) => return Ok(Some(kept)),
        };
        let place = next(at.position, commit);
        let changes = self.changes(room, pk, Some(&before), &commit.writes).await?;
        let mut head = Head {
            place,
            deadline: commit.deadline,
            form: head_after(&before.form, &changes)?,
            life: before.life.clone(),
            kept: self.renewed.get(&before.life).unwrap_or(before.kept),
            touched: before.touched.clone(),
        };
        head.touch(Touched::of(place.position.seq, &changes));
        let now = self.clock.now();
        let put = Action::put(names::head(pk), head.attributes()).when(|words| stands_at(words, at, now));
        let entry = Entry { place, fields: commit.entry.clone() };
        let mut actions = vec![put];
        actions.extend(events::laid(
            pk,
            &head.life,
            &entry,
            keep(head.deadline).max(head.kept).filter(|_| head.deadline.is_some()),
        ));
        actions.extend(changes.into_iter().filter_map(|change| self.action(pk, &head, change)));
        let bytes = actions.iter().map(Action::bytes).sum();
        if actions.len() > ACTIONS_MAX || bytes > TRANSACTION_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes, writes: actions.len() });
        }
        let ids: Vec<Id> = actions.iter().map(|action| action.id.clone()).collect();
        match self.link.transact(actions).await {
            Ok(Written::Done) => {}
            Ok(Written::Refused { refusals, .. }) if self.drop_leftovers(&ids, &refusals, &head.life).await? => return Ok(None),
            Ok(Written::Refused { refusals, again }) => self.refused(room, pk, &head, refusals, again).await?,
            Err(error) => {
                self.heads.remove(&room.spine);
                return Err(error);
            }
        }
        self.heads.insert(room.spine.clone(), head.clone().into());
        self.tell_others(room, commit.by, &Wake::Moved(place));
        self.after_commit(pk, &head, entry.bytes());
        Ok(Some(place))
    }

    /// Whether nothing was in a commit's way but what another life left, which is dropped now. The head is the first of them.
    async fn drop_leftovers(&self, ids: &[Id], refusals: &[Refusal], life: &str) -> Result<bool, StoreError> {
        let mut left = Vec::new();
        for (id, refusal) in ids.iter().zip(refusals).filter(|(_, refusal)| refusal.failed) {
            let other = refusal.item.as_ref().and_then(|item| item.get("life")).and_then(Attribute::as_text);
            match other.filter(|other| id.sk != HEAD && *other != life) {
                Some(other) => left.push((id.clone(), other.to_owned())),
                None => return Ok(false),
            }
        }
        let met = !left.is_empty();
        for (id, other) in left {
            let still = move |words: &mut Expression| format!("{} = {}", words.name("life"), words.value(Attribute::Text(other)));
            self.link.alone(Action::delete(id).when(still)).await?;
        }
        Ok(met)
    }

    /// Whether what was refused is there all the same, because an earlier try of it went unanswered.
    async fn refused(
        &self,
        room: &RoomKey,
        pk: &str,
        head: &Head,
        refusals: Vec<Refusal>,
        again: bool,
    ) -> Result<(), StoreError> {
        self.heads.remove(&room.spine);
        let Some(Refusal { failed: true, item }) = refusals.into_iter().next() else {
            return Err(StoreError::Damaged("an item that belongs to the room is not there".into()));
        };
        let standing = match item {
            Some(item) => Some(Standing::read(item)?),
            None => self.read_head(pk).await?,
        };
        let stands = standing.and_then(|standing| standing.live(self.clock.now()));
        let Some(stands) = stands.filter(|stands| stands.life == head.life) else { return Err(StoreError::Conflict) };
        let kept = stands.place == head.place || (again && self.is_kept(pk, &stands, head.place).await?);
        self.heads.insert(room.spine.clone(), stands.into());
        if kept { Ok(()) } else { Err(StoreError::Conflict) }
    }

    /// Whether a commit is part of a room's history that has moved on since.
    pub(super) async fn is_kept(&self, pk: &str, head: &Head, place: Place) -> Result<bool, StoreError> {
        let event = super::action::Id::new(names::events(pk), names::event(&head.life, place.position.seq));
        let event = self.link.get(&event).await?;
        let mark = event.as_ref().and_then(|event| event.get("mark")).and_then(Attribute::as_text);
        Ok(mark.is_some_and(|mark| mark == place.mark.to_string()))
    }

    pub(super) async fn create(&self, room: &RoomKey, pk: &str, commit: Commit) -> Result<Place, StoreError> {
        let changes = self.changes(room, pk, None, &commit.writes).await?;
        let place = Place { position: Position::first(self.clock.now()), mark: commit.mark };
        let head = self.new_head(place, commit.deadline, &changes)?;
        let entry = Entry { place, fields: commit.entry };
        let laying = Laying { head, tail: vec![entry], changes };
        match self.lay_down(pk, &laying, Over::Nothing).await? {
            Ok(()) => {
                self.heads.insert(room.spine.clone(), laying.head.into());
                self.tell_others(room, commit.by, &Wake::Moved(place));
                Ok(place)
            }
            Err(Standing::Claimed { .. }) => Err(StoreError::Busy),
            Err(Standing::Closed { .. }) => Err(StoreError::Busy),
            Err(Standing::Room(stands)) => {
                let mine = stands.place.position.seq == 1 && stands.place.mark == commit.mark;
                let kept = (mine && stands.is_live(self.clock.now())).then_some(stands.place);
                self.heads.insert(room.spine.clone(), stands.into());
                kept.ok_or(StoreError::Conflict)
            }
        }
    }

    /// The head of a room that begins a life here.
    pub(super) fn new_head(
        &self,
        place: Place,
        deadline: Option<Millis>,
        changes: &[super::form::Change],
    ) -> Result<Head, StoreError> {
        let touched = VecDeque::from([Touched::of(place.position.seq, changes)]);
        let (life, form) = (names::life(place.position, self.link.dice.roll()), head_after(&Default::default(), changes)?);
        Ok(Head { place, life, deadline, kept: keep(deadline), touched, form })
    }
}

fn next(at: Position, commit: &Commit) -> Place {
    Place { position: at.next(), mark: commit.mark }
}

/// The head says that the room is here and has not ended.
pub(super) fn stands_at(words: &mut Expression, at: Place, now: Millis) -> String {
    let (position, mark, ends) = (words.name("position"), words.name("mark"), words.name("endsAt"));
    let here = words.value(Attribute::text(at.position.to_string()));
    let marked = words.value(Attribute::text(at.mark.to_string()));
    let now = words.value(Attribute::number(now.0));
    format!("{position} = {here} AND {mark} = {marked} AND (attribute_not_exists({ends}) OR {ends} > {now})")
}
