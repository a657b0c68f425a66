//! Durable acks: votes spread over a thousand rooms, each answered only after an fsync, beside the disk alone.

use crate::child::Server;
use crate::inside::ROOMS;
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::votes::{self, Plan};
use crate::{Result, fill, idle, machine};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROOMS_PER_LINE: usize = 20;

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let folder = options.scratch.join("acks");
    let (mut bare, mut inside, mut door, mut watched) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut p99 = Vec::new();
    for round in 1..=options.rounds {
        idle::clear(&folder)?;
        bare.push(apart("bare", &folder, options.seconds)?);
        inside.push(apart("inside", &folder, options.seconds)?);
        for (watching, into) in [(false, &mut door), (true, &mut watched)] {
            fill::folder(&folder, ROOMS)?;
            let server = Server::parlor(options, &format!("embedded:{}", folder.display()))?;
            let plan = Plan { rooms: (0..ROOMS).collect(), rooms_per_line: ROOMS_PER_LINE, watching, seconds: options.seconds };
            let voted = votes::run(&server, &plan)?;
            eprintln!(
                "acks {round}/{}: watching {watching}: {:.0}/s, p99 {:.1} ms, server {:.1} µs/vote, generator {:.0} %",
                options.rounds,
                voted.per_second(),
                voted.p99_ms(),
                voted.cpu_us(),
                voted.generator_percent()
            );
            if !watching {
                p99.push(voted.p99_ms());
            }
            into.push(voted.per_second());
        }
        let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
        eprintln!("acks {round}/{}: bare {:.0}/s, engine {:.0}/s", options.rounds, last(&bare), last(&inside));
    }
    idle::clear(&folder)?;
    let [bare, inside, door, watched] = [bare, inside, door, watched].map(median);
    let row = |name: &str, acks: f64| vec![name.to_owned(), format!("{acks:.0}"), format!("{:.2}", acks / bare)];
    let ratio = door / bare;
    Ok(Section {
        name: "acks",
        title: "Durable acks",
        about: format!(
            "Votes spread over {ROOMS} rooms, one voter each, every one acknowledged after an fsync by group commit; {} s after 2 s of \
             warm-up, medians of {} rounds. Each contender runs on the server's core, the generator on the other; over WebSocket there are \
             {} lines. p99 of an ack over WebSocket: {:.1} ms.",
            options.seconds.as_secs(),
            options.rounds,
            ROOMS / ROOMS_PER_LINE,
            median(p99)
        ),
        head: vec!["through", "acks/s", "of the bare disk"],
        rows: vec![
            row("the bare disk, same pairs, same group commit", bare),
            row("the engine, in process", inside),
            row("WebSocket", door),
            row("WebSocket, every voter watching the room too", watched),
        ],
        targets: vec![Target {
            what: "acks over WebSocket / bare disk".into(),
            reached: format!("{ratio:.2}"),
            asked: "≥ 0.5",
            met: ratio >= 0.5,
        }],
    })
}

/// Runs a part of this program as a process of its own on the server's core, and reads the number it prints.
fn apart(name: &str, folder: &Path, seconds: Duration) -> Result<f64> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(here);
    command.args([name, "--seconds", &seconds.as_secs().to_string(), "--folder"]).arg(folder);
    machine::pin(machine::SERVER)?;
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    machine::pin(machine::GENERATOR)?;
    let mut child = spawned.map_err(|error| format!("{name} does not start: {error}"))?;
    let deadline = Instant::now() + seconds + Duration::from_secs(60);
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill(); // It may have ended this moment.
            let _ = child.wait();
            return Err(format!("{name} does not end"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| format!("{name} printed {text:?}"))
}
