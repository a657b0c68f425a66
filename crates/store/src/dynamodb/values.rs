//! A value of any shape as attributes: native ones, or parts where it is too large for one item.

use super::attribute::{Attribute, Attributes, attributes_bytes, escaped, unescaped};
use super::codec;
use super::failure::PART_BYTES;
use crate::error::StoreError;
use crate::shapes::{Field, Score, Value};
use bytes::Bytes;

/// A value laid out: its own item's attributes, and those of the parts that hold the rest of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    pub main: Attributes,
    pub parts: Vec<Attributes>,
}

const SHAPE: &str = "shape";
const DATA: &str = "data";
const PARTS: &str = "parts";
const BYTES: &str = "bytes";

/// Lays a value out in `shape` and `data`, or in parts.
pub fn spread(value: &Value) -> Spread {
    let (shape, data) = match value {
        Value::Text(text) => ("text", Attribute::of_bytes(text)),
        Value::Document(text) => ("document", Attribute::of_bytes(text)),
        Value::Hash(fields) => {
            let fields = fields.iter().map(|(field, value)| (escaped(field), Attribute::of_bytes(value)));
            ("hash", Attribute::Map(fields.collect()))
        }
        Value::List(items) => ("list", Attribute::List(items.iter().map(|item| Attribute::of_bytes(item)).collect())),
        Value::SortedSet(members) => {
            let members = members.iter().map(|(member, score)| (escaped(member), score_attribute(*score)));
            ("set", Attribute::Map(members.collect()))
        }
    };
    let mut main = Attributes::from([(SHAPE.into(), Attribute::text(shape)), (DATA.into(), data)]);
    if attributes_bytes(&main) <= PART_BYTES {
        return Spread { main, parts: Vec::new() };
    }
    let parts = parts_of(&codec::encode(value));
    main.remove(DATA);
    main.insert(PARTS.into(), Attribute::number(parts.len()));
    Spread { main, parts }
}

/// Bytes cut to the size of items.
pub(super) fn parts_of(bytes: &[u8]) -> Vec<Attributes> {
    bytes.chunks(PART_BYTES).map(|part| Attributes::from([(BYTES.into(), Attribute::Bytes(part.into()))])).collect()
}

/// How many parts the rest of a value is in.
pub fn parts(main: &Attributes) -> usize {
    main.get(PARTS).and_then(Attribute::as_u64).unwrap_or(0) as usize
}

/// The other way; the parts in order.
pub fn gather(main: &Attributes, parts: &[&Attributes]) -> Result<Value, StoreError> {
    if self::parts(main) > 0 {
        return codec::decode(&join(self::parts(main), parts)?);
    }
    let shape = main.get(SHAPE).and_then(Attribute::as_text).ok_or_else(wrong)?;
    let data = main.get(DATA).ok_or_else(wrong)?;
    let bytes = |data: &Attribute| data.as_bytes().map(Bytes::copy_from_slice).ok_or_else(wrong);
    let name = |name: &str| Field::from(unescaped(name));
    Ok(match (shape, data) {
        ("text", data) => Value::Text(bytes(data)?),
        ("document", data) => Value::Document(bytes(data)?),
        ("hash", Attribute::Map(map)) => {
            Value::Hash(map.iter().map(|(field, data)| Ok((name(field), bytes(data)?))).collect::<Result<_, StoreError>>()?)
        }
        ("list", Attribute::List(list)) => Value::List(list.iter().map(bytes).collect::<Result<_, _>>()?),
        ("set", Attribute::Map(map)) => {
            let members = map.iter().map(|(member, data)| Ok((name(member), score(data)?)));
            Value::SortedSet(members.collect::<Result<_, StoreError>>()?)
        }
        _ => return Err(wrong()),
    })
}

pub(super) fn join(count: usize, parts: &[&Attributes]) -> Result<Vec<u8>, StoreError> {
    let bytes = parts.iter().map(|part| part.get(BYTES).and_then(Attribute::as_bytes)).collect::<Option<Vec<_>>>();
    bytes.filter(|bytes| bytes.len() == count).map(|bytes| bytes.concat()).ok_or_else(wrong)
}

fn wrong() -> StoreError {
    StoreError::Damaged("an item does not hold a value in a form that is known here".into())
}

/// A number where the service has such numbers, written as it writes them itself; otherwise a text. It knows no infinity, and a
/// request that is sent again is to be the same request, whichever digits it makes of it.
fn score_attribute(score: Score) -> Attribute {
    let score = score.get();
    let fits = score == 0.0 || (1e-6..1e15).contains(&score.abs());
    if fits { Attribute::Number(score.to_string()) } else { Attribute::Text(format!("{score:e}")) }
}

fn score(attribute: &Attribute) -> Result<Score, StoreError> {
    match attribute {
        Attribute::Number(text) | Attribute::Text(text) => text.parse().ok().and_then(Score::new).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(score: f64) -> Score {
        Score::new(score).expect("a number")
    }

    #[test]
    fn every_shape_comes_back_in_one_item_or_in_parts() {
        let large = Bytes::from("x".repeat(PART_BYTES));
        let values = [
            Value::Text(Bytes::from_static(b"a\0\xff")),
            Value::Text(Bytes::new()),
            Value::Document(Bytes::from_static(b"{\"a\":1}")),
            Value::Hash([("", "1"), ("%", "2"), ("a.b", "")].map(|(f, v)| (Field::from(f), Bytes::from(v))).into()),
            Value::List(vec![Bytes::new(), Bytes::from_static(b"x")]),
            Value::SortedSet(
                [("a", 0.1 + 0.2), ("b", f64::INFINITY), ("c", -1e300), ("d", 5e-324), ("e", 0.0), ("", -2.5)]
                    .map(|(member, to)| (Field::from(member), score(to)))
                    .into(),
            ),
            Value::Text(large.clone()),
            Value::Hash([("f", large.clone()), ("g", large.clone())].map(|(f, v)| (Field::from(f), v)).into()),
            Value::List(vec![large.clone(), Bytes::new(), large]),
            Value::SortedSet((0..40_000).map(|n| (Field::from(format!("member {n}")), score(f64::from(n) / 3.0))).collect()),
        ];
        for value in values {
            let Spread { main, parts } = spread(&value);
            assert_eq!(self::super::parts(&main), parts.len());
            assert!(parts.iter().chain([&main]).all(|item| attributes_bytes(item) <= PART_BYTES + 100));
            let parts: Vec<&Attributes> = parts.iter().collect();
            assert!(gather(&main, &parts) == Ok(value), "it came back otherwise");
            if !parts.is_empty() {
                assert!(gather(&main, &parts[1..]).is_err());
            }
        }
    }
}
