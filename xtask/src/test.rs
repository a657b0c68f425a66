//! `cargo xtask test`: everything that must hold before a change is done, in lanes with a budget of time each.
//!
//! Nothing is skipped silently: a lane that could not run has failed, and a lane after a failed build is
//! counted as not run.

use crate::shell::{built, cargo, exists, go};
use crate::{Outcome, autobahn, cache_tests, check, disk, ministack, pages, python, valkey};
use std::process::Command;
use std::time::{Duration, Instant};

pub(crate) struct Lane {
    pub(crate) name: &'static str,
    /// What the lane may take on two cores from a warm build; over it is a warning, for someone to look at.
    pub(crate) minutes: u64,
    pub(crate) shows: &'static str,
    step: Step,
}

enum Step {
    Call(fn() -> Outcome),
    Cargo(&'static [&'static str]),
    /// A program that the build lane has built.
    Built(&'static str, &'static [&'static str]),
}
use Step::{Call, Cargo};

/// To add a lane, add a line.
#[rustfmt::skip]
pub(crate) const LANES: &[Lane] = &[
    Lane { name: "disk",  minutes: 1,  shows: "there is room for builds and stores",      step: Call(disk::lane) },
    Lane { name: "check", minutes: 4,  shows: "format, tidy, clippy, docs",               step: Call(|| check::run(&[])) },
    Lane { name: "tools", minutes: 2,  shows: "the programs that the tests start exist",  step: Call(tools) },
    Lane { name: "pages", minutes: 3,  shows: "types, tests and size of sdk/js and web",  step: Call(pages::lane) },
    Lane { name: "build", minutes: 12, shows: "everything compiles",                      step: Cargo(&["build", "--workspace", "--all-targets"]) },
    Lane { name: "rust",  minutes: 10, shows: "rules, properties, golden files, doors",   step: Call(rust) },
    Lane { name: "grpc",  minutes: 1,  shows: "two people estimate with Python's own client", step: Call(python::lane) },
    Lane { name: "book",  minutes: 1,  shows: "document 004's four tests, by Redis's own Python client", step: Call(python::book) },
    Lane { name: "items", minutes: 3,  shows: "documents 001 and 003 in a DynamoDB table, by Amazon's own Python client", step: Call(python::items) },
    Lane { name: "autobahn", minutes: 2, shows: "Autobahn's WebSocket suite, every case",   step: Call(autobahn::lane) },
    Lane { name: "cache", minutes: 3,  shows: "npm's http-cache-tests against the edge",  step: Call(cache_tests::lane) },
    Lane { name: "sim",   minutes: 3,  shows: "the whole house in bad weather, by seed",  step: Step::Built("parlor-sim", &["--seeds", "300", "--seconds", "60"]) },
    Lane { name: "hurt",  minutes: 8,  shows: "kills, injected faults, damage, counted",  step: Cargo(&["test", "-p", "parlor", "--test", "it", "--", "--nocapture", "--test-threads=2", "kill::", "trace::", "faults::", "damage::", "nodes::storm::", "nodes::losses::"]) },
    Lane { name: "sdk",   minutes: 1,  shows: "the SDK against a real server",            step: Call(pages::sdk) },
    Lane { name: "browser", minutes: 10, shows: "journeys in Chromium, axe on every page",  step: Call(pages::journeys) },
    Lane { name: "docs",  minutes: 1,  shows: "examples in the documentation",            step: Cargo(&["test", "--doc", "--workspace"]) },
];

/// A program that a test starts, how to ask whether it is there, and the Debian package that brings it.
const TOOLS: &[(&str, &str, &str)] = &[
    ("strace", "--version", "strace"),
    ("python3", "--version", "python3-venv"),
    ("node", "--version", "nodejs"),
    ("npm", "--version", "npm"),
    ("chromium", "--version", "chromium"),
    ("redis-server", "--version", "redis-server"),
    // PostgreSQL's own programs lie outside of the path; this one comes with its server.
    ("pg_lsclusters", "--help", "postgresql"),
];

pub(crate) fn run(only: &[String]) -> Outcome {
    if let Some(unknown) = only.iter().find(|name| LANES.iter().all(|lane| lane.name != **name)) {
        return Err(format!("there is no lane {unknown:?}; `cargo xtask help` lists them"));
    }
    let chosen: Vec<&Lane> = LANES.iter().filter(|lane| only.is_empty() || only.iter().any(|name| name == lane.name)).collect();
    let (mut passed, mut failed) = (0, Vec::new());
    for lane in &chosen {
        println!("\n== {}: {} (at most {} min)", lane.name, lane.shows, lane.minutes);
        let began = Instant::now();
        let outcome = match lane.step {
            Call(step) => step(),
            Cargo(args) => go(cargo(args)),
            Step::Built(name, args) => built(name, args).and_then(go),
        };
        println!("{}", verdict(lane, &outcome, began.elapsed()));
        match outcome {
            Ok(()) => passed += 1,
            Err(_) => failed.push(lane.name),
        }
        if failed.last() == Some(&"build") {
            break; // Without a build there is nothing to run.
        }
    }
    let summary = summary(passed, failed.len(), chosen.len());
    println!("\n{summary}");
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn verdict(lane: &Lane, outcome: &Outcome, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    let mut line = match outcome {
        Ok(()) => format!("== {}: passed in {seconds:.1} s", lane.name),
        Err(sentence) => format!("== {}: FAILED after {seconds:.1} s: {sentence}", lane.name),
    };
    if took > Duration::from_secs(lane.minutes * 60) {
        line += &format!("\nwarning: lane {} is over its budget of {} min", lane.name, lane.minutes);
    }
    line
}

fn summary(passed: usize, failed: usize, all: usize) -> String {
    match all - passed - failed {
        0 => format!("{passed} passed, {failed} failed"),
        rest => format!("{passed} passed, {failed} failed, {rest} not run"),
    }
}

fn rust() -> Outcome {
    if exists(cargo(&["nextest", "--version"])) {
        // Those of the lane `hurt` run there, where their counts can be read.
        let unhurt = "not (package(parlor) and test(/^(kill|trace|faults|damage|nodes::storm|nodes::losses)::/))";
        go(golden(cargo(&["nextest", "run", "--no-fail-fast", "--workspace", "-E", unhurt])))
    } else {
        go(golden(cargo(&["test", "--workspace", "--all-targets"])))
    }
}

/// A golden file that differs is a failure and nothing else: no new file is left beside it.
fn golden(mut tests: Command) -> Command {
    tests.env("INSTA_UPDATE", "no");
    tests
}

/// Debian's packages first: Valkey and DynamoDB's stand-in come by way of Python.
fn tools() -> Outcome {
    packages()?;
    valkey::install()?;
    ministack::install()?;
    println!("all there");
    Ok(())
}

/// Installs what is missing where we may, and says what to install where we may not.
fn packages() -> Outcome {
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(program, flag, _)| !there(program, flag)).map(|(_, _, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = missing.join(" ");
    if !(there("apt-get", "--version") && is_root()) {
        return Err(format!("the tests need {packages}; on Debian: apt-get install {packages}"));
    }
    let mut update = Command::new("apt-get");
    update.args(["update", "--quiet"]);
    go(update)?;
    let mut install = Command::new("apt-get");
    install
        .args(["install", "--yes", "--quiet", "--no-install-recommends"])
        .args(&missing)
        .env("DEBIAN_FRONTEND", "noninteractive");
    go(install)
}

fn there(program: &str, flag: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(flag);
    exists(command)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_out_of_the_summary() {
        assert_eq!(summary(5, 0, 5), "5 passed, 0 failed");
        assert_eq!(summary(2, 1, 5), "2 passed, 1 failed, 2 not run");
    }

    #[test]
    fn a_lane_over_its_budget_warns_and_does_not_fail() {
        let late = verdict(&LANES[0], &Ok(()), Duration::from_secs(3600));
        let warning = format!("warning: lane {} is over its budget", LANES[0].name);
        assert!(late.contains("passed in 3600.0 s") && late.contains(&warning), "{late}");
        assert!(!verdict(&LANES[0], &Ok(()), Duration::from_secs(1)).contains("warning"));
    }

    #[test]
    fn an_unknown_lane_is_refused() {
        assert!(run(&["nonsense".into()]).is_err());
    }
}
