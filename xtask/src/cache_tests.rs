//! `cargo xtask cache-tests`: npm's http-cache-tests against the edge, and beside it against other caches.
//!
//! The suite is installed by name into the user's cache, once; a script beside the edge's tests runs and counts it.

use crate::shell::{built, cargo, go, root};
use crate::{Outcome, npm, pip};
use std::process::Command;

/// With this it was seen to work; another version is installed anew.
const PACKAGE: &str = "http-cache-tests@0.4.5";

/// What the lane asks of the edge: required and optimal tests passed, of 157 and 86.
const AT_LEAST: &str = "140,65";

/// The caches it can be compared with, and the program of each.
const PEERS: &[(&str, &str)] = &[("nginx", "nginx"), ("varnish", "varnishd")];

const PAGE: &str = "docs/cache-tests.md";

pub(crate) fn run(args: &[String]) -> Outcome {
    let mut words = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--write" => words.extend(["--write".to_owned(), PAGE.to_owned()]),
            "--peer" => words.push(peer(args.next().map(String::as_str))?),
            _ => return Err(format!("{arg:?} is not known; it takes --peer nginx, --peer varnish and --write")),
        }
    }
    go(cargo(&["build", "--package", "parlor-edge", "--example", "edge"]))?;
    score(&words)
}

/// The edge that the build lane has built.
pub(crate) fn lane() -> Outcome {
    score(&["--at-least".to_owned(), AT_LEAST.to_owned()])
}

fn peer(name: Option<&str>) -> Result<String, String> {
    let known = PEERS.iter().find(|(known, _)| name == Some(known));
    known.map(|(name, program)| format!("{name}={program}")).ok_or_else(|| "--peer takes nginx or varnish".to_owned())
}

fn score(words: &[String]) -> Outcome {
    let home = pip::home("cache-tests")?;
    npm::install(&home, &[PACKAGE])?;
    let edge = built("examples/edge", &[])?;
    let mut suite = Command::new("node");
    suite.current_dir(root()).arg("crates/edge/tests/suite/run.mjs");
    suite.arg(home.join("node_modules/http-cache-tests")).arg(home.join("run"));
    suite.arg(format!("edge={}", edge.get_program().display())).args(words);
    go(suite)
}
