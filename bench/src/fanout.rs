//! Fan-out: one room, 100 clients, each saying 64 bytes 20 times a second to all the others.
//!
//! A delivery is one message decoded by one client. Peers take turns, so that the machine's moods meet both.

use crate::bun::Bun;
use crate::child::Server;
use crate::line::{Line, push_frame};
use crate::options::Options;
use crate::parlor::Parlor;
use crate::peer::{PAYLOAD_BYTES, Peer, Room};
use crate::report::{Section, Target, median};
use crate::{Result, machine};
use hdrhistogram::Histogram;
use parlor_engine::Metronome;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

pub const CLIENTS: usize = 100;
pub const EACH_PER_SECOND: u64 = 20;
pub const WARM_UP: Duration = Duration::from_secs(3);
/// After the last message, how long what is under way may take to arrive.
const LAST_WITHIN: Duration = Duration::from_secs(2);

/// One measurement of one peer.
pub struct Round {
    offered: u64,
    delivered: u64,
    server_cpu: Duration,
    generator_cpu: Duration,
    took: Duration,
    latency: Histogram<u64>,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let (parlor, bun) = (Parlor { options: options.clone() }, Bun::ready()?);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 1..=options.rounds {
        ours.push(one(&parlor, options, round as u64)?);
        theirs.push(one(&bun, options, round as u64)?);
        for (name, rounds) in [(parlor.name(), &ours), (bun.name(), &theirs)] {
            if let Some(last) = rounds.last() {
                eprintln!("fanout {round}/{}: {name}: {}", options.rounds, last.row().join(" · "));
            }
        }
    }
    let middle = |rounds: &[Round], of: fn(&Round) -> f64| median(rounds.iter().map(of).collect());
    let ratio = |of: fn(&Round) -> f64| middle(&ours, of) / middle(&theirs, of);
    let (cpu, p99) = (ratio(Round::cpu_us), ratio(Round::p99_ms));
    let whole = ours.iter().map(Round::share).fold(f64::INFINITY, f64::min);
    let busiest = ours.iter().chain(&theirs).map(Round::generator_percent).fold(0.0, f64::max);
    let row = |name: String, rounds: &[Round]| {
        let columns: [fn(&Round) -> f64; 6] =
            [Round::share, Round::server_percent, Round::cpu_us, Round::p50_ms, Round::p99_ms, Round::generator_percent];
        let [share, server, cpu, p50, p99, generator] = columns.map(|of| middle(rounds, of));
        vec![
            name,
            percent(share),
            percent(server),
            format!("{cpu:.2}"),
            format!("{p50:.2}"),
            format!("{p99:.2}"),
            percent(generator),
        ]
    };
    Ok(Section {
        name: "fanout",
        title: "Fan-out",
        about: format!(
            "One room, {CLIENTS} clients, {PAYLOAD_BYTES}-byte payload, {EACH_PER_SECOND} messages/s each: {} deliveries/s offered for {} s \
             after {} s of warm-up, each client at moments of its own{}. Server and generator pinned to a core each, no store; medians of {} \
             alternating rounds.",
            CLIENTS as u64 * (CLIENTS as u64 - 1) * EACH_PER_SECOND,
            options.seconds.as_secs(),
            WARM_UP.as_secs(),
            in_ticks(options.tick),
            options.rounds
        ),
        head: vec!["server", "delivered", "server CPU", "CPU µs per delivery", "p50 ms", "p99 ms", "generator CPU"],
        rows: vec![row(parlor.name(), &ours), row(bun.name(), &theirs)],
        targets: vec![
            Target { what: "delivered in the worst round".into(), reached: percent(whole), asked: "100 %", met: whole >= 1.0 },
            Target {
                what: "CPU per delivery, Parlor / Bun".into(),
                reached: format!("{cpu:.2}"),
                asked: "≤ 0.8",
                met: cpu <= 0.8,
            },
            Target { what: "p99 latency, Parlor / Bun".into(), reached: format!("{p99:.2}"), asked: "≤ 2", met: p99 <= 2.0 },
            Target {
                what: "the generator's busiest round".into(),
                reached: percent(busiest),
                asked: "below 90 %",
                met: busiest < 0.9,
            },
        ],
    })
}

