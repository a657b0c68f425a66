//! Struck while what was acked moves on: from the log into the engine's journal, which the mover does, and from memory into
//! tables, which the engine's workers do. Nobody waits for them, but an ack after a failure must not be a lie.

use super::{BLOWS, Blow, Point, plan, reopen, sampled, strike};
use crate::support::dice::Dice;
use crate::support::house::House;
use crate::support::load::Load;
use crate::support::player::Player;
use crate::support::snapshot::Snapshot;
use crate::support::strace::{Call, Tracer};

/// Votes before and after the memory is full.
const BEFORE: u64 = 40;
const AFTER: u64 = 20;
/// Votes in a row during which nothing else was done.
const QUIET: u64 = 50;
/// Each run opens a large folder twice, so there are fewer of them.
const FEW: usize = 8;

const MOVER: &str = "mover";
const WORKER: &str = "fjall:worker";
const POINTS: [(&str, &[&str]); 2] = [
    (MOVER, &["openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate"]),
    (WORKER, &["openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "renameat", "unlink"]),
];

#[test]
fn struck_while_tables_are_written_it_loses_nothing_acked() {
    let mut dice = Dice::new("faults while tables are written");
    let (snapshot, players) = Load::left_full(BEFORE);
    for (thread, calls) in POINTS {
        let counts = count(thread, calls, &snapshot, &players);
        let mut points = Vec::new();
        for (call, count) in counts {
            points.extend(sampled(count, FEW, &mut dice).into_iter().flat_map(|nth| BLOWS.map(|blow| Point { blow, call, nth })));
        }
        let summary = strike(points, |point| run(thread, point, &snapshot, &players));
        eprintln!("while tables are written, {thread}: {summary}");
    }
}

/// Votes until the memory was full and those behind it have nothing more to do, or it ends, or something was struck.
/// The mover has something to do as long as there are votes.
fn evening(house: &mut House, tracer: &Tracer, thread: &str, ana: &mut Player) {
    let Ok(mut line) = ana.sit(&house.ws_url()) else { return };
    let (mut votes, mut quiet, mut seen, mut since) = (0, 0, tracer.bytes(), 0);
    // What failed behind our back shows with one of the next commits, if it must.
    while since < 3 && (votes < BEFORE + AFTER || (thread != MOVER && quiet < QUIET)) {
        votes += 1;
        assert!(votes < 10_000, "they never rest");
        match ana.act(&mut line) {
            Ok(reply) if reply["ok"].is_object() => {}
            Ok(_) | Err(_) => return,
        }
        quiet = if tracer.bytes() == seen { quiet + 1 } else { 0 };
        seen = tracer.bytes();
        since += u64::from(tracer.has_struck());
    }
    assert!(since > 0 || house.is_running());
}

fn trace(house: &House, thread: &str, calls: &[&str], inject: Option<&Point>) -> Tracer {
    let (watched, inject) = (format!("trace={}", calls.join(",")), inject.map(Point::inject));
    let mut arguments = vec!["-e", &watched];
    arguments.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    Tracer::attach_to(house.pid(), thread, &arguments)
}

fn count(thread: &str, calls: &[&'static str], snapshot: &Snapshot, players: &[Player]) -> Vec<(&'static str, usize)> {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    snapshot.lay_out(&folder);
    let mut house = House::open(plan(&folder, Vec::new()));
    let tracer = trace(&house, thread, calls, None);
    evening(&mut house, &tracer, thread, &mut players[0].clone());
    assert_eq!(house.terminate().code, Some(0));
    let seen = tracer.seen();
    let most = |name: &str| {
        let by = |pid: u32| seen.iter().filter(|call| call.name == name && call.pid == pid && call.is_in(&folder)).count();
        seen.iter().map(|call| by(call.pid)).max().unwrap_or(0)
    };
    let counts: Vec<_> = calls.iter().map(|name| (*name, most(name))).filter(|(_, count)| *count > 0).collect();
    assert!(counts.iter().any(|(name, _)| name.contains("sync")), "{thread} did nothing that can be struck: {counts:?}");
    counts
}

fn run(thread: &str, point: Point, snapshot: &Snapshot, players: &[Player]) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    snapshot.lay_out(&folder);
    let mut players = players.to_vec();
    let mut house = House::open(plan(&folder, Vec::new()));
    let tracer = trace(&house, thread, &[point.call], Some(&point));
    evening(&mut house, &tracer, thread, &mut players[0]);
    if house.is_running() {
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| house.ask_to_go())); // It may go just now.
    }
    let ended = house.wait();
    ended.no_panic();
    let struck = tracer.seen().iter().any(Call::was_injected) || ended.signal == Some(9);
    // How the work is cut into pieces differs each time, so the last calls are not always reached.
    // What the mover cannot sync ends the process, with nobody writing too. A worker's failure is met by the next write
    // below, and there need not be one: until then everything is safe in the journal that the worker wanted to replace.
    let synced = thread == MOVER && point.call.contains("sync");
    if struck && (point.blow == Blow::Kill || synced || ended.code != Some(0)) {
        point.judge(&ended);
    } else {
        assert_eq!(ended.code, Some(0), "{point:?}: {ended:?}");
    }
    reopen(&folder, &mut players, |_| {});
}
