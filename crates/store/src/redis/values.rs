//! Values as the server has them, and back.
//!
//! A server knows strings only, and layouts tell texts from documents. JSON that begins as an object or a list is a
//! document, anything else a text; whatever would be taken for the other gets a byte before it.

use crate::error::StoreError;
use crate::shapes::{Field, Key, Score, Value};
use bytes::Bytes;
use redis::Value as Raw;
use std::collections::BTreeMap;

const TEXT: u8 = 1;
const DOCUMENT: u8 = 2;

pub(super) fn text(text: &Bytes) -> Bytes {
    match text.first() {
        Some(b'{' | b'[' | &TEXT | &DOCUMENT) => marked(TEXT, text),
        _ => text.clone(),
    }
}

pub(super) fn document(document: &Bytes) -> Bytes {
    match document.first() {
        Some(b'{' | b'[') => document.clone(),
        _ => marked(DOCUMENT, document),
    }
}

fn marked(mark: u8, bytes: &[u8]) -> Bytes {
    [&[mark], bytes].concat().into()
}

fn string(bytes: Vec<u8>) -> Value {
    let mut bytes = Bytes::from(bytes);
    match bytes.first() {
        Some(b'{' | b'[') => Value::Document(bytes),
        Some(&TEXT) => Value::Text(bytes.split_off(1)),
        Some(&DOCUMENT) => Value::Document(bytes.split_off(1)),
        _ => Value::Text(bytes),
    }
}

/// As the server names the shape: string, hash, list or zset.
pub(super) fn value(key: &str, kind: &str, raw: Raw) -> Result<Value, StoreError> {
    Ok(match kind {
        "string" => string(bytes(raw)?),
        "hash" => Value::Hash(
            pairs(raw)?.into_iter().map(|(field, value)| Ok((name(field)?, value.into()))).collect::<Result<_, StoreError>>()?,
        ),
        "list" => Value::List(many(raw)?.into_iter().map(|item| bytes(item).map(Bytes::from)).collect::<Result<_, _>>()?),
        "zset" => Value::SortedSet(members(raw)?.into_iter().collect::<BTreeMap<_, _>>()),
        _ => return Err(StoreError::Shape(key.to_owned())),
    })
}

pub(super) fn members(raw: Raw) -> Result<Vec<(Field, Score)>, StoreError> {
    pairs(raw)?.into_iter().map(|(member, number)| Ok((name(member)?, score(&number)?))).collect()
}

/// A field and its value, or a member and its score.
type Pair = (Vec<u8>, Vec<u8>);

fn pairs(raw: Raw) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let mut items = many(raw)?.into_iter();
    while let (Some(one), Some(two)) = (items.next(), items.next()) {
        pairs.push((bytes(one)?, bytes(two)?));
    }
    Ok(pairs)
}

pub(super) fn score(text: &[u8]) -> Result<Score, StoreError> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.and_then(Score::new).ok_or_else(|| strange("a score", &String::from_utf8_lossy(text)))
}

pub(super) fn score_text(score: f64) -> String {
    if score.is_infinite() { if score > 0.0 { "inf".to_owned() } else { "-inf".to_owned() } } else { format!("{score:e}") }
}

pub(super) fn name(bytes: Vec<u8>) -> Result<Key, StoreError> {
    String::from_utf8(bytes).map(Key::from).map_err(|_| strange("a name", "bytes that are no text"))
}

pub(super) fn many(raw: Raw) -> Result<Vec<Raw>, StoreError> {
    match raw {
        Raw::Array(items) => Ok(items),
        other => Err(strange("an array", &format!("{other:?}"))),
    }
}

pub(super) fn bytes(raw: Raw) -> Result<Vec<u8>, StoreError> {
    match raw {
        Raw::BulkString(bytes) => Ok(bytes),
        Raw::SimpleString(text) => Ok(text.into_bytes()),
        Raw::Int(number) => Ok(number.to_string().into_bytes()),
        other => Err(strange("a string", &format!("{other:?}"))),
    }
}

pub(super) fn words(raw: Raw) -> Result<String, StoreError> {
    String::from_utf8(bytes(raw)?).map_err(|_| strange("a text", "bytes that are no text"))
}

pub(super) fn number(raw: Raw) -> Result<i64, StoreError> {
    match raw {
        Raw::Int(number) => Ok(number),
        other => words(other)?.parse().map_err(|_| strange("a number", "something else")),
    }
}

/// The server says something that nothing of ours has written.
pub(super) fn strange(expected: &str, found: &str) -> StoreError {
    let found: String = found.chars().take(80).collect();
    StoreError::Damaged(format!("the server was to answer {expected} and answered {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_documents_come_back_as_what_they_were() {
        for said in ["", "word", "{", "{}", "[1]", "\u{1}", "\u{2}{", "\u{1}\u{1}", "7"] {
            let said = Bytes::from(said);
            assert_eq!(string(text(&said).to_vec()), Value::Text(said.clone()), "{said:?}");
            assert_eq!(string(document(&said).to_vec()), Value::Document(said.clone()), "{said:?}");
        }
        assert_eq!(text(&Bytes::from("user_id_1")), "user_id_1", "what layouts write is plain");
        assert_eq!(document(&Bytes::from("{\"a\":1}")), "{\"a\":1}");
    }

    #[test]
    fn scores_are_the_same_number_afterwards() {
        for number in [0.0, -1.5, 1e300, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, 0.1 + 0.2] {
            assert_eq!(score(score_text(number).as_bytes()).unwrap().get(), number);
        }
    }
}