impl Round {
    pub fn share(&self) -> f64 {
        self.delivered as f64 / self.offered as f64
    }
    pub fn server_percent(&self) -> f64 {
        self.server_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
    pub fn generator_percent(&self) -> f64 {
        self.generator_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
    pub fn cpu_us(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.delivered.max(1) as f64
    }
    pub fn p50_ms(&self) -> f64 {
        self.latency.value_at_quantile(0.5) as f64 / 1000.0
    }
    pub fn p99_ms(&self) -> f64 {
        self.latency.value_at_quantile(0.99) as f64 / 1000.0
    }

    pub fn row(&self) -> Vec<String> {
        vec![
            format!("{} of {} delivered", self.delivered, self.offered),
            format!("server {}", percent(self.server_percent())),
            format!("{:.2} µs", self.cpu_us()),
            format!("p50 {:.2} p99 {:.2} max {:.2} ms", self.p50_ms(), self.p99_ms(), self.latency.max() as f64 / 1000.0),
            format!("generator {}", percent(self.generator_percent())),
        ]
    }
}

/// How a report says it.
pub fn in_ticks(tick: Duration) -> String {
    if tick.is_zero() { String::new() } else { format!(", put off to the next of ticks {} µs apart", tick.as_micros()) }
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What the readers and the sender of one round share.
struct Tally {
    begun: Instant,
    /// Messages said before this moment, in microseconds, are warm-up.
    from_us: u64,
    delivered: u64,
    latency: Histogram<u64>,
    trouble: Option<String>,
}

pub fn one<P: Peer + Clone + 'static>(peer: &P, options: &Options, seed: u64) -> Result<Round> {
    let server = peer.start()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, round(peer.clone(), &server, options, seed))
}

async fn round<P: Peer + 'static>(peer: P, server: &Server, options: &Options, seed: u64) -> Result<Round> {
    let mut lines = Vec::with_capacity(CLIENTS);
    for _ in 0..CLIENTS {
        lines.push(Line::open(server.address, peer.path()).await?);
    }
    let room = peer.gather(&mut lines).await?;
    let latency = Histogram::new_with_bounds(1, 60_000_000, 3).map_err(|error| error.to_string())?;
    let tally = Tally { begun: Instant::now(), from_us: WARM_UP.as_micros() as u64, delivered: 0, latency, trouble: None };
    let tally = Rc::new(RefCell::new(tally));
    let peer = Rc::new(peer);
    let lines: Vec<Rc<tokio::net::TcpStream>> = lines
        .into_iter()
        .enumerate()
        .map(|(number, Line { stream, frames })| {
            let stream = Rc::new(stream);
            tokio::task::spawn_local(listen(peer.clone(), number as u64, stream.clone(), frames, tally.clone()));
            stream
        })
        .collect();
    let schedule = Schedule::new(lines.len(), seed, options.tick);
    let said = speak(&*peer, &room, &lines, &tally, server, (&schedule, options.seconds)).await?;
    // What is under way arrives; a message that has not by then is lost.
    let offered = said.count * (CLIENTS as u64 - 1);
    let deadline = Instant::now() + LAST_WITHIN;
    while tally.borrow().delivered < offered && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let tally = tally.borrow();
    if let Some(trouble) = &tally.trouble {
        return Err(format!("{}: {trouble}", peer.name()));
    }
    let Said { server_cpu, generator_cpu, took, .. } = said;
    Ok(Round { offered, delivered: tally.delivered, server_cpu, generator_cpu, took, latency: tally.latency.clone() })
}

/// When who speaks: each client every so often, beginning at a moment of its own, as people who do not know of each other do.
struct Schedule {
    /// Within the first of the periods, in order.
    starts: Vec<(Duration, usize)>,
    /// With one, who would speak within it speaks when it is over, with all others.
    tick: Duration,
}

impl Schedule {
    const PERIOD: Duration = Duration::from_micros(1_000_000 / EACH_PER_SECOND);

    /// Other moments in every round, and in a round the same for every peer, so that they can be compared.
    fn new(clients: usize, seed: u64, tick: Duration) -> Schedule {
        let start =
            |client: usize| Duration::from_nanos(scattered(seed << 32 | client as u64) % Schedule::PERIOD.as_nanos() as u64);
        let mut starts: Vec<(Duration, usize)> = (0..clients).map(|client| (start(client), client)).collect();
        starts.sort();
        Schedule { starts, tick }
    }

    fn nth(&self, number: u64) -> (Duration, usize) {
        let count = self.starts.len() as u64;
        let (start, client) = self.starts[(number % count) as usize];
        let due = start + Schedule::PERIOD * (number / count) as u32;
        let tick = self.tick.as_nanos().max(1) as u64;
        (Duration::from_nanos((due.as_nanos() as u64).next_multiple_of(tick)), client)
    }

