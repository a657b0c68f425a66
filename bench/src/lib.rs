//! Parlor measured beside its peers, as ratios of one run. The load generator is its own process; it builds nothing.
//!
//! Everything listens on loopback, every wait is bounded, and what is printed says on which machine it was measured.

pub mod acks;
pub mod bare;
pub mod bun;
pub mod child;
pub mod edge;
pub mod fanout;
pub mod fill;
pub mod idle;
pub mod inside;
pub mod line;
pub mod machine;
pub mod npm;
pub mod options;
pub mod parlor;
pub mod peer;
pub mod redis;
pub mod reels;
pub mod report;
pub mod rooms;
pub mod shop;
pub mod space;
pub mod votes;

use options::{Bench, Options};
use report::Section;
use std::process::ExitCode;

pub type Result<T> = std::result::Result<T, String>;

pub fn main() -> ExitCode {
    let done = Options::read(std::env::args().skip(1)).and_then(|options| run(&options));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    machine::raise_open_files()?;
    let mut sections: Vec<Section> = Vec::new();
    for bench in &options.benches {
        let section = match bench {
            Bench::Fanout => fanout::run(options)?,
            Bench::Idle => idle::run(options)?,
            Bench::Acks => acks::run(options)?,
            Bench::Rooms => rooms::run(options)?,
            Bench::RedisVotes => redis::votes::run(options)?,
            Bench::RedisHot => redis::hot::run(options)?,
            Bench::RedisClose => redis::closing::run(options)?,
            Bench::SpaceWrites => space::writes::run(options)?,
            Bench::SpaceFanout => space::fanout::run(options)?,
            Bench::SpaceLarge => space::large::run(options)?,
            Bench::SpaceCrowd => space::crowd::run(options)?,
            Bench::Reels => reels::run(options)?,
            Bench::EdgeHits => edge::hits::run(options)?,
            Bench::EdgeCold => edge::cold::run(options)?,
            Bench::EdgeFlood => edge::flood::run(options)?,
            Bench::ShopVisits => shop::visits::run(options)?,
            Bench::ShopMemory => shop::memory::run(options)?,
            Bench::ShopRedis => shop::redis::run(options)?,
            Bench::ShopRows => shop::rows::run(options)?,
            Bench::Inside => return inside::main(options),
            Bench::Bare => return bare::main(options),
        };
        println!("{}", section.text());
        sections.push(section);
    }
    if options.write { report::write(&options.page, &sections) } else { Ok(()) }
}
