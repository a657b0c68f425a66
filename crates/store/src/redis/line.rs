//! One connection to one server, made again whenever it breaks. Through sentinels the server is looked for each time.

use super::address::{Address, Kind, tcp};
use super::options::Options;
use redis::aio::MultiplexedConnection;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{AsyncConnectionConfig, Client, RedisResult};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Mutex;

/// How to find the server that takes writes now.
pub(super) enum Source {
    Single(Box<Client>),
    Sentinel(Box<Mutex<SentinelClient>>),
}

pub(super) struct Line {
    source: Arc<Source>,
    config: AsyncConnectionConfig,
    held: RwLock<Option<Held>>,
    /// Whoever finds it broken makes it anew; the others wait for that.
    mending: Mutex<u64>,
}

#[derive(Clone)]
pub(super) struct Held {
    pub(super) connection: MultiplexedConnection,
    generation: u64,
}

impl Source {
    pub(super) fn of(address: &Address) -> RedisResult<Source> {
        match &address.kind {
            Kind::Single(info) => Ok(Source::Single(Box::new(Client::open((**info).clone())?))),
            Kind::Sentinel { sentinels, name, login } => {
                let mut builder = SentinelClientBuilder::new(sentinels.clone(), name, SentinelServerType::Master)?;
                builder = builder.set_client_to_redis_db(login.db);
                builder = builder.set_client_to_redis_tcp_settings(tcp()).set_client_to_sentinel_tcp_settings(tcp());
                if let Some(tls) = login.tls_mode() {
                    builder = builder.set_client_to_redis_tls_mode(tls).set_client_to_sentinel_tls_mode(tls);
                }
                if let Some(username) = &login.username {
                    builder = builder.set_client_to_redis_username(username);
                }
                if let Some(password) = &login.password {
                    builder = builder.set_client_to_redis_password(password);
                }
                if let Some(password) = &login.sentinel_password {
                    builder = builder.set_client_to_sentinel_password(password);
                }
                Ok(Source::Sentinel(Box::new(Mutex::new(builder.build()?))))
            }
            Kind::Cluster { .. } => unreachable!("a cluster has no lines of its own"),
        }
    }

    pub(super) async fn client(&self) -> RedisResult<Client> {
        match self {
            Source::Single(client) => Ok((**client).clone()),
            Source::Sentinel(client) => client.lock().await.async_get_client().await,
        }
    }
}

impl Line {
    pub(super) fn new(source: Arc<Source>, options: &Options) -> Line {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(options.connect_within))
            .set_response_timeout(Some(options.answer_within));
        Line { source, config, held: RwLock::default(), mending: Mutex::new(0) }
    }

    pub(super) async fn connection(&self) -> RedisResult<Held> {
        if let Some(held) = self.held() {
            return Ok(held);
        }
        let mut generation = self.mending.lock().await;
        if let Some(held) = self.held() {
            return Ok(held);
        }
        let client = self.source.client().await?;
        let connection = client.get_multiplexed_async_connection_with_config(&self.config).await?;
        if *generation > 0 {
            metrics::counter!("parlor_store_reconnects_total").increment(1);
        }
        *generation += 1;
        let held = Held { connection, generation: *generation };
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(held.clone());
        Ok(held)
    }

    /// It answers no more, or answers that it takes no writes.
    pub(super) fn broke(&self, broken: &Held) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        // Another may have made it anew already.
        if held.as_ref().is_some_and(|held| held.generation == broken.generation) {
            *held = None;
        }
    }

    fn held(&self) -> Option<Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
