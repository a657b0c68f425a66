//! `parlor-sim`: runs seeds and says what happened in them; stops at the first that breaks a promise.

use parlor_sim::{Bug, Report, run, run_aloud};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const USAGE: &str = "parlor-sim --seeds N [--from S] [--seconds T]   N seeds from S (default 1), then random ones for T seconds
parlor-sim --seed X                             one seed, with everything that happens in it";

struct Wish {
    seeds: u64,
    from: u64,
    seconds: u64,
    one: Option<u64>,
}

fn main() -> ExitCode {
    let wish = match read(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(what) => {
            eprintln!("{what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(seed) = wish.one {
        return conclude(&run_aloud(seed, Bug::None));
    }
    let mut sums = Sums::default();
    let mut told = Instant::now();
    for seed in wish.from..wish.from.saturating_add(wish.seeds) {
        if !sums.add(seed, &mut told) {
            return ExitCode::FAILURE;
        }
    }
    if wish.seconds > 0 {
        let start = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64) | 1 << 63;
        println!("for {} seconds from the random seed {start}", wish.seconds);
        let until = Instant::now() + Duration::from_secs(wish.seconds);
        let mut seed = start;
        while Instant::now() < until {
            if !sums.add(seed, &mut told) {
                return ExitCode::FAILURE;
            }
            seed = seed.wrapping_add(1);
        }
    }
    println!("{}; no promise was broken", sums.line());
    ExitCode::SUCCESS
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Wish, String> {
    let mut wish = Wish { seeds: 0, from: 1, seconds: 0, one: None };
    let mut any = false;
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse().map_err(|_| format!("{word} {text}: that is no number"))
        };
        match word.as_str() {
            "--seeds" => wish.seeds = number()?,
            "--from" => wish.from = number()?,
            "--seconds" => wish.seconds = number()?,
            "--seed" => wish.one = Some(number()?),
            other => return Err(format!("what is {other}?")),
        }
        any = true;
    }
    if any { Ok(wish) } else { Err("say how many seeds".into()) }
}

#[derive(Default)]
struct Sums {
    began: Option<Instant>,
    seeds: u64,
    commits: u64,
    acks: u64,
    again: u64,
    views: u64,
    crashes: u64,
    restarts: u64,
    cuts: u64,
    conflicts: u64,
    resumed: u64,
    too_slow: u64,
}

impl Sums {
    fn add(&mut self, seed: u64, told: &mut Instant) -> bool {
        self.began.get_or_insert_with(Instant::now);
        let report = run(seed, Bug::None);
        if report.failure.is_some() {
            conclude(&report);
            return false;
        }
        self.seeds += 1;
        self.commits += report.commits;
        self.acks += report.tally.acks;
        self.again += report.tally.again;
        self.views += report.tally.views;
        self.crashes += report.tally.crashes;
        self.restarts += report.tally.restarts;
        self.cuts += report.tally.cuts;
        self.conflicts += report.tally.conflicts;
        self.resumed += report.tally.resumed;
        self.too_slow += report.tally.too_slow;
        if told.elapsed() > Duration::from_secs(5) {
            println!("{}", self.line());
            *told = Instant::now();
        }
        true
    }

    fn line(&self) -> String {
        let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        format!(
            "{} seeds in {seconds:.1} s ({:.0}/s): {} commits, {} acks ({} again), {} views checked, {} power cuts, {} restarts, \
             {} lines cut, {} conflicts, {} resumed, {} too slow",
            self.seeds,
            self.seeds as f64 / seconds.max(0.001),
            self.commits,
            self.acks,
            self.again,
            self.views,
            self.crashes,
            self.restarts,
            self.cuts,
            self.conflicts,
            self.resumed,
            self.too_slow,
        )
    }
}

fn conclude(report: &Report) -> ExitCode {
    let Report { seed, hash, commits, rooms, tally, plan, failure } = report;
    match failure {
        Some(failure) => {
            println!("{failure}\n{plan}\nseed {seed} broke a promise; replay it with: parlor-sim --seed {seed}");
            ExitCode::FAILURE
        }
        None => {
            println!(
                "{plan}\nseed {seed}: {commits} commits in {rooms} rooms, {tally:?}, trace {hash:016x}; no promise was broken"
            );
            ExitCode::SUCCESS
        }
    }
}
