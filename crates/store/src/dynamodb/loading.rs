//! A room read whole from its partition.
//!
//! A query sees each item as some commit left it, not all items at one moment. So the head names what its last commits wrote:
//! what does not fit that is read again until it does, and then everything stands where the head says.

use super::DynamoDb;
use super::attribute::{Attribute, Attributes};
use super::expression::Expression;
use super::form::{HEAD, Item, NOT_OF_A_FORM, OWN};
use super::head::{Head, Items, Standing};
use super::link::{Of, Row};
use super::names;
use crate::error::StoreError;
use crate::rooms::RoomKey;
use std::collections::{BTreeMap, BTreeSet};

/// How often a room is read anew because what was seen cannot be made to fit together.
const LOADS_MAX: u32 = 8;
/// How often what commits wrote meanwhile is read after them.
const CHASES_MAX: usize = 16;

/// A room as it was read: a head, and each item with the number of the commit that wrote it.
pub(super) struct Picture {
    pub(super) head: Head,
    items: BTreeMap<String, (u64, Attributes)>,
    /// Something that an earlier room left here was seen.
    leftovers: bool,
}

impl Picture {
    /// Nothing if the head says that no room is here.
    fn of(rows: Vec<Row>, db: &DynamoDb) -> Result<Option<Picture>, StoreError> {
        let (heads, rows): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.id.sk == HEAD);
        let Some(head) = heads.into_iter().next() else { return Ok(None) };
        let Some(head) = Standing::read(head.attributes)?.live(db.clock.now()) else { return Ok(None) };
        let mut picture = Picture { head, items: BTreeMap::new(), leftovers: false };
        rows.into_iter().for_each(|row| picture.put(row));
        Ok(Some(picture))
    }

    fn put(&mut self, row: Row) {
        let Some(life) = row.attributes.get("life").and_then(Attribute::as_text) else { return };
        if life != self.head.life {
            self.leftovers = true;
            return;
        }
        if NOT_OF_A_FORM.iter().any(|prefix| row.id.sk.starts_with(prefix)) {
            return;
        }
        let at = row.attributes.get("at").and_then(Attribute::as_u64).unwrap_or(0);
        self.items.insert(row.id.sk, (at, row.attributes));
    }

    /// Items that were not read as of the head's place; nothing when it cannot be said which.
    fn unfitting(&self) -> Option<BTreeSet<String>> {
        let now = self.head.place.position.seq;
        let newer = self.items.iter().filter(|(_, (at, _))| *at > now).map(|(sk, _)| sk.clone());
        let mut unfitting: BTreeSet<String> = newer.collect();
        let mut judged: BTreeSet<&str> = BTreeSet::new();
        for touched in self.head.touched.iter().rev() {
            match &touched.what {
                Items::Named(named) => {
                    for (sk, there) in named.iter().filter(|(sk, _)| !judged.contains(sk.as_str())) {
                        let at = self.items.get(sk).map(|(at, _)| *at);
                        let fits = if *there { at >= Some(touched.seq) } else { at.is_none_or(|at| at > touched.seq) };
                        if !fits {
                            unfitting.insert(sk.clone());
                        }
                    }
                    judged.extend(named.keys().map(String::as_str));
                }
                Items::Counted(count) if touched.seq == now => {
                    if self.items.values().filter(|(at, _)| *at == now).count() as u64 != *count {
                        return None;
                    }
                }
                Items::Counted(_) => {}
            }
        }
        Some(unfitting)
    }

    /// What the commits between two heads wrote; nothing when the later head does not say so any more.
    fn written_between(before: &Head, after: &Head) -> Option<BTreeSet<String>> {
        let mut written = BTreeSet::new();
        for seq in before.place.position.seq + 1..=after.place.position.seq {
            match &after.touched.iter().find(|touched| touched.seq == seq)?.what {
                Items::Named(named) => written.extend(named.keys().cloned()),
                Items::Counted(_) => return None,
            }
        }
        Some(written)
    }

    /// Items that none of the commits wrote which the head names: nobody minds if one of these is gone. And which did.
    pub(super) fn old(&self) -> BTreeMap<String, u64> {
        let first = self.head.touched.iter().map(|touched| touched.seq).min().unwrap_or(0);
        let old = self.items.iter().filter(|(_, (at, _))| *at < first);
        old.map(|(sk, (at, _))| (sk.clone(), *at)).collect()
    }

    /// The form's part of it.
    pub(super) fn into_items(self) -> (Attributes, Vec<Item>) {
        let items = self.items.into_iter().map(|(sk, (_, attributes))| Item { sk, attributes: of_the_form(attributes) });
        (self.head.form, items.collect())
    }
}

pub(super) fn of_the_form(mut attributes: Attributes) -> Attributes {
    attributes.retain(|name, _| !OWN.contains(&&**name));
    attributes
}

