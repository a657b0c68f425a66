//! Rooms laid down whole, however large: in one transaction if it fits, otherwise piece by piece and made real at the end.
//!
//! What is laid down piece by piece is first claimed in the head, and every piece is written on the condition that the claim
//! still holds. So nobody sees it before it is whole, whoever was slower than the claim allows writes nothing more, and what
//! they left is of a life that nobody ever reads.

use super::DynamoDb;
use super::action::Action;
use super::attribute::{Attribute, Attributes};
use super::events;
use super::expression::Expression;
use super::failure::{ACTIONS_MAX, Refusal, TRANSACTION_BYTES_MAX};
use super::form::Change;
use super::head::{Head, Standing, seconds_after};
use super::link::Written;
use super::{appending, names};
use crate::error::StoreError;
use crate::rooms::Entry;
use parlor_rules::position::Place;
use parlor_rules::time::{Millis, Span};

/// How long a claim keeps others away.
const CLAIM: Span = Span::minutes(1);

/// A room with its commits, to be laid down.
pub(super) struct Laying {
    pub(super) head: Head,
    pub(super) tail: Vec<Entry>,
    pub(super) changes: Vec<Change>,
}

/// What a room may be laid down over, besides what is over.
#[derive(Clone, Copy)]
pub(super) enum Over {
    Nothing,
    At(Place),
}

impl DynamoDb {
    /// Lays a room down, or answers what stands in its way.
    pub(super) async fn lay_down(&self, pk: &str, laying: &Laying, over: Over) -> Result<Result<(), Standing>, StoreError> {
        let Laying { head, tail, changes } = laying;
        let now = self.clock.now();
        let put = || Action::put(names::head(pk), head.attributes());
        let events: Vec<Action> = tail.iter().flat_map(|entry| events::laid(pk, &head.life, entry, head.kept)).collect();
        let items: Vec<Action> = changes.iter().filter_map(|change| self.action(pk, head, change.clone())).collect();
        let own = put().when(|words| may_replace(words, over, now));
        if fits([&own].into_iter().chain(&events).chain(&items)) {
            return self.make_real(pk, head, [own].into_iter().chain(events).chain(items).collect()).await;
        }
        if fits([&own].into_iter().chain(&items)) {
            // Commits lie apart from those of every other life, so nobody can be in their way.
            for piece in pieces(events, ACTIONS_MAX) {
                self.link.transact(piece).await?;
            }
            return self.make_real(pk, head, [own].into_iter().chain(items).collect()).await;
        }
        if let Err(standing) = self.claim(pk, head, over, now).await? {
            return Ok(Err(standing));
        }
        self.lay_pieces(pk, laying).await?;
        let last = put().when(|words| is_claimed(words, &head.life));
        self.make_real(pk, head, vec![last]).await
    }

    /// Writes all but the head, as long as the claim holds.
    pub(super) async fn lay_pieces(&self, pk: &str, laying: &Laying) -> Result<(), StoreError> {
        let Laying { head, tail, changes } = laying;
        let events = tail.iter().flat_map(|entry| events::laid(pk, &head.life, entry, head.kept));
        let items = changes.iter().filter_map(|change| self.action(pk, head, change.clone()));
        for mut piece in pieces(events.chain(items).collect(), ACTIONS_MAX - 1) {
            piece.insert(0, Action::check(names::head(pk)).when(|words| is_claimed(words, &head.life)));
            if let Written::Refused { .. } = self.link.transact(piece).await? {
                return Err(StoreError::Busy);
            }
        }
        Ok(())
    }

    /// The write by which the room is there, whole.
    async fn make_real(&self, pk: &str, head: &Head, mut actions: Vec<Action>) -> Result<Result<(), Standing>, StoreError> {
        let written =
            if actions.len() == 1 { self.link.alone(actions.remove(0)).await? } else { self.link.transact(actions).await? };
        let Written::Refused { refusals, .. } = written else { return Ok(Ok(())) };
        match self.what_stands(pk, refusals).await? {
            // Lives are random: one that is known was laid down by a try whose answer got lost.
            Standing::Room(stands) if stands.life == head.life => Ok(Ok(())),
            standing => Ok(Err(standing)),
        }
    }

    pub(super) async fn claim(&self, pk: &str, head: &Head, over: Over, now: Millis) -> Result<Result<(), Standing>, StoreError> {
        let until = now + CLAIM;
        let claim = Attributes::from([
            ("claim".to_owned(), Attribute::text(&*head.life)),
            ("endsAt".to_owned(), Attribute::number(until.0)),
            ("ttl".to_owned(), Attribute::number(seconds_after(until))),
        ]);
        let claim = Action::put(names::head(pk), claim).when(|words| may_replace(words, over, now));
        let Written::Refused { refusals, .. } = self.link.alone(claim).await? else { return Ok(Ok(())) };
        match self.what_stands(pk, refusals).await? {
            Standing::Claimed { claim, .. } if claim == head.life => Ok(Ok(())),
            standing => Ok(Err(standing)),
        }
    }

    /// What a write of the head met instead of what it was to replace.
    async fn what_stands(&self, pk: &str, refusals: Vec<Refusal>) -> Result<Standing, StoreError> {
        let item = refusals.into_iter().next().and_then(|refusal| refusal.item);
        let standing = match item {
            Some(item) => Some(Standing::read(item)?),
            None => self.read_head(pk).await?,
        };
        // It was there a moment ago: whatever happens here, it happens too fast.
        standing.ok_or(StoreError::Busy)
    }
}

fn fits<'a>(actions: impl IntoIterator<Item = &'a Action>) -> bool {
    let (mut count, mut bytes) = (0, 0);
    for action in actions {
        count += 1;
        bytes += action.bytes();
    }
    count <= ACTIONS_MAX && bytes <= TRANSACTION_BYTES_MAX
}

/// Actions in runs that each fit into a transaction.
fn pieces(actions: Vec<Action>, most: usize) -> Vec<Vec<Action>> {
    let mut pieces: Vec<Vec<Action>> = Vec::new();
    let mut bytes = 0;
    for action in actions {
        bytes += action.bytes();
        match pieces.last_mut() {
            Some(piece) if piece.len() < most && bytes <= TRANSACTION_BYTES_MAX => piece.push(action),
            _ => {
                bytes = action.bytes();
                pieces.push(vec![action]);
            }
        }
    }
    pieces
}

/// Nothing is there, or only what has ended, was closed, or was claimed too long ago; or what may be replaced.
fn may_replace(words: &mut Expression, over: Over, now: Millis) -> String {
    let (pk, closed, ends) = (words.name("pk"), words.name("closed"), words.name("endsAt"));
    let moment = words.value(Attribute::number(now.0));
    let over_anyway = format!("attribute_not_exists({pk}) OR attribute_exists({closed}) OR {ends} <= {moment}");
    match over {
        Over::Nothing => over_anyway,
        Over::At(place) => format!("{over_anyway} OR ({})", appending::stands_at(words, place, now)),
    }
}

fn is_claimed(words: &mut Expression, life: &str) -> String {
    format!("{} = {}", words.name("claim"), words.value(Attribute::text(life)))
}
