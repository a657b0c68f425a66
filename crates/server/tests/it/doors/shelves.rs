//! All stores there are, each empty: one script after the other is played on them and must go alike.

use super::inside::Store;
use parlor_testbed::{Cluster, Redis};

pub(crate) struct Shelves {
    redis: Redis,
    cluster: Cluster,
    urls: [&'static str; 2],
}

impl Shelves {
    pub(crate) fn new() -> Shelves {
        let (redis, cluster) = (Redis::start(), Cluster::start());
        let urls = [redis.url(), cluster.url()].map(|url| &*url.leak());
        Shelves { redis, cluster, urls }
    }

    pub(crate) fn all(&self) -> [Store; 4] {
        [Store::Memory, Store::Embedded, Store::Redis(self.urls[0]), Store::Redis(self.urls[1])]
    }

    /// Nothing that was played leaves anything for ever; and now it is gone.
    pub(crate) fn clear(&self) {
        assert_eq!([self.redis.keys_without_deadline(), self.cluster.keys_without_deadline()], [[""; 0], [""; 0]]);
        self.redis.flush();
        self.cluster.flush();
    }
}
