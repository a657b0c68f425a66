//! `parlor serve`: opens the store, opens the doors, and when told to go, goes without losing anything.

use crate::config::{Config, StoreChoice};
use crate::doors::Doors;
#[cfg(feature = "dynamodb")]
use crate::nodes;
use crate::shop::{Counter, abandoned, edge as shop_edge, nodes as shop_nodes, rows as shop_rows};
use crate::{control, health, host, listen, rest};
use axum::Router;
use parlor_engine::{Dice, Engine, House, Metronome, Sessions};
use parlor_rules::Millis;
use parlor_shop::Shop;
use parlor_store::clock::SharedClock;
use parlor_store::embedded::Tuning;
use parlor_store::{NodeId, Records, Rooms};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// How long clients may take to hear that the server goes.
const FAREWELL: Duration = Duration::from_secs(2);

pub async fn serve(config: Config) -> Result<(), String> {
    health::recorder();
    let clock: SharedClock = Arc::new(host::now as fn() -> Millis);
    let opened = open(&config, clock).await?;
    let clock = opened.clock;
    let listener = TcpListener::bind(config.listen).await.map_err(|error| busy_port(&config, &error))?;
    let (go, going) = watch::channel(false);
    let dice: Arc<dyn Dice> = Arc::new(host::SystemDice);
    let sessions = Sessions::new(opened.records.clone(), clock.clone(), dice.clone());
    let alone = opened.rooms.limits().lease.is_none();
    let sells = opened.own.sells();
    if !sells && (config.shop.edge.is_some() || config.shop.rows.is_some()) {
        return Err(
            "a shop (--edge, --rows-source) rests in the embedded store or on Redis; DynamoDB keeps sessions and rooms".into()
        );
    }
    #[cfg(feature = "dynamodb")]
    let (nodes, table) = match &opened.own {
        Own::Table(store) => (nodes::join(store, &clock, config.nodes.as_ref()), Some(store.clone())),
        Own::Nothing | Own::Folder(..) => {
            if config.nodes.is_some() {
                tracing::warn!("--node-address is of no use with this store: it tells other nodes itself, or there are none");
            }
            (Router::new(), None)
        }
    };
    #[cfg(not(feature = "dynamodb"))]
    let nodes = Router::new();
    let records = opened.records.clone();
    let shop = Shop::open(opened.records.clone(), clock.clone(), alone, config.shop.terms).await;
    let shop = Arc::new(shop.map_err(|error| format!("the shop cannot be opened: {error}"))?);
    let metronome = Metronome::start().map_err(|error| format!("a thread that keeps the time cannot be started: {error}"))?;
    let (node, limits) = (NodeId(host::bits()), config.engine);
    let house = House { rooms: opened.rooms, clock, dice, node, limits, metronome: Some(metronome) };
    let engine = Engine::new(house);
    let options = config.shop.clone();
    let doors = Arc::new(Doors::new(engine, sessions, config, going.clone()));
    let rows = match &options.rows {
        Some(rows) => Some(shop_rows::open(rows, records.clone(), doors.engine.house().clock.clone(), alone)?),
        None => None,
    };
    let counter = Arc::new(Counter::new(doors.clone(), shop.clone(), rows.clone(), options));
    if let Some(rows) = rows {
        let going = going.clone();
        tokio::spawn(async move { rows.run(going).await });
        tokio::spawn(shop_rows::purge_pages(counter.clone()));
    }
    let keeping = sells.then(|| {
        tokio::spawn(abandoned::tell(counter.clone()));
        tokio::spawn(shop_nodes::pass_on(counter.clone()));
        let shop = shop.clone();
        tokio::spawn(async move { shop.run(going).await })
    });
    if let Own::Folder(folder, embedded) = opened.own {
        // Rooms do not need it, only backups of a running server do.
        if let Err(error) = control::listen(&folder, embedded) {
            tracing::warn!(%error, "a backup can be made only while the server is stopped");
        }
    }
    tokio::spawn(host::stay_small());
    // Before the line below: whoever reads it may tell us to go at once.
    let stop = Stop::watch()?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let routes = if sells { rest::shop::router(counter.clone()) } else { rest::shop::not_here() };
    let routes = routes.merge(nodes);
    if let Some(options) = counter.options.edge.clone() {
        let edge = shop_edge::edge(&counter, &options, records, counter.doors.config.trust_forwarded);
        let _ = counter.edge.set(edge.clone()); // Nobody else sets it.
        let listener = shop_edge::listen(options.listen)?;
        let at = listener.local_addr().map_err(|error| error.to_string())?;
        let own = listen::router_with(doors.clone(), routes.clone());
        shop_edge::serve(listener, options.threads, &edge, &options.origin, &counter, &own)?;
        println!("The edge serves {} on http://{at}", options.origin);
    }
    // The one line that says what to open; scripts wait for it too.
    println!("Parlor is listening on http://{address}");
    let router = listen::router_with(doors.clone(), routes);
    let accepting = tokio::spawn(listen::serve_router(listener, doors.clone(), router));
    stop.told().await;
    tracing::info!("going: no new work is taken, what is under way is finished");
    drain(&doors, go).await;
    #[cfg(feature = "dynamodb")]
    if let Some(table) = table {
        // What was deleted just now is cleared away, if that does not take long; who looks next goes on otherwise.
        let _ = tokio::time::timeout(FAREWELL, table.settled()).await;
    }
    // The shop's last notes are put into their places before the store goes.
    if let Some(keeping) = keeping {
        let _ = keeping.await;
    }
    accepting.abort();
    drop((doors, counter, shop));
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
    let farewell = FAREWELL.min(doors.config.drain);
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
    own: Own,
}

