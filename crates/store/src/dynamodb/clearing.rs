//! Closing, and clearing away what rooms that are over have left.
//!
//! A life that is over never comes back, so its items may be deleted at any time, by anybody, any number of times.

use super::DynamoDb;
use super::action::{Action, Id, What};
use super::appending::stands_at;
use super::attribute::Attribute;
use super::expression::Expression;
use super::form::HEAD;
use super::head::Standing;
use super::link::{Of, Written};
use super::names;
use crate::error::StoreError;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use parlor_rules::position::Place;
use std::collections::BTreeSet;

/// Conditional deletes that are under way at once.
const DELETES_AT_ONCE: usize = 8;

impl DynamoDb {
    /// One conditional write, after which the room is not there any more.
    /// The note that it was closed goes with the last of its items, if the service deletes those; otherwise it stays until
    /// somebody has cleared them away.
    pub(super) async fn close_at(&self, pk: &str, at: Place, kept: Option<u64>) -> Result<(), StoreError> {
        let mut expression = Expression::default();
        let (closed, life, ttl) = (expression.name("closed"), expression.name("life"), expression.name("ttl"));
        let gone: Vec<String> =
            ["position", "mark", "endsAt", "kept", "touched"].iter().map(|name| expression.name(name)).collect();
        let gone = gone.join(", ");
        let update = match kept {
            Some(kept) => format!("SET {closed} = {life}, {ttl} = {} REMOVE {gone}", expression.value(Attribute::number(kept))),
            None => format!("SET {closed} = {life} REMOVE {gone}, {ttl}"),
        };
        let condition = Some(stands_at(&mut expression, at, self.clock.now()));
        let close = Action { id: names::head(pk), what: What::Update(update), condition, expression };
        let Written::Refused { refusals, again } = self.link.alone(close).await? else { return Ok(()) };
        let item = refusals.into_iter().next().and_then(|refusal| refusal.item);
        match item.map(Standing::read).transpose()? {
            // The first answer was lost: whoever took it away, it is gone as was wished.
            Some(Standing::Closed { .. }) | None if again => Ok(()),
            Some(_) | None => Err(StoreError::Conflict),
        }
    }

    /// Clears away a room that was closed here, and the note that it was.
    pub(super) fn clear_closed(&self, pk: &str, life: &str) {
        let (db, pk, life) = (self.clone(), pk.to_owned(), life.to_owned());
        self.chores.add("clear", async move {
            db.clear(&pk, &[life.clone()].into()).await?;
            let note = Action::delete(names::head(&pk));
            let note = note.when(|words| format!("{} = {}", words.name("closed"), words.value(Attribute::text(&*life))));
            db.link.alone(note).await.map(|_| ())
        });
    }

    /// Clears away what other rooms left where a room is now.
    pub(super) fn clear_leftovers(&self, pk: &str) {
        let (db, pk) = (self.clone(), pk.to_owned());
        self.chores.add("clear", async move {
            let mut lives: BTreeSet<String> = db.keys_with_lives(&pk).await?.into_iter().map(|(_, life)| life).collect();
            // Looked at after the items: what is not this life by now was over when its items were seen.
            match db.read_head(&pk).await? {
                Some(Standing::Room(head)) => lives.remove(&head.life),
                Some(Standing::Claimed { claim, .. }) => lives.remove(&claim),
                Some(Standing::Closed { .. }) | None => return Ok(()),
            };
            db.clear(&pk, &lives).await
        });
    }

    /// Deletes items of a room that hold nothing any more, unless a commit has written them since the one that is named.
    pub(super) fn sweep(&self, pk: &str, life: &str, litter: Vec<(u64, String)>) {
        if litter.is_empty() {
            return;
        }
        let (db, pk, life) = (self.clone(), pk.to_owned(), life.to_owned());
        self.chores.add("sweep", async move {
            let delete = |(at, sk): (u64, String)| {
                let still = |words: &mut Expression| {
                    let (life, at) = (words.value(Attribute::text(&*life)), words.value(Attribute::number(at)));
                    format!("{} = {life} AND {} = {at}", words.name("life"), words.name("at"))
                };
                db.link.alone(Action::delete(Id::new(&*pk, sk)).when(still))
            };
            let deletes: Vec<_> = litter.into_iter().map(delete).collect();
            stream::iter(deletes).buffer_unordered(DELETES_AT_ONCE).try_for_each(|_| std::future::ready(Ok(()))).await
        });
    }

    /// Clears away the commits of a life that was never made real.
    pub(super) fn clear_events(&self, pk: &str, life: &str) {
        let (db, pk, life) = (self.clone(), pk.to_owned(), life.to_owned());
        self.chores.add("clear", async move { db.delete_events(&pk, &life).await });
    }

    async fn clear(&self, pk: &str, lives: &BTreeSet<String>) -> Result<(), StoreError> {
        for life in lives {
            self.delete_events(pk, life).await?;
        }
        let items = self.keys_with_lives(pk).await?.into_iter().filter(|(_, life)| lives.contains(life));
        // A new room may have written the same item meanwhile.
        let delete = |(id, life): (Id, String)| {
            let own = move |words: &mut Expression| format!("{} = {}", words.name("life"), words.value(Attribute::Text(life)));
            self.link.alone(Action::delete(id).when(own))
        };
        let deletes: Vec<_> = items.map(delete).collect();
        stream::iter(deletes).buffer_unordered(DELETES_AT_ONCE).try_for_each(|_| std::future::ready(Ok(()))).await
    }

    async fn delete_events(&self, pk: &str, life: &str) -> Result<(), StoreError> {
        let rows = self.event_rows(pk, life, 0, None).await?;
        self.link.delete_all(rows.into_iter().map(|row| row.id).collect()).await
    }

    /// The items of a partition that belong to some life of a room, the head not among them.
    pub(super) async fn keys_with_lives(&self, pk: &str) -> Result<Vec<(Id, String)>, StoreError> {
        let mut expression = Expression::default();
        let (pk_name, sk, life) = (expression.name("pk"), expression.name("sk"), expression.name("life"));
        let only = format!("{pk_name}, {sk}, {life}");
        let keys = format!("{pk_name} = {}", expression.value(Attribute::text(pk)));
        let of = Of { keys: Some(&keys), only: Some(&only), expression, consistent: true, ..Of::default() };
        let rows = self.all_pages(&of).await?.into_iter().filter(|row| row.id.sk != HEAD);
        Ok(rows.filter_map(|row| Some((row.id, row.attributes.get("life")?.as_text()?.to_owned()))).collect())
    }
}
