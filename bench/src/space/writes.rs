//! Map writes: every client keeps a few under way, and everybody else in its room is told of each.

use super::hocuspocus::Hocuspocus;
use super::liveblocks::Liveblocks;
use super::parlor::Parlor;
use super::rival::{Chair, Heard, Rival, VALUE_BYTES};
use super::socketio::SocketIo;
use crate::child::Server;
use crate::line::Line;
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, machine};
use hdrhistogram::Histogram;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Writes of one client that are not acknowledged yet.
const UNDER_WAY: usize = 4;
/// Longer than the first writes of all clients take, which come at once.
const WARM_UP: Duration = Duration::from_secs(5);
/// Rooms that are being filled at once.
const FILLING: usize = 16;

#[derive(Clone, Copy)]
struct Crowd {
    name: &'static str,
    rooms: usize,
    people: usize,
}

const CROWDS: [Crowd; 2] = [
    Crowd { name: "100 clients in one room", rooms: 1, people: 100 },
    Crowd { name: "10,000 clients in 1,000 rooms", rooms: 1000, people: 10 },
];

/// One measurement of one rival.
struct Round {
    acks: u64,
    changes: u64,
    took: Duration,
    server_cpu: Duration,
    generator_cpu: Duration,
    latency: Histogram<u64>,
}

