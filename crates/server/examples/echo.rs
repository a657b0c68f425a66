//! A server that says back whatever it is told, over the port, handshake and line of `parlor serve`: only what talks on
//! the line differs. Autobahn's suite, which tries echoing servers, is run against it (`cargo xtask test autobahn`).

use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use parlor::config::Config;
use parlor::conversation::{Outcome, Waiting};
use parlor::doors::Doors;
use parlor::rest::Failure;
use parlor::talk::Talk;
use parlor::{host, listen, settings, ws};
use parlor_engine::{Dice, Engine, House, Outbox, Sessions};
use parlor_rules::Millis;
use parlor_store::clock::SharedClock;
use parlor_store::{Memory, NodeId};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The suite's largest message has 16 MiB; the line's own limit is tried elsewhere.
const FLAGS: &[&str] = &["echo", "--frame-bytes-max", "33554432", "--outbox-bytes-max", "67108864"];

struct Echo(Arc<Outbox>);

impl Talk for Echo {
    fn may_hear(&self) -> bool {
        true
    }
    fn has_said_hello(&self) -> bool {
        true
    }
    fn hear(&mut self, text: &str) -> Option<Waiting> {
        self.0.push(Bytes::copy_from_slice(text.as_bytes()));
        None
    }
    fn hear_bytes(&mut self, bytes: Bytes) -> Option<Bytes> {
        Some(bytes)
    }
    fn settle(&mut self, _outcome: Outcome) -> Option<Waiting> {
        None
    }
}

async fn echo(State(doors): State<Arc<Doors>>, Extension(peer): Extension<SocketAddr>, request: Request) -> Response {
    ws::open(doors, peer, request, |comer| Echo(comer.outbox)).unwrap_or_else(|fault| Failure(fault).into_response())
}

#[tokio::main]
async fn main() -> Result<(), String> {
    let matches = settings::flags(clap::Command::new("echo")).get_matches_from(FLAGS);
    let config = Config::read(&settings::gather(&matches, |_| None)?)?;
    let clock: SharedClock = Arc::new(host::now as fn() -> Millis);
    let dice: Arc<dyn Dice> = Arc::new(host::SystemDice);
    let memory = Arc::new(Memory::new(clock.clone()));
    let sessions = Sessions::new(memory.clone(), clock.clone(), dice.clone());
    let engine = Engine::new(House { rooms: memory, clock, dice, node: NodeId(1), limits: config.engine, metronome: None });
    let (_go, going) = watch::channel(false);
    let doors = Arc::new(Doors::new(engine, sessions, config, going));
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    println!("echo is listening on http://{}", listener.local_addr().map_err(|error| error.to_string())?);
    let router = Router::new().route("/", get(echo)).with_state(doors.clone());
    listen::serve_router(listener, doors, router).await;
    Ok(())
}
