//! The bytes of a head, an entry and a value, and back; anything that does not read back whole is damage.

use super::disk::DiskError;
use crate::rooms::Entry;
use crate::shapes::{Field, Score, Value};
use bytes::Bytes;
use parlor_rules::position::{Mark, Place, Position};
use parlor_rules::time::Millis;

/// What stands in a room's head: everything an append needs to know.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Head {
    pub(super) number: u64,
    pub(super) place: Place,
    pub(super) deadline: Option<Millis>,
    /// Under which moment the expiry index has it: at its deadline or earlier, so that a renewal need not move it.
    pub(super) filed: Option<Millis>,
    /// The oldest commit kept.
    pub(super) first: u64,
    pub(super) tail_bytes: u64,
}

/// What stands in a record's head.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RecordHead {
    pub(super) deadline: Option<Millis>,
    pub(super) filed: Option<Millis>,
    pub(super) body: Body,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Body {
    /// A text, document or list.
    Here(Value),
    Hash {
        number: u64,
        count: u64,
    },
    SortedSet {
        number: u64,
        count: u64,
    },
}

impl Head {
    pub(super) fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(72);
        number(&mut out, self.number);
        number(&mut out, self.place.position.epoch);
        number(&mut out, self.place.position.seq);
        number(&mut out, self.place.mark.0);
        number(&mut out, self.first);
        number(&mut out, self.tail_bytes);
        moment(&mut out, self.deadline);
        moment(&mut out, self.filed);
        out.into()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Head, DiskError> {
        let mut from = Reader(bytes);
        let number = from.number()?;
        let position = Position { epoch: from.number()?, seq: from.number()? };
        let place = Place { position, mark: Mark(from.number()?) };
        let (first, tail_bytes) = (from.number()?, from.number()?);
        let head = Head { number, place, first, tail_bytes, deadline: from.moment()?, filed: from.moment()? };
        from.end(head)
    }

    pub(super) fn is_live(&self, now: Millis) -> bool {
        self.deadline.is_none_or(|deadline| deadline > now)
    }
}

impl RecordHead {
    pub(super) fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(40);
        moment(&mut out, self.deadline);
        moment(&mut out, self.filed);
        match &self.body {
            Body::Hash { number: at, count } => {
                out.push(b'h');
                number(&mut out, *at);
                number(&mut out, *count);
            }
            Body::SortedSet { number: at, count } => {
                out.push(b's');
                number(&mut out, *at);
                number(&mut out, *count);
            }
            Body::Here(value) => encode_value(&mut out, value),
        }
        out.into()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<RecordHead, DiskError> {
        let mut from = Reader(bytes);
        let (deadline, filed) = (from.moment()?, from.moment()?);
        let body = match from.0.first() {
            Some(b'h') => {
                from.byte()?;
                Body::Hash { number: from.number()?, count: from.number()? }
            }
            Some(b's') => {
                from.byte()?;
                Body::SortedSet { number: from.number()?, count: from.number()? }
            }
            _ => Body::Here(from.value()?),
        };
        from.end(RecordHead { deadline, filed, body })
    }

    pub(super) fn is_live(&self, now: Millis) -> bool {
        self.deadline.is_none_or(|deadline| deadline > now)
    }

    /// The number its parts lie under, if it has parts.
    pub(super) fn number(&self) -> Option<u64> {
        match self.body {
            Body::Hash { number, .. } | Body::SortedSet { number, .. } => Some(number),
            Body::Here(_) => None,
        }
    }
}

/// A value in one piece. A hash never rests so.
pub(super) fn whole(value: &Value) -> Bytes {
    let mut out = Vec::with_capacity(value.bytes() + 16);
    encode_value(&mut out, value);
    out.into()
}

pub(super) fn decode_whole(bytes: &[u8]) -> Result<Value, DiskError> {
    let mut from = Reader(bytes);
    let value = from.value()?;
    from.end(value)
}

