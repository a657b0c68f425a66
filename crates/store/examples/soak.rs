//! Writes many gigabytes of commits over many rooms and reports how long the worst of them waited for its ack.
//!
//! cargo run --release -p parlor-store --example soak -- --gigabytes 10 --folder /var/tmp/parlor-soak
//!
//! `--disk fjall+log` puts the log in front; with the feature `redb` there are `redb` and `redb+log`.

use bytes::Bytes;
use parlor_rules::position::{Mark, Place};
use parlor_rules::time::Millis;
use parlor_store::embedded::{Tuning, bare};
use parlor_store::{Commit, Embedded, NodeId, Options, RoomKey, Rooms, Value, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

const HELP: &str = "\
soak [--gigabytes N] [--disk NAME] [--folder FOLDER] [--writers N] [--rooms N] [--value-bytes N] [--memtable-mib N] [--workers N]

  --gigabytes N     how much is written [default: 1]
  --disk NAME       fjall or fjall+log, and with the feature redb: redb or redb+log [default: fjall]
  --folder FOLDER   an empty one, on the disk to measure [default: a temporary one]
  --writers N       who write at the same time [default: 64]
  --rooms N         rooms they write to [default: 10000]
  --value-bytes N   what a commit carries [default: 1000]
  --memtable-mib N  the engine's table in memory
  --workers N       the engine's threads";

struct Arguments {
    gigabytes: f64,
    folder: PathBuf,
    writers: usize,
    rooms: usize,
    value_bytes: usize,
    memtable_mib: u64,
    workers: usize,
    disk: String,
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        gigabytes: 1.0,
        folder: std::env::temp_dir().join(format!("parlor-soak-{}", std::process::id())),
        writers: 64,
        rooms: 10_000,
        value_bytes: 1000,
        memtable_mib: Tuning::default().memtable_bytes >> 20,
        workers: Tuning::default().worker_threads,
        disk: "fjall".to_owned(),
    };
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} is unknown or needs a value; --help tells"))?;
        let number = || value.parse::<f64>().map_err(|_| format!("{name} needs a number, not {value}"));
        match name.as_str() {
            "--gigabytes" => arguments.gigabytes = number()?,
            "--disk" => arguments.disk = value,
            "--folder" => arguments.folder = value.into(),
            "--writers" => arguments.writers = number()? as usize,
            "--rooms" => arguments.rooms = number()? as usize,
            "--value-bytes" => arguments.value_bytes = number()? as usize,
            "--memtable-mib" => arguments.memtable_mib = number()? as u64,
            "--workers" => arguments.workers = number()? as usize,
            _ => return Err(format!("{name} is unknown; --help tells what there is")),
        }
    }
    Ok(arguments)
}

#[derive(Default)]
struct Totals {
    commits: AtomicU64,
    bytes: AtomicU64,
    /// Microseconds of every ack, and when, for those over 20 ms.
    waits: Mutex<Vec<u32>>,
    stalls: Mutex<Vec<(f64, f64)>>,
}

