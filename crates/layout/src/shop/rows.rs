//! Cached rows at rest: document 004's `inv:`, `schedule:` and `delay:`, and what is beside them.
//!
//! All that belongs to one row lies under one of 64 tags, the sorted sets too: a store of one place has each of them once, a
//! store of many has 64 pieces of each. Scores are unix seconds with a fraction, or seconds, as the document has them.

use bytes::Bytes;
use parlor_rules::Millis;
use parlor_store::{Key, Score, Value};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// How many pieces the sorted sets have on a store that keeps tags in different places.
pub const PIECES: u64 = 64;

/// `inv:{row_id}`: the row, as JSON.
pub fn inv_key(row: &str) -> Key {
    format!("inv:{row}").into()
}

/// `schedule:`: when each row is read next.
pub fn schedule_key() -> Key {
    Arc::from("schedule:")
}

/// `delay:`: how many seconds lie between two readings of each row.
pub fn delay_key() -> Key {
    Arc::from("delay:")
}

/// `row-state:{row_id}`: whose reading of the row counts, while it is being read. Additive.
pub fn state_key(row: &str) -> Key {
    format!("row-state:{row}").into()
}

/// `row-read:`: when what is kept of each row was read. Additive.
pub fn read_key() -> Key {
    Arc::from("row-read:")
}

/// `row-failing:`: how often in a row the reading of each failed; a row that was read is not in it. Additive.
pub fn failing_key() -> Key {
    Arc::from("row-failing:")
}

/// `row-missing:`: since when the database has had no such row. Additive.
pub fn missing_key() -> Key {
    Arc::from("row-missing:")
}

/// Which piece a row belongs to.
pub fn piece(row: &str) -> u64 {
    xxh3_64(row.as_bytes()) % PIECES
}

/// What the keys of one piece share: `row-00` to `row-3f`.
pub fn tag(piece: u64) -> String {
    format!("row-{piece:02x}")
}

/// What `inv:{row_id}` holds.
pub fn inv(json: &Bytes) -> Value {
    Value::Document(json.clone())
}

/// What was written there: by us, or by whoever else keeps to the document.
pub fn inv_json(record: &Value) -> Option<&Bytes> {
    match record {
        Value::Document(json) | Value::Text(json) => Some(json),
        Value::Hash(_) | Value::List(_) | Value::SortedSet(_) => None,
    }
}

/// What `row-state:{row_id}` holds.
pub fn state(claim: u64) -> Value {
    Value::Text(state_text(claim))
}

pub fn state_text(claim: u64) -> Bytes {
    format!("{claim:016x}").into()
}

/// A moment as a score: `1711794081.470`.
pub fn seconds(at: Millis) -> Score {
    Score::new(at.0 as f64 / 1000.0).expect("a whole number divided by a thousand is a number")
}

/// The moment that a score names, to the millisecond; what lies outside of time is its nearest end.
pub fn moment(seconds: Score) -> Millis {
    // A cast from a float keeps to the ends by itself.
    Millis((seconds.get() * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_same_after_it_was_a_score() {
        for at in [0, 1, 999, 1_711_794_081_470, 1_711_794_081_471, 32_503_680_000_123] {
            assert_eq!(moment(seconds(Millis(at))), Millis(at));
        }
        let score = |score| Score::new(score).expect("a number");
        assert_eq!(moment(score(f64::INFINITY)), Millis(u64::MAX));
        assert_eq!(moment(score(-5.0)), Millis(0));
        assert_eq!(moment(score(1_711_794_081.470_433)), Millis(1_711_794_081_470));
    }

    #[test]
    fn every_row_has_its_piece_for_ever() {
        // Whoever changes how pieces are found loses the rows that are there.
        assert_eq!(["237", "itemX", ""].map(|row| tag(piece(row))), ["row-15", "row-2d", "row-02"]);
        assert!((0..10_000).all(|row| piece(&row.to_string()) < PIECES));
    }
}
