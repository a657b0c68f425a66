//! Where things lie on the disk.
//!
//! ```text
//! #                                  the next number to give out
//! h <spine>                          a room's head
//! k <key>                            a record's head; a text, document or list is in it
//! x <deadline> h|k <name>            what to look at when that moment has come
//! g <number>                         a number whose data is to be removed
//! d <number> e <slot>                a room's kept commits, a ring
//! d <number> r <key> w               a room's record in one piece
//! d <number> r <key> f <field>       one field of a room's hash
//! d <number> f <field>               one field of a hash
//! d <number> m <member>              one member's score
//! d <number> s <score> <member>      the same, in order of score
//! ```
//!
//! Every room and every collection has a number of its own that is never given out again. Taking one away means taking
//! its head and leaving its number in `g`: what is created next under the same name has another number, so a late
//! sweep cannot touch it. A name is last in its key, or escaped so that no name is the beginning of another.

use crate::limits::TAIL_COUNT_MAX;
use crate::shapes::Score;

pub(super) const COUNTER: &[u8] = b"#";

pub(super) fn room(spine: &str) -> Vec<u8> {
    join(b'h', &[spine.as_bytes()])
}

pub(super) fn record(key: &str) -> Vec<u8> {
    join(b'k', &[key.as_bytes()])
}

/// What an entry of the expiry index is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    Room,
    Record,
}

pub(super) fn expiry(deadline: u64, owner: Owner, name: &str) -> Vec<u8> {
    let kind = match owner {
        Owner::Room => b"h",
        Owner::Record => b"k",
    };
    join(b'x', &[&deadline.to_be_bytes(), kind, name.as_bytes()])
}

/// Before every entry that is due at this moment or later.
pub(super) fn expiry_from(deadline: u64) -> Vec<u8> {
    join(b'x', &[&deadline.to_be_bytes()])
}

pub(super) fn parse_expiry(key: &[u8]) -> Option<(u64, Owner, &str)> {
    let (deadline, rest) = key.strip_prefix(b"x")?.split_first_chunk::<8>()?;
    let (kind, name) = rest.split_first()?;
    let owner = match kind {
        b'h' => Owner::Room,
        b'k' => Owner::Record,
        _ => return None,
    };
    Some((u64::from_be_bytes(*deadline), owner, std::str::from_utf8(name).ok()?))
}

pub(super) fn garbage(number: u64) -> Vec<u8> {
    join(b'g', &[&number.to_be_bytes()])
}

pub(super) fn parse_garbage(key: &[u8]) -> Option<u64> {
    key.strip_prefix(b"g")?.try_into().ok().map(u64::from_be_bytes)
}

/// The first key past every key of a kind.
pub(super) fn past(kind: u8) -> Vec<u8> {
    vec![kind + 1]
}

pub(super) fn data(number: u64) -> Vec<u8> {
    join(b'd', &[&number.to_be_bytes()])
}

pub(super) fn data_past(number: u64) -> Vec<u8> {
    number.checked_add(1).map_or_else(|| past(b'd'), data)
}

/// The keys of one sort within a number: from, to.
pub(super) fn sort_of(number: u64, sort: u8) -> (Vec<u8>, Vec<u8>) {
    (join(b'd', &[&number.to_be_bytes(), &[sort]]), join(b'd', &[&number.to_be_bytes(), &[sort + 1]]))
}

pub(super) fn entry(number: u64, seq: u64) -> Vec<u8> {
    let slot = (seq % TAIL_COUNT_MAX as u64) as u16;
    join(b'd', &[&number.to_be_bytes(), b"e", &slot.to_be_bytes()])
}

pub(super) fn room_whole(number: u64, key: &str) -> Vec<u8> {
    let mut at = room_record(number, key, 0);
    at.push(b'w');
    at
}

pub(super) fn room_field(number: u64, key: &str, field: &str) -> Vec<u8> {
    let mut at = room_record(number, key, field.len());
    at.push(b'f');
    at.extend_from_slice(field.as_bytes());
    at
}

/// All fields of a room's hash: from, to.
pub(super) fn room_fields(number: u64, key: &str) -> (Vec<u8>, Vec<u8>) {
    let mut from = room_record(number, key, 0);
    let mut to = from.clone();
    from.push(b'f');
    to.push(b'f' + 1);
    (from, to)
}

/// With room for what follows, a letter and so many bytes: a key that fills its room is kept as it is.
fn room_record(number: u64, key: &str, more: usize) -> Vec<u8> {
    let mut at = Vec::with_capacity(10 + key.len() + 2 + 1 + more);
    at.push(b'd');
    at.extend_from_slice(&number.to_be_bytes());
    at.push(b'r');
    escape(key.as_bytes(), &mut at);
    at
}

