//! Disk errors and kills injected at one system call after the other, while a folder is made, opened, used and closed.
//!
//! Each time: what was acked is there when the folder is opened again, what was not is whole or absent, and a process
//! that gives up says why in one sentence. `PARLOR_FAULTS=all` strikes at every call; otherwise a long series is
//! sampled, beginning at a seeded place.

mod flushing;
mod opening;
mod running;

use crate::support::dice::Dice;
use crate::support::house::{Ended, House, Plan};
use crate::support::player::{EAGER, Part, Player, Table};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// Calls of one kind beyond which a series is sampled.
const POINTS_MAX: usize = 40;
/// Runs at once: they mostly wait for the disk and for strace.
const HANDS: usize = 4;
/// `EX_IOERR`: what a supervisor sees when the disk failed.
const EXIT_IO_ERROR: i32 = 74;

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
enum Blow {
    Eio,
    Enospc,
    Kill,
}

const BLOWS: [Blow; 3] = [Blow::Eio, Blow::Enospc, Blow::Kill];

/// The `nth` call, counted from one, of this name.
#[derive(Clone, Copy, Debug)]
struct Point {
    blow: Blow,
    call: &'static str,
    nth: usize,
}

impl Point {
    /// strace's own words for it.
    fn inject(&self) -> String {
        let Point { blow, call, nth } = self;
        let what = match blow {
            Blow::Eio => "error=EIO",
            Blow::Enospc => "error=ENOSPC",
            Blow::Kill => "signal=SIGKILL",
        };
        format!("inject={call}:{what}:when={nth}")
    }

    /// How a struck process may end: killed, or by itself with a sentence. Never by a panic.
    #[track_caller]
    fn judge(&self, ended: &Ended) {
        match self.blow {
            Blow::Kill => assert_eq!(ended.signal, Some(9), "{self:?}: {ended:?}"),
            Blow::Eio | Blow::Enospc => drop(ended.one_sentence()),
        }
        ended.no_panic();
    }
}

/// Which of `count` calls are struck: all, or at most `max` of them, evenly, from a seeded start.
fn sampled(count: usize, max: usize, dice: &mut Dice) -> Vec<usize> {
    let all = std::env::var("PARLOR_FAULTS").is_ok_and(|faults| faults == "all");
    let stride = if all { 1 } else { count.div_ceil(max).max(1) };
    (1 + dice.below(stride as u64) as usize..=count).step_by(stride).collect()
}

/// Strikes every point, several at once; gives how many of each kind there were.
fn strike(points: Vec<Point>, each: impl Fn(Point) + Sync) -> String {
    let mut counts: BTreeMap<(Blow, &str), usize> = BTreeMap::new();
    for point in &points {
        *counts.entry((point.blow, point.call)).or_default() += 1;
    }
    let total = points.len();
    let left = Mutex::new(points.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(|| {
                loop {
                    let Some(point) = left.lock().unwrap().next() else { return };
                    each(point);
                }
            });
        }
    });
    let counts: Vec<String> = counts.iter().map(|((blow, call), count)| format!("{blow:?} at {call} {count}")).collect();
    format!("{total} points struck: {}", counts.join(", "))
}

/// A log that is made quickly and comes round soon.
const SHORT_LOG: [&str; 2] = ["--store-log-bytes", "262144"];

fn plan(folder: &Path, under: Vec<String>) -> Plan {
    let flags = EAGER.iter().chain(&SHORT_LOG).map(|flag| (*flag).to_owned()).collect();
    Plan { folder: Some(folder.to_owned()), flags, under }
}

/// The folder opens without complaint, has everything it should, takes something new and closes cleanly.
#[track_caller]
fn reopen(folder: &Path, players: &mut [Player], also: impl FnOnce(&str)) {
    let mut house = House::open(plan(folder, Vec::new()));
    let url = house.ws_url();
    for player in players {
        player.settle(&url);
    }
    also(&url);
    let mut guest = Player::new("guest", &Table::new(&url), Part::Voter);
    let mut line = guest.sit(&url).unwrap();
    for _ in 0..2 {
        let reply = guest.act(&mut line).unwrap();
        assert!(reply["ok"].is_object(), "{reply}");
    }
    let ended = house.terminate();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}
