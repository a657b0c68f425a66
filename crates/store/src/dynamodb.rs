//! Rooms and records in one DynamoDB table, for users who want nothing to operate.
//!
//! A room is one partition: its head, which says where the room stands, and the items that a `Form` makes of its records.
//! A commit is one transaction on the condition that the head has not moved, so it happens whole or not at all. The table
//! has no clock that can be asked: what has ended is judged by this machine's, and the service deletes it some time later.

pub mod address;
pub mod counts;
pub mod messenger;
pub mod options;
pub mod plain;
pub mod table;
pub mod values;

mod action;
mod appending;
mod carrying;
mod chores;
mod clearing;
mod codec;
mod convert;
mod dice;
mod events;
mod expression;
mod failure;
mod head;
mod laying;
mod link;
mod loading;
mod locks;
mod members;
mod mirroring;
mod names;
mod opening;
mod records;
mod rooms;
mod staging;
mod tending;

#[cfg(test)]
mod tests;

pub use crate::items::{attribute, form};
pub use address::Address;
pub use attribute::{Attribute, Attributes};
pub use counts::{Counted, Counts};
pub use form::{Before, Change, Form, Item, Laid};
pub use messenger::{Member, Messenger};
pub use opening::client;
pub use options::Options;
pub use plain::Plain;
pub use rooms::COMMIT_BYTES_MAX;

use crate::clock::SharedClock;
use crate::rooms::{NodeId, Wake};
use crate::shapes::Key;
use crate::watchers::Watchers;
use aws_sdk_dynamodb::Client;
use head::Head;
use link::Link;
use quick_cache::sync::Cache;
use std::sync::{Arc, OnceLock};

/// Rooms whose heads are remembered, so that a commit need not ask for them.
const HEADS_MAX: usize = 16 * 1024;

#[derive(Clone)]
pub struct DynamoDb {
    inner: Arc<Inner>,
}

pub struct Inner {
    link: Link,
    form: Arc<dyn Form>,
    clock: SharedClock,
    /// The heads of rooms as they were last seen, right or not: every write is on condition of them.
    heads: Cache<Key, Arc<Head>>,
    /// Until when the items of a life are kept since they were last renewed here: a remembered head may not know it.
    renewed: Cache<String, Option<u64>>,
    watchers: Arc<Watchers>,
    /// The other nodes that were at a room when it was last announced at.
    members: Cache<Key, Arc<[Member]>>,
    /// Announcements of this process that may stand in the table; one that is forgotten here lapses there.
    standing: Cache<(Key, NodeId), ()>,
    messenger: OnceLock<Arc<dyn Messenger>>,
    locks: locks::Locks,
    chores: chores::Chores,
}

impl std::ops::Deref for DynamoDb {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl DynamoDb {
    /// Connects and looks at the table; one sentence when it cannot be used.
    pub async fn open(address: &Address, form: Arc<dyn Form>, clock: SharedClock, options: Options) -> Result<DynamoDb, String> {
        let client = client(address, &options).await;
        table::check(&client, &address.table).await.map_err(|why| format!("the store {address} cannot be used: {why}"))?;
        Ok(DynamoDb::with(client, &address.table, form, clock, options))
    }

    /// On a client of one's own.
    pub fn with(client: Client, table: &str, form: Arc<dyn Form>, clock: SharedClock, options: Options) -> DynamoDb {
        let link = Link { client, table: table.into(), counts: Arc::default(), dice: Default::default(), options };
        DynamoDb {
            inner: Arc::new(Inner {
                link,
                form,
                clock,
                heads: Cache::new(HEADS_MAX),
                renewed: Cache::new(HEADS_MAX),
                watchers: Arc::default(),
                members: Cache::new(HEADS_MAX),
                standing: Cache::new(HEADS_MAX),
                messenger: OnceLock::new(),
                locks: Default::default(),
                chores: Default::default(),
            }),
        }
    }

    /// What was asked of the service until now, and what it cost.
    pub fn counts(&self) -> Arc<Counts> {
        self.link.counts.clone()
    }

    /// The way to other nodes, said once.
    pub fn push_through(&self, messenger: Arc<dyn Messenger>) {
        // Whoever was first is kept: there is one server in a process.
        let _ = self.messenger.set(messenger);
    }

    /// Takes in a hint that another node has pushed here.
    pub fn hear(&self, spine: &Key, by: NodeId, wake: &Wake) {
        self.watchers.tell(spine, by, wake);
    }

    /// Waits until everything is trimmed, renewed and cleared away that was noticed until now.
    pub async fn settled(&self) {
        self.chores.done().await;
    }
}
