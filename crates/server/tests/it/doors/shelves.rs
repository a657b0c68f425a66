//! All stores there are, each empty: one script after the other is played on them and must go alike.

use super::inside::Store;
use crate::support::table::{self, Table};
use parlor_testbed::{Cluster, Redis};

pub(crate) struct Shelves {
    redis: Redis,
    cluster: Cluster,
    urls: [&'static str; 3],
    tables: Table,
}

impl Shelves {
    pub(crate) async fn new() -> Shelves {
        let (redis, cluster, tables) = (Redis::start(), Cluster::start(), Table::start());
        let urls = [redis.url(), cluster.url(), tables.fresh().await].map(|url| &*url.leak());
        Shelves { redis, cluster, urls, tables }
    }

    pub(crate) fn all(&self) -> [Store; 5] {
        let [redis, cluster, table] = self.urls;
        [Store::Memory, Store::Embedded, Store::Redis(redis), Store::Redis(cluster), Store::DynamoDb(table)]
    }

    /// Nothing that was played leaves anything for ever; and now it is gone.
    pub(crate) async fn clear(&self) {
        assert_eq!([self.redis.keys_without_deadline(), self.cluster.keys_without_deadline()], [[""; 0], [""; 0]]);
        self.redis.flush();
        self.cluster.flush();
        assert_eq!(table::without_deadline(self.urls[2]).await, [""; 0]);
        self.tables.empty(self.urls[2]).await;
    }
}
