//! Reading a room from a durable view: one look at the head, then one walk over what lies under its number.
//!
//! Reads run where they are asked for, not on other threads: nearly all of them are a few microseconds from a cache.
//! A walk over a large room stops after each page to let other tasks run; the view stays the same, so the room is
//! exact however long that takes.

use super::codec::{self, Head};
use super::disk::{DiskError, View};
use super::keys;
use crate::error::StoreError;
use crate::rooms::{Entry, Loaded, Since};
use crate::shapes::{Key, Value};
use bytes::Bytes;
use parlor_rules::position::Place;
use parlor_rules::time::Millis;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pairs read before other tasks get their turn.
const PAGE: usize = 1024;

pub(super) async fn load(view: Arc<dyn View>, room: &str, now: Millis) -> Result<Option<Loaded>, StoreError> {
    let Some(head) = live_head(&*view, room, now)? else { return Ok(None) };
    let (mut from, to) = keys::sort_of(head.number, b'r');
    let mut records: Vec<(Key, Value)> = Vec::new();
    while let Some(next) = load_page(&*view, &from, &to, &mut records)? {
        from = next;
        tokio::task::yield_now().await;
    }
    Ok(Some(Loaded { place: head.place, deadline: head.deadline, records, after: Vec::new() }))
}

/// Adds up to a page of records; answers where the next page begins.
fn load_page(view: &dyn View, from: &[u8], to: &[u8], records: &mut Vec<(Key, Value)>) -> Result<Option<Vec<u8>>, DiskError> {
    let mut count = 0;
    let mut next = None;
    let mut failed = None;
    view.scan(from, to, &mut |key, value| {
        if count == PAGE {
            next = Some(key.to_vec());
            return false;
        }
        count += 1;
        failed = add(records, key, value).err();
        failed.is_none()
    })?;
    failed.map_or(Ok(next), Err)
}

fn add(records: &mut Vec<(Key, Value)>, key: &[u8], value: &[u8]) -> Result<(), DiskError> {
    let (name, field) = keys::parse_room_record(key).ok_or_else(codec::broken)?;
    let Some(field) = field else {
        records.push((codec::name(&name)?, codec::decode_whole(value)?));
        return Ok(());
    };
    let (field, value) = (codec::name(field)?, Bytes::copy_from_slice(value));
    // The fields of one hash lie together.
    match records.last_mut() {
        Some((last, Value::Hash(fields))) if last.as_bytes() == name => {
            fields.insert(field, value);
        }
        _ => records.push((codec::name(&name)?, Value::Hash(BTreeMap::from([(field, value)])))),
    }
    Ok(())
}

pub(super) fn since(view: &dyn View, room: &str, place: Place, now: Millis) -> Result<Since, StoreError> {
    let Some(head) = live_head(view, room, now)? else { return Ok(Since::Absent) };
    let last = head.place.position;
    let at = place.position;
    if at.epoch != last.epoch || at.seq < head.first || at.seq > last.seq {
        return Ok(Since::Lost);
    }
    if entry_at(view, &head, at.seq)?.place != place {
        return Ok(Since::Lost);
    }
    let entries = (at.seq + 1..=last.seq).map(|seq| entry_at(view, &head, seq)).collect::<Result<Vec<Entry>, DiskError>>();
    Ok(Since::Entries(entries?))
}

/// Every kept commit of a room that is there.
pub(super) fn tail(view: &dyn View, room: &str) -> Result<Vec<Entry>, DiskError> {
    let head = view.get(&keys::room(room))?.map(|bytes| Head::decode(&bytes)).transpose()?.ok_or_else(codec::broken)?;
    (head.first..=head.place.position.seq).map(|seq| entry_at(view, &head, seq)).collect()
}

pub(super) fn place(view: &dyn View, room: &str, now: Millis) -> Result<Option<Place>, StoreError> {
    Ok(live_head(view, room, now)?.map(|head| head.place))
}

fn entry_at(view: &dyn View, head: &Head, seq: u64) -> Result<Entry, DiskError> {
    let bytes = view.get(&keys::entry(head.number, seq))?.ok_or_else(codec::broken)?;
    let entry = codec::decode_entry(&bytes)?;
    if entry.place.position.seq == seq { Ok(entry) } else { Err(codec::broken()) }
}

fn live_head(view: &dyn View, room: &str, now: Millis) -> Result<Option<Head>, DiskError> {
    let head = view.get(&keys::room(room))?.map(|bytes| Head::decode(&bytes)).transpose()?;
    Ok(head.filter(|head| head.is_live(now)))
}
