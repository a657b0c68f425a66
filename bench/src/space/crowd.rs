//! 5,000 people in one space, each moving a cursor five times a second: how old what a listener sees of the others is,
//! how many bytes that takes, and how long a map write takes meanwhile.
//!
//! The position that is sent says when it was sent, so its age can be read off. Only a sample of listeners is decoded;
//! of all others the bytes are counted.

use super::join;
use crate::child::Server;
use crate::idle::clear;
use crate::line::{Frames, Line, push_frame};
use crate::options::Options;
use crate::report::{Section, Target};
use crate::{Result, machine};
use hdrhistogram::Histogram;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const PEOPLE: usize = 5000;
const MOVES_PER_SECOND: u32 = 5;
/// Listeners whose frames are decoded.
const SAMPLE: usize = 10;
/// After the last has come, until everybody has been introduced to everybody.
const WARM_UP: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const WRITES_PER_SECOND: u32 = 10;
const COMING: usize = 64;

/// What one of the sample has seen: of each number the time of the newest position.
#[derive(Default)]
struct Eyes {
    newest: HashMap<u64, u64>,
    /// In frames about people.
    bytes: u64,
}

struct Tally {
    begun: Instant,
    bytes: Vec<Cell<u64>>,
    eyes: RefCell<Vec<Eyes>>,
    acks: RefCell<Histogram<u64>>,
    measuring: Cell<bool>,
    trouble: RefCell<Option<String>>,
}

impl Tally {
    /// In hundredths of a second: as long as a coordinate on a screen is.
    fn now_cs(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64 / 10
    }

    fn complain(&self, sentence: impl Into<String>) {
        self.trouble.borrow_mut().get_or_insert(sentence.into());
    }
}

