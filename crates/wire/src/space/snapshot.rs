//! A whole space, read out in frames of bounded size.
//!
//! Each frame is of the space as it is when the frame is made. Parts are read by name, keys and ids in their order, so that
//! what is changed meanwhile is either read later or told in between, never missed.

use super::change::{json, text};
use super::summary::{About, Me};
use bytes::Bytes;
use parlor_rules::space::{EntryKey, ItemId, Mine, PartName, Shared};
use parlor_rules::{Address, Millis, Place};
use std::ops::Bound;

/// How far the reading has come.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Bookmark {
    #[default]
    Start,
    /// In this map, after a key if there is one.
    Map(PartName, Option<EntryKey>),
    Lists,
    List(PartName, Option<ItemId>),
    End,
}

/// The next frame, of about so many bytes; the bookmark says where it stopped.
pub fn frame(
    room: &Address,
    place: Place,
    expires: Option<Millis>,
    (shared, mine): (&Shared, &Mine),
    bookmark: &mut Bookmark,
    bytes: usize,
) -> Bytes {
    let Place { position, mark } = place;
    let first = *bookmark == Bookmark::Start;
    let mut body = Vec::with_capacity(bytes.min(4096) + 256);
    body.extend_from_slice(format!(r#"{{"push":"snapshot","room":"{room}","at":"{position}","mark":"{mark}""#).as_bytes());
    if let Some(expires) = expires {
        body.extend_from_slice(format!(r#","expires_at":{expires}"#).as_bytes());
    }
    if first {
        body.extend_from_slice(br#","first":true,"space":"#);
        json(&mut body, &About::from(&shared.settings));
        body.extend_from_slice(br#","me":"#);
        json(&mut body, &Me::from(mine));
        body.extend_from_slice(br#","presences":{"#);
        for (index, (presence, seconds)) in shared.presences.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            body.extend_from_slice(format!(r#"{comma}"{presence}":{seconds}"#).as_bytes());
        }
        body.push(b'}');
    }
    body.extend_from_slice(br#","maps":{"#);
    // However much stands before it, every frame goes on by at least one part or entry.
    let mut is_on = false;
    maps(&mut body, shared, bookmark, bytes, &mut is_on);
    body.extend_from_slice(br#"},"lists":{"#);
    lists(&mut body, shared, bookmark, bytes, &mut is_on);
    body.push(b'}');
    if *bookmark == Bookmark::End {
        body.extend_from_slice(br#","last":true"#);
    }
    body.push(b'}');
    body.into()
}

fn maps(body: &mut Vec<u8>, shared: &Shared, bookmark: &mut Bookmark, bytes: usize, is_on: &mut bool) {
    let (mut from, mut after) = match bookmark {
        Bookmark::Start => (Bound::Unbounded, None),
        Bookmark::Map(map, key) => (Bound::Included(map.clone()), key.take()),
        Bookmark::Lists | Bookmark::List(..) | Bookmark::End => return,
    };
    let mut comma = false;
    while let Some((name, map)) = shared.maps.range((from, Bound::Unbounded)).next() {
        if std::mem::replace(is_on, true) && body.len() >= bytes {
            *bookmark = Bookmark::Map(name.clone(), after);
            return;
        }
        open(body, &mut comma, name.as_str(), b'{');
        let start = after.take().map_or(Bound::Unbounded, Bound::Excluded);
        for (index, (key, entry)) in map.entries.range((start, Bound::Unbounded)).enumerate() {
            if index > 0 {
                body.push(b',');
            }
            text(body, key.as_str());
            body.extend_from_slice(format!(":[{},", entry.version).as_bytes());
            body.extend_from_slice(entry.value.as_str().as_bytes());
            body.push(b']');
            if body.len() >= bytes {
                body.push(b'}');
                *bookmark = Bookmark::Map(name.clone(), Some(key.clone()));
                return;
            }
        }
        body.push(b'}');
        from = Bound::Excluded(name.clone());
    }
    *bookmark = Bookmark::Lists;
}

fn lists(body: &mut Vec<u8>, shared: &Shared, bookmark: &mut Bookmark, bytes: usize, is_on: &mut bool) {
    let (mut from, mut after) = match bookmark {
        Bookmark::Lists => (Bound::Unbounded, None),
        Bookmark::List(list, id) => (Bound::Included(list.clone()), id.take()),
        Bookmark::Start | Bookmark::Map(..) | Bookmark::End => return,
    };
    let mut comma = false;
    while let Some((name, list)) = shared.lists.range((from, Bound::Unbounded)).next() {
        if std::mem::replace(is_on, true) && body.len() >= bytes {
            *bookmark = Bookmark::List(name.clone(), after);
            return;
        }
        open(body, &mut comma, name.as_str(), b'[');
        let start = after.take().map_or(Bound::Unbounded, Bound::Excluded);
        for (index, (id, item)) in list.items.range((start, Bound::Unbounded)).enumerate() {
            let comma = if index > 0 { "," } else { "" };
            body.extend_from_slice(format!(r#"{comma}["{id}","{}",{},"#, item.order, item.version).as_bytes());
            body.extend_from_slice(item.value.as_str().as_bytes());
            body.push(b']');
            if body.len() >= bytes {
                body.push(b']');
                *bookmark = Bookmark::List(name.clone(), Some(id.clone()));
                return;
            }
        }
        body.push(b']');
        from = Bound::Excluded(name.clone());
    }
    *bookmark = Bookmark::End;
}

/// Names of parts have nothing in them that JSON would escape.
fn open(body: &mut Vec<u8>, comma: &mut bool, name: &str, bracket: u8) {
    if std::mem::replace(comma, true) {
        body.push(b',');
    }
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(&[b'"', b':', bracket]);
}
