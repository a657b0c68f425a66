//! Rooms and records of a folder, listed, taken and put whole.

use super::codec::{self, Head, RecordHead};
use super::committer::Job;
use super::disk::{DiskError, View};
use super::{Embedded, keys, reading};
use crate::carry::{At, CarriedRoom, Carry, Catalogue, Cursor, Loose, Over, Page, Put, Thing};
use crate::error::StoreError;
use crate::records::{Applied, Batch};
use crate::rooms::RoomKey;
use crate::shapes::Key;
use async_trait::async_trait;
use parlor_rules::time::Millis;

/// Heads read before other tasks get their turn.
const PAGE: usize = 500;

#[async_trait]
impl Carry for Embedded {
    async fn list(&self, catalogue: &dyn Catalogue, after: Option<Cursor>) -> Result<Page, StoreError> {
        let view = self.inner.shared.durable();
        let now = self.inner.clock.now();
        let mut page = Page::default();
        match after.map(|Cursor(at)| at) {
            None => list_rooms(&*view, now, None, catalogue, &mut page)?,
            Some(At::Room(after)) => list_rooms(&*view, now, Some(&after), catalogue, &mut page)?,
            Some(At::Record(after)) => list_records(&*view, now, after.as_ref(), catalogue, &mut page)?,
            Some(At::Scan { .. } | At::Item { .. }) => unreachable!("only servers and tables are scanned"),
        }
        Ok(page)
    }

    async fn take_room(&self, room: &RoomKey) -> Result<Option<CarriedRoom>, StoreError> {
        let (view, now) = (self.inner.shared.durable(), self.inner.clock.now());
        // Both from the same view, which nothing changes.
        let Some(loaded) = reading::load(view.clone(), &room.spine, now).await? else { return Ok(None) };
        let tail = reading::tail(&*view, &room.spine)?;
        Ok(Some(CarriedRoom { place: loaded.place, deadline: loaded.deadline, records: loaded.records, tail }))
    }

    async fn put_room(&self, room: &RoomKey, carried: CarriedRoom, over: Over) -> Result<Put, StoreError> {
        carried.check()?;
        self.ask(|answer| Job::Place { room: room.spine.clone(), carried, over, answer }).await
    }

    async fn apply_any_size(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.ask(|answer| Job::Apply { batch, answer }).await
    }

    fn now(&self) -> Millis {
        self.inner.clock.now()
    }
}

fn list_rooms(
    view: &dyn View,
    now: Millis,
    after: Option<&Key>,
    catalogue: &dyn Catalogue,
    page: &mut Page,
) -> Result<(), DiskError> {
    let last = heads(view, b'h', after, &mut |name, head| {
        if Head::decode(head)?.is_live(now) {
            match catalogue.thing(&name) {
                Some(Thing::Spine(room)) => page.rooms.push(room),
                Some(Thing::Part(_) | Thing::Record { .. }) | None => page.foreign.push(name.to_string()),
            }
        }
        Ok(())
    })?;
    page.next = Some(Cursor(last.map_or(At::Record(None), At::Room)));
    Ok(())
}

fn list_records(
    view: &dyn View,
    now: Millis,
    after: Option<&Key>,
    catalogue: &dyn Catalogue,
    page: &mut Page,
) -> Result<(), DiskError> {
    let last = heads(view, b'k', after, &mut |name, head| {
        if RecordHead::decode(head)?.is_live(now) {
            match catalogue.thing(&name) {
                Some(Thing::Record { tag }) => page.records.push(Loose { tag, key: name }),
                Some(Thing::Part(_) | Thing::Spine(_)) | None => page.foreign.push(name.to_string()),
            }
        }
        Ok(())
    })?;
    page.next = last.map(|last| Cursor(At::Record(Some(last))));
    Ok(())
}

type Each<'a> = dyn FnMut(Key, &[u8]) -> Result<(), DiskError> + 'a;

/// A page of heads of one kind after a name; answers the last of them.
fn heads(view: &dyn View, kind: u8, after: Option<&Key>, each: &mut Each<'_>) -> Result<Option<Key>, DiskError> {
    let mut from = vec![kind];
    if let Some(after) = after {
        from.extend_from_slice(after.as_bytes());
        from.push(0); // The first name past it.
    }
    let (mut count, mut last, mut failed) = (0, None, None);
    view.scan(&from, &keys::past(kind), &mut |key, head| {
        let done = codec::name(&key[1..]).and_then(|name| {
            last = Some(name.clone());
            each(name, head)
        });
        failed = done.err();
        count += 1;
        failed.is_none() && count < PAGE
    })?;
    failed.map_or(Ok(last), Err)
}
