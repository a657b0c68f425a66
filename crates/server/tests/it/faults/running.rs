//! Struck while it serves: a fixed script of two rooms, one command after the other.

use super::{BLOWS, Blow, EXIT_IO_ERROR, POINTS_MAX, Point, plan, reopen, sampled, strike};
use crate::support::dice::Dice;
use crate::support::house::House;
use crate::support::line::{Gone, Line};
use crate::support::player::{Part, Player, Table};
use crate::support::snapshot::names;
use crate::support::strace::{Call, Tracer};
use serde_json::{Value, json};
use std::path::Path;

/// Who keeps what is acked. What happens behind its back is struck elsewhere, see `flushing`.
const COMMITTER: &str = "committer";
/// All by which the committer changes or asks the disk.
const CALLS: [&str; 7] = ["write", "pwrite64", "writev", "fdatasync", "fsync", "ftruncate", "statfs"];

/// What the script must at least write and sync.
const COMMITS: usize = 14;

#[test]
fn struck_at_any_call_while_serving_it_loses_nothing_acked() {
    let mut dice = Dice::new("faults while serving");
    let counts = count();
    let mut points = Vec::new();
    for (call, count) in counts {
        // One beyond the last must not strike at all.
        let nths = sampled(count, POINTS_MAX, &mut dice).into_iter().chain([count + 1]).collect::<Vec<_>>();
        points.extend(nths.into_iter().flat_map(|nth| BLOWS.map(|blow| (Point { blow, call, nth }, nth > count))));
    }
    let beyond: Vec<_> = points.iter().filter(|(_, beyond)| *beyond).map(|(point, _)| *point).collect();
    let within: Vec<_> = points.iter().filter(|(_, beyond)| !*beyond).map(|(point, _)| *point).collect();
    strike(beyond, |point| assert!(!run(point), "{point:?} should be beyond the last call"));
    let summary = strike(within, |point| assert!(run(point), "{point:?} was never reached"));
    eprintln!("while serving: {summary}");
}

/// What the script did, as far as it came.
#[derive(Default)]
struct Evening {
    players: Vec<Player>,
    /// Rooms whose cards were shown for sure.
    shown: Vec<Table>,
    /// It was refused with a code, and the server went on.
    refused: Option<Value>,
}

enum Stop {
    Gone,
    Refused(Value),
}

impl From<Gone> for Stop {
    fn from(_: Gone) -> Stop {
        Stop::Gone
    }
}

impl Evening {
    fn spend(&mut self, url: &str) {
        if let Err(Stop::Refused(reply)) = self.script(url) {
            assert_eq!(reply["error"]["code"], "unavailable", "{reply}");
            assert_eq!(reply["error"]["retry"], true, "{reply}");
            self.refused = Some(reply);
        }
    }

    fn script(&mut self, url: &str) -> Result<(), Stop> {
        let mut opener = Line::open(url, "a-guest-who-only-opens-rooms", "opener")?;
        let hall = Table::ask(&mut opener)?.map_err(Stop::Refused)?;
        let den = Table::ask(&mut opener)?.map_err(Stop::Refused)?;
        let seats = [("ana", &hall, Part::Voter), ("bo", &hall, Part::Voter), ("eve", &den, Part::Counter)];
        self.players = seats.map(|(name, table, part)| Player::new(name, table, part)).into();
        let mut lines = Vec::new();
        for player in &self.players {
            lines.push(player.sit(url)?);
        }
        // Who does the next command of theirs.
        for who in [0, 1, 0, 1, 0, 2, 1, 0, 1] {
            answered(self.players[who].act(&mut lines[who])?)?;
        }
        self.show(&mut opener, &den)?;
        answered(self.players[2].act(&mut lines[2])?)?;
        self.show(&mut opener, &hall)?;
        Ok(())
    }

    fn show(&mut self, line: &mut Line, table: &Table) -> Result<(), Stop> {
        answered(line.ask(json!({ "do": "enter", "room": table.room, "with": { "host_key": table.host_key } }))?)?;
        answered(line.ask(json!({ "do": "show", "room": table.room }))?)?;
        self.shown.push(table.clone());
        Ok(())
    }
}

fn answered(reply: Value) -> Result<(), Stop> {
    if reply["ok"].is_object() { Ok(()) } else { Err(Stop::Refused(reply)) }
}

fn trace(house: &House, inject: Option<&Point>) -> Tracer {
    let inject = inject.map(Point::inject);
    let watched = format!("trace={}", CALLS.join(","));
    // Other writes of the process, to its log and to wake its threads, are not the store's.
    let paths: Vec<String> = names(house.folder()).iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    let mut arguments = vec!["-e", &watched, "-P", house.folder().to_str().unwrap()];
    arguments.extend(paths.iter().flat_map(|path| ["-P", path]));
    arguments.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    Tracer::attach_to(house.pid(), COMMITTER, &arguments)
}

/// How often each call is made.
fn count() -> Vec<(&'static str, usize)> {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::open(plan(&folder.path().join("store"), Vec::new()));
    let tracer = trace(&house, None);
    let mut evening = Evening::default();
    evening.spend(&house.ws_url());
    assert!(evening.refused.is_none());
    assert_eq!(house.terminate().code, Some(0));
    let calls = tracer.seen();
    let made = |name: &str| calls.iter().filter(|call| call.name == name).count();
    let counts: Vec<_> = CALLS.iter().map(|name| (*name, made(name))).filter(|(_, count)| *count > 0).collect();
    let least = |part: &str, least: usize| counts.iter().any(|(name, count)| name.contains(part) && *count >= least);
    assert!(least("write", COMMITS) && least("sync", COMMITS), "the store was not seen at work: {counts:?}");
    counts
}

/// Says whether it struck.
fn run(point: Point) -> bool {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    let mut house = House::open(plan(&folder, Vec::new()));
    let tracer = trace(&house, Some(&point));
    let mut evening = Evening::default();
    evening.spend(&house.ws_url());
    let struck = finish(&mut house, tracer, point);
    check_again(&folder, evening);
    struck
}

fn finish(house: &mut House, tracer: Tracer, point: Point) -> bool {
    // A process that was struck is on its way out, unless it only refused; one that was not has to be told.
    if house.is_running() {
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| house.ask_to_go())); // It may go just now.
    }
    let ended = house.wait();
    let calls = tracer.seen();
    let injected = calls.iter().any(Call::was_injected);
    match point.blow {
        Blow::Kill if ended.signal == Some(9) => {
            point.judge(&ended);
            return true;
        }
        _ if ended.code == Some(0) => ended.no_panic(),
        Blow::Eio | Blow::Enospc | Blow::Kill => {
            point.judge(&ended);
            assert_eq!(ended.code, Some(EXIT_IO_ERROR), "{point:?}: {ended:?}");
            assert!(injected, "{point:?}: it gave up by itself: {ended:?}");
        }
    }
    injected
}

fn check_again(folder: &Path, mut evening: Evening) {
    let shown = std::mem::take(&mut evening.shown);
    reopen(folder, &mut evening.players, |url| {
        let mut line = Line::open(url, "a-guest-who-only-opens-rooms", "opener").unwrap();
        for table in shown {
            let seen = line.ask(json!({ "do": "look", "room": table.room })).unwrap();
            let view = &seen["ok"]["view"];
            // The den was reset after it was shown.
            let reset_since = view["round"].as_u64().unwrap() > 1;
            assert!(view["is_revealed"] == true || reset_since, "what was shown is hidden again: {seen}");
        }
    });
}
