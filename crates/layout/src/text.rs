//! Small forms shared by all parts: JSON in bytes, hashes as the documents write them.

use crate::damage::{Damaged, damaged};
use bytes::Bytes;
use parlor_rules::{Json, Proof, SecretHash};
use parlor_store::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::str::FromStr;

pub(crate) fn json(form: &impl Serialize) -> Bytes {
    serde_json::to_vec(form).expect("our forms have text keys only, so they are always JSON").into()
}

pub(crate) fn parse<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, Damaged> {
    serde_json::from_slice(bytes).map_err(|error| damaged(what, error))
}

/// A form's members, spelt as the form spells them.
pub(crate) fn spelt<T: Serialize + DeserializeOwned>(what: &str, members: serde_json::Value) -> Result<Bytes, Damaged> {
    let form: T = serde_json::from_value(members).map_err(|error| damaged(what, error))?;
    Ok(json(&form))
}

/// A value as it stands, to be put into a form.
pub(crate) fn raw(value: &Json) -> Box<RawValue> {
    RawValue::from_string(value.as_str().to_owned()).expect("what was read as JSON is JSON")
}

pub(crate) fn read<T: FromStr<Err: ToString>>(what: &str, text: &str) -> Result<T, Damaged> {
    text.parse().map_err(|error: T::Err| damaged(what, error.to_string()))
}

/// `sha256:<hex>`: how document 002 writes a hashed secret.
pub(crate) fn hashed(secret: &SecretHash) -> String {
    ["sha256:", &secret.hex()].concat()
}

pub(crate) fn unhashed(what: &str, text: &str) -> Result<SecretHash, Damaged> {
    text.strip_prefix("sha256:").and_then(SecretHash::from_hex).ok_or_else(|| damaged(what, "not a sha256: hash"))
}

/// How a seat's holder is known again: by a guest's hashed key, or `session` for who is logged in.
pub(crate) fn proof(proof: &Proof) -> String {
    match proof {
        Proof::Key(key) => hashed(key),
        Proof::Session => SESSION.to_owned(),
    }
}

pub(crate) fn proven(what: &str, text: &str) -> Result<Proof, Damaged> {
    if text == SESSION { Ok(Proof::Session) } else { unhashed(what, text).map(Proof::Key) }
}

const SESSION: &str = "session";

/// For members that are written only when they say something.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

pub(crate) fn document<'a>(records: &'a BTreeMap<&str, &'a Value>, key: &str) -> Result<&'a [u8], Damaged> {
    match records.get(key) {
        Some(Value::Document(bytes)) => Ok(bytes),
        Some(_) => Err(damaged(key, "it should be a document")),
        None => Err(damaged(key, "it is missing")),
    }
}

/// The fields of a hash; a hash without fields is no record, so missing means empty.
pub(crate) fn fields<'a>(
    records: &'a BTreeMap<&str, &'a Value>,
    key: &str,
) -> Result<impl Iterator<Item = (&'a str, &'a [u8])>, Damaged> {
    let hash = match records.get(key) {
        Some(Value::Hash(fields)) => Some(fields),
        Some(_) => return Err(damaged(key, "it should be a hash")),
        None => None,
    };
    Ok(hash.into_iter().flatten().map(|(field, value)| (&**field, &**value)))
}