fn main() {
    if std::env::args().any(|given| given == "--help") {
        println!("{HELP}");
        return;
    }
    let arguments = arguments(std::env::args().skip(1)).unwrap_or_else(|why| {
        eprintln!("{why}");
        std::process::exit(2);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let tuning = Tuning { memtable_bytes: arguments.memtable_mib << 20, worker_threads: arguments.workers, ..Tuning::default() };
    let clock = Arc::new(|| Millis(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as u64)));
    let disk = bare::disk(&arguments.disk, &arguments.folder, &tuning).expect("an empty folder");
    let (store, commits) = Embedded::with_disk(disk, clock, Options::default()).expect("a disk that reads");
    let committer = std::thread::Builder::new().name("committer".into()).spawn(move || commits.run_blocking()).expect("a thread");
    println!(
        "{} GB on {} in {} with {} writers over {} rooms",
        arguments.gigabytes,
        arguments.disk,
        arguments.folder.display(),
        arguments.writers,
        arguments.rooms
    );
    let totals = Arc::new(Totals::default());
    let begun = Instant::now();
    let target = (arguments.gigabytes * 1e9) as u64;
    runtime.block_on(async {
        let share = arguments.rooms / arguments.writers;
        let writers: Vec<_> = (0..arguments.writers)
            .map(|n| tokio::spawn(write(store.clone(), n, share, arguments.value_bytes, target, totals.clone(), begun)))
            .collect();
        let mut last = (0, Instant::now());
        while !writers.iter().all(|writer| writer.is_finished()) {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let commits = totals.commits.load(Ordering::Relaxed);
            let rate = (commits - last.0) as f64 / last.1.elapsed().as_secs_f64();
            last = (commits, Instant::now());
            let worst = totals.stalls.lock().expect("no panic").iter().map(|(_, wait)| *wait).fold(0.0, f64::max);
            let gigabytes = totals.bytes.load(Ordering::Relaxed) as f64 / 1e9;
            println!(
                "{:6.1} s {gigabytes:6.2} GB {rate:8.0} commits/s, worst so far over 20 ms: {worst:.1} ms",
                begun.elapsed().as_secs_f64()
            );
        }
    });
    report(&totals, begun.elapsed());
    drop(store);
    committer.join().expect("no panic");
    std::fs::remove_dir_all(&arguments.folder).expect("the folder was ours");
}

async fn write(
    store: Embedded,
    writer: usize,
    rooms: usize,
    value_bytes: usize,
    target: u64,
    totals: Arc<Totals>,
    begun: Instant,
) {
    let keys: Vec<RoomKey> = (0..rooms)
        .map(|n| RoomKey {
            tag: format!("{writer}:{n}").into(),
            spine: format!("room:{writer}:{n}").into(),
            records: Arc::from([]),
            below: None,
        })
        .collect();
    let mut places: Vec<Option<Place>> = vec![None; rooms];
    let mut waits = Vec::new();
    let mut seed = writer as u64 + 1;
    while totals.bytes.load(Ordering::Relaxed) < target {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let n = (seed >> 33) as usize % rooms;
        // Bytes that do not compress, as they would not in a room's own text.
        let value: Bytes = (0..value_bytes).map(|at| (seed.rotate_left(at as u32 % 64) as u8).wrapping_add(at as u8)).collect();
        let commit = Commit {
            by: NodeId(1),
            mark: Mark(seed),
            entry: vec![("events".into(), value.slice(..value_bytes / 4))],
            writes: vec![Write::Put { key: "condition".into(), value: Value::Text(value) }],
            deadline: Some(Millis(u64::MAX / 2)),
        };
        let bytes = commit.bytes() as u64;
        let asked = Instant::now();
        places[n] = Some(store.append(&keys[n], places[n], commit).await.expect("nobody else writes this room"));
        let wait = asked.elapsed();
        waits.push(wait.as_micros() as u32);
        if wait > Duration::from_millis(20) {
            totals.stalls.lock().expect("no panic").push((begun.elapsed().as_secs_f64(), wait.as_secs_f64() * 1e3));
        }
        totals.commits.fetch_add(1, Ordering::Relaxed);
        totals.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
    totals.waits.lock().expect("no panic").extend(waits);
}

fn report(totals: &Totals, took: Duration) {
    let mut waits = totals.waits.lock().expect("no panic").clone();
    waits.sort_unstable();
    let at = |share: f64| f64::from(waits[((waits.len() - 1) as f64 * share) as usize]) / 1e3;
    println!(
        "{} commits in {:.1} s: {:.0} commits/s, {:.1} MB/s of commits",
        waits.len(),
        took.as_secs_f64(),
        waits.len() as f64 / took.as_secs_f64(),
        totals.bytes.load(Ordering::Relaxed) as f64 / 1e6 / took.as_secs_f64()
    );
    println!("ack after (ms): median {:.2}, 99 % {:.2}, 99.9 % {:.2}, worst {:.2}", at(0.5), at(0.99), at(0.999), at(1.0));
    let mut stalls = totals.stalls.lock().expect("no panic").clone();
    stalls.sort_by(|a, b| b.1.total_cmp(&a.1));
    stalls.dedup_by(|a, b| (a.0 - b.0).abs() < 0.01);
    for (when, wait) in stalls.iter().take(10) {
        println!("  a stall of {wait:.1} ms ended at {when:.1} s");
    }
}
