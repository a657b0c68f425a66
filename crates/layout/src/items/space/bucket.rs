//! One item of a map or list: `data`, the keys and their values as native attributes, as document 001 has it; and `entries`, what
//! else is known of each key.

use super::super::number;
use super::super::spelling::{native, text};
use super::super::words;
use super::tree::{Leaf, Tree};
use crate::damage::{Damaged, damaged};
use crate::text::{json, parse, unhashed};
use bytes::Bytes;
use parlor_rules::SecretHash;
use parlor_store::Field;
use parlor_store::items::attribute::{Attribute, Attributes, escaped, unescaped};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BinaryHeap};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Past this a bucket is split, as soon as it is looked at.
pub(super) const BUCKET_BYTES_MAX: usize = 8 * 1024;
/// A bucket is looked at about once for so many bytes written into it.
const LOOK_BYTES: u64 = 1024;

pub(super) const DATA: &str = "data";
pub(super) const ENTRIES: &str = "entries";
const VERSION: &str = "version";
const ORDER: &str = "order";
const SPELLING: &str = "spelling";

/// What a field of a map's or list's hash says; only a list's has an order.
#[derive(Serialize, Deserialize)]
struct Form {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    version: u64,
    value: Box<RawValue>,
}

/// One key of a part, in its two places.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Entry {
    pub(super) value: Attribute,
    pub(super) note: Attribute,
}

/// What a bucket holds, by hash and name.
pub(super) type Bucket = BTreeMap<(u64, String), Entry>;

/// Spreads keys over buckets. It depends on a secret, so that nobody can choose keys which all lie in one.
pub(super) struct Spread(SecretHash);

impl Spread {
    pub(super) fn by(host_key: &str) -> Result<Spread, Damaged> {
        unhashed("the host key", host_key).map(Spread)
    }

    pub(super) fn hash(&self, field: &str) -> u64 {
        self.0.derive("bucket", field).iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
    }

    /// Whether the bucket is to be looked at, now that this is written into it: drawn, by chances that no bucket outgrows.
    pub(super) fn looks(&self, hash: u64, field: &str, value: &[u8]) -> bool {
        let draw = xxh3_64_with_seed(value, hash);
        draw % LOOK_BYTES < (field.len() + value.len()) as u64
    }
}

impl Entry {
    pub(super) fn rest(what: &str, value: &[u8]) -> Result<Entry, Damaged> {
        let form: Form = parse(what, value)?;
        let (value, spelling) = native(what, form.value.get())?;
        let order = form.order.map(|order| (ORDER.to_owned(), Attribute::Text(order)));
        let spelling = spelling.map(|spelling| (SPELLING.to_owned(), Attribute::Text(spelling)));
        let version = (VERSION.to_owned(), number(form.version));
        Ok(Entry { value, note: Attribute::Map([Some(version), order, spelling].into_iter().flatten().collect()) })
    }

    fn wake(&self, what: &str) -> Result<Bytes, Damaged> {
        let note = words::map(what, &self.note)?;
        let said = |name: &str| note.get(name).map(|said| words::text(what, said)).transpose();
        let version = note.get(VERSION).ok_or_else(|| damaged(what, "it has no version"))?;
        let value = text(what, &self.value, said(SPELLING)?)?;
        Ok(json(&Form {
            order: said(ORDER)?.map(ToOwned::to_owned),
            version: words::whole(what, version)?,
            value: RawValue::from_string(value).map_err(|error| damaged(what, error))?,
        }))
    }

    fn bytes(&self, name: &str) -> usize {
        2 * (name.len() + 1) + self.value.bytes() + self.note.bytes()
    }
}

pub(super) fn item(bucket: &Bucket) -> Attributes {
    let map = |of: fn(&Entry) -> &Attribute| {
        Attribute::Map(bucket.iter().map(|((_, name), entry)| (escaped(name), of(entry).clone())).collect())
    };
    Attributes::from([(DATA.to_owned(), map(|entry| &entry.value)), (ENTRIES.to_owned(), map(|entry| &entry.note))])
}

pub(super) fn bytes(bucket: &Bucket) -> usize {
    bucket.iter().map(|((_, name), entry)| entry.bytes(name)).sum()
}

/// What lies in an item.
pub(super) fn read(what: &str, spread: &Spread, item: &Attributes) -> Result<Bucket, Damaged> {
    let part = |name: &str| words::map(what, item.get(name).ok_or_else(|| damaged(what, format!("it has no {name}")))?);
    let (data, notes) = (part(DATA)?, part(ENTRIES)?);
    if data.len() != notes.len() {
        return Err(damaged(what, "data and entries have different keys"));
    }
    let entries = data.iter().map(|(name, value)| {
        let note = notes.get(name).ok_or_else(|| damaged(what, format!("nothing is known of {name:?}")))?;
        let name = unescaped(name).to_owned();
        Ok(((spread.hash(&name), name), Entry { value: value.clone(), note: note.clone() }))
    });
    entries.collect()
}

/// The fields of the part's hash that lie in a bucket.
pub(super) fn wake(what: &str, bucket: Bucket, fields: &mut BTreeMap<Field, Bytes>) -> Result<(), Damaged> {
    for ((_, name), entry) in bucket {
        let value = entry.wake(&format!("{what} {name}"))?;
        fields.insert(name.into(), value);
    }
    Ok(())
}

/// Splits the largest bucket again and again until none is too large, or there are so many new ones.
pub(super) fn divide(tree: &mut Tree, buckets: &mut BTreeMap<Leaf, Bucket>, new_max: usize) -> usize {
    let too_large = |leaf: Leaf, bucket: &Bucket| {
        let size = bytes(bucket);
        (size > BUCKET_BYTES_MAX && bucket.len() > 1 && !leaf.is_deepest()).then_some((size, leaf))
    };
    let mut waiting: BinaryHeap<(usize, Leaf)> = buckets.iter().filter_map(|(leaf, bucket)| too_large(*leaf, bucket)).collect();
    let mut new = 0;
    while new < new_max {
        let Some((_, leaf)) = waiting.pop() else { break };
        let whole = buckets.remove(&leaf).unwrap_or_default();
        let [zeros, ones] = leaf.sides();
        let (right, left): (Bucket, Bucket) = whole.into_iter().partition(|((hash, _), _)| ones.holds(*hash));
        for (side, bucket) in [(zeros, left), (ones, right)] {
            waiting.extend(too_large(side, &bucket));
            buckets.insert(side, bucket);
        }
        tree.fork(leaf);
        new += 1;
    }
    new
}