impl DynamoDb {
    pub(super) async fn read_head(&self, pk: &str) -> Result<Option<Standing>, StoreError> {
        self.link.get(&names::head(pk)).await?.map(Standing::read).transpose()
    }

    pub(super) async fn picture(&self, room: &RoomKey, pk: &str) -> Result<Option<Picture>, StoreError> {
        for tried in 0..LOADS_MAX {
            if tried > 0 {
                metrics::counter!("parlor_dynamodb_torn_reads_total").increment(1);
                self.link.wait(tried).await;
            }
            let Some((rows, base)) = self.query_room(pk).await? else { return Ok(None) };
            self.clear_if_closed(pk, &rows)?;
            let Some(mut picture) = Picture::of(rows, self)? else { return Ok(None) };
            if let Some(base) = base {
                // The pages are of many moments, the first of them after this head was read.
                if base.life != picture.head.life {
                    continue;
                }
                picture.head = base;
                match self.chase(&mut picture, pk, true).await? {
                    Chased::Fits => {}
                    Chased::Gone => return Ok(None),
                    Chased::Lost => continue,
                }
            } else {
                match self.chase(&mut picture, pk, false).await? {
                    Chased::Fits => {}
                    Chased::Gone => return Ok(None),
                    Chased::Lost => continue,
                }
            }
            self.heads.insert(room.spine.clone(), picture.head.clone().into());
            if picture.leftovers {
                self.clear_leftovers(pk);
            }
            return Ok(Some(picture));
        }
        Err(StoreError::Busy)
    }

    /// Whoever closed a room may have ended before it was cleared away: who looks for it next goes on.
    fn clear_if_closed(&self, pk: &str, rows: &[Row]) -> Result<(), StoreError> {
        let head = rows.iter().find(|row| row.id.sk == HEAD).map(|row| Standing::read(row.attributes.clone())).transpose()?;
        if let Some(Standing::Closed { life }) = head {
            self.clear_closed(pk, &life);
        }
        Ok(())
    }

    /// All of a partition in one page; or in several, with the head as it was before the first.
    async fn query_room(&self, pk: &str) -> Result<Option<(Vec<Row>, Option<Head>)>, StoreError> {
        let mut expression = Expression::default();
        let keys = format!("{} = {}", expression.name("pk"), expression.value(Attribute::text(pk)));
        let of = Of { keys: Some(&keys), expression, consistent: true, ..Of::default() };
        let page = self.link.page(&of, None).await?;
        if page.next.is_none() {
            return Ok(Some((page.rows, None)));
        }
        let base = match self.read_head(pk).await? {
            Some(Standing::Closed { life }) => {
                self.clear_closed(pk, &life);
                None
            }
            standing => standing.and_then(|standing| standing.live(self.clock.now())),
        };
        let Some(base) = base else { return Ok(None) };
        Ok(Some((self.all_pages(&of).await?, Some(base))))
    }

    /// Reads again what does not fit the head, until all does.
    async fn chase(&self, picture: &mut Picture, pk: &str, look_at_head: bool) -> Result<Chased, StoreError> {
        let mut again = BTreeSet::new();
        if !look_at_head {
            let Some(unfitting) = picture.unfitting() else { return Ok(Chased::Lost) };
            if unfitting.is_empty() {
                return Ok(Chased::Fits);
            }
            metrics::counter!("parlor_dynamodb_torn_reads_total").increment(1);
            again = unfitting;
        }
        for _ in 0..CHASES_MAX {
            let ids = again.iter().map(|sk| super::action::Id::new(pk, &**sk)).chain([names::head(pk)]).collect();
            let rows = self.link.get_each(ids).await?;
            let Some(newer) = Picture::of(rows, self)? else { return Ok(Chased::Gone) };
            if newer.head.life != picture.head.life {
                return Ok(Chased::Lost);
            }
            let Some(written) = Picture::written_between(&picture.head, &newer.head) else { return Ok(Chased::Lost) };
            again.iter().for_each(|sk| drop(picture.items.remove(sk)));
            picture.items.extend(newer.items);
            picture.head = newer.head;
            let Some(unfitting) = picture.unfitting() else { return Ok(Chased::Lost) };
            let unread = written.into_iter().filter(|sk| !again.contains(sk));
            let more: BTreeSet<String> = unread.chain(unfitting).collect();
            if more.is_empty() {
                return Ok(Chased::Fits);
            }
            // What was written once is likely to be written again: it is read with the rest, so that this ends.
            again.extend(more);
            if again.len() >= super::link::KEYS_MAX {
                return Ok(Chased::Lost);
            }
        }
        Ok(Chased::Lost)
    }
}

enum Chased {
    Fits,
    Gone,
    /// It must be read from the beginning.
    Lost,
}