/// The record's key, and the field if it is one of a hash.
pub(super) fn parse_room_record(key: &[u8]) -> Option<(Vec<u8>, Option<&[u8]>)> {
    let (name, rest) = unescape(key.get(10..)?)?;
    match rest.split_first()? {
        (b'w', []) => Some((name, None)),
        (b'f', field) => Some((name, Some(field))),
        _ => None,
    }
}

pub(super) fn field(number: u64, field: &str) -> Vec<u8> {
    join(b'd', &[&number.to_be_bytes(), b"f", field.as_bytes()])
}

pub(super) fn member(number: u64, member: &str) -> Vec<u8> {
    join(b'd', &[&number.to_be_bytes(), b"m", member.as_bytes()])
}

pub(super) fn by_score(number: u64, score: Score, member: &str) -> Vec<u8> {
    join(b'd', &[&number.to_be_bytes(), b"s", &ordered(score), member.as_bytes()])
}

pub(super) fn parse_by_score(key: &[u8]) -> Option<(Score, &[u8])> {
    let (bytes, member) = key.get(10..)?.split_first_chunk::<8>()?;
    Some((unordered(*bytes)?, member))
}

/// Bytes that sort as the numbers do: negative numbers with every bit turned, the others with the sign set.
fn ordered(score: Score) -> [u8; 8] {
    let bits = score.get().to_bits();
    let turned = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    turned.to_be_bytes()
}

fn unordered(bytes: [u8; 8]) -> Option<Score> {
    let turned = u64::from_be_bytes(bytes);
    let bits = if turned >> 63 == 1 { turned & !(1 << 63) } else { !turned };
    Score::new(f64::from_bits(bits))
}

fn join(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + parts.iter().map(|part| part.len()).sum::<usize>());
    key.push(kind);
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

/// A zero byte becomes 0 255 and the end is 0 1, so that names sort as they are and none begins another.
fn escape(name: &[u8], into: &mut Vec<u8>) {
    if !name.contains(&0) {
        into.extend_from_slice(name);
        return into.extend_from_slice(&[0, 1]);
    }
    for &byte in name {
        into.push(byte);
        if byte == 0 {
            into.push(255);
        }
    }
    into.extend_from_slice(&[0, 1]);
}

fn unescape(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut name = Vec::new();
    let mut rest = bytes;
    loop {
        match rest {
            [0, 255, after @ ..] => {
                name.push(0);
                rest = after;
            }
            [0, 1, after @ ..] => return Some((name, after)),
            [0, ..] | [] => return None,
            [byte, after @ ..] => {
                name.push(*byte);
                rest = after;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_different_fields_never_share_a_key(
            a in (0u64..3, "[\0\u{1}a-bf-w\u{ff}]{0,4}", "[\0\u{1}a-bf-w\u{ff}]{0,4}"),
            b in (0u64..3, "[\0\u{1}a-bf-w\u{ff}]{0,4}", "[\0\u{1}a-bf-w\u{ff}]{0,4}"),
        ) {
            prop_assert_eq!(a == b, room_field(a.0, &a.1, &a.2) == room_field(b.0, &b.1, &b.2));
            prop_assert_ne!(room_whole(a.0, &a.1), room_field(b.0, &b.1, &b.2));
            prop_assert_eq!((a.0, &a.1).cmp(&(b.0, &b.1)), room_whole(a.0, &a.1).cmp(&room_whole(b.0, &b.1)));
        }

        #[test]
        fn a_record_key_is_read_back(number: u64, key in ".{0,12}", field in ".{0,12}") {
            let at = room_field(number, &key, &field);
            prop_assert_eq!(parse_room_record(&at), Some((key.clone().into_bytes(), Some(field.as_bytes()))));
            let at = room_whole(number, &key);
            prop_assert_eq!(parse_room_record(&at), Some((key.into_bytes(), None)));
        }

        #[test]
        fn an_expiry_key_is_read_back(deadline: u64, name in ".{0,12}") {
            let key = expiry(deadline, Owner::Room, &name);
            prop_assert_eq!(parse_expiry(&key), Some((deadline, Owner::Room, name.as_str())));
        }

        #[test]
        fn scores_sort_as_numbers(a: f64, b: f64, name in ".{0,5}") {
            let (Some(a), Some(b)) = (Score::new(a), Score::new(b)) else { return Ok(()) };
            prop_assert_eq!(a.cmp(&b), ordered(a).cmp(&ordered(b)));
            let key = by_score(7, a, &name);
            prop_assert_eq!(parse_by_score(&key), Some((a, name.as_bytes())));
        }
    }
}
