//! What a room needs from time to time: its tail trimmed, and its items kept from the service's deleting while it lives.

use super::DynamoDb;
use super::action::{Action, Id, What};
use super::attribute::Attribute;
use super::expression::Expression;
use super::form::NOT_OF_A_FORM;
use super::head::{Head, Standing, keep, must_renew};
use super::names;
use crate::error::StoreError;
use crate::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::rooms::Entry;
use futures_util::stream::{self, StreamExt, TryStreamExt};

/// Commits, or bytes of commits that are large, after which a tail is trimmed.
const TRIM_EVERY: u64 = 64;
const TRIM_BYTES: usize = TAIL_BYTES_MAX / 4;
const RENEWALS_AT_ONCE: usize = 8;

impl DynamoDb {
    pub(super) fn after_commit(&self, pk: &str, head: &Head, entry_bytes: usize) {
        if head.place.position.seq.is_multiple_of(TRIM_EVERY) || entry_bytes > TRIM_BYTES {
            let (db, pk, head) = (self.clone(), pk.to_owned(), head.clone());
            self.chores.add("trim", async move { db.trim(&pk, &head).await });
        }
        if must_renew(head.kept, head.deadline) {
            let (db, pk, life) = (self.clone(), pk.to_owned(), head.life.clone());
            self.chores.add("renew", async move { db.renew(&pk, &life).await });
        }
    }

    /// Deletes the commits before the tail that is promised.
    async fn trim(&self, pk: &str, head: &Head) -> Result<(), StoreError> {
        let rows = self.event_rows(pk, &head.life, 0, None).await?;
        let entries = super::events::entries(&head.life, head.place.position.epoch, &rows)?;
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            bytes += entry.bytes();
            bytes <= TAIL_BYTES_MAX
        };
        let kept = entries.iter().rev().take(TAIL_COUNT_MAX).take_while(fits).last().or(entries.last());
        let Some(oldest) = kept.map(|entry| names::event(&head.life, entry.place.position.seq)) else { return Ok(()) };
        self.link.delete_all(rows.into_iter().map(|row| row.id).filter(|id| id.sk < oldest).collect()).await
    }

    /// Gives all items of a life the time that its deadline asks for, and then notes so in the head.
    async fn renew(&self, pk: &str, life: &str) -> Result<(), StoreError> {
        let Some(Standing::Room(head)) = self.read_head(pk).await? else { return Ok(()) };
        if head.life != *life || !must_renew(head.kept, head.deadline) {
            return Ok(()); // Somebody else has done it.
        }
        let until = keep(head.deadline);
        // What people show is kept for as long as they show it, not for as long as the room.
        let is_kept = |id: &Id| !NOT_OF_A_FORM.iter().any(|prefix| id.sk.starts_with(prefix));
        let own = self.keys_with_lives(pk).await?.into_iter().filter(|(id, of)| of == life && is_kept(id)).map(|(id, _)| id);
        let events = self.event_rows(pk, life, 0, None).await?.into_iter().map(|row| row.id);
        let renew = |id: Id| async move {
            let is_event = id.pk != *pk;
            let mut expression = Expression::default();
            let ttl = expression.name("ttl");
            let update = match until {
                Some(until) => format!("SET {ttl} = {}", expression.value(Attribute::number(until))),
                None => format!("REMOVE {ttl}"),
            };
            // What is gone by now must not come back as an item with nothing but a time.
            let condition = if is_event {
                format!("attribute_exists({})", expression.name("pk"))
            } else {
                format!("{} = {}", expression.name("life"), expression.value(Attribute::text(life)))
            };
            self.link.alone(Action { id, what: What::Update(update), condition: Some(condition), expression }).await.map(|_| ())
        };
        let renewals: Vec<_> = own.chain(events).map(renew).collect();
        stream::iter(renewals).buffer_unordered(RENEWALS_AT_ONCE).try_for_each(|()| std::future::ready(Ok(()))).await?;
        self.renewed.insert(life.to_owned(), until);
        let mut expression = Expression::default();
        let kept = expression.name("kept");
        let update = match until {
            Some(until) => format!("SET {kept} = {}", expression.value(Attribute::number(until))),
            None => format!("REMOVE {kept}"),
        };
        let (name, value) = (expression.name("life"), expression.value(Attribute::text(life)));
        let condition = Some(format!("{name} = {value} AND attribute_exists({})", expression.name("position")));
        self.link.alone(Action { id: names::head(pk), what: What::Update(update), condition, expression }).await.map(|_| ())
    }
}
