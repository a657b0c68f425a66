//! Values too large for one item, as bytes that can be cut anywhere.

use crate::error::StoreError;
use crate::shapes::{Field, Score, Value};
use bytes::Bytes;

pub(super) fn encode(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.bytes() + 16);
    match value {
        Value::Text(text) => {
            out.push(b't');
            word(&mut out, text);
        }
        Value::Document(text) => {
            out.push(b'd');
            word(&mut out, text);
        }
        Value::Hash(fields) => {
            out.push(b'h');
            fields.iter().for_each(|(field, value)| {
                word(&mut out, field.as_bytes());
                word(&mut out, value);
            });
        }
        Value::List(items) => {
            out.push(b'l');
            items.iter().for_each(|item| word(&mut out, item));
        }
        Value::SortedSet(members) => {
            out.push(b'z');
            members.iter().for_each(|(member, score)| {
                word(&mut out, member.as_bytes());
                word(&mut out, &score.get().to_be_bytes());
            });
        }
    }
    out
}

fn word(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

pub(super) fn decode(bytes: &[u8]) -> Result<Value, StoreError> {
    let wrong = || StoreError::Damaged("a value in parts does not hang together".into());
    let (kind, mut rest) = bytes.split_first().ok_or_else(wrong)?;
    let mut words = Vec::new();
    while let Some((length, after)) = rest.split_at_checked(4) {
        let length = u32::from_be_bytes(length.try_into().map_err(|_| wrong())?) as usize;
        let (word, after) = after.split_at_checked(length).ok_or_else(wrong)?;
        words.push(Bytes::copy_from_slice(word));
        rest = after;
    }
    if !rest.is_empty() {
        return Err(wrong());
    }
    let name = |bytes: &Bytes| std::str::from_utf8(bytes).map(Field::from).map_err(|_| wrong());
    let pairs = || words.chunks(2).map(|pair| <&[Bytes; 2]>::try_from(pair).map_err(|_| wrong()));
    let one = || words.first().cloned().ok_or_else(wrong);
    Ok(match kind {
        b't' => Value::Text(one()?),
        b'd' => Value::Document(one()?),
        b'h' => {
            let fields = pairs().map(|pair| pair.and_then(|[field, value]| Ok((name(field)?, value.clone()))));
            Value::Hash(fields.collect::<Result<_, _>>()?)
        }
        b'l' => Value::List(words),
        b'z' => {
            let score = |bytes: &Bytes| {
                let number = <[u8; 8]>::try_from(&bytes[..]).map_err(|_| wrong())?;
                Score::new(f64::from_be_bytes(number)).ok_or_else(wrong)
            };
            let members = pairs().map(|pair| pair.and_then(|[member, bytes]| Ok((name(member)?, score(bytes)?))));
            Value::SortedSet(members.collect::<Result<_, _>>()?)
        }
        _ => return Err(wrong()),
    })
}
