//! Votes over WebSocket: each room has one voter who changes the card as soon as the last one is acknowledged.
//! Many rooms share a line, so that their votes share frames and writes.

use crate::child::Server;
use crate::fill::{address, user_key};
use crate::line::{Line, push_frame};
use crate::{Result, machine};
use hdrhistogram::Histogram;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

const WARM_UP: Duration = Duration::from_secs(2);

pub struct Plan {
    /// The numbers of the rooms to vote in.
    pub rooms: Vec<usize>,
    pub rooms_per_line: usize,
    /// Whether the voters also look at their rooms, as people do.
    pub watching: bool,
    pub seconds: Duration,
}

pub struct Voted {
    pub acks: u64,
    pub took: Duration,
    pub server_cpu: Duration,
    pub generator_cpu: Duration,
    pub latency: Histogram<u64>,
}

impl Voted {
    pub fn per_second(&self) -> f64 {
        self.acks as f64 / self.took.as_secs_f64()
    }
    pub fn cpu_us(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.acks.max(1) as f64
    }
    pub fn p99_ms(&self) -> f64 {
        self.latency.value_at_quantile(0.99) as f64 / 1000.0
    }
    pub fn generator_percent(&self) -> f64 {
        100.0 * self.generator_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
}

struct Tally {
    counting: Cell<bool>,
    acks: Cell<u64>,
    latency: RefCell<Histogram<u64>>,
    trouble: RefCell<Option<String>>,
}

pub fn run(server: &Server, plan: &Plan) -> Result<Voted> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let mut voters = Vec::new();
        for (person, rooms) in plan.rooms.chunks(plan.rooms_per_line).enumerate() {
            voters.push(Voter::sit(server, person, rooms, plan.watching).await?);
        }
        let latency = Histogram::new_with_bounds(1, 60_000_000, 3).map_err(|error| error.to_string())?;
        let tally = Rc::new(Tally {
            counting: Cell::new(false),
            acks: Cell::new(0),
            latency: RefCell::new(latency),
            trouble: RefCell::new(None),
        });
        for voter in voters {
            let tally = tally.clone();
            tokio::task::spawn_local(async move {
                if let Err(sentence) = voter.vote(&tally).await {
                    tally.trouble.borrow_mut().get_or_insert(sentence);
                }
            });
        }
        tokio::time::sleep(WARM_UP).await;
        let own = std::process::id();
        let before = (server.cpu()?, machine::cpu(own)?, Instant::now());
        tally.counting.set(true);
        tokio::time::sleep(plan.seconds).await;
        tally.counting.set(false);
        let (server_cpu, generator_cpu, took) = (server.cpu()? - before.0, machine::cpu(own)? - before.1, before.2.elapsed());
        if let Some(trouble) = tally.trouble.borrow_mut().take() {
            return Err(trouble);
        }
        Ok(Voted { acks: tally.acks.get(), took, server_cpu, generator_cpu, latency: tally.latency.borrow().clone() })
    })
}

/// One line and the rooms it votes in; the place in `rooms` is the id of the request.
struct Voter {
    line: Line,
    rooms: Vec<Seat>,
}

struct Seat {
    address: String,
    number: u64,
    sent: Instant,
}

impl Voter {
    async fn sit(server: &Server, person: usize, rooms: &[usize], watching: bool) -> Result<Voter> {
        let mut line = Line::open(server.address, "/v1/ws").await?;
        // A program of its own each time: its numbers begin at one.
        let client = format!("bench-{person}-{}", crate::fill::now());
        let hello = format!(r#"{{"id":1,"do":"hello","with":{{"user_key":"{}","client":"{client}"}}}}"#, user_key(person));
        line.ask(1, &hello).await?;
        let mut seats = Vec::with_capacity(rooms.len());
        for room in rooms {
            let address = address(*room).to_string();
            if watching {
                line.ask(2, &format!(r#"{{"id":2,"do":"enter","room":"{address}"}}"#)).await?;
            }
            line.ask(3, &format!(r#"{{"id":3,"do":"join","room":"{address}","with":{{"user_name":"Person {person}"}}}}"#))
                .await?;
            seats.push(Seat { address, number: 0, sent: Instant::now() });
        }
        Ok(Voter { line, rooms: seats })
    }

    async fn vote(mut self, tally: &Tally) -> Result<()> {
        let mut frames = Vec::new();
        for place in 0..self.rooms.len() {
            self.rooms[place].next(place, &mut frames);
        }
        loop {
            self.line.write(&frames).await?;
            frames.clear();
            if !self.line.fill().await? {
                return Err("the server closed a voter's line".to_owned());
            }
            while let Some(frame) = self.line.frames.take()? {
                let Some(place) = acknowledged(frame)? else { continue };
                let seat = self.rooms.get_mut(place).ok_or("an answer to nobody")?;
                if tally.counting.get() {
                    tally.acks.set(tally.acks.get() + 1);
                    tally.latency.borrow_mut().saturating_record(seat.sent.elapsed().as_micros().max(1) as u64);
                }
                seat.next(place, &mut frames);
            }
        }
    }
}

impl Seat {
    fn next(&mut self, place: usize, frames: &mut Vec<u8>) {
        self.number += 1;
        self.sent = Instant::now();
        let card = if self.number.is_multiple_of(2) { "1" } else { "2" };
        let (room, number) = (&self.address, self.number);
        let id = place + 1;
        push_frame(
            frames,
            format!(r#"{{"id":{id},"do":"vote","room":"{room}","n":{number},"with":{{"card":"{card}"}}}}"#).as_bytes(),
        );
    }
}

/// The place a yes is for; `None` for pushes, an error for a no.
fn acknowledged(frame: &[u8]) -> Result<Option<usize>> {
    if frame.starts_with(b"{\"push\"") || frame.starts_with(b"{\"at\"") {
        return Ok(None);
    }
    let no = || format!("a vote was answered {}", String::from_utf8_lossy(frame));
    let digits = frame.strip_prefix(b"{\"id\":").ok_or_else(no)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).ok_or_else(no)?;
    if !digits[end..].starts_with(b",\"ok\":") {
        return Err(no());
    }
    let id = digits[..end].iter().fold(0usize, |id, digit| id * 10 + usize::from(digit - b'0'));
    Ok(Some(id.checked_sub(1).ok_or_else(no)?))
}
