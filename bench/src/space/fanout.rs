//! The heavy fan-out through a space: as broadcast, and as presence with a budget that thins nothing out. Beside Bun.

use super::join;
use crate::bun::Bun;
use crate::child::Server;
use crate::fanout::{CLIENTS, EACH_PER_SECOND, Round, WARM_UP, in_ticks, one, percent};
use crate::line::Line;
use crate::options::Options;
use crate::parlor::Parlor;
use crate::peer::{PAYLOAD_BYTES, Peer, Room};
use crate::report::{Section, Target, median};
use crate::{Result, machine};

/// Every stamp of a run this short begins so, and nothing else in a frame does.
const PAYLOAD_BEGINS: &[u8] = b"\"000000";
const UNTHINNED: &str = "--presence-bytes-per-second=1000000000";

#[derive(Clone)]
struct Space {
    /// Says and hears what is broadcast.
    parlor: Parlor,
    presence: bool,
}

impl Space {
    fn new(options: &Options, presence: bool) -> Space {
        let mut options = options.clone();
        if presence {
            options.serve.push(UNTHINNED.to_owned());
        }
        Space { parlor: Parlor { options }, presence }
    }
}

impl Peer for Space {
    fn name(&self) -> String {
        if self.presence { "Parlor, presence" } else { "Parlor, broadcast" }.to_owned()
    }

    fn start(&self) -> Result<Server> {
        self.parlor.start()
    }

    fn path(&self) -> &'static str {
        self.parlor.path()
    }

    async fn gather(&self, lines: &mut [Line]) -> Result<Room> {
        for (person, line) in lines.iter_mut().enumerate() {
            line.ask(1, &crate::parlor::hello(person)).await?;
        }
        let room = join::create(lines.first_mut().ok_or("there is nobody to make the space")?).await?;
        for line in lines.iter_mut() {
            join::enter(line, &room).await?;
        }
        Ok(Room(room))
    }

    fn say(&self, room: &Room, payload: &str) -> String {
        if !self.presence {
            return self.parlor.say(room, payload);
        }
        format!(r#"{{"do":"presence_set","room":"{}","with":{{"presence":"at","value":"{payload}"}}}}"#, room.0)
    }

    fn hear(&self, frame: &[u8], each: &mut dyn FnMut(&[u8])) -> bool {
        if !self.presence {
            return self.parlor.hear(frame, each);
        }
        if frame.starts_with(br#"{"push":"presence""#) {
            for at in memchr::memmem::find_iter(frame, PAYLOAD_BEGINS) {
                let Some(payload) = frame.get(at + 1..at + 1 + PAYLOAD_BYTES) else { return false };
                each(payload);
            }
        }
        frame.starts_with(br#"{"push":"#)
    }
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let (say, show, bun) = (Space::new(options, false), Space::new(options, true), Bun::ready()?);
    let names = [say.name(), show.name(), bun.name()];
    let mut rounds: [Vec<Round>; 3] = Default::default();
    for number in 1..=options.rounds {
        let turn = [one(&say, options, number as u64)?, one(&show, options, number as u64)?, one(&bun, options, number as u64)?];
        for ((round, rounds), name) in turn.into_iter().zip(&mut rounds).zip(&names) {
            eprintln!("space-fanout {number}/{}: {name}: {}", options.rounds, round.row().join(" · "));
            rounds.push(round);
        }
    }
    let middle = |rounds: &[Round], of: fn(&Round) -> f64| median(rounds.iter().map(of).collect());
    let [said, shown, theirs] = &rounds;
    let mut targets = Vec::new();
    for (what, ours) in [("broadcast", said), ("presence", shown)] {
        let ratio = |of: fn(&Round) -> f64| middle(ours, of) / middle(theirs, of);
        let (whole, cpu, p99) =
            (ours.iter().map(Round::share).fold(f64::INFINITY, f64::min), ratio(Round::cpu_us), ratio(Round::p99_ms));
        let target = |of: &str, reached: String, asked, met| Target { what: format!("{what}: {of}").into(), reached, asked, met };
        targets.push(target("delivered in the worst round", percent(whole), "100 %", whole >= 1.0));
        targets.push(target("CPU per delivery, Parlor / Bun", format!("{cpu:.2}"), "≤ 1", cpu <= 1.0));
        targets.push(target("p99 latency, Parlor / Bun", format!("{p99:.2}"), "≤ 2", p99 <= 2.0));
    }
    let row = |name: &String, rounds: &Vec<Round>| {
        let columns: [fn(&Round) -> f64; 6] =
            [Round::share, Round::server_percent, Round::cpu_us, Round::p50_ms, Round::p99_ms, Round::generator_percent];
        let [share, server, cpu, p50, p99, generator] = columns.map(|of| middle(rounds, of));
        let [share, server, generator] = [share, server, generator].map(percent);
        vec![name.clone(), share, server, format!("{cpu:.2}"), format!("{p50:.2}"), format!("{p99:.2}"), generator]
    };
    Ok(Section {
        name: "space-fanout",
        title: "Fan-out through spaces",
        about: format!(
            "One space, {CLIENTS} clients, {PAYLOAD_BYTES}-byte payload, {EACH_PER_SECOND} messages/s each: {} deliveries/s offered for {} s \
             after {} s of warm-up, each client at moments of its own{}; once as broadcast (`say`) and once as presence (`presence_set`) with a budget so large that nothing is \
             thinned out. Server and generator pinned to a core each, no store; medians of {} alternating rounds.",
            CLIENTS as u64 * (CLIENTS as u64 - 1) * EACH_PER_SECOND,
            options.seconds.as_secs(),
            WARM_UP.as_secs(),
            in_ticks(options.tick),
            options.rounds
        ),
        head: vec!["server", "delivered", "server CPU", "CPU µs per delivery", "p50 ms", "p99 ms", "generator CPU"],
        rows: names.iter().zip(&rounds).map(|(name, rounds)| row(name, rounds)).collect(),
        targets,
    })
}
