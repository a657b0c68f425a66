//! A page of ten kilobytes that is kept: what it costs to serve it, and how long people wait.

use super::load::{Looked, Plan};
use super::nginx::Lock;
use super::origin::{Origin, PAGE_BYTES};
use super::{load, nginx, program};
use crate::child::Server;
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, machine};

const LINES: usize = 64;
/// A steady pace that both can keep with ease: how long people wait is then the cache's doing, not the queue's.
const PACE: f64 = 5000.0;
const MEGABYTES: u64 = 64;
/// Flat out, cache and generator together keep at least this much of a core busy, or others had the machine and what was
/// counted is their doing.
const BUSY_PERCENT_LEAST: f64 = 80.0;

struct Round {
    steady: Looked,
    flat_out: Looked,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let origin = Origin::start()?;
    let (mut theirs, mut plain, mut slots) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=options.rounds {
        let server = nginx::start(&options.scratch, origin.address, Lock::Off, MEGABYTES)?;
        theirs.push(round(options, &origin, &server, "/page")?);
        drop(server);
        let server = program::start(options, origin.address, MEGABYTES)?;
        plain.push(round(options, &origin, &server, "/page")?);
        slots.push(round(options, &origin, &server, "/product/7")?);
        let us = |rounds: &[Round]| rounds.last().map_or(f64::NAN, |round| round.flat_out.cpu_us());
        eprintln!(
            "edge hits {number}/{}: nginx {:.1} µs, Parlor {:.1} µs, with slots {:.1} µs",
            options.rounds,
            us(&theirs),
            us(&plain),
            us(&slots)
        );
    }
    let cpu = |rounds: &[Round]| of(rounds, |round| round.flat_out.cpu_us());
    let p99 = |rounds: &[Round]| of(rounds, |round| round.steady.us(0.99));
    let cpu_ratio = cpu(&plain) / cpu(&theirs);
    let slots_ratio = cpu(&slots) / cpu(&theirs);
    let p99_ratio = p99(&plain) / p99(&theirs);
    Ok(Section {
        name: "edge-hits",
        title: "A page that is kept",
        about: format!(
            "A page of {PAGE_BYTES} bytes from memory, {LINES} kept connections, beside Debian's nginx with proxy_cache, one process, \
             connections to the origin kept. Processor time per request is of the cache's process, user and system, when everybody asks \
             as soon as they are answered; how long people wait is at a steady {PACE} requests a second. Slots are filled for each \
             request. Each cache has a core of its own; medians of {} rounds, the caches in turn.",
            options.rounds
        ),
        head: vec!["cache", "CPU µs/request", "requests/s", "p50 µs", "p99 µs", "CPU µs/request, steady", "generator, of a core"],
        rows: vec![cells(&nginx::version()?, &theirs), cells("Parlor", &plain), cells("Parlor, three slots", &slots)],
        targets: vec![
            target("CPU per request, Parlor / nginx", cpu_ratio, "≤ 1.00", 1.0),
            target("p99, Parlor / nginx", p99_ratio, "≤ 1.10", 1.1),
            target("CPU per request with slots, Parlor / nginx without", slots_ratio, "≤ 1.50", 1.5),
        ],
    })
}

fn target(what: &'static str, ratio: f64, asked: &'static str, most: f64) -> Target {
    Target { what: what.into(), reached: format!("{ratio:.2}"), asked, met: ratio <= most }
}

fn round(options: &Options, origin: &Origin, server: &Server, path: &'static str) -> Result<Round> {
    let seconds = options.seconds / 2;
    let looked = |per_second| load::run(server, &Plan { path, lines: LINES, per_second, seconds });
    let flat_out = looked(None)?;
    if flat_out.busy_percent() < BUSY_PERCENT_LEAST {
        return Err(format!(
            "the machine is too busy to measure on: flat out, cache and generator got {:.0} % of a core and {:.0} requests a second",
            flat_out.busy_percent(),
            flat_out.per_second()
        ));
    }
    let before = origin.hits();
    let steady = looked(Some(PACE))?;
    // A cache that asks behind our back would be compared by what it does not do.
    if origin.hits() > before {
        return Err(format!("{path} was not kept: the origin was asked {} times more", origin.hits() - before));
    }
    if flat_out.body_bytes + 512 < PAGE_BYTES {
        return Err(format!("{path} came with {} bytes", flat_out.body_bytes));
    }
    Ok(Round { steady, flat_out })
}

fn of(rounds: &[Round], pick: impl Fn(&Round) -> f64) -> f64 {
    median(rounds.iter().map(pick).collect())
}

fn cells(name: &str, rounds: &[Round]) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{:.1}", of(rounds, |round| round.flat_out.cpu_us())),
        format!("{:.0}", of(rounds, |round| round.flat_out.per_second())),
        format!("{:.0}", of(rounds, |round| round.steady.us(0.5))),
        format!("{:.0}", of(rounds, |round| round.steady.us(0.99))),
        format!("{:.1}", of(rounds, |round| round.steady.cpu_us())),
        format!("{:.0} %", of(rounds, |round| round.flat_out.generator_percent())),
    ]
}
