//! A table at an engine: people named by their keys, and ears that hear what the hub says.

use super::Plain;
use bytes::Bytes;
use parlor_engine::{Acted, Closed, Encode, Engine, Entrance, Error, House, Limits, Listening, Metronome, Outbox, Request};
use parlor_rules::poker::{Change, Command, Deck, Poker};
use parlor_rules::{Address, Credential, Kind, Millis, Place, SecretHash, State};
use parlor_store::clock::SharedClock;
use parlor_store::{Memory, NodeId, Rooms};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

pub(crate) const BEGAN: u64 = 1_700_000_000_000;

/// Longer than anything here lasts; with paused time it costs nothing.
pub(crate) async fn patience<T>(what: &str, wait: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(6 * 3600), wait).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

pub(crate) fn limits() -> Limits {
    Limits::default()
}

/// A clock that goes as the runtime's time goes, paused or not.
pub(crate) fn clock() -> SharedClock {
    let began = Instant::now();
    Arc::new(move || Millis(BEGAN + began.elapsed().as_millis() as u64))
}

pub(crate) struct Table {
    pub(crate) engine: Engine,
    pub(crate) room: Address,
    pub(crate) encode: Arc<dyn Encode>,
}

impl Table {
    /// One engine on a store of its own with one room.
    pub(crate) async fn new() -> Table {
        let clock = clock();
        Table::on(Arc::new(Memory::new(clock.clone())), clock, limits()).await
    }

    pub(crate) async fn on(store: Arc<dyn Rooms>, clock: SharedClock, limits: Limits) -> Table {
        let table = Table::rival(store, clock, limits, 1);
        table.create().await;
        table
    }

    /// One whose time is real.
    pub(crate) async fn on_time(limits: Limits) -> Table {
        let clock = clock();
        let table = Table::with(Arc::new(Memory::new(clock.clone())), clock, limits, 1, Some(Metronome::start().unwrap()));
        table.create().await;
        table
    }

    /// Another engine on the same store.
    pub(crate) fn rival(rooms: Arc<dyn Rooms>, clock: SharedClock, limits: Limits, node: u64) -> Table {
        Table::with(rooms, clock, limits, node, None)
    }

    fn with(rooms: Arc<dyn Rooms>, clock: SharedClock, limits: Limits, node: u64, metronome: Option<Metronome>) -> Table {
        // Marks of two nodes never meet: each counts in its own part.
        let count = AtomicU64::new(node << 40);
        let dice = Arc::new(move || count.fetch_add(1, Ordering::Relaxed));
        let engine = Engine::new(House { rooms, clock, dice, node: NodeId(node), limits, metronome });
        Table { engine, room: address("table"), encode: Arc::new(Plain::default()) }
    }

    /// The same engine, another room.
    pub(crate) fn at(&self, id: &str) -> Table {
        Table { engine: self.engine.clone(), room: address(id), encode: self.encode.clone() }
    }

    pub(crate) async fn create(&self) -> Place {
        let room = Poker::new(self.room.id.clone(), SecretHash::of(b"host key"), Deck::default());
        self.engine.create(&self.room, State::Poker(room)).await.unwrap()
    }

    pub(crate) async fn act(&self, who: &str, wish: &str) -> Result<Acted, Error> {
        self.engine.act(&self.room, self.request(who, wish, None)).await
    }

    /// The same with the number of a client program.
    pub(crate) async fn numbered(&self, who: &str, wish: &str, number: u64) -> Result<Acted, Error> {
        self.engine.act(&self.room, self.request(who, wish, Some(number))).await
    }