pub(super) fn entry(place: Place, fields: &[(Field, Bytes)]) -> Bytes {
    let mut out = Vec::with_capacity(32 + fields.iter().map(|(field, value)| field.len() + value.len() + 8).sum::<usize>());
    number(&mut out, place.position.epoch);
    number(&mut out, place.position.seq);
    number(&mut out, place.mark.0);
    for (field, value) in fields {
        piece(&mut out, field.as_bytes());
        piece(&mut out, value);
    }
    out.into()
}

pub(super) fn decode_entry(bytes: &[u8]) -> Result<Entry, DiskError> {
    let mut from = Reader(bytes);
    let position = Position { epoch: from.number()?, seq: from.number()? };
    let place = Place { position, mark: Mark(from.number()?) };
    let mut fields = Vec::new();
    while !from.0.is_empty() {
        fields.push((name(from.piece()?)?, Bytes::copy_from_slice(from.piece()?)));
    }
    Ok(Entry { place, fields })
}

pub(super) fn name(bytes: &[u8]) -> Result<Field, DiskError> {
    std::str::from_utf8(bytes).map(Field::from).map_err(|_| broken())
}

pub(super) fn broken() -> DiskError {
    DiskError::Damaged("a record does not read back as it was written; restore a backup".into())
}

fn encode_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Text(text) => {
            out.push(b't');
            out.extend_from_slice(text);
        }
        Value::Document(text) => {
            out.push(b'd');
            out.extend_from_slice(text);
        }
        Value::List(items) => {
            out.push(b'l');
            items.iter().for_each(|item| piece(out, item));
        }
        Value::SortedSet(members) => {
            out.push(b'z');
            for (member, score) in members {
                number(out, score.get().to_bits());
                piece(out, member.as_bytes());
            }
        }
        Value::Hash(fields) => {
            out.push(b'H');
            for (field, value) in fields {
                piece(out, field.as_bytes());
                piece(out, value);
            }
        }
    }
}

fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn moment(out: &mut Vec<u8>, moment: Option<Millis>) {
    match moment {
        Some(Millis(at)) => {
            out.push(1);
            number(out, at);
        }
        None => out.push(0),
    }
}

fn piece(out: &mut Vec<u8>, bytes: &[u8]) {
    // A commit is far below 4 GiB, see `Limits`.
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], DiskError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(broken)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, DiskError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Result<u64, DiskError> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| broken())
    }

    fn moment(&mut self) -> Result<Option<Millis>, DiskError> {
        match self.byte()? {
            0 => Ok(None),
            1 => Ok(Some(Millis(self.number()?))),
            _ => Err(broken()),
        }
    }

    fn piece(&mut self) -> Result<&'a [u8], DiskError> {
        let length = self.take(4)?.try_into().map(u32::from_le_bytes).map_err(|_| broken())?;
        self.take(length as usize)
    }

    /// Reads to the end: a value is last in what holds it.
    fn value(&mut self) -> Result<Value, DiskError> {
        Ok(match self.byte()? {
            b't' => Value::Text(Bytes::copy_from_slice(std::mem::take(&mut self.0))),
            b'd' => Value::Document(Bytes::copy_from_slice(std::mem::take(&mut self.0))),
            b'l' => {
                let mut items = Vec::new();
                while !self.0.is_empty() {
                    items.push(Bytes::copy_from_slice(self.piece()?));
                }
                Value::List(items)
            }
            b'z' => {
                let mut members = std::collections::BTreeMap::new();
                while !self.0.is_empty() {
                    let score = Score::new(f64::from_bits(self.number()?)).ok_or_else(broken)?;
                    members.insert(name(self.piece()?)?, score);
                }
                Value::SortedSet(members)
            }
            b'H' => {
                let mut fields = std::collections::BTreeMap::new();
                while !self.0.is_empty() {
                    fields.insert(name(self.piece()?)?, Bytes::copy_from_slice(self.piece()?));
                }
                Value::Hash(fields)
            }
            _ => return Err(broken()),
        })
    }

    fn end<T>(&self, read: T) -> Result<T, DiskError> {
        if self.0.is_empty() { Ok(read) } else { Err(broken()) }
    }
}
