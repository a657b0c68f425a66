//! Pages of the origin: document 004's key, and one beside it for what is not the page itself.

use super::SHARDS;
use super::visits;
use parlor_rules::{Millis, SecretHash};
use parlor_store::{Key, Score};

/// `cache:{html_page_hash}`, with the SHA-256 of the page's key for the hash: the page's body
pub fn body(hash: &[u8; 32]) -> Key {
    format!("cache:{}", SecretHash::from_bytes(*hash).hex()).into()
}

/// The page's status, headers, times and key.
pub fn head(hash: &[u8; 32]) -> Key {
    format!("cache-head:{}", SecretHash::from_bytes(*hash).hex()).into()
}

/// What was purged: the SHA-256 of its name → minus when, in milliseconds since 1970, so that the lowest are the newest.
pub fn purged() -> Key {
    "cache-purged:".into()
}

pub fn purged_score(at: Millis) -> Score {
    Score::new(-(at.0 as f64)).expect("a number of milliseconds is a number")
}

pub fn purged_at(score: Score) -> Millis {
    Millis(-score.get() as u64)
}

/// There is one such key, in a place like a page's.
pub fn tag_of_purged() -> String {
    tag(&[0; 32])
}

pub fn tag(hash: &[u8; 32]) -> String {
    visits::tag(SecretHash::from_bytes(*hash).part_of(SHARDS))
}