    pub(crate) fn request(&self, who: &str, wish: &str, number: Option<u64>) -> Request {
        let words: Vec<&str> = wish.split(' ').collect();
        let command = match *words {
            ["join"] => Command::Join { name: who.parse().ok(), observer: None },
            ["vote", card] => Command::Vote(card.parse().unwrap()),
            ["take", "back"] => Command::TakeBack,
            ["show"] => Command::Show,
            ["hide"] => Command::Hide,
            ["stop"] => Command::StopTimer,
            ["reset"] => Command::Reset,
            ["timer", seconds] => Command::StartTimer { seconds: seconds.parse().unwrap(), reveal: true },
            ["kick", whom] => Command::Kick { user: credential(whom).user_id(&self.room.id).unwrap(), ban: false },
            ["auto"] => Command::Update(Change { auto_reveal: Some(true), ..Change::default() }),
            ["leave"] => Command::Leave,
            ["delete"] => Command::Delete,
            _ => panic!("nobody can {wish:?}"),
        };
        let ticket = number.map(|number| ("tab".parse().unwrap(), number));
        Request { credential: credential(who), ticket, command: parlor_rules::Command::Poker(command) }
    }

    /// What somebody would see now.
    pub(crate) async fn sees(&self, who: &str) -> Result<String, Error> {
        let seen = self.engine.look(&self.room, credential(who), self.encode.clone()).await?;
        Ok(String::from_utf8(seen.view.to_vec()).unwrap())
    }

    pub(crate) async fn place(&self) -> Place {
        self.engine.look(&self.room, credential("nobody"), self.encode.clone()).await.unwrap().place
    }

    pub(crate) async fn listens(&self, who: &str) -> Ear {
        self.enters(who, None, &limits()).await.unwrap()
    }

    pub(crate) async fn enters(&self, who: &str, resume: Option<Place>, limits: &Limits) -> Result<Ear, Error> {
        let outbox = Arc::new(Outbox::new(limits));
        let (credential, encode) = (credential(who), self.encode.clone());
        let listening = self
            .engine
            .listen(&self.room, Entrance { request: 7, credential, client: None, outbox: outbox.clone(), encode, resume })
            .await?;
        Ok(Ear { outbox, listening: Some(listening), heard: VecDeque::new() })
    }

    /// Says something to those here now; `from` is the ear it comes from.
    pub(crate) async fn says(&self, who: &str, from: Option<&Ear>, words: &str) -> Result<(), Error> {
        let from = from.and_then(|ear| ear.listening.as_ref()).map(|listening| listening.id);
        self.engine.say(&self.room, credential(who), from, Bytes::copy_from_slice(words.as_bytes())).await
    }
}

/// `host` holds the room's host key, `nobody` holds nothing, everyone else is their own key.
pub(crate) fn credential(who: &str) -> Credential {
    match who {
        "host" => Credential { host: Some(SecretHash::of(b"host key")), ..Credential::default() },
        "nobody" => Credential::anonymous(),
        name => Credential::guest(name.as_bytes()),
    }
}

pub(crate) fn address(id: &str) -> Address {
    Address { kind: Kind::Poker, id: id.parse().unwrap() }
}

/// One listener's end of the hub.
pub(crate) struct Ear {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) listening: Option<Listening>,
    heard: VecDeque<String>,
}

impl Ear {
    pub(crate) async fn hears(&mut self) -> String {
        while self.heard.is_empty() {
            patience("something to hear", self.outbox.ready()).await;
            if let Some(closed) = self.gather() {
                return format!("closed {closed:?}");
            }
        }
        self.heard.pop_front().unwrap()
    }

    /// Passes over everything until something begins like this.
    pub(crate) async fn hears_of(&mut self, beginning: &str) -> String {
        loop {
            let heard = self.hears().await;
            assert!(!heard.starts_with("closed"), "{heard} while waiting for {beginning:?}");
            if heard.starts_with(beginning) {
                return heard;
            }
        }
    }

    /// Passes over everything until there is a view that says this.
    pub(crate) async fn sees(&mut self, part: &str) -> String {
        loop {
            let view = self.hears_of("view").await;
            if view.contains(part) {
                return view;
            }
        }
    }

    /// All that waits right now.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        self.gather();
        self.heard.drain(..).collect()
    }

    fn gather(&mut self) -> Option<Closed> {
        let mut frames = Vec::new();
        let closed = self.outbox.take(&mut frames);
        self.heard.extend(frames.iter().map(|frame| String::from_utf8_lossy(frame).into_owned()));
        closed.filter(|_| self.heard.is_empty())
    }
}
