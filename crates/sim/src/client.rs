//! One simulated client: does what people do, at random, over a bad line, and remembers what it was told.
//!
//! It keeps the rules a good client keeps: one numbered command of a room at a time, the same number when it asks
//! again, back in with the place it was at. Everything else it does badly: twice, late, without the right, and off.

mod acts;
mod answers;
mod seat;

use crate::dice::Dice;
use crate::ear::Ear;
use crate::line::Link;
use crate::words;
use crate::world::{Doing, World};
use parlor_rules::{Address, Credential};
use seat::{Seat, Stage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// A user key, shared by all devices of one person.
pub type SharedKey = Arc<Mutex<Option<String>>>;

/// Frames remembered to be sent once more, much later.
const STALE_MAX: usize = 4;

pub struct Client {
    world: Arc<World>,
    dice: Dice,
    index: usize,
    name: String,
    /// Whose cards it plays: all devices of a person play the same.
    slot: usize,
    key: SharedKey,
    first_device: bool,
    only_watches: bool,
    /// Asks for patches and makes the views itself.
    patches: bool,
    link: Option<(Link, Arc<Ear>)>,
    greeted: bool,
    last_id: u64,
    last_number: u64,
    asked: BTreeMap<u64, Asked>,
    seats: BTreeMap<Address, Seat>,
    stale: Vec<String>,
    creating: bool,
    next_act: Instant,
}

/// What an answer with some id will be the answer to.
enum Asked {
    Hello,
    Create,
    Enter(Address),
    WrongKey(Address),
    Act(Address, Option<u64>),
    Plain,
}

impl Client {
    pub fn new(world: Arc<World>, index: usize, slot: usize, key: SharedKey) -> Client {
        let dice = world.dice.fork(100 + index as u64);
        let only_watches = index > 2 && dice.per_mille(150);
        Client {
            dice,
            index,
            name: format!("c{index}"),
            slot,
            key,
            first_device: index == slot,
            only_watches,
            patches: index % 2 == 1,
            link: None,
            greeted: false,
            last_id: 0,
            last_number: 0,
            asked: BTreeMap::new(),
            seats: BTreeMap::new(),
            stale: Vec::new(),
            creating: false,
            next_act: Instant::now(),
            world,
        }
    }

    /// Lives until the run is over.
    pub async fn live(mut self) {
        loop {
            self.report();
            if self.world.is_over() {
                return self.cut();
            }
            let Some((link, _)) = &mut self.link else {
                // Most come back at once; some are away so long that the room has forgotten where they were.
                let away = !self.world.is_calm() && self.dice.per_mille(60);
                let wait = if away { self.dice.between(1_000, 20_000) } else { self.dice.between(1, 150) };
                sleep(Duration::from_millis(wait)).await;
                self.connect();
                continue;
            };
            tokio::select! {
                biased;
                said = link.next() => match said {
                    Some(said) => self.hear(&said),
                    None => self.lose(),
                },
                () = sleep_until(self.next_act) => self.step(),
            }
        }
    }

    fn connect(&mut self) {
        let Some(house) = self.world.house() else { return };
        let key = self.key.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if key.is_none() && !self.first_device {
            return;
        }
        let ear = Arc::new(Ear::new(self.world.clone(), self.name.clone()));
        let from = IpAddr::V4(Ipv4Addr::new(10, 0, 0, self.index as u8));
        let Some(link) = Link::open(&self.world, &house, ear.clone(), from, self.dice.fork(1)) else { return };
        ear.says_hello(key.as_deref());
        self.link = Some((link, ear));
        self.greeted = false;
        self.creating = false;
        self.asked.clear();
        let mut with = json!({ "client": self.name });
        if let Some(key) = key {
            with["user_key"] = key.into();
        }
        self.ask(Asked::Hello, "hello", None, None, Some(&with));
        self.next_act = Instant::now() + Duration::from_millis(1);
    }

    fn lose(&mut self) {
        self.world.trace.note(&self.name, "has lost the connection");
        self.link = None;
        self.greeted = false;
        self.seats.values_mut().for_each(Seat::cut);
    }

    fn cut(&mut self) {
        self.world.count(|tally| tally.cuts += 1);
        let mut whole = self.dice.per_mille(500);
        // Some turn round in the door: they ask to be let in and do not wait for the answer.
        if self.greeted
            && self.dice.per_mille(200)
            && let Some(room) = self.seats.keys().next_back().cloned()
        {
            self.enter(&room);
            whole = false;
        }
        if let Some((link, _)) = self.link.take() {
            link.cut(whole);
        }
        self.lose();
    }

    /// One moment of this client's life: first what it owes, then what it feels like.
    fn step(&mut self) {
        self.mind_the_rooms();
        let quiet = self.world.board().quiet_until.filter(|until| *until > Instant::now());
        let pause = match quiet {
            Some(until) => (until - Instant::now()).min(Duration::from_secs(20)),
            None if self.world.is_calm() => Duration::from_millis(40),
            None => {
                self.act();
                Duration::from_millis(self.dice.between(1, self.world.plan.pause_ms_max))
            }
        };
        self.next_act = Instant::now() + pause;
    }

    /// Goes where it is not yet, and asks again what was not answered.
    fn mind_the_rooms(&mut self) {
        if !self.greeted {
            return;
        }
        let rooms = self.world.board().rooms.clone();
        for (room, host_key) in rooms {
            if !self.seats.contains_key(&room) {
                let host_key = (self.index == 0 || self.dice.per_mille(200)).then_some(host_key);
                self.seats.insert(room, Seat::new(host_key));
            }
        }
        let now = Instant::now();
        for room in self.seats.keys().cloned().collect::<Vec<_>>() {
            let Some(seat) = self.seats.get(&room) else { continue };
            if seat.wants_in(now) {
                self.enter(&room);
            }
            let Some(seat) = self.seats.get_mut(&room) else { continue };
            let inside = seat.stage == Stage::Inside || self.dice.per_mille(100);
            if inside && let Some((number, verb, with)) = seat.take_unsent(now) {
                self.ask(Asked::Act(room.clone(), Some(number)), verb, Some(&room), Some(number), Some(&with));
            }
        }
    }

    fn enter(&mut self, room: &Address) {
        let Some(seat) = self.seats.get_mut(room) else { return };
        let with = words::entrance(seat.host_key.as_deref(), seat.place, self.patches);
        if let (Some(key), Some((_, ear))) = (&seat.host_key, &self.link) {
            ear.shows_host_key(room, key);
        }
        seat.knock();
        self.ask(Asked::Enter(room.clone()), "enter", Some(room), None, Some(&with));
    }

    fn ask(&mut self, asked: Asked, verb: &str, room: Option<&Address>, number: Option<u64>, with: Option<&Value>) {
        self.last_id += 1;
        let may_repeat = matches!(asked, Asked::Act(..));
        self.asked.insert(self.last_id, asked);
        if let (Some(room), Some((_, ear)), "enter" | "exit") = (room, &self.link, verb) {
            ear.moves(self.last_id, room);
        }
        let room = room.map(ToString::to_string);
        let frame = words::ask(self.last_id, verb, room.as_deref(), number, with);
        if may_repeat && !self.world.is_calm() && self.dice.per_mille(self.world.plan.twice) {
            if self.dice.per_mille(500) {
                self.send(frame.clone());
            } else if self.stale.len() < STALE_MAX && number.is_some() {
                self.stale.push(frame.clone());
            }
        }
        self.send(frame);
    }

    fn send(&mut self, frame: String) {
        self.world.trace.note(format_args!("{}>", self.name), &frame);
        if let Some((link, _)) = &mut self.link {
            link.send(frame);
        }
    }

    fn credential(&self) -> Credential {
        let key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        key.as_ref().map_or_else(Credential::anonymous, |key| Credential::guest(key.as_bytes()))
    }

    fn report(&self) {
        let waiting = self.seats.iter().find_map(|(room, seat)| seat.waits().map(|what| format!("{what} in {room}")));
        let waits_for = match (&self.link, self.greeted) {
            (None, _) => Some("a connection".to_owned()),
            (Some(_), false) => Some("an answer to hello".to_owned()),
            (Some(_), true) => waiting,
        };
        let inside = self.seats.iter().filter(|(_, seat)| seat.stage == Stage::Inside);
        let at = inside.filter_map(|(room, seat)| Some((room.clone(), seat.place?))).collect();
        self.world.board().doing.insert(self.index, Doing { waits_for, at });
    }
}
