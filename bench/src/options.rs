//! The command line.

use crate::Result;
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
parlor-bench [all | fanout | idle | acks | rooms | redis-votes | redis-hot | redis-close | redis |
              space-writes | space-fanout | space-large | space-crowd | space | reels |
              edge-hits | edge-cold | edge-flood | edge |
              shop-visits | shop-memory | shop-redis | shop-rows | shop] …

  --parlor PATH     the release binary to measure [default: beside this one]
  --scratch FOLDER  where stores are made, on a real disk [default: beside this binary]
  --rounds N        rounds of each comparison; medians are reported [default: 3]
  --seconds N       length of one measurement [default: 10]
  --tick-us N       in a fan-out: clients speak at ticks so far apart, several at once [default: each at its own moments]
  --serve FLAG=VALUE  a setting of `parlor serve` to measure with, for example gather-ms=2
  --edge PATH       the edge's release example to measure [default: examples/edge beside this one]
  --urls N          addresses of the edge's flood [default: 1000000]
  --people N        people in each room of the idle bench [default: 10]
  --write           write the tables into the page
  --page FILE       the page [default: docs/benchmarks.md]";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bench {
    Fanout,
    Idle,
    Acks,
    Rooms,
    RedisVotes,
    RedisHot,
    RedisClose,
    SpaceWrites,
    SpaceFanout,
    SpaceLarge,
    SpaceCrowd,
    Reels,
    EdgeHits,
    EdgeCold,
    EdgeFlood,
    ShopVisits,
    ShopMemory,
    ShopRedis,
    ShopRows,
    /// Votes through the engine in this process; started by `acks`.
    Inside,
    /// The same commits through the disk alone; started by `acks`.
    Bare,
}

/// All that need a redis-server.
const REDIS: [Bench; 3] = [Bench::RedisVotes, Bench::RedisHot, Bench::RedisClose];

/// All that are about spaces.
const SPACE: [Bench; 4] = [Bench::SpaceFanout, Bench::SpaceWrites, Bench::SpaceLarge, Bench::SpaceCrowd];

/// All that are about the storefront's edge; they need nginx.
const EDGE: [Bench; 3] = [Bench::EdgeHits, Bench::EdgeCold, Bench::EdgeFlood];

/// All that are about visits and carts.
const SHOP: [Bench; 4] = [Bench::ShopVisits, Bench::ShopMemory, Bench::ShopRedis, Bench::ShopRows];

#[derive(Clone)]
pub struct Options {
    pub benches: Vec<Bench>,
    pub parlor: PathBuf,
    pub scratch: PathBuf,
    pub rounds: usize,
    pub seconds: Duration,
    /// Of the clocks of those who speak in a fan-out; zero: each keeps its own moments.
    pub tick: Duration,
    /// Flags for every Parlor that is started.
    pub serve: Vec<String>,
    pub people: usize,
    pub edge: PathBuf,
    pub urls: usize,
    pub write: bool,
    pub page: PathBuf,
    /// For the two that `acks` starts.
    pub folder: PathBuf,
}

impl Options {
    pub fn read(words: impl Iterator<Item = String>) -> Result<Options> {
        let here = std::env::current_exe().map_err(|error| format!("this program cannot find itself: {error}"))?;
        let beside = |name: &str| here.with_file_name(name);
        let mut options = Options {
            benches: Vec::new(),
            parlor: beside("parlor"),
            scratch: beside("bench-scratch"),
            rounds: 3,
            seconds: Duration::from_secs(10),
            tick: Duration::ZERO,
            serve: Vec::new(),
            people: 10,
            edge: beside("examples").join("edge"),
            urls: 1_000_000,
            write: false,
            page: "docs/benchmarks.md".into(),
            folder: PathBuf::new(),
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n\n{HELP}"));
            match word.as_str() {
                "all" => {
                    options.benches.extend([Bench::Fanout, Bench::Idle, Bench::Acks, Bench::Rooms]);
                    options.benches.extend(REDIS);
                    options.benches.extend(SPACE);
                    options.benches.push(Bench::Reels);
                    options.benches.extend(EDGE);
                    options.benches.extend(SHOP);
                }
                "redis" => options.benches.extend(REDIS),
                "space" => options.benches.extend(SPACE),
                "reels" => options.benches.push(Bench::Reels),
                "edge" => options.benches.extend(EDGE),
                "shop" => options.benches.extend(SHOP),
                "shop-visits" => options.benches.push(Bench::ShopVisits),
                "shop-memory" => options.benches.push(Bench::ShopMemory),
                "shop-redis" => options.benches.push(Bench::ShopRedis),
                "shop-rows" => options.benches.push(Bench::ShopRows),
                "edge-hits" => options.benches.push(Bench::EdgeHits),
                "edge-cold" => options.benches.push(Bench::EdgeCold),
                "edge-flood" => options.benches.push(Bench::EdgeFlood),
                "space-writes" => options.benches.push(Bench::SpaceWrites),
                "space-fanout" => options.benches.push(Bench::SpaceFanout),
                "space-large" => options.benches.push(Bench::SpaceLarge),
                "space-crowd" => options.benches.push(Bench::SpaceCrowd),
                "redis-votes" => options.benches.push(Bench::RedisVotes),
                "redis-hot" => options.benches.push(Bench::RedisHot),
                "redis-close" => options.benches.push(Bench::RedisClose),
                "fanout" => options.benches.push(Bench::Fanout),
                "idle" => options.benches.push(Bench::Idle),
                "acks" => options.benches.push(Bench::Acks),
                "rooms" => options.benches.push(Bench::Rooms),
                "inside" => options.benches.push(Bench::Inside),
                "bare" => options.benches.push(Bench::Bare),
                "--parlor" => options.parlor = value()?.into(),
                "--scratch" => options.scratch = value()?.into(),
                "--rounds" => options.rounds = number(&value()?)?,
                "--seconds" => options.seconds = Duration::from_secs(number(&value()?)? as u64),
                "--tick-us" => options.tick = Duration::from_micros(number(&value()?)? as u64),
                "--serve" => options.serve.push(format!("--{}", value()?)),
                "--edge" => options.edge = value()?.into(),
                "--urls" => options.urls = number(&value()?)?,
                "--people" => options.people = number(&value()?)?,
                "--write" => options.write = true,
                "--page" => options.page = value()?.into(),
                "--folder" => options.folder = value()?.into(),
                _ => return Err(HELP.to_owned()),
            }
        }
        if options.benches.is_empty() {
            return Err(HELP.to_owned());
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<usize> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("{text:?} is no positive number"))
}
