//! What the disk gives without rooms: prebuilt batches, the same group commit, write, sync, ack.
//!
//! cargo run --release -p parlor-store --example bare -- 256 10

use parlor_store::embedded::{Tuning, bare};
use std::time::Duration;

fn main() {
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    let named = given.iter().position(|text| text == "--disk").map(|at| given.drain(at..at + 2).nth(1).expect("a disk"));
    let mut numbers = given.iter().map(|text| text.parse::<u64>().expect("a number"));
    let submitters = numbers.next().unwrap_or(256) as usize;
    let seconds = numbers.next().unwrap_or(5);
    let pairs = numbers.next().unwrap_or(3) as usize;
    let value_bytes = numbers.next().unwrap_or(100) as usize;
    let folder = std::env::temp_dir().join(format!("parlor-bare-{}", std::process::id()));
    let load = bare::Load { submitters, pairs, value_bytes, rooms: 1000 };
    let disk = bare::disk(named.as_deref().unwrap_or("fjall"), &folder, &Tuning::default()).expect("an empty folder");
    let measured = bare::run_on(disk, &folder, load, Duration::from_secs(seconds)).expect("a disk that works");
    println!("{measured:?}");
    println!(
        "{:.0} acks/s, {:.1} per sync, {:.0} syncs/s",
        measured.acks_per_second(),
        measured.acks_per_sync(),
        measured.syncs_per_second()
    );
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
}
