//! A view as bytes, in two pieces: the shared one is encoded once for everyone of a class, the other is
//! one viewer's own. One after the other they are a frame.

use crate::{poker, reels, space};
use bytes::{BufMut, Bytes, BytesMut};
use parlor_rules::kinds::{Mine, Shared};
use parlor_rules::{Address, Millis, Place};
use serde::Serialize;

/// Everything of a view frame but `me` and what closes it.
pub fn shared(room: &Address, place: Place, expires: Option<Millis>, shared: &Shared) -> Bytes {
    let mut frame = Vec::with_capacity(512);
    let Place { position, mark } = place;
    // Addresses, positions and marks contain nothing that JSON would escape.
    frame.extend_from_slice(format!(r#"{{"push":"view","room":"{room}","at":"{position}","mark":"{mark}","#).as_bytes());
    if let Some(expires) = expires {
        frame.extend_from_slice(format!(r#""expires_at":{expires},"#).as_bytes());
    }
    frame.extend_from_slice(br#""view":"#);
    match shared {
        Shared::Poker(shared) => append(&mut frame, &poker::Table::from(shared)),
        Shared::Space(shared) => append(&mut frame, &space::Summary::from(shared)),
        Shared::Reels(shared) => append(&mut frame, &reels::Screen::from(shared)),
    }
    frame.into()
}

/// What changed between two pictures of a room, but for `me` and what closes the frame.
pub fn patch(room: &Address, from: &Seen<'_>, to: &Seen<'_>) -> Bytes {
    let mut frame = Vec::with_capacity(512);
    let (Place { position, mark }, base) = (to.place, from.place.position);
    frame.extend_from_slice(
        format!(r#"{{"push":"patch","room":"{room}","at":"{position}","mark":"{mark}","base":"{base}""#).as_bytes(),
    );
    if let Some(expires) = to.expires.filter(|_| from.expires != to.expires) {
        frame.extend_from_slice(format!(r#","expires_at":{expires}"#).as_bytes());
    }
    let mut changes = Vec::new();
    match (from.shared, to.shared) {
        (Shared::Poker(from), Shared::Poker(to)) => append(&mut changes, &poker::Patch::between(from, to)),
        // A room that tells is never patched, and a game is shown whole.
        (Shared::Space(_) | Shared::Poker(_) | Shared::Reels(_), _) => {}
    }
    // The patch's fields stand in the frame itself: without its braces, and after a comma if there are any.
    if let [b'{', fields @ .., b'}'] = changes.as_slice()
        && !fields.is_empty()
    {
        frame.push(b',');
        frame.extend_from_slice(fields);
    }
    frame.into()
}

/// A room as it was shown at one moment.
pub struct Seen<'a> {
    pub place: Place,
    pub expires: Option<Millis>,
    pub shared: &'a Shared,
}

/// A patch for whoever's own part is as it was.
pub fn bare(patch: &Bytes) -> Bytes {
    splice(patch, &Bytes::from_static(b"}"))
}

pub fn mine(mine: &Mine) -> Bytes {
    let mut piece = Vec::with_capacity(128);
    piece.extend_from_slice(br#","me":"#);
    match mine {
        Mine::Poker(mine) => append(&mut piece, &poker::Me::from(mine)),
        Mine::Space(mine) => append(&mut piece, &space::Me::from(mine)),
        Mine::Reels(mine) => append(&mut piece, &reels::ReelsMe::from(mine)),
    }
    piece.push(b'}');
    piece.into()
}

pub fn splice(shared: &Bytes, mine: &Bytes) -> Bytes {
    let mut frame = BytesMut::with_capacity(shared.len() + mine.len());
    frame.put_slice(shared);
    frame.put_slice(mine);
    frame.freeze()
}

fn append(frame: &mut Vec<u8>, words: &impl Serialize) {
    serde_json::to_writer(frame, words).expect("views have text keys only, and a Vec takes every byte");
}
