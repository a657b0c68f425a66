//! What other nodes did, as the server hands it on: a connection of its own that only listens.
//!
//! A channel is listened to as long as somebody watches its room. When the connection breaks, every watch ends, so
//! that every room is read again: what was said meanwhile is in the streams.

use super::address::{Address, Kind};
use super::line::Source;
use super::link::cluster;
use super::options::Options;
use crate::error::StoreError;
use crate::hints::Watch;
use crate::rooms::{NodeId, Wake};
use crate::shapes::Key;
use crate::watchers::Watchers;
use bytes::Bytes;
use parlor_rules::position::{Mark, Place, Position};
use redis::aio::MultiplexedConnection;
use redis::cluster_async::ClusterConnection;
use redis::{AsyncConnectionConfig, ProtocolVersion, PushInfo, PushKind, RedisResult, Value};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};

/// Rooms that wait to be listened to; a full queue makes the next ones wait.
const ASKS_MAX: usize = 1024;
/// How often the connection is tried, and channels that nobody watches are let go.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const RECONNECT_EVERY: Duration = Duration::from_millis(100);

pub(super) struct News {
    watchers: Arc<Watchers>,
    heard: Heard,
    asks: mpsc::Sender<Ask>,
    patience: Duration,
}

/// The channels that the server has confirmed to be listened to.
type Heard = Arc<Mutex<HashSet<String>>>;

struct Ask {
    channel: String,
    answer: oneshot::Sender<()>,
}

impl News {
    pub(super) fn open(address: Address, source: Option<Arc<Source>>, options: &Options) -> News {
        let (asks, asked) = mpsc::channel(ASKS_MAX);
        let watchers = Arc::<Watchers>::default();
        let heard = Heard::default();
        let (all, watching) = (heard.clone(), watchers.clone());
        let ear = Ear { address, source, options: options.clone(), watchers: watching, heard: all, broken: Arc::default() };
        tokio::spawn(ear.listen(asked));
        News { watchers, heard, asks, patience: options.patience }
    }

    /// Whether this node is itself one of those who listen.
    pub(super) fn hears(&self, channel: &str) -> bool {
        lock(&self.heard).contains(channel)
    }

    /// For what the server was not asked to hand on: two tasks of one process may watch the same room.
    pub(super) fn tell_own(&self, channel: &str, by: NodeId, wake: &Wake) {
        self.watchers.tell(&Key::from(channel), by, wake);
    }

    /// Answers once the server has confirmed that it will be heard.
    pub(super) async fn watch(&self, channel: String, node: NodeId) -> Result<Watch, StoreError> {
        let watch = self.watchers.add(&Key::from(channel.as_str()), node);
        let (answer, answered) = oneshot::channel();
        let listening = async {
            self.asks.send(Ask { channel, answer }).await.ok()?;
            answered.await.ok()
        };
        match tokio::time::timeout(self.patience, listening).await {
            Ok(Some(())) => Ok(watch),
            Ok(None) | Err(_) => Err(StoreError::Unavailable("the server does not answer to those who listen".to_owned())),
        }
    }
}

struct Ear {
    address: Address,
    source: Option<Arc<Source>>,
    options: Options,
    watchers: Arc<Watchers>,
    heard: Heard,
    broken: Arc<Notify>,
}

/// The connection that listens.
enum Voice {
    Single(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Ear {
    /// Until nobody can ask any more.
    async fn listen(self, mut asked: mpsc::Receiver<Ask>) {
        while !asked.is_closed() {
            match self.connect().await {
                Ok(mut voice) => {
                    // Those who asked meanwhile are still in the queue.
                    if let Err(error) = self.serve(&mut voice, &mut asked).await {
                        tracing::warn!(%error, "the connection that listens is broken; every room is read again");
                        metrics::counter!("parlor_store_reconnects_total").increment(1);
                    }
                }
                Err(error) => tracing::debug!(%error, "nothing can be listened to yet"),
            }
            lock(&self.heard).clear();
            self.watchers.end_all();
            tokio::time::sleep(RECONNECT_EVERY).await;
        }
    }

    async fn connect(&self) -> RedisResult<Voice> {
        let (watchers, broken) = (self.watchers.clone(), self.broken.clone());
        let heard = move |push: PushInfo| {
            hear(&watchers, &broken, push);
            Ok::<(), ()>(())
        };
        if let Kind::Cluster { nodes } = &self.address.kind {
            let builder = cluster(nodes, &self.options).use_protocol(ProtocolVersion::RESP3).push_sender(heard);
            return Ok(Voice::Cluster(builder.build()?.get_async_connection().await?));
        }
        let source = self.source.as_ref().expect("made for every address that is no cluster");
        let client = source.client().await?;
        let info = client.get_connection_info().clone();
        let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let client = redis::Client::open(info.set_redis_settings(settings))?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.options.connect_within))
            .set_response_timeout(Some(self.options.answer_within))
            .set_push_sender(heard);
        Ok(Voice::Single(client.get_multiplexed_async_connection_with_config(&config).await?))
    }

