//! What a space tells as it changes: one piece an act, several pieces a frame, and the answer to whoever acted.

use super::change;
use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::{Address, Done, Event, Mark, Millis, Position};

/// One accepted act; nothing when nothing of it is for this class.
pub fn done(seq: u64, done: &Done, class: Class, number: Option<u64>) -> Option<Bytes> {
    let mut piece = Vec::with_capacity(160);
    piece.extend_from_slice(br#"{"by":"#);
    match &done.by {
        // An id has nothing in it that JSON would escape.
        Some(user) => piece.extend_from_slice(format!("\"{user}\"").as_bytes()),
        None => piece.extend_from_slice(b"null"),
    }
    if let Some(number) = number {
        piece.extend_from_slice(format!(r#","n":{number}"#).as_bytes());
    }
    piece.extend_from_slice(br#","changes":"#);
    let told = changes(&mut piece, seq, done.events.iter().filter(|event| event.is_told(class)));
    piece.push(b'}');
    (told > 0 || number.is_some()).then(|| piece.into())
}

/// From `base` to `at`; without a mark the last commit goes on in another frame.
pub fn frame(
    room: &Address,
    base: Position,
    at: Position,
    mark: Option<Mark>,
    expires: Option<Millis>,
    pieces: &[Bytes],
) -> Bytes {
    let size: usize = pieces.iter().map(|piece| piece.len() + 1).sum();
    let mut frame = Vec::with_capacity(size + 192);
    frame.extend_from_slice(format!(r#"{{"push":"changes","room":"{room}","base":"{base}","at":"{at}""#).as_bytes());
    if let Some(mark) = mark {
        frame.extend_from_slice(format!(r#","mark":"{mark}""#).as_bytes());
    }
    if let Some(expires) = expires {
        frame.extend_from_slice(format!(r#","expires_at":{expires}"#).as_bytes());
    }
    frame.extend_from_slice(br#","done":["#);
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            frame.push(b',');
        }
        frame.extend_from_slice(piece);
    }
    frame.extend_from_slice(b"]}");
    frame.into()
}

/// The answer to a command.
pub fn acted(id: u64, at: Position, mark: Option<Mark>, events: &[Event]) -> Bytes {
    let mut reply = format!(r#"{{"id":{id},"ok":"#).into_bytes();
    body(&mut reply, at, mark, events);
    reply.push(b'}');
    reply.into()
}

/// The same on doors that have no ids.
pub fn acted_body(at: Position, events: &[Event]) -> Bytes {
    let mut reply = Vec::with_capacity(160);
    body(&mut reply, at, None, events);
    reply.into()
}

fn body(reply: &mut Vec<u8>, at: Position, mark: Option<Mark>, events: &[Event]) {
    reply.extend_from_slice(format!(r#"{{"at":"{at}""#).as_bytes());
    if let Some(mark) = mark {
        reply.extend_from_slice(format!(r#","mark":"{mark}""#).as_bytes());
    }
    reply.extend_from_slice(br#","changes":"#);
    changes(reply, at.seq, events.iter());
    reply.push(b'}');
}

fn changes<'a>(frame: &mut Vec<u8>, seq: u64, events: impl Iterator<Item = &'a Event>) -> usize {
    frame.push(b'[');
    let mut told = 0;
    for event in events {
        let Event::Space(event) = event else { continue };
        if told > 0 {
            frame.push(b',');
        }
        told += 1;
        change::append(frame, event, seq);
    }
    frame.push(b']');
    told
}
