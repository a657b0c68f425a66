//! Folders full of rooms, made in this process by the engine itself, so that a server finds them as it would its own.

use crate::Result;
use parlor_engine::{Engine, House, Limits, Request};
use parlor_rules::poker::{self, Deck, Poker};
use parlor_rules::{Address, Command, Credential, Kind, Millis, RoomId, SecretHash, State};
use parlor_store::{Embedded, NodeId, Rooms};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Rooms that are being made at once; each waits for the same syncs.
const AT_ONCE: usize = 1000;

pub fn now() -> Millis {
    Millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64)
}

/// Numbers that differ; nothing here is secret.
pub fn dice() -> impl Fn() -> u64 + Send + Sync + 'static {
    let seed = now().0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let count = AtomicU64::new(seed);
    move || {
        let mixed = count.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 27
    }
}

pub fn engine(rooms: Arc<dyn Rooms>) -> Engine {
    let limits = Limits { rooms_live_max: 2000, ..Limits::default() };
    Engine::new(House { rooms, clock: Arc::new(now), dice: Arc::new(dice()), node: NodeId(1), limits, metronome: None })
}

pub fn open(folder: &Path) -> Result<Embedded> {
    Embedded::open(folder, Arc::new(now), parlor_store::Options::default()).map_err(|error| error.to_string())
}

/// The so-many-eth room; folders of any size share the names of their first rooms.
pub fn address(number: usize) -> Address {
    let id: RoomId = format!("bench-{number:06}").parse().expect("letters, digits and dashes are an id");
    Address { kind: Kind::Poker, id }
}

/// The key of whoever votes in a room; the WebSocket's voters use the same.
pub fn user_key(person: usize) -> String {
    format!("bench-person-{person:022}")
}

pub fn join(person: usize) -> Request {
    let name = format!("Person {person}").parse().expect("a name with a number is a name");
    request(person, None, poker::Command::Join { name: Some(name), observer: None })
}

pub fn vote(person: usize, number: u64) -> Request {
    let card = if number.is_multiple_of(2) { "1" } else { "2" };
    let client = format!("bench-{person}").parse().expect("letters, digits and dashes are an id");
    request(person, Some((client, number)), poker::Command::Vote(card.parse().expect("a digit is a card")))
}

fn request(person: usize, ticket: Option<(parlor_rules::ClientId, u64)>, command: poker::Command) -> Request {
    Request { credential: Credential::guest(user_key(person).as_bytes()), ticket, command: Command::Poker(command) }
}

/// Makes rooms `0..rooms` in a new folder.
pub fn folder(folder: &Path, rooms: usize) -> Result<()> {
    crate::idle::clear(folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let store = open(folder)?;
        let engine = engine(Arc::new(store));
        let mut making = tokio::task::JoinSet::new();
        for number in 0..rooms {
            if making.len() >= AT_ONCE {
                made(making.join_next().await)?;
            }
            let engine = engine.clone();
            making.spawn(async move { create(&engine, number).await });
        }
        while !making.is_empty() {
            made(making.join_next().await)?;
        }
        Ok(())
    })
}

fn made(joined: Option<std::result::Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    joined.unwrap_or(Ok(Ok(()))).map_err(|error| error.to_string())?
}

pub async fn create(engine: &Engine, number: usize) -> Result<()> {
    let address = address(number);
    let state = State::Poker(Poker::new(address.id.clone(), SecretHash::of(b"the host of every bench room"), Deck::default()));
    engine.create(&address, state).await.map(|_| ()).map_err(|error| error.to_string())
}
