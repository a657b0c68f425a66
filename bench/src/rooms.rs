//! Many rooms: how fast a folder of a hundred thousand opens, and whether a vote costs more in it than in a small one.

use crate::child::Server;
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::votes::{self, Plan};
use crate::{Result, fill, idle, machine};

const FEW: usize = 1_000;
const MANY: usize = 100_000;
const VOTED_IN: usize = 1_000;
const ROOMS_PER_LINE: usize = 20;

struct Measured {
    opened_ms: Vec<f64>,
    vote_us: Vec<f64>,
    acks: Vec<f64>,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let sizes = [FEW, MANY];
    let folders = sizes.map(|size| options.scratch.join(format!("rooms-{size}")));
    for (size, folder) in sizes.iter().zip(&folders) {
        eprintln!("rooms: making {size} rooms …");
        machine::unpin()?;
        fill::folder(folder, *size)?;
        machine::pin(machine::GENERATOR)?;
    }
    let mut measured = sizes.map(|_| Measured { opened_ms: Vec::new(), vote_us: Vec::new(), acks: Vec::new() });
    for round in 1..=options.rounds {
        for ((size, folder), into) in sizes.iter().zip(&folders).zip(&mut measured) {
            let server = Server::parlor(options, &format!("embedded:{}", folder.display()))?;
            // The same number of rooms in use, spread over the whole folder.
            let rooms = (0..VOTED_IN).map(|room| room * (size / VOTED_IN)).collect();
            let plan = Plan { rooms, rooms_per_line: ROOMS_PER_LINE, watching: false, seconds: options.seconds };
            let voted = votes::run(&server, &plan)?;
            into.opened_ms.push(server.started_in.as_secs_f64() * 1000.0);
            into.vote_us.push(voted.cpu_us());
            into.acks.push(voted.per_second());
            eprintln!(
                "rooms {round}/{}: {size} rooms: open in {:.0} ms, {:.1} µs a vote, {:.0} votes/s",
                options.rounds,
                server.started_in.as_secs_f64() * 1000.0,
                voted.cpu_us(),
                voted.per_second()
            );
        }
    }
    folders.iter().try_for_each(|folder| idle::clear(folder))?;
    // A reopened folder has more or less of a journal to read; the slowest opening is the one that counts.
    let slowest = |of: &Measured| of.opened_ms.iter().copied().fold(0.0, f64::max);
    let rows: Vec<[f64; 3]> = measured.into_iter().map(|of| [slowest(&of), median(of.vote_us), median(of.acks)]).collect();
    let [few, many] = [rows[0], rows[1]];
    let growth = many[1] / few[1] - 1.0;
    let row = |size: usize, [opened, vote, acks]: [f64; 3]| {
        vec![size.to_string(), format!("{opened:.0}"), format!("{vote:.1}"), format!("{acks:.0}")]
    };
    Ok(Section {
        name: "rooms",
        title: "Many rooms",
        about: format!(
            "A folder of rooms; the time from starting `parlor serve` until `/healthz` answers, then votes in {VOTED_IN} of the rooms over \
             WebSocket, fsync on. Medians of {} rounds, of openings the slowest; each round ends with SIGKILL and reopens the folder.",
            options.rounds
        ),
        head: vec!["rooms in the folder", "open ms", "server CPU µs per vote", "votes/s"],
        rows: vec![row(FEW, few), row(MANY, many)],
        targets: vec![
            Target {
                what: "opening 100,000 rooms".into(),
                reached: format!("{:.0} ms", many[0]),
                asked: "< 1 s",
                met: many[0] < 1000.0,
            },
            Target {
                what: "a vote among 100,000 rooms against among 1,000".into(),
                reached: format!("{:+.0} %", growth * 100.0),
                asked: "within 20 %",
                met: growth <= 0.2,
            },
        ],
    })
}
