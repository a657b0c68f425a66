//! What a round of votes costs whoever listens: bytes in proportion to people, whatever else lies on the table.

#![allow(clippy::unwrap_used, reason = "a test may")]

use bytes::Bytes;
use parlor::words::Json;
use parlor_engine::{Engine, Entrance, House, Limits, Outbox, Request};
use parlor_rules::poker::{Command, Deck, NewStory, Poker};
use parlor_rules::{Address, Credential, Kind, Millis, SecretHash, State};
use parlor_store::{Memory, NodeId, SharedClock};
use parlor_wire::poker::{Patch, Table};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

struct Room {
    engine: Engine,
    address: Address,
}

/// One listener: counts what comes and keeps the table it makes of it.
#[derive(Default)]
struct Heard {
    bytes: usize,
    frames: usize,
    views: usize,
    /// Making tables takes long: only some listeners do.
    looks: bool,
    table: Option<Table>,
}

impl Room {
    async fn new() -> Room {
        let began = Instant::now();
        let clock: SharedClock = Arc::new(move || Millis(1_700_000_000_000 + began.elapsed().as_millis() as u64));
        let count = AtomicU64::new(1);
        let dice = Arc::new(move || count.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed));
        let rooms = Arc::new(Memory::new(clock.clone()));
        let engine = Engine::new(House { rooms, clock, dice, node: NodeId(1), limits: Limits::default(), metronome: None });
        let address = Address { kind: Kind::Poker, id: "lusab-babad-gutih-tugad".parse().unwrap() };
        let poker = Poker::new(address.id.clone(), SecretHash::of(b"host key"), Deck::default());
        engine.create(&address, State::Poker(poker)).await.unwrap();
        Room { engine, address }
    }

    async fn act(&self, who: usize, command: Command) {
        let command = parlor_rules::Command::Poker(command);
        self.engine.act(&self.address, Request { credential: person(who), ticket: None, command }).await.unwrap();
    }

    async fn listen(&self, who: usize, patches: bool) -> Arc<Mutex<Heard>> {
        let heard = Arc::new(Mutex::new(Heard { looks: who.is_multiple_of(20), ..Heard::default() }));
        let outbox = Arc::new(Outbox::new(&Limits::default()));
        let listening = self.engine.listen(
            &self.address,
            Entrance {
                request: 1,
                credential: person(who),
                client: None,
                outbox: outbox.clone(),
                encode: Arc::new(Json { patches }),
                resume: None,
            },
        );
        let listening = listening.await.unwrap();
        let ear = heard.clone();
        tokio::spawn(async move {
            let _listening = listening;
            loop {
                outbox.ready().await;
                let mut frames = Vec::new();
                outbox.take(&mut frames);
                frames.iter().for_each(|frame| ear.lock().unwrap().hear(frame));
            }
        });
        heard
    }
}

impl Heard {
    fn hear(&mut self, frame: &Bytes) {
        self.bytes += frame.len();
        self.frames += 1;
        self.views += usize::from(frame.starts_with(br#"{"push":"view""#));
        if !self.looks {
            return;
        }
        let mut said: Value = serde_json::from_slice(frame).unwrap();
        match said["push"].as_str() {
            Some("view") => {
                self.table = serde_json::from_value(said["view"].take()).ok();
            }
            Some("patch") => {
                let patch: Patch = serde_json::from_value(said).unwrap();
                self.table = patch.apply(self.table.as_ref().expect("a patch changes what was shown"));
            }
            _ => {}
        }
    }
}

fn person(who: usize) -> Credential {
    Credential::guest(format!("key of {who}").as_bytes())
}

struct Cost {
    per_listener: usize,
    frames: usize,
    views: usize,
}

/// Everybody votes once within a second.
async fn vote(people: usize, stories: usize, patches: bool) -> Cost {
    let room = Room::new().await;
    for who in 0..people {
        room.act(who, Command::Join { name: format!("Person {who}").parse().ok(), observer: None }).await;
    }
    for some in (0..stories).collect::<Vec<_>>().chunks(50) {
        let story = |n: &usize| NewStory {
            title: format!("{n}: {}", "a long story ".repeat(10)).parse().unwrap(),
            link: None,
            estimate: None,
        };
        room.act(0, Command::AddStories { stories: some.iter().map(story).collect(), at: None }).await;
    }
    let mut ears = Vec::new();
    for who in 0..people {
        ears.push(room.listen(who, patches).await);
    }
    sleep(Duration::from_secs(1)).await;
    let before: Vec<(usize, usize, usize)> = ears.iter().map(|ear| counts(ear)).collect();
    for who in 0..people {
        room.act(who, Command::Vote("5".parse().unwrap())).await;
        sleep(Duration::from_millis(1000) / people as u32).await;
    }
    sleep(Duration::from_secs(1)).await;
    let costs = ears.iter().zip(&before).map(|(ear, before)| {
        let now = counts(ear);
        Cost { per_listener: now.0 - before.0, frames: now.1 - before.1, views: now.2 - before.2 }
    });
    let worst = costs.max_by_key(|cost| cost.per_listener).unwrap();
    let first = ears[0].lock().unwrap().table.clone().unwrap();
    assert!(first.users.len() == people && first.users.iter().all(|user| user.has_vote && user.here));
    assert_eq!(first.stories.len(), stories);
    assert!(ears.iter().step_by(20).all(|ear| ear.lock().unwrap().table.as_ref() == Some(&first)), "all see the same table");
    worst
}

fn counts(ear: &Mutex<Heard>) -> (usize, usize, usize) {
    let heard = ear.lock().unwrap();
    (heard.bytes, heard.frames, heard.views)
}

#[tokio::test(start_paused = true)]
async fn a_round_of_votes_costs_bytes_in_proportion_to_people() {
    for stories in [0, 200] {
        let mut last: Option<(usize, usize)> = None;
        for people in [50, 100, 200] {
            let cost = vote(people, stories, true).await;
            let whole = vote(people, stories, false).await;
            let per_vote = cost.per_listener / people;
            println!(
                "{people} people, {stories} stories: a listener gets {} bytes in {} frames, {per_vote} a vote; as whole views {} bytes",
                cost.per_listener, cost.frames, whole.per_listener
            );
            assert_eq!(cost.views, 0, "everybody had what the patches change");
            assert!(per_vote < 200, "{per_vote} bytes a vote");
            if let Some((fewer, bytes)) = last {
                assert!(
                    cost.per_listener * fewer <= bytes * people,
                    "it grows faster than the people: {bytes}, {}",
                    cost.per_listener
                );
            }
            last = Some((people, cost.per_listener));
        }
    }
}
