//! One room at two nodes: two hundred voters at once, wave after wave. Everybody is answered, and nobody much later than
//! the rest.

use crate::child::Server;
use crate::line::Line;
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, machine, parlor};
use std::time::{Duration, Instant};

const VOTERS: usize = 200;
const WAVES: usize = 20;

struct Waves {
    median_ms: f64,
    slowest_ms: f64,
    /// The worst wave's slowest beside its own median.
    worst: f64,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let mut all = Vec::new();
    for round in 1..=options.rounds {
        let redis = super::server()?;
        let nodes = [Server::parlor(options, &redis.url())?, Server::parlor(options, &redis.url())?];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let waves = tokio::task::LocalSet::new().block_on(&runtime, vote(&nodes))?;
        eprintln!("redis hot {round}/{}: median {:.1} ms, worst ratio {:.1}", options.rounds, waves.median_ms, waves.worst);
        all.push(waves);
    }
    let of = |pick: fn(&Waves) -> f64| median(all.iter().map(pick).collect());
    let worst = all.iter().map(|waves| waves.worst).fold(0.0, f64::max);
    Ok(Section {
        name: "redis-hot",
        title: "One hot room at two nodes",
        about: format!(
            "{VOTERS} people in one room, half of them at each of two nodes on one redis-server, all voting at the same moment, {WAVES} \
             waves a round, {} rounds. Every vote was acknowledged. Nodes and redis-server share a core.",
            options.rounds
        ),
        head: vec!["median wait ms", "slowest wait ms", "slowest / median in the worst wave"],
        rows: vec![vec![
            format!("{:.1}", of(|waves| waves.median_ms)),
            format!("{:.1}", of(|waves| waves.slowest_ms)),
            format!("{worst:.1}"),
        ]],
        targets: vec![Target {
            what: "slowest / median wait".into(),
            reached: format!("{worst:.1}"),
            asked: "< 20",
            met: worst < 20.0,
        }],
    })
}

async fn vote(nodes: &[Server; 2]) -> Result<Waves> {
    let mut lines = Vec::new();
    for person in 0..VOTERS {
        let mut line = Line::open(nodes[person % 2].address, "/v1/ws").await?;
        line.ask(1, &parlor::hello(person)).await?;
        lines.push(line);
    }
    let room = parlor::create(lines.first_mut().ok_or("there is nobody")?).await?;
    for (person, line) in lines.iter_mut().enumerate() {
        parlor::enter_and_join(line, &room, person).await?;
    }
    let mut waits = Vec::new();
    let mut worst: f64 = 0.0;
    for wave in 1..=WAVES {
        let card = if wave % 2 == 0 { "3" } else { "5" };
        let begun = Instant::now();
        let asking: Vec<_> = lines
            .drain(..)
            .map(|mut line| {
                let ask = format!(r#"{{"id":{},"do":"vote","room":"{room}","n":{wave},"with":{{"card":"{card}"}}}}"#, wave + 9);
                tokio::task::spawn_local(async move {
                    line.ask(wave as u64 + 9, &ask).await?;
                    Ok::<_, String>((line, begun.elapsed()))
                })
            })
            .collect();
        let mut wave_ms = Vec::new();
        for asked in asking {
            let (line, took): (Line, Duration) = asked.await.map_err(|error| error.to_string())??;
            lines.push(line);
            wave_ms.push(took.as_secs_f64() * 1000.0);
        }
        worst = worst.max(wave_ms.iter().copied().fold(0.0, f64::max) / median(wave_ms.clone()).max(0.001));
        waits.extend(wave_ms);
    }
    let slowest_ms = waits.iter().copied().fold(0.0, f64::max);
    Ok(Waves { median_ms: median(waits), slowest_ms, worst })
}