/// What only a store of one kind can do.
enum Own {
    Nothing,
    Folder(PathBuf, Arc<parlor_store::Embedded>),
    #[cfg(feature = "dynamodb")]
    Table(parlor_store::dynamodb::DynamoDb),
}

impl Own {
    /// A shop's lists and scores are written too often and read too widely for a table that is paid by the write.
    fn sells(&self) -> bool {
        match self {
            Own::Nothing | Own::Folder(..) => true,
            #[cfg(feature = "dynamodb")]
            Own::Table(_) => false,
        }
    }
}

async fn open(config: &Config, clock: SharedClock) -> Result<Opened, String> {
    match &config.store {
        StoreChoice::Memory => {
            tracing::warn!("the memory: store forgets everything when the server stops");
            let memory = parlor_store::Memory::new(clock.clone());
            Ok(Opened { clock, rooms: Arc::new(memory.clone()), records: Arc::new(memory), own: Own::Nothing })
        }
        StoreChoice::Embedded(folder) => {
            let tuning = Tuning { log_bytes: config.store_log_bytes, ..Tuning::default() };
            let options =
                parlor_store::Options { free_bytes_min: config.free_bytes_min, tuning, ..parlor_store::Options::default() };
            let store = parlor_store::Embedded::open(folder, clock.clone(), options).map_err(|error| error.to_string())?;
            let store = Arc::new(store);
            Ok(Opened { clock, rooms: store.clone(), records: store.clone(), own: Own::Folder(folder.clone(), store) })
        }
        #[cfg(feature = "dynamodb")]
        StoreChoice::DynamoDb(address) => {
            let store = crate::nodes::open_store(address, clock.clone(), config.dynamodb.clone()).await?;
            tracing::info!(store = %address, "connected");
            let (rooms, records) = (Arc::new(store.clone()), Arc::new(store.clone()));
            Ok(Opened { clock, rooms, records, own: Own::Table(store) })
        }
        StoreChoice::Redis(address) => {
            let store = parlor_store::Redis::open(address, clock, config.redis.clone()).await?;
            tracing::info!(store = %address, "connected");
            Ok(Opened { clock: store.clock(), rooms: Arc::new(store.clone()), records: Arc::new(store), own: Own::Nothing })
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
