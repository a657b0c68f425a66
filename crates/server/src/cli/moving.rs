//! `parlor move`: everything of one store into another, where it goes on as if it had never moved.
//!
//! Each room arrives whole or not at all, so a move that was stopped is begun again and skips what has arrived. What the
//! other store has already is left alone unless told otherwise. At the end both are read again and compared.

mod copying;
mod progress;

use super::text;
use crate::config::StoreChoice;
use crate::host;
use clap::{Arg, ArgAction, ArgMatches, Command};
use copying::Mover;
use parlor_rules::Millis;
use parlor_store::{Carry, Embedded, Options, Redis};
use progress::Progress;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Names that a complaint lists before it only counts.
const NAMED_MAX: usize = 10;

const LONG_ABOUT: &str = "\
Copy everything into another store: rooms with their positions, history and lifetimes, and who is logged in.

Stop the server first. Nothing is taken away from the store it comes from. A move that was stopped goes on where it was
when the same command is run again. What the other store has already is not overwritten without --replace. At the end
both are read again and compared.

Examples:
  parlor move --from embedded:./parlor-data --to redis://127.0.0.1:6379/0
  parlor move --from redis://127.0.0.1:6379/0 --to embedded:./parlor-back
  parlor move --from embedded:./parlor-data --to dynamodb://parlor?region=eu-central-1
  parlor move --from redis://127.0.0.1:6379/0 --to redis-cluster://10.0.0.1:6379,10.0.0.2:6379 --dry-run";

pub fn command() -> Command {
    let store = |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("STORE").required(true).help(help);
    Command::new("move")
        .about("Copy everything into another store, e.g. from a folder to Redis, and compare")
        .long_about(LONG_ABOUT)
        .arg(store(
            "from",
            "The store to copy: embedded:PATH, redis://…, rediss://…, redis-sentinel://…, redis-cluster://… or dynamodb://…",
        ))
        .arg(store("to", "The store to copy to, written the same way"))
        .arg(
            Arg::new("replace")
                .long("replace")
                .action(ArgAction::SetTrue)
                .help("Overwrite rooms and records that the other store has otherwise"),
        )
        .arg(
            Arg::new("redis-allow-eviction")
                .long("redis-allow-eviction")
                .value_name("BOOL")
                .value_parser(clap::value_parser!(bool))
                .default_value("false")
                .help("Copy to a Redis server although it may throw rooms away when its memory is full"),
        )
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Only say what would be copied; write nothing"))
}

pub async fn run(flags: &ArgMatches) -> Result<(), String> {
    let (from, to) = (read(flags, "from")?, read(flags, "to")?);
    if is_same(&from, &to) {
        return Err("--from and --to are the same store".to_owned());
    }
    let moving = async {
        let source = open_source(&from).await?;
        let evicts = flags.get_one("redis-allow-eviction").copied().unwrap_or_default();
        let target = if flags.get_flag("dry-run") { open_if_there(&to, evicts).await? } else { Some(open(&to, evicts).await?) };
        let mover = Mover { source, target, replaces: flags.get_flag("replace") };
        go(&mover, &to, flags.get_flag("dry-run")).await
    };
    tokio::select! {
        done = moving => done,
        _ = tokio::signal::ctrl_c() => Err("stopped; every room is there whole or not at all, and the same command goes on".to_owned()),
    }
}

