//! Struck while a folder is made, and while one is opened that holds what was acked before a kill.

use super::{BLOWS, POINTS_MAX, Point, plan, reopen, sampled, strike};
use crate::support::dice::Dice;
use crate::support::house::House;
use crate::support::load::Load;
use crate::support::player::{Player, Table};
use crate::support::snapshot::Snapshot;
use crate::support::strace;
use std::path::Path;

/// All by which a folder is changed or read. Opening is done by one thread, the first, and only that is traced.
const CALLS: [&str; 16] = [
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "writev",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "mkdir",
    "rename",
    "renameat",
    "unlink",
    "unlinkat",
    "flock",
];

#[test]
fn struck_while_a_folder_is_made_it_can_be_made_again() {
    let mut dice = Dice::new("faults while making a folder");
    let points = points(&mut dice, None);
    let summary = strike(points, |point| run(point, None, &[]));
    eprintln!("while making a folder: {summary}");
}

#[test]
fn struck_while_a_folder_is_opened_it_loses_nothing() {
    let mut dice = Dice::new("faults while opening a folder");
    let (snapshot, players) = Load::left_by_a_kill();
    let points = points(&mut dice, Some(&snapshot));
    let summary = strike(points, |point| run(point, Some(&snapshot), &players));
    eprintln!("while opening a folder: {summary}");
}

/// The calls that opening makes in the folder, by their number among the calls of their name.
fn points(dice: &mut Dice, snapshot: Option<&Snapshot>) -> Vec<Point> {
    let temporary = tempfile::tempdir().unwrap();
    let (folder, output) = (temporary.path().join("store"), temporary.path().join("trace"));
    if let Some(snapshot) = snapshot {
        snapshot.lay_out(&folder);
    }
    let watched = format!("trace={}", CALLS.join(","));
    let mut house = House::open(plan(&folder, strace::under(&output, &["-e", &watched])));
    let pid = house.pid();
    // Its first round trip: by then the first thread has made all its calls.
    Table::new(&house.ws_url());
    assert_eq!(house.terminate().code, Some(0));
    let calls = strace::seen(&output, pid);
    let mut points = Vec::new();
    for name in CALLS {
        let here = |call: &strace::Call| call.is_in(&folder) && !call.path().is_some_and(|path| path.contains(".sock"));
        let of_name = calls.iter().filter(|call| call.name == name).enumerate();
        let nths: Vec<usize> = of_name.filter(|(_, call)| here(call)).map(|(index, _)| index + 1).collect();
        for index in sampled(nths.len(), POINTS_MAX, dice) {
            points.extend(BLOWS.map(|blow| Point { blow, call: name, nth: nths[index - 1] }));
        }
    }
    points
}

fn run(point: Point, snapshot: Option<&Snapshot>, players: &[Player]) {
    let temporary = tempfile::tempdir().unwrap();
    let (folder, output) = (temporary.path().join("store"), temporary.path().join("trace"));
    if let Some(snapshot) = snapshot {
        snapshot.lay_out(&folder);
    }
    let watched = format!("trace={}", point.call);
    let under = strace::under(&output, &["-e", &watched, "-e", &point.inject()]);
    let mut players = players.to_vec();
    match House::try_open(plan(&folder, under)) {
        Err(ended) => point.judge(&ended),
        Ok(house) => serve_on(house, point, &mut players, &output),
    }
    reopen(&folder, &mut players, |_| {});
}

/// It could do without that call, or was struck just after it began to listen.
fn serve_on(mut house: House, point: Point, players: &mut [Player], output: &Path) {
    if point.blow == super::Blow::Kill {
        return point.judge(&house.wait());
    }
    let (url, pid) = (house.ws_url(), house.pid());
    Table::new(&url);
    for player in players {
        player.settle(&url);
    }
    let ended = house.terminate();
    ended.no_panic();
    let struck = strace::seen(output, pid).iter().any(strace::Call::was_injected);
    assert!(struck, "{point:?} was never reached: {ended:?}");
    if ended.code != Some(0) {
        ended.one_sentence();
    }
}
