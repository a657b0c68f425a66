//! `parlor serve`: opens the store, opens the doors, and when told to go, goes without losing anything.

use crate::config::{Config, StoreChoice};
use crate::doors::Doors;
use crate::{control, health, host, listen};
use parlor_engine::{Dice, Engine, House, Sessions};
use parlor_rules::Millis;
use parlor_store::clock::SharedClock;
use parlor_store::embedded::Tuning;
use parlor_store::{NodeId, Records, Rooms};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

pub async fn serve(config: Config) -> Result<(), String> {
    health::recorder();
    let clock: SharedClock = Arc::new(host::now as fn() -> Millis);
    let opened = open(&config, clock).await?;
    let clock = opened.clock;
    let listener = TcpListener::bind(config.listen).await.map_err(|error| busy_port(&config, &error))?;
    let (go, going) = watch::channel(false);
    let dice: Arc<dyn Dice> = Arc::new(host::bits as fn() -> u64);
    let sessions = Sessions::new(opened.records, clock.clone(), dice.clone());
    let house = House { rooms: opened.rooms, clock, dice, node: NodeId(host::bits()), limits: config.engine };
    let engine = Engine::new(house);
    let doors = Arc::new(Doors::new(engine, sessions, config, going));
    if let Some((folder, embedded)) = opened.embedded {
        // Rooms do not need it, only backups of a running server do.
        if let Err(error) = control::listen(&folder, embedded) {
            tracing::warn!(%error, "a backup can be made only while the server is stopped");
        }
    }
    // Before the line below: whoever reads it may tell us to go at once.
    let stop = Stop::watch()?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // The one line that says what to open; scripts wait for it too.
    println!("Parlor is listening on http://{address}");
    let accepting = tokio::spawn(listen::serve(listener, doors.clone()));
    stop.told().await;
    tracing::info!("going: no new work is taken, what is under way is finished");
    drain(&doors, go).await;
    accepting.abort();
    drop(doors);
    tracing::info!("gone");
    Ok(())
}

/// Acks out first, then every client is told to come back.
async fn drain(doors: &Doors, go: watch::Sender<bool>) {
    if tokio::time::timeout(doors.config.drain, doors.engine.drain()).await.is_err() {
        tracing::warn!("some requests were still under way; their clients will send them again");
    }
    doors.sessions.write_last_renewals().await;
    // Sockets watch this; each says goodbye and drops its copy.
    let _ = go.send(true);
    let farewell = Duration::from_secs(2).min(doors.config.drain);
    let _ = tokio::time::timeout(farewell, async {
        while doors.connections() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // The last word of a stream leaves with its connection, which others may share.
        tokio::time::sleep(Duration::from_millis(20)).await;
    })
    .await;
}

struct Opened {
    /// What the store goes by, and so the whole house.
    clock: SharedClock,
    rooms: Arc<dyn Rooms>,
    records: Arc<dyn Records>,
    embedded: Option<(PathBuf, Arc<parlor_store::Embedded>)>,
}

async fn open(config: &Config, clock: SharedClock) -> Result<Opened, String> {
    match &config.store {
        StoreChoice::Memory => {
            tracing::warn!("the memory: store forgets everything when the server stops");
            let memory = parlor_store::Memory::new(clock.clone());
            Ok(Opened { clock, rooms: Arc::new(memory.clone()), records: Arc::new(memory), embedded: None })
        }
        StoreChoice::Embedded(folder) => {
            let tuning = Tuning { log_bytes: config.store_log_bytes, ..Tuning::default() };
            let options =
                parlor_store::Options { free_bytes_min: config.free_bytes_min, tuning, ..parlor_store::Options::default() };
            let store = parlor_store::Embedded::open(folder, clock.clone(), options).map_err(|error| error.to_string())?;
            let store = Arc::new(store);
            Ok(Opened { clock, rooms: store.clone(), records: store.clone(), embedded: Some((folder.clone(), store)) })
        }
        StoreChoice::Redis(address) => {
            let store = parlor_store::Redis::open(address, clock, config.redis.clone()).await?;
            tracing::info!(store = %address, "connected");
            Ok(Opened { clock: store.clock(), rooms: Arc::new(store.clone()), records: Arc::new(store), embedded: None })
        }
    }
}

/// The two ways to be told to stop.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn watch() -> Result<Stop, String> {
        let watch = |kind| signal(kind).map_err(|error| format!("signals cannot be watched: {error}"));
        Ok(Stop { terminate: watch(SignalKind::terminate())?, interrupt: watch(SignalKind::interrupt())? })
    }

    async fn told(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

fn busy_port(config: &Config, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("something else listens on {}; stop it, or choose another address with --listen", config.listen)
        }
        _ => format!("cannot listen on {}: {error}", config.listen),
    }
}