impl Round {
    fn acks_per_second(&self) -> f64 {
        self.acks as f64 / self.took.as_secs_f64()
    }
    fn changes_per_second(&self) -> f64 {
        self.changes as f64 / self.took.as_secs_f64()
    }
    fn cpu_us(&self) -> f64 {
        // Infinite where nothing was delivered.
        self.server_cpu.as_secs_f64() * 1e6 / self.changes as f64
    }
    fn p99_ms(&self) -> f64 {
        self.latency.value_at_quantile(0.99) as f64 / 1000.0
    }
    fn server_percent(&self) -> f64 {
        100.0 * self.server_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
    fn generator_percent(&self) -> f64 {
        100.0 * self.generator_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let ours = [true, false].map(|durable| Rc::new(Parlor { options: options.clone(), durable }));
    let (liveblocks, hocuspocus) = (Rc::new(Liveblocks::ready()?), Rc::new(Hocuspocus::ready()?));
    let socketio = Rc::new(SocketIo::ready()?);
    let names: Vec<String> = vec![ours[0].name(), ours[1].name(), liveblocks.name(), hocuspocus.name(), socketio.name()];
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for crowd in CROWDS {
        let mut rounds: Vec<Vec<Round>> = names.iter().map(|_| Vec::new()).collect();
        for number in 1..=options.rounds {
            for (index, name) in names.iter().enumerate() {
                let round = match index {
                    0 | 1 => one(&ours[index], crowd, options.seconds),
                    2 => one(&liveblocks, crowd, options.seconds),
                    3 => one(&hocuspocus, crowd, options.seconds),
                    _ => one(&socketio, crowd, options.seconds),
                };
                let round = round.map_err(|sentence| format!("{name}: {sentence}"))?;
                eprintln!("space-writes {number}/{}: {}: {name}: {}", options.rounds, crowd.name, cells(&[&round]).join(" · "));
                rounds[index].push(round);
            }
        }
        for (name, rounds) in names.iter().zip(&rounds) {
            let cells = cells(&rounds.iter().collect::<Vec<_>>());
            rows.push([vec![crowd.name.to_owned(), name.clone()], cells].concat());
        }
        let middle = |index: usize, of: fn(&Round) -> f64| median(rounds[index].iter().map(of).collect());
        for (index, name) in names.iter().enumerate().skip(2) {
            let rival = name.split_whitespace().next().unwrap_or_default();
            let writes = middle(0, Round::acks_per_second) / middle(index, Round::acks_per_second);
            let cpu = middle(0, Round::cpu_us) / middle(index, Round::cpu_us);
            targets.push(Target {
                what: format!("{}: durable acked writes/s, Parlor / {rival}", crowd.name).into(),
                reached: format!("{writes:.2}"),
                asked: "> 1",
                met: writes > 1.0,
            });
            targets.push(Target {
                what: format!("{}: CPU per delivered change, Parlor / {rival}", crowd.name).into(),
                // Whoever delivered nothing in the time cannot be compared with.
                reached: if cpu > 0.0 { format!("{cpu:.2}") } else { format!("{rival} delivered nothing in this time") },
                asked: "< 1",
                met: cpu > 0.0 && cpu < 1.0,
            });
        }
    }
    Ok(Section {
        name: "space-writes",
        title: "Map writes in spaces",
        about: format!(
            "Every client sets its key of the room's map to a new value of {VALUE_BYTES} bytes, {UNDER_WAY} writes under way at a time, and is \
             told of everybody else's; {} s after {} s of warm-up, medians of {} alternating rounds. A delivered change is one change \
             decoded by one client that did not make it. Server and generator have a core each. Parlor acknowledges a write after an fsync; \
             the others keep nothing. Liveblocks is its server package with its own store in memory, without the SQLite of its \
             development server.",
            options.seconds.as_secs(),
            WARM_UP.as_secs(),
            options.rounds
        ),
        head: vec![
            "clients",
            "server",
            "acked writes/s",
            "delivered changes/s",
            "CPU µs per delivered change",
            "p99 ms of an ack",
            "server CPU",
            "generator CPU",
        ],
        rows,
        targets,
    })
}

fn cells(rounds: &[&Round]) -> Vec<String> {
    let middle = |of: fn(&Round) -> f64| median(rounds.iter().map(|round| of(round)).collect());
    vec![
        format!("{:.0}", middle(Round::acks_per_second)),
        format!("{:.0}", middle(Round::changes_per_second)),
        format!("{:.2}", middle(Round::cpu_us)),
        format!("{:.1}", middle(Round::p99_ms)),
        format!("{:.0} %", middle(Round::server_percent)),
        format!("{:.0} %", middle(Round::generator_percent)),
    ]
}

struct Tally {
    counting: Cell<bool>,
    acks: Cell<u64>,
    changes: Cell<u64>,
    latency: RefCell<Histogram<u64>>,
    trouble: RefCell<Option<String>>,
}

fn one<R: Rival>(rival: &Rc<R>, crowd: Crowd, seconds: Duration) -> Result<Round> {
    let server = rival.start()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, measure(rival.clone(), &server, crowd, seconds))
}

async fn measure<R: Rival>(rival: Rc<R>, server: &Server, crowd: Crowd, seconds: Duration) -> Result<Round> {
    let seated = fill(&rival, server, crowd).await?;
    let tally = Rc::new(Tally {
        counting: Cell::new(false),
        acks: Cell::new(0),
        changes: Cell::new(0),
        latency: RefCell::new(Histogram::new_with_bounds(1, 60_000_000, 3).map_err(|error| error.to_string())?),
        trouble: RefCell::new(None),
    });
    for (line, chair) in seated {
        let (rival, tally) = (rival.clone(), tally.clone());
        tokio::task::spawn_local(async move {
            if let Err(sentence) = write(&*rival, line, chair, &tally).await {
                tally.trouble.borrow_mut().get_or_insert(sentence);
            }
        });
    }
    tokio::time::sleep(WARM_UP).await;
    let own = std::process::id();
    let before = (server.cpu()?, machine::cpu(own)?, Instant::now());
    tally.counting.set(true);
    tokio::time::sleep(seconds).await;
    tally.counting.set(false);
    let (server_cpu, generator_cpu, took) = (server.cpu()? - before.0, machine::cpu(own)? - before.1, before.2.elapsed());
    if let Some(trouble) = tally.trouble.borrow_mut().take() {
        return Err(trouble);
    }
    let latency = tally.latency.borrow().clone();
    Ok(Round { acks: tally.acks.get(), changes: tally.changes.get(), took, server_cpu, generator_cpu, latency })
}

/// Everybody in their rooms, before the first write.
async fn fill<R: Rival>(rival: &Rc<R>, server: &Server, crowd: Crowd) -> Result<Vec<(Line, Chair)>> {
    let rooms = rival.rooms(server.address, crowd.rooms).await?;
    let turns = Rc::new(Semaphore::new(FILLING));
    let mut filling = tokio::task::JoinSet::new();
    for (number, room) in rooms.into_iter().enumerate() {
        let (rival, turns, address) = (rival.clone(), turns.clone(), server.address);
        filling.spawn_local(async move {
            let _turn = turns.acquire().await.map_err(|error| error.to_string())?;
            let mut seated = Vec::with_capacity(crowd.people);
            for seat in 0..crowd.people {
                let person = number * crowd.people + seat;
                let line = rival.sit(address, &room, person).await?;
                seated.push((line, Chair { room: room.clone(), person, number: 0 }));
            }
            Ok::<_, String>(seated)
        });
    }
    let mut all = Vec::with_capacity(crowd.rooms * crowd.people);
    while let Some(seated) = filling.join_next().await {
        all.extend(seated.map_err(|error| error.to_string())??);
    }
    Ok(all)
}

/// One client for ever: each acknowledged write makes room for the next.
async fn write<R: Rival>(rival: &R, mut line: Line, mut chair: Chair, tally: &Tally) -> Result<()> {
    let mut frames = Vec::new();
    let mut sent = VecDeque::with_capacity(UNDER_WAY);
    for _ in 0..UNDER_WAY {
        rival.write(&mut chair, &mut frames);
        sent.push_back(Instant::now());
    }
    loop {
        if !frames.is_empty() {
            line.write(&frames).await?;
            frames.clear();
        }
        if !line.fill().await? {
            return Err("the server closed a line".to_owned());
        }
        let mut heard = Heard::default();
        while let Some(frame) = line.frames.take()? {
            if !rival.hear(&chair, frame, &mut heard) {
                return Err(String::from_utf8_lossy(&frame[..frame.len().min(300)]).into_owned());
            }
        }
        frames.append(&mut heard.answer);
        let counting = tally.counting.get();
        if counting {
            tally.acks.set(tally.acks.get() + heard.acks);
            tally.changes.set(tally.changes.get() + heard.changes);
        }
        for _ in 0..heard.acks {
            let begun = sent.pop_front().ok_or("more was acknowledged than was written")?;
            if counting {
                tally.latency.borrow_mut().saturating_record(begun.elapsed().as_micros().max(1) as u64);
            }
            rival.write(&mut chair, &mut frames);
            sent.push_back(Instant::now());
        }
    }
}