struct Seen {
    came_in: Duration,
    worst_ms: u64,
    usual_ms: u64,
    unseen: usize,
    of_people: f64,
    bytes_mean: f64,
    bytes_most: f64,
    acks: Histogram<u64>,
    moves_per_second: f64,
    server_percent: f64,
    generator_percent: f64,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let folder = options.scratch.join("space-crowd");
    clear(&folder)?;
    let server = Server::parlor(options, &format!("embedded:{}", folder.display()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let seen = tokio::task::LocalSet::new().block_on(&runtime, crowd(&server, options.seconds))?;
    drop(server);
    clear(&folder)?;
    let ack = |quantile| seen.acks.value_at_quantile(quantile) as f64 / 1000.0;
    let (oldest, p99) = (seen.worst_ms as f64 / 1000.0, ack(0.99));
    Ok(Section {
        name: "space-crowd",
        title: "A crowd in one space",
        about: format!(
            "{PEOPLE} people in one space, each moving a cursor {MOVES_PER_SECOND} times a second, evenly spread; one of them sets a key of a \
             map {WRITES_PER_SECOND} times a second, which everybody is told (embedded, fsync). All came within {:.0} s; {} s are measured \
             after {} s of warm-up. The lag of a cursor is how long a position newer than the one that a listener has seen has been waiting, looked \
             at every {} ms by {SAMPLE} listeners for all {PEOPLE} cursors. Bytes about people are those of their frames; all bytes \
             have the map's changes too.",
            seen.came_in.as_secs_f64(),
            options.seconds.as_secs(),
            WARM_UP.as_secs(),
            LOOK_EVERY.as_millis()
        ),
        head: vec![
            "moves/s",
            "longest lag s",
            "median lag s",
            "KB/s about people",
            "KB/s, all",
            "KB/s, most",
            "map ack p50 ms",
            "p99 ms",
            "server CPU",
            "generator CPU",
        ],
        rows: vec![vec![
            format!("{:.0}", seen.moves_per_second),
            if seen.unseen > 0 { format!("{} never seen", seen.unseen) } else { format!("{oldest:.2}") },
            format!("{:.2}", seen.usual_ms as f64 / 1000.0),
            format!("{:.1}", seen.of_people / 1000.0),
            format!("{:.1}", seen.bytes_mean / 1000.0),
            format!("{:.1}", seen.bytes_most / 1000.0),
            format!("{:.1}", ack(0.5)),
            format!("{p99:.1}"),
            format!("{:.0} %", seen.server_percent),
            format!("{:.0} %", seen.generator_percent),
        ]],
        targets: vec![
            Target {
                what: "the longest lag of any cursor".into(),
                reached: format!("{oldest:.2} s, {} never seen", seen.unseen),
                asked: "≤ 3 s",
                met: oldest <= 3.0 && seen.unseen == 0,
            },
            Target {
                what: "bytes a second about people, to one listener".into(),
                reached: format!("{:.1} KB", seen.of_people / 1000.0),
                asked: "≤ 32 KiB",
                met: seen.of_people <= 32.0 * 1024.0,
            },
            Target { what: "p99 of a map ack".into(), reached: format!("{p99:.1} ms"), asked: "< 100 ms", met: p99 < 100.0 },
        ],
    })
}

async fn crowd(server: &Server, seconds: Duration) -> Result<Seen> {
    let begun = Instant::now();
    let mut maker = join::open(server.address, PEOPLE).await?;
    let room: Rc<str> = join::create(&mut maker).await?.into();
    join::enter(&mut maker, &room).await?;
    let tally = Rc::new(Tally {
        begun,
        bytes: (0..PEOPLE).map(|_| Cell::new(0)).collect(),
        eyes: RefCell::new((0..SAMPLE).map(|_| Eyes::default()).collect()),
        acks: RefCell::new(Histogram::new_with_bounds(1, 60_000_000, 3).map_err(|error| error.to_string())?),
        measuring: Cell::new(false),
        trouble: RefCell::new(None),
    });
    let lines = come(server, &room, &tally).await?;
    let came_in = begun.elapsed();
    tokio::task::spawn_local(move_all(lines, room.clone(), tally.clone()));
    tokio::task::spawn_local(write(maker, room, tally.clone()));
    let warm = Instant::now();
    while warm.elapsed() < WARM_UP && tally.trouble.borrow().is_none() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let own = std::process::id();
    let before = (server.cpu()?, machine::cpu(own)?, Instant::now());
    let bytes_before: Vec<u64> = tally.bytes.iter().map(Cell::get).collect();
    let of_people = || tally.eyes.borrow().iter().map(|eyes| eyes.bytes).sum::<u64>() as f64 / SAMPLE as f64;
    let of_people_before = of_people();
    tally.measuring.set(true);
    let mut ages = Histogram::<u64>::new_with_bounds(1, 3_600_000, 3).map_err(|error| error.to_string())?;
    while before.2.elapsed() < seconds && tally.trouble.borrow().is_none() {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = tally.now_cs();
        for eyes in tally.eyes.borrow().iter() {
            for sent in eyes.newest.values() {
                // For so long a newer position than the one that was seen has been waiting: it was sent one move later.
                let waiting = (now.saturating_sub(*sent) * 10).saturating_sub(1000 / u64::from(MOVES_PER_SECOND));
                ages.saturating_record(waiting.max(1));
            }
        }
    }
    let took = before.2.elapsed().as_secs_f64();
    if let Some(trouble) = tally.trouble.borrow_mut().take() {
        return Err(trouble);
    }
    let each: Vec<f64> =
        tally.bytes.iter().zip(&bytes_before).map(|(after, before)| (after.get() - before) as f64 / took).collect();
    let share = |after: Duration, before: Duration| 100.0 * (after - before).as_secs_f64() / took;
    let unseen = tally.eyes.borrow().iter().map(|eyes| PEOPLE.saturating_sub(eyes.newest.len())).max().unwrap_or(PEOPLE);
    let acks = tally.acks.borrow().clone();
    Ok(Seen {
        came_in,
        worst_ms: ages.max(),
        usual_ms: ages.value_at_quantile(0.5),
        unseen,
        of_people: (of_people() - of_people_before) / took,
        bytes_mean: each.iter().sum::<f64>() / each.len() as f64,
        bytes_most: each.iter().copied().fold(0.0, f64::max),
        acks,
        moves_per_second: PEOPLE as f64 * f64::from(MOVES_PER_SECOND),
        server_percent: share(server.cpu()?, before.0),
        generator_percent: share(machine::cpu(own)?, before.1),
    })
}

/// Everybody comes, and from then on is read.
async fn come(server: &Server, room: &Rc<str>, tally: &Rc<Tally>) -> Result<Vec<Rc<TcpStream>>> {
    let mut coming = tokio::task::JoinSet::new();
    let mut lines: Vec<Option<Rc<TcpStream>>> = (0..PEOPLE).map(|_| None).collect();
    let mut people = 0..PEOPLE;
    loop {
        while coming.len() < COMING
            && let Some(person) = people.next()
        {
            let (address, room, tally) = (server.address, room.clone(), tally.clone());
            coming.spawn_local(async move {
                let mut line = join::open(address, person).await?;
                line.send(&format!(r#"{{"id":3,"do":"enter","room":"{room}"}}"#)).await?;
                let Line { stream, frames } = line;
                let stream = Rc::new(stream);
                tokio::task::spawn_local(listen(person, stream.clone(), frames, tally));
                Ok::<_, String>((person, stream))
            });
        }
        let Some(came) = coming.join_next().await else { break };
        let (person, stream) = came.map_err(|error| error.to_string())??;
        lines[person] = Some(stream);
    }
    Ok(lines.into_iter().flatten().collect())
}

/// Reads for ever. The first few decode, the rest count.
async fn listen(person: usize, stream: Rc<TcpStream>, mut frames: Frames, tally: Rc<Tally>) {
    let mut scrap = vec![0; if person < SAMPLE { 0 } else { 2048 }];
    loop {
        if stream.readable().await.is_err() {
            return tally.complain("a line broke");
        }
        let into = if person < SAMPLE { frames.space(64 * 1024) } else { &mut scrap[..] };
        let count = match stream.try_read(into) {
            Ok(0) => return tally.complain(format!("the server closed the line of person {person}")),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(error) => return tally.complain(error.to_string()),
        };
        tally.bytes[person].set(tally.bytes[person].get() + count as u64);
        if person >= SAMPLE {
            continue;
        }
        frames.filled(count);
        loop {
            match frames.take() {
                Ok(Some(frame)) => look(&mut tally.eyes.borrow_mut()[person], frame),
                Ok(None) => break,
                Err(sentence) => return tally.complain(sentence),
            }
        }
    }
}

/// Positions are rows of a number, x and y, where x is the time they were sent.
fn look(eyes: &mut Eyes, frame: &[u8]) {
    if !frame.starts_with(br#"{"push":"presence""#) {
        return;
    }
    eyes.bytes += frame.len() as u64;
    let Ok(frame) = serde_json::from_slice::<serde_json::Value>(frame) else { return };
    let rows = frame["of"]["cursors"]["set"].as_array();
    for row in rows.into_iter().flatten() {
        if let (Some(number), Some(sent)) = (row[0].as_u64(), row[1].as_u64()) {
            let newest = eyes.newest.entry(number).or_default();
            *newest = sent.max(*newest);
        }
    }
}

/// Each at its time, one after the other, for ever.
async fn move_all(lines: Vec<Rc<TcpStream>>, room: Rc<str>, tally: Rc<Tally>) {
    let every = Duration::from_secs(1) / (MOVES_PER_SECOND * lines.len() as u32);
    let begun = Instant::now();
    let mut frame = Vec::new();
    for number in 0u64.. {
        let due = begun + Duration::from_nanos(every.as_nanos() as u64 * number);
        if due > Instant::now() {
            tokio::time::sleep_until(due.into()).await;
        } else if number % 64 == 0 {
            tokio::task::yield_now().await; // Late: those who listen must be heard all the same.
        }
        let person = number as usize % lines.len();
        frame.clear();
        let text = format!(
            r#"{{"do":"presence_set","room":"{room}","with":{{"presence":"cursors","value":{{"x":{},"y":{person}}}}}}}"#,
            tally.now_cs()
        );
        push_frame(&mut frame, text.as_bytes());
        match lines[person].try_write(&frame) {
            Ok(written) if written == frame.len() => {}
            Ok(_) => return tally.complain("the server takes only part of a move"),
            Err(error) => return tally.complain(format!("the server takes no move of person {person}: {error}")),
        }
    }
}

/// A write at a time, so many a second at most.
async fn write(mut line: Line, room: Rc<str>, tally: Rc<Tally>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / WRITES_PER_SECOND);
    for number in 10u64.. {
        ticks.tick().await;
        let text =
            format!(r#"{{"id":{number},"do":"map_set","room":"{room}","with":{{"map":"board","key":"k","value":{number}}}}}"#);
        let begun = Instant::now();
        if let Err(sentence) = line.ask(number, &text).await {
            return tally.complain(sentence);
        }
        if tally.measuring.get() {
            tally.acks.borrow_mut().saturating_record(begun.elapsed().as_micros().max(1) as u64);
        }
    }
}
