//! Rooms and records on a Redis or Valkey server: alone, found through sentinels, or a cluster.
//!
//! Every change is one script (`redis/scripts`), so it happens whole or not at all, and every script may be sent twice.
//! What is durable when is the server's matter: docs/operations.md.

pub mod address;
pub mod options;

mod carrying;
mod check;
mod foresight;
mod line;
mod link;
mod names;
mod news;
mod records;
mod rooms;
mod script;
mod time;
mod values;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use options::Options;

use crate::clock::SharedClock;
use line::Source;
use link::{Link, said};
use names::Names;
use news::News;
use script::Scripts;
use std::hash::RandomState;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use time::Ahead;

#[derive(Clone)]
pub struct Redis {
    inner: Arc<Inner>,
}

pub struct Inner {
    link: Arc<Link>,
    news: News,
    names: Names,
    scripts: Scripts,
    options: Options,
    clock: SharedClock,
    dice: RandomState,
    batches: AtomicU64,
}

impl std::ops::Deref for Redis {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Redis {
    /// Connects and looks at the server; one sentence when it cannot be used. `own` is this machine's clock: the
    /// house is to go by `clock()`.
    pub async fn open(address: &Address, own: SharedClock, options: Options) -> Result<Redis, String> {
        // Asked for by TLS connections; whoever has set one already keeps it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |why: String| format!("the store {address} cannot be used: {why}");
        if address.is_cluster() && options.wait_for_replicas > 0 {
            return Err(failed("waiting for replicas is not possible in a cluster; leave redis-wait-replicas at 0".into()));
        }
        let source = if address.is_cluster() { None } else { Some(Source::of(address).map_err(|error| failed(said(&error)))?) };
        let source = source.map(Arc::new);
        let link = Link::open(address, source.clone(), &options).await.map_err(|error| failed(said(&error)))?;
        check::check(&link, address.is_cluster(), &options).await.map_err(failed)?;
        let link = Arc::new(link);
        let ahead = Ahead::new(own);
        ahead.look(&link).await;
        tokio::spawn(time::keep(ahead.clone(), Arc::downgrade(&link)));
        let news = News::open(address.clone(), source, &options);
        let names = Names { cluster: address.is_cluster(), db: address.db() };
        let clock: SharedClock = Arc::new(move || ahead.now());
        let (scripts, dice) = (Scripts::new(names.cluster), RandomState::new());
        Ok(Redis { inner: Arc::new(Inner { link, news, names, scripts, options, clock, dice, batches: AtomicU64::new(0) }) })
    }

    /// With another clock than the server's, for tests that compare it with other stores on that clock. Keys still end by
    /// the server's.
    pub fn on(self, clock: SharedClock) -> Redis {
        let inner = Arc::into_inner(self.inner).expect("just opened");
        Redis { inner: Arc::new(Inner { clock, ..inner }) }
    }

    /// The server's clock, by which keys end.
    pub fn clock(&self) -> SharedClock {
        self.clock.clone()
    }
}
