//! What one node writes to another: many hints at once, signed for the one it is meant for.

use crate::auth::signatures::{hmac_hex, is_hmac_hex};
use bytes::Bytes;
use parlor_rules::position::{Mark, Place, Position};
use parlor_rules::time::Millis;
use parlor_store::{Key, NodeId, Wake};
use prost::Message;

/// A letter is not longer than this, but for a last hint that may be.
pub const BYTES_MAX: usize = 512 * 1024;
pub const SLACK: usize = 512 * 1024;

/// How far the clocks of two nodes may be apart.
const CLOCKS_APART_MAX_MS: u64 = 60_000;

/// Who wrote it, which of its letters to this one it is, and when: `from.number.time`.
pub const NUMBER: &str = "parlor-letter";
pub const SIGNATURE: &str = "parlor-signature";

#[derive(Clone, PartialEq, Message)]
pub struct Letter {
    #[prost(message, repeated, tag = "1")]
    pub hints: Vec<Hint>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Hint {
    #[prost(string, tag = "1")]
    pub spine: String,
    #[prost(fixed64, tag = "2")]
    pub by: u64,
    #[prost(oneof = "What", tags = "3, 4, 5, 6")]
    pub what: Option<What>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum What {
    #[prost(message, tag = "3")]
    Moved(Moved),
    #[prost(bool, tag = "4")]
    Closed(bool),
    #[prost(bool, tag = "5")]
    Here(bool),
    #[prost(bytes = "bytes", tag = "6")]
    Told(Bytes),
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Moved {
    #[prost(uint64, tag = "1")]
    pub epoch: u64,
    #[prost(uint64, tag = "2")]
    pub seq: u64,
    #[prost(fixed64, tag = "3")]
    pub mark: u64,
}

impl Hint {
    pub fn new(spine: &Key, by: NodeId, wake: Wake) -> Hint {
        let what = match wake {
            Wake::Moved(Place { position, mark }) => {
                What::Moved(Moved { epoch: position.epoch, seq: position.seq, mark: mark.0 })
            }
            Wake::Closed => What::Closed(true),
            Wake::Here => What::Here(true),
            Wake::Told(word) => What::Told(word),
        };
        Hint { spine: spine.to_string(), by: by.0, what: Some(what) }
    }

    /// Nothing for what a newer node may say and this one does not understand.
    pub fn read(self) -> Option<(Key, NodeId, Wake)> {
        let wake = match self.what? {
            What::Moved(Moved { epoch, seq, mark }) => Wake::Moved(Place { position: Position { epoch, seq }, mark: Mark(mark) }),
            What::Closed(_) => Wake::Closed,
            What::Here(_) => Wake::Here,
            What::Told(word) => Wake::Told(word),
        };
        Some((Key::from(self.spine), NodeId(self.by), wake))
    }
}

/// The number under which a letter is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    pub from: u64,
    pub number: u64,
    pub at: Millis,
}

impl Number {
    pub fn text(&self) -> String {
        format!("{:016x}.{}.{}", self.from, self.number, self.at.0)
    }

    pub fn read(text: &str) -> Option<Number> {
        let mut parts = text.split('.');
        let from = u64::from_str_radix(parts.next()?, 16).ok()?;
        let (number, at) = (parts.next()?.parse().ok()?, Millis(parts.next()?.parse().ok()?));
        parts.next().is_none().then_some(Number { from, number, at })
    }

    pub fn is_of(&self, now: Millis) -> bool {
        self.at.0.abs_diff(now.0) <= CLOCKS_APART_MAX_MS
    }
}

/// Holds for this letter, under this number, to this node.
pub fn signature(secret: &[u8], to: &str, number: &str, body: &[u8]) -> String {
    hmac_hex(secret, &signed(to, number, body))
}

pub fn is_signed(secret: &[u8], to: &str, number: &str, body: &[u8], shown: &str) -> bool {
    is_hmac_hex(secret, &signed(to, number, body), shown)
}

fn signed(to: &str, number: &str, body: &[u8]) -> Vec<u8> {
    [to.as_bytes(), number.as_bytes(), body].join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_comes_back_as_what_it_was() {
        let place = Place { position: Position { epoch: u64::MAX, seq: 3 }, mark: Mark(u64::MAX) };
        let wakes =
            [Wake::Moved(place), Wake::Closed, Wake::Here, Wake::Told(Bytes::from_static(b"\0\xff")), Wake::Told(Bytes::new())];
        let spine = Key::from("room:événement");
        let hints = wakes.iter().map(|wake| Hint::new(&spine, NodeId(u64::MAX), wake.clone())).collect();
        let bytes = Letter { hints }.encode_to_vec();
        let read = Letter::decode(&*bytes).expect("readable").hints.into_iter().map(|hint| hint.read().expect("known"));
        let wanted = wakes.into_iter().map(|wake| (spine.clone(), NodeId(u64::MAX), wake));
        assert!(read.eq(wanted));
    }

    #[test]
    fn a_number_is_read_as_written_and_old_ones_are_known() {
        let number = Number { from: 7, number: u64::MAX, at: Millis(1_000_000) };
        assert_eq!(Number::read(&number.text()), Some(number));
        for text in ["", "7", "7.1", "7.1.x", "7.1.1.1", "g.1.1", "7.-1.1"] {
            assert_eq!(Number::read(text), None, "{text}");
        }
        assert!(number.is_of(Millis(1_060_000)) && number.is_of(Millis(940_000)));
        assert!(!number.is_of(Millis(1_060_001)) && !number.is_of(Millis(939_999)));
    }

    #[test]
    fn a_signature_holds_for_one_letter_to_one_node() {
        let (secret, to, number, body) = (b"secret".as_slice(), "http://a:1", "7.1.1", b"body".as_slice());
        let shown = signature(secret, to, number, body);
        assert!(is_signed(secret, to, number, body, &shown));
        assert!(!is_signed(b"other", to, number, body, &shown));
        assert!(!is_signed(secret, "http://b:1", number, body, &shown));
        assert!(!is_signed(secret, to, "7.2.1", body, &shown));
        assert!(!is_signed(secret, to, number, b"b0dy", &shown));
        assert!(!is_signed(secret, to, number, body, ""));
    }
}
