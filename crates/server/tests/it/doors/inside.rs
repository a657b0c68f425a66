//! A server inside the test: the real router on a real socket, a stepped clock, and any store.

use super::http::{self, Answer};
use super::socket::Socket;
use crate::support::table;
use parlor::config::Config;
use parlor::doors::Doors;
use parlor::{host, listen, settings};
use parlor_engine::{Dice, Engine, House, Sessions};
use parlor_rules::Millis;
use parlor_store::clock::SharedClock;
use parlor_store::dynamodb::DynamoDb;
use parlor_store::{Embedded, Memory, NodeId, Options, Records, Redis, Rooms};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Far ahead of every real clock: a Redis server, whose clock cannot be stepped, takes nothing away by itself.
pub(crate) const BEGAN: u64 = 4_100_000_000_000;

/// Longer than anything takes on a slow machine; what takes longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Store {
    Memory,
    Embedded,
    /// Servers that the caller has started, empty, and ends; this is their address.
    Redis(&'static str),
    /// A table that the caller has made, empty; this is its address.
    DynamoDb(&'static str),
    /// In memory, for several servers at once.
    Shared,
}

pub(crate) struct Inside {
    pub(crate) address: SocketAddr,
    pub(crate) doors: Arc<Doors>,
    pub(crate) now: Arc<AtomicU64>,
    config: Config,
    shelf: Shelf,
    go: watch::Sender<bool>,
    accepting: Accepting,
}

/// The accepting task, ended with the test.
struct Accepting(JoinHandle<()>);

/// What outlives a restart.
enum Shelf {
    Memory(Memory),
    Embedded(TempDir, Weak<Embedded>),
    Redis(&'static str),
    DynamoDb(&'static str, Arc<DynamoDb>),
}

impl Inside {
    /// Starts with these flags of `parlor serve`.
    pub(crate) async fn start(store: Store, flags: &[&str]) -> Inside {
        let now = Arc::new(AtomicU64::new(BEGAN));
        // Tests make rooms and send requests without pause while their clock stands still.
        let generous =
            ["--creates-per-minute-max", "100000", "--message-rate-max", "100000", "--logins-per-minute-max", "100000"];
        let own = generous.chunks(2).filter(|pair| !flags.contains(&pair[0])).flatten().copied();
        let words = std::iter::once("serve").chain(own).chain(flags.iter().copied());
        let matches = settings::flags(clap::Command::new("serve")).get_matches_from(words);
        let config = Config::read(&settings::gather(&matches, |_| None).unwrap()).unwrap();
        let (store, shelf) = match store {
            Store::Memory | Store::Shared => {
                let made = if store == Store::Shared { Memory::shared_by_nodes } else { Memory::new };
                let memory = made(clock(&now));
                (both(Arc::new(memory.clone())), Shelf::Memory(memory))
            }
            Store::Embedded => {
                let folder = tempfile::tempdir().unwrap();
                let embedded = Arc::new(Embedded::open(folder.path(), clock(&now), Options::default()).unwrap());
                let shelf = Shelf::Embedded(folder, Arc::downgrade(&embedded));
                (both(embedded), shelf)
            }
            Store::Redis(url) => (both(on_redis(url, &now).await), Shelf::Redis(url)),
            Store::DynamoDb(url) => {
                let store = on_dynamodb(url, &now).await;
                (both(store.clone()), Shelf::DynamoDb(url, store))
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (doors, go, accepting) = open(&config, store, &now, listener);
        Inside { address, doors, now, config, shelf, go, accepting }
    }

    /// Another server on the same shared store.
    pub(crate) async fn beside(&self) -> Inside {
        let Shelf::Memory(memory) = &self.shelf else { panic!("only a store in memory is shared here") };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (doors, go, accepting) = open(&self.config, both(Arc::new(memory.clone())), &self.now, listener);
        let (now, config, shelf) = (self.now.clone(), self.config.clone(), Shelf::Memory(memory.clone()));
        Inside { address, doors, now, config, shelf, go, accepting }
    }

    /// The server goes as it does on SIGTERM, and another comes on the same store and address.
    pub(crate) async fn restart(self) -> Inside {
        let Inside { address, doors, now, config, shelf, go, mut accepting } = self;
        doors.engine.drain().await;
        doors.sessions.write_last_renewals().await;
        go.send(true).unwrap();
        doors.engine.kill();
        drop(doors);
        (&mut accepting.0).await.unwrap();
        let (store, shelf) = match shelf {
            Shelf::Memory(memory) => (both(Arc::new(memory.clone())), Shelf::Memory(memory)),
            Shelf::Embedded(folder, before) => {
                until("the store is closed", || before.strong_count() == 0).await;
                let embedded = reopened(&folder, &now).await;
                let shelf = Shelf::Embedded(folder, Arc::downgrade(&embedded));
                (both(embedded), shelf)
            }
            Shelf::Redis(url) => (both(on_redis(url, &now).await), Shelf::Redis(url)),
            Shelf::DynamoDb(url, _) => {
                let store = on_dynamodb(url, &now).await;
                (both(store.clone()), Shelf::DynamoDb(url, store))
            }
        };
        let listener = TcpListener::bind(address).await.unwrap();
        let (doors, go, accepting) = open(&config, store, &now, listener);
        Inside { address, doors, now, config, shelf, go, accepting }
    }

    /// The folder of an embedded store.
    pub(crate) fn folder(&self) -> Option<&std::path::Path> {
        if let Shelf::Embedded(folder, _) = &self.shelf { Some(folder.path()) } else { None }
    }

    /// The table behind it.
    pub(crate) fn table(&self) -> &DynamoDb {
        let Shelf::DynamoDb(_, store) = &self.shelf else { panic!("this server has no table") };
        store
    }

    pub(crate) fn step(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        http::ask(self.address, method, path, headers, body).await
    }

    pub(crate) async fn socket(&self) -> Socket {
        Socket::open(self.address, &[]).await.unwrap_or_else(|status| panic!("no socket: {status:?}"))
    }

    /// A socket that has said hello as this person.
    pub(crate) async fn person(&self, name: &str) -> Socket {
        let mut socket = self.socket().await;
        let hello = serde_json::json!({ "user_key": user_key(name), "client": format!("tab-{name}") });
        let reply = socket.ask("hello", None, None, Some(hello)).await;
        assert_eq!(reply["ok"]["protocol"], 1, "{reply}");
        socket
    }

    /// A new room: its address and its host key. The same name gives the same room on every server.
    pub(crate) async fn room(&self, name: &str) -> (String, String) {
        let key = format!("an-idempotency-key-for-the-room-{name}");
        let made = self.ask("POST", "/v1/rooms", &[("idempotency-key", &key)], None).await;
        assert_eq!(made.status, 201, "{made:?}");
        let made = made.json();
        (made["room"].as_str().unwrap().to_owned(), made["host_key"].as_str().unwrap().to_owned())
    }

    /// The room as the host sees it, by REST.
    pub(crate) async fn look(&self, room: &str, host_key: &str) -> Value {
        let seen = self.ask("GET", &format!("/v1/rooms/{room}"), &[("parlor-host-key", host_key)], None).await;
        assert_eq!(seen.status, 200, "{seen:?}");
        seen.json()
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) fn user_key(name: &str) -> String {
    format!("uk_the_private_key_of_{name}")
}

/// Looks again until this holds; the name is for the failure.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(1)).await; // Between two looks, not instead of one.
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("waited in vain until {what}"));
}

/// One store, for its rooms and for its records.
type Both = (Arc<dyn Rooms>, Arc<dyn Records>);

fn both<S: Rooms + Records>(store: Arc<S>) -> Both {
    (store.clone(), store)
}

fn open(
    config: &Config,
    (rooms, records): Both,
    now: &Arc<AtomicU64>,
    listener: TcpListener,
) -> (Arc<Doors>, watch::Sender<bool>, Accepting) {
    parlor::health::recorder();
    let dice: Arc<dyn Dice> = Arc::new(host::SystemDice);
    let sessions = Sessions::new(records, clock(now), dice.clone());
    let house = House { rooms, clock: clock(now), dice, node: NodeId(host::bits()), limits: config.engine, metronome: None };
    let (go, going) = watch::channel(false);
    let doors = Arc::new(Doors::new(Engine::new(house), sessions, config.clone(), going));
    let accepting = Accepting(tokio::spawn(listen::serve(listener, doors.clone())));
    (doors, go, accepting)
}

async fn on_redis(url: &str, now: &Arc<AtomicU64>) -> Arc<Redis> {
    let address = url.parse().unwrap();
    let redis = Redis::open(&address, clock(now), parlor_store::redis::Options::default()).await.unwrap();
    Arc::new(redis.on(clock(now)))
}

async fn on_dynamodb(url: &str, now: &Arc<AtomicU64>) -> Arc<DynamoDb> {
    let opened = parlor::nodes::open_store(&url.parse().unwrap(), clock(now), table::options()).await;
    Arc::new(opened.unwrap())
}

/// A folder that was closed just now may take a moment to be free.
async fn reopened(folder: &TempDir, now: &Arc<AtomicU64>) -> Arc<Embedded> {
    let mut open = None;
    until("the folder is free", || {
        open = Embedded::open(folder.path(), clock(now), Options::default()).ok();
        open.is_some()
    })
    .await;
    Arc::new(open.unwrap())
}

fn clock(now: &Arc<AtomicU64>) -> SharedClock {
    let now = now.clone();
    Arc::new(move || Millis(now.load(Ordering::SeqCst)))
}