async fn go(mover: &Mover, to: &StoreChoice, is_dry: bool) -> Result<(), String> {
    let names = mover.names().await?;
    eprintln!("found {}", names.counted());
    if !names.foreign.is_empty() {
        eprintln!("{} keys are not Parlor's and stay where they are: {}", names.foreign.len(), some(&names.foreign));
    }
    let mut progress = Progress::new(if is_dry { "compared" } else { "copied" }, &names);
    let copied = if is_dry { mover.compare(&names, &mut progress).await? } else { mover.copy(&names, &mut progress).await? };
    progress.end();
    let mut told = copied.told(if is_dry { "would be copied" } else { "copied" });
    if !copied.refused.is_empty() {
        let refused = &copied.refused;
        eprintln!("{told}");
        return Err(format!(
            "{} are at the other store as something else and were left alone: {}; --replace overwrites them",
            refused.len(),
            some(refused)
        ));
    }
    if is_dry {
        println!("{told}; nothing was written");
        return Ok(());
    }
    let now = mover.names().await?;
    let mut progress = Progress::new("verified", &now);
    let different = mover.verify(&names, &now, &mut progress).await?;
    progress.end();
    if !different.is_empty() {
        eprintln!("{told}");
        return Err(format!(
            "{} differ: {}; something wrote to the source meanwhile: stop it and run the same command again",
            different.len(),
            some(&different)
        ));
    }
    // Writing to a String cannot fail.
    let _ = write!(told, "; both stores were read again and are the same. Go on with: parlor serve --store {}", shown(to));
    println!("{told}");
    Ok(())
}

fn read(flags: &ArgMatches, name: &str) -> Result<StoreChoice, String> {
    let choice = text(flags, name).parse().map_err(|error: String| format!("--{name}: {error}"))?;
    match (choice, name) {
        (StoreChoice::Memory, "from") => Err("--from memory: has nothing to copy; it forgets when its server stops".to_owned()),
        (StoreChoice::Memory, _) => Err("--to memory: would be forgotten at once; choose a store that keeps".to_owned()),
        (choice, _) => Ok(choice),
    }
}

fn is_same(from: &StoreChoice, to: &StoreChoice) -> bool {
    match (from, to) {
        (StoreChoice::Embedded(from), StoreChoice::Embedded(to)) => {
            let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            real(from) == real(to)
        }
        (from, to) => from == to,
    }
}

async fn open_source(choice: &StoreChoice) -> Result<Arc<dyn Carry>, String> {
    match choice {
        StoreChoice::Embedded(folder) if !folder.is_dir() => Err(format!("there is no store in {}", folder.display())),
        // What it still has is to be saved all the more.
        choice => open(choice, true).await,
    }
}

/// A folder that is not there is not made only to be looked at.
async fn open_if_there(choice: &StoreChoice, evicts: bool) -> Result<Option<Arc<dyn Carry>>, String> {
    match choice {
        StoreChoice::Embedded(folder) if !folder.exists() => Ok(None),
        choice => open(choice, evicts).await.map(Some),
    }
}

async fn open(choice: &StoreChoice, evicts: bool) -> Result<Arc<dyn Carry>, String> {
    let clock = Arc::new(host::now as fn() -> Millis);
    Ok(match choice {
        StoreChoice::Embedded(folder) => {
            Arc::new(Embedded::open(folder, clock, Options::default()).map_err(|error| error.to_string())?)
        }
        StoreChoice::Redis(address) => {
            let options = parlor_store::redis::Options { allow_eviction: evicts, ..parlor_store::redis::Options::default() };
            Arc::new(Redis::open(address, clock, options).await?)
        }
        #[cfg(feature = "dynamodb")]
        StoreChoice::DynamoDb(address) => Arc::new(crate::nodes::open_store(address, clock, Default::default()).await?),
        StoreChoice::Memory => return Err("the memory: store cannot be moved".to_owned()),
    })
}

fn shown(choice: &StoreChoice) -> String {
    match choice {
        StoreChoice::Embedded(folder) => format!("embedded:{}", folder.display()),
        StoreChoice::Redis(address) => address.to_string(),
        #[cfg(feature = "dynamodb")]
        StoreChoice::DynamoDb(address) => address.to_string(),
        StoreChoice::Memory => "memory:".to_owned(),
    }
}

/// The first names, and how many more there are.
fn some(names: &[String]) -> String {
    let first = names[..names.len().min(NAMED_MAX)].join(", ");
    let more = names.len().saturating_sub(NAMED_MAX);
    if more > 0 { format!("{first} and {more} more") } else { first }
}
