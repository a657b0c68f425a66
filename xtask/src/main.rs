//! The commands of this house: `cargo xtask run`, `cargo xtask test`, and the smaller ones those are made of.
//!
//! Each command is one file. They call cargo and the programs of the workspace; no logic of Parlor lives here.

mod autobahn;
mod bench;
mod cache_tests;
mod check;
mod demo;
mod disk;
mod ministack;
mod npm;
mod pages;
mod pip;
mod python;
mod run;
mod shell;
mod soak;
mod test;
mod tidy;
mod valkey;

use std::process::ExitCode;

/// What went wrong, in one sentence for the person at the terminal.
type Outcome = Result<(), String>;

struct Command {
    name: &'static str,
    takes: &'static str,
    does: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "run",
        takes: "[flags of serve]",
        does: "build Parlor, start it on http://127.0.0.1:7007, keep rooms in ./parlor-data",
        run: run::run,
    },
    Command {
        name: "demo",
        takes: "shop [flags of serve]",
        does: "a little shop with a database of its own, and Parlor in front of it",
        run: demo::run,
    },
    Command {
        name: "test",
        takes: "[lane…]",
        does: "install what the tests need and run everything, or only the named lanes",
        run: test::run,
    },
    Command { name: "check", takes: "", does: "the quick half: format, clippy, tidy, docs", run: check::run },
    Command {
        name: "tidy",
        takes: "",
        does: "check what must not be in the source: the absences that are the architecture",
        run: tidy::run,
    },
    Command { name: "bench", takes: "[flags]", does: "measure Parlor beside its peers, in release", run: bench::run },
    Command {
        name: "soak",
        takes: "[store|sim] [flags]",
        does: "the long runs: gigabytes through the store, many seeds through the simulator",
        run: soak::run,
    },
    Command {
        name: "cache-tests",
        takes: "[--peer P]… [--write]",
        does: "npm's http-cache-tests against the edge, beside nginx or varnish; --write keeps the score in docs",
        run: cache_tests::run,
    },
    Command { name: "help", takes: "", does: "this page", run: help },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = words.split_first().map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let name = if matches!(name, "-h" | "--help") { "help" } else { name };
    let outcome = match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => Err(format!("there is no command {name:?}; `cargo xtask help` lists those there are")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("xtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn help(_: &[String]) -> Outcome {
    println!("cargo xtask <command>\n");
    for Command { name, takes, does, .. } in COMMANDS {
        println!("  {:28} {does}", format!("{name} {takes}"));
    }
    println!("\nNew here? `cargo xtask run` shows what this is, `cargo xtask test` shows that it works.");
    println!("While you work, `cargo xtask check` is quick and `cargo test -p <crate>` is quicker.");
    println!("\nLanes of `test`, in order:\n");
    test::LANES.iter().for_each(|lane| println!("  {:10} at most {:>2} min  {}", lane.name, lane.minutes, lane.shows));
    Ok(())
}