    async fn serve(&self, voice: &mut Voice, asked: &mut mpsc::Receiver<Ask>) -> RedisResult<()> {
        let mut look = tokio::time::interval(LOOK_EVERY);
        loop {
            tokio::select! {
                () = self.broken.notified() => match voice {
                    Voice::Single(_) => return Err(lost()),
                    // It mends itself; whoever watches asks again, and is then listened for again.
                    Voice::Cluster(_) => {
                        lock(&self.heard).clear();
                        self.watchers.end_all();
                    }
                },
                ask = asked.recv() => {
                    let Some(ask) = ask else { return Ok(()) };
                    let mut asks = vec![ask];
                    while let Ok(ask) = asked.try_recv() {
                        asks.push(ask);
                    }
                    let new: HashSet<String> = {
                        let heard = lock(&self.heard);
                        asks.iter().filter(|ask| !heard.contains(&ask.channel)).map(|ask| ask.channel.clone()).collect()
                    };
                    if !new.is_empty() {
                        voice.subscribe(new.iter().map(String::as_str).collect()).await?;
                        lock(&self.heard).extend(new);
                    }
                    for ask in asks {
                        let _ = ask.answer.send(()); // Who gave up meanwhile has no watch to tell.
                    }
                }
                _ = look.tick() => {
                    voice.try_it().await?;
                    let unwatched: Vec<String> =
                        lock(&self.heard).extract_if(|channel| !self.watchers.has(channel)).collect();
                    for channel in &unwatched {
                        voice.unsubscribe(channel).await?;
                    }
                }
            }
        }
    }
}

impl Voice {
    async fn subscribe(&mut self, channels: Vec<&str>) -> RedisResult<()> {
        match self {
            Voice::Single(connection) => connection.subscribe(channels).await,
            Voice::Cluster(connection) => {
                // Each may be in another place.
                let each = channels.into_iter().map(|channel| {
                    let mut connection = connection.clone();
                    async move { connection.ssubscribe(channel).await }
                });
                futures_util::future::try_join_all(each).await.map(|_| ())
            }
        }
    }

    async fn unsubscribe(&mut self, channel: &str) -> RedisResult<()> {
        match self {
            Voice::Single(connection) => connection.unsubscribe(channel).await,
            Voice::Cluster(connection) => connection.sunsubscribe(channel).await,
        }
    }

    /// A connection can be dead without anybody having said so.
    async fn try_it(&mut self) -> RedisResult<()> {
        match self {
            Voice::Single(connection) => redis::cmd("PING").query_async::<Value>(connection).await.map(|_| ()),
            Voice::Cluster(_) => Ok(()),
        }
    }
}

/// Every change is one step, so a panic elsewhere leaves nothing half done.
fn lock(heard: &Heard) -> MutexGuard<'_, HashSet<String>> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lost() -> redis::RedisError {
    std::io::Error::from(std::io::ErrorKind::ConnectionReset).into()
}

fn hear(watchers: &Watchers, broken: &Notify, push: PushInfo) {
    match push.kind {
        PushKind::Disconnection => broken.notify_one(),
        PushKind::Message | PushKind::SMessage => {
            let mut data = push.data.into_iter();
            if let (Some(Value::BulkString(channel)), Some(Value::BulkString(said))) = (data.next(), data.next())
                && let Ok(channel) = String::from_utf8(channel)
                && let Some((by, wake)) = read(said)
            {
                watchers.tell(&Key::from(channel), by, &wake);
            }
        }
        // In a cluster a channel moves with its slot: whoever watched must ask again.
        PushKind::SUnsubscribe => {
            if let Some(Value::BulkString(channel)) = push.data.into_iter().next()
                && let Ok(channel) = String::from_utf8(channel)
            {
                watchers.end(&Key::from(channel));
            }
        }
        _ => {}
    }
}

/// What is said on a channel: a letter, who says it, and what belongs to it.
pub(super) fn hint(letter: char, by: NodeId) -> String {
    format!("{letter}{:016x}", by.0)
}

fn read(said: Vec<u8>) -> Option<(NodeId, Wake)> {
    let mut said = Bytes::from(said);
    let rest = said.split_off(said.len().min(17));
    let head = std::str::from_utf8(&said).ok()?;
    let by = NodeId(u64::from_str_radix(head.get(1..)?, 16).ok()?);
    let wake = match head.get(..1)? {
        "m" => {
            let (position, mark) = std::str::from_utf8(&rest).ok()?.split_once(' ')?;
            Wake::Moved(place(position, mark)?)
        }
        "c" => Wake::Closed,
        "h" => Wake::Here,
        "t" => Wake::Told(rest),
        _ => return None,
    };
    Some((by, wake))
}

/// `<epoch>-<seq>` and sixteen hexadecimal digits.
pub(super) fn place(position: &str, mark: &str) -> Option<Place> {
    let position: Position = position.parse().ok()?;
    Some(Place { position, mark: Mark(u64::from_str_radix(mark, 16).ok()?) })
}
