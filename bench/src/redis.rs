//! Parlor on Redis, beside Redis itself: votes over a thousand rooms, one hot room at two nodes, closing among many keys.

pub mod closing;
pub mod hot;
pub mod votes;

use crate::{Result, machine};
use parlor_store::redis::{Address, Options};
use parlor_testbed::Redis;
use std::sync::Arc;

/// A server on the servers' core, without a disk: what is compared is the work, not the disk.
fn server() -> Result<Redis> {
    machine::pin(machine::SERVER)?;
    let server = Redis::start();
    machine::pin(machine::GENERATOR)?;
    Ok(server)
}

async fn store(url: &str) -> Result<parlor_store::Redis> {
    let address: Address = url.parse()?;
    parlor_store::Redis::open(&address, Arc::new(crate::fill::now), Options::default()).await
}
