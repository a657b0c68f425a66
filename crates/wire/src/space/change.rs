//! What changed in a space, in words.

use super::summary::About;
use parlor_rules::space::Event;
use serde::Serialize;

/// Appends an event as the commit with this number left it.
pub fn append(frame: &mut Vec<u8>, event: &Event, version: u64) {
    match event {
        Event::MapSet { map, key, value } => {
            put(frame, br#"{"map":""#, map.as_str());
            frame.extend_from_slice(br#"","key":"#);
            text(frame, key.as_str());
            valued(frame, value.as_str(), version);
        }
        Event::MapRemoved { map, key } => {
            put(frame, br#"{"map":""#, map.as_str());
            frame.extend_from_slice(br#"","key":"#);
            text(frame, key.as_str());
            frame.extend_from_slice(br#","removed":true}"#);
        }
        Event::MapCreated { map } => whole(frame, br#"{"map":""#, map.as_str(), "created"),
        Event::MapCleared { map } => whole(frame, br#"{"map":""#, map.as_str(), "cleared"),
        Event::MapDeleted { map } => whole(frame, br#"{"map":""#, map.as_str(), "deleted"),
        Event::ListCreated { list } => whole(frame, br#"{"list":""#, list.as_str(), "created"),
        Event::ListCleared { list } => whole(frame, br#"{"list":""#, list.as_str(), "cleared"),
        Event::ListDeleted { list } => whole(frame, br#"{"list":""#, list.as_str(), "deleted"),
        Event::ItemPut { list, id, order, value } => {
            item(frame, list.as_str(), id.as_str());
            put(frame, br#","order":""#, order.as_str());
            frame.push(b'"');
            valued(frame, value.as_str(), version);
        }
        Event::ItemSet { list, id, value } => {
            item(frame, list.as_str(), id.as_str());
            valued(frame, value.as_str(), version);
        }
        Event::ItemPlaced { list, id, order } => {
            item(frame, list.as_str(), id.as_str());
            put(frame, br#","order":""#, order.as_str());
            frame.extend_from_slice(br#""}"#);
        }
        Event::ItemRemoved { list, id } => {
            item(frame, list.as_str(), id.as_str());
            frame.extend_from_slice(br#","removed":true}"#);
        }
        Event::PresenceCreated { presence, seconds } => {
            put(frame, br#"{"presence":""#, presence.as_str());
            frame.extend_from_slice(format!(r#"","created":true,"seconds":{seconds}}}"#).as_bytes());
        }
        Event::PresenceDeleted { presence } => whole(frame, br#"{"presence":""#, presence.as_str(), "deleted"),
        Event::Updated(settings) => {
            frame.extend_from_slice(br#"{"space":"#);
            json(frame, &About::from(settings));
            frame.push(b'}');
        }
        Event::Deleted => frame.extend_from_slice(br#"{"deleted":true}"#),
    }
}

/// Names of parts, ids and orders have nothing in them that JSON would escape.
fn put(frame: &mut Vec<u8>, before: &[u8], plain: &str) {
    frame.extend_from_slice(before);
    frame.extend_from_slice(plain.as_bytes());
}

fn whole(frame: &mut Vec<u8>, before: &[u8], part: &str, what: &str) {
    put(frame, before, part);
    put(frame, br#"",""#, what);
    frame.extend_from_slice(br#"":true}"#);
}

fn item(frame: &mut Vec<u8>, list: &str, id: &str) {
    put(frame, br#"{"list":""#, list);
    put(frame, br#"","id":""#, id);
    frame.push(b'"');
}

fn valued(frame: &mut Vec<u8>, value: &str, version: u64) {
    put(frame, br#","value":"#, value);
    frame.extend_from_slice(format!(r#","version":{version}}}"#).as_bytes());
}

pub(crate) fn text(frame: &mut Vec<u8>, text: &str) {
    json(frame, &text);
}

pub(crate) fn json(frame: &mut Vec<u8>, words: &impl Serialize) {
    serde_json::to_writer(frame, words).expect("our words have text keys only, and a Vec takes every byte");
}
