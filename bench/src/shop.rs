//! Visits and carts in process: how many a second, and what one takes in memory; on Redis beside Redis itself; and scheduled rows.

pub mod memory;
pub mod redis;
pub mod rows;
pub mod visits;

use crate::Result;
use crate::fill::now;
use parlor_rules::SecretHash;
use parlor_rules::shop::Item;
use parlor_shop::{Shop, Terms};
use parlor_store::Records;
use std::sync::Arc;

/// Visits and their items, as many as are asked for, always the same.
fn token(number: usize) -> SecretHash {
    SecretHash::of(&number.to_le_bytes())
}

/// An id of 8 bytes.
fn item(number: usize) -> Item {
    format!("{:08}", number % 100_000_000).parse().expect("digits are a name")
}

async fn open(records: Arc<dyn Records>, alone: bool, terms: Terms) -> Result<Arc<Shop>> {
    Shop::open(records, Arc::new(now), alone, terms).await.map(Arc::new).map_err(|error| error.to_string())
}

fn said(error: parlor_shop::Error) -> String {
    error.to_string()
}