    /// Messages in so many whole periods.
    fn count_in(&self, time: Duration) -> u64 {
        (time.as_nanos() / Schedule::PERIOD.as_nanos()) as u64 * self.starts.len() as u64
    }
}

/// A number that looks like any other (splitmix64).
fn scattered(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

struct Said {
    count: u64,
    server_cpu: Duration,
    generator_cpu: Duration,
    took: Duration,
}

/// Says everything at its time, and watches the clock of the processor meanwhile.
async fn speak<P: Peer>(
    peer: &P,
    room: &Room,
    lines: &[Rc<tokio::net::TcpStream>],
    tally: &Rc<RefCell<Tally>>,
    server: &Server,
    (schedule, seconds): (&Schedule, Duration),
) -> Result<Said> {
    let own = std::process::id();
    let (begun, from_us) = (tally.borrow().begun, tally.borrow().from_us);
    let (warm, total) = (schedule.count_in(WARM_UP), schedule.count_in(WARM_UP + seconds));
    // The runtime's own timers, in whole milliseconds, would have several clients speak in one moment.
    let metronome = Metronome::start().map_err(|error| format!("there is no clock: {error}"))?;
    let beat = Arc::new(Notify::new());
    let mut before = None;
    let mut frame = Vec::new();
    let mut count = 0;
    for number in 0..total {
        let (due, sender) = schedule.nth(number);
        if begun + due > Instant::now() {
            metronome.call((begun + due).into(), &beat);
            beat.notified().await;
        }
        if number == warm {
            before = Some((server.cpu()?, machine::cpu(own)?, Instant::now()));
        }
        // At the border between warm-up and measurement the stamp decides, as it does for those who hear it.
        let stamp = (begun.elapsed().as_micros() as u64).max(if number >= warm { from_us } else { 0 });
        let stamp = if number < warm { stamp.min(from_us - 1) } else { stamp };
        count += u64::from(number >= warm);
        let payload = format!("{stamp:0>16}{sender:0>4}{:x<width$}", "", width = PAYLOAD_BYTES - 20);
        frame.clear();
        push_frame(&mut frame, peer.say(room, &payload).as_bytes());
        let line = &lines[sender];
        match line.try_write(&frame) {
            Ok(written) if written == frame.len() => {}
            Ok(_) => return Err(format!("{} takes only part of a message", peer.name())),
            Err(error) => return Err(format!("{} takes nothing more: {error}", peer.name())),
        }
    }
    let (server_before, own_before, at) = before.ok_or("there was nothing but warm-up")?;
    Ok(Said {
        count,
        server_cpu: server.cpu()? - server_before,
        generator_cpu: machine::cpu(own)? - own_before,
        took: at.elapsed(),
    })
}

/// Reads one client's line for ever; every payload of another counts, with the time since it was said.
async fn listen<P: Peer>(
    peer: Rc<P>,
    own: u64,
    stream: Rc<tokio::net::TcpStream>,
    mut frames: crate::line::Frames,
    tally: Rc<RefCell<Tally>>,
) {
    let trouble = loop {
        if let Err(error) = stream.readable().await {
            break error.to_string();
        }
        match stream.try_read(frames.space(64 * 1024)) {
            Ok(0) => break "it closed a line".to_owned(),
            Ok(count) => frames.filled(count),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(error) => break error.to_string(),
        }
        let mut tally = tally.borrow_mut();
        let Tally { begun, from_us, delivered, latency, trouble, .. } = &mut *tally;
        let now = begun.elapsed().as_micros() as u64;
        loop {
            let frame = match frames.take() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => {
                    trouble.get_or_insert(error);
                    return;
                }
            };
            let understood = peer.hear(frame, &mut |payload| {
                let number =
                    |digits: &[u8]| digits.iter().fold(0u64, |number, digit| number * 10 + u64::from(digit.wrapping_sub(b'0')));
                let (stamp, sender) = (number(&payload[..16]), number(&payload[16..20]));
                // Where somebody's own words come back, as presence does, that is no delivery.
                if stamp >= *from_us && sender != own {
                    *delivered += 1;
                    latency.saturating_record(now.saturating_sub(stamp).max(1));
                }
            });
            if !understood {
                trouble.get_or_insert_with(|| String::from_utf8_lossy(&frame[..frame.len().min(200)]).into_owned());
            }
        }
    };
    tally.borrow_mut().trouble.get_or_insert(trouble);
}
