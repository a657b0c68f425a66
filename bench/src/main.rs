//! Parlor measured beside its peers, as ratios of one run. The load generator is its own process; it builds nothing.
//!
//! Everything listens on loopback, every wait is bounded, and what is printed says on which machine it was measured.

mod options;
mod machine;
mod child;
mod line;
mod report;
mod peer;
mod parlor;
mod bun;
mod fanout;
mod idle;
mod fill;
mod votes;
mod inside;
mod bare;
mod acks;
mod rooms;

use options::{Bench, Options};
use report::Section;
use std::process::ExitCode;

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
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
            Bench::Inside => return inside::main(options),
            Bench::Bare => return bare::main(options),
        };
        println!("{}", section.text());
        sections.push(section);
    }
    if options.write { report::write(&options.page, &sections) } else { Ok(()) }
}
