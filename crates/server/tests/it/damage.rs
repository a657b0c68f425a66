//! Damaged files: bytes turned over, files cut, files gone. Either the folder is refused with a sentence, or a room says
//! that it cannot be read, or everything acked is there. Never a panic, never something missing without a word.

use crate::support::dice::Dice;
use crate::support::house::{House, Plan};
use crate::support::load::Load;
use crate::support::player::{EAGER, Player};
use crate::support::snapshot::{Snapshot, names};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const HANDS: usize = 4;
/// With `PARLOR_FAULTS=all`, every byte of a file smaller than this is turned over.
const SMALL: usize = 2048;

#[derive(Clone, Copy, Debug)]
enum Harm {
    Flip(usize, u8),
    Cut(usize),
    Gone,
}

#[derive(Default)]
struct Outcomes {
    refused: AtomicUsize,
    told: AtomicUsize,
    whole: AtomicUsize,
    bad: Mutex<Vec<String>>,
}

#[test]
fn a_damaged_young_folder_is_never_taken_for_a_whole_one() {
    let (snapshot, players) = Load::left_by_a_kill();
    harm_all("a young folder", &snapshot, &players);
}

#[test]
fn a_damaged_old_folder_is_never_taken_for_a_whole_one() {
    let (snapshot, mut players) = Load::left_full(0);
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    snapshot.lay_out(&folder);
    // A few votes more, and what is in memory goes into a table.
    let mut house = House::open(plan(&folder));
    let url = house.ws_url();
    let mut line = players[0].sit(&url).unwrap();
    let young = names(&folder);
    while names(&folder).is_subset(&young) {
        players[0].act(&mut line).unwrap();
    }
    house.terminate();
    house.restart();
    players[0].settle(&url);
    house.kill9();
    harm_all("an old folder", &Snapshot::of(&folder), &players);
}

/// Harms every file in every way, one at a time.
fn harm_all(what: &str, snapshot: &Snapshot, players: &[Player]) {
    let mut dice = Dice::new(what);
    let mut harms = Vec::new();
    for (index, file) in snapshot.files.iter().enumerate() {
        let length = file.bytes.len();
        let mut places = BTreeSet::from([0, 1, length / 4, length / 2, length / 4 * 3, length.saturating_sub(1)]);
        places.extend((0..12).map(|_| dice.below(length as u64) as usize));
        if length < SMALL && std::env::var("PARLOR_FAULTS").is_ok_and(|faults| faults == "all") {
            places.extend(0..length);
        }
        // Just behind what is written: a journal's rest is a hole.
        places.extend((file.length > length as u64).then_some(length + 100));
        for place in places.into_iter().filter(|place| (*place as u64) < file.length) {
            harms.push((index, Harm::Flip(place, 0xff)));
            harms.push((index, Harm::Flip(place, 1 << dice.below(8))));
        }
        harms.extend([0, length / 2, length.saturating_sub(1)].map(|rest| (index, Harm::Cut(rest))));
        harms.push((index, Harm::Gone));
    }
    let (outcomes, total) = (Outcomes::default(), harms.len());
    let left = Mutex::new(harms.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(|| {
                loop {
                    let Some((index, harm)) = left.lock().unwrap().next() else { return };
                    try_out(snapshot, index, harm, players, &outcomes);
                }
            });
        }
    });
    let count = |outcome: &AtomicUsize| outcome.load(Ordering::Relaxed);
    let (refused, told, whole) = (count(&outcomes.refused), count(&outcomes.told), count(&outcomes.whole));
    eprintln!(
        "{what}: {total} harms to {} files: {refused} refused, {told} told by a room, {whole} without loss",
        snapshot.files.len()
    );
    let bad = outcomes.bad.into_inner().unwrap();
    assert!(bad.is_empty(), "{what}: {} of {total} went wrong, see above: {bad:#?}", bad.len());
}

fn try_out(snapshot: &Snapshot, index: usize, harm: Harm, players: &[Player], outcomes: &Outcomes) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    let mut harmed = snapshot.clone();
    let file = &mut harmed.files[index];
    let name = file.path.display().to_string();
    match harm {
        Harm::Flip(place, bits) => {
            file.bytes.resize(file.bytes.len().max(place + 1), 0);
            file.bytes[place] ^= bits;
        }
        Harm::Cut(rest) => {
            file.bytes.truncate(rest);
            file.length = rest as u64;
        }
        Harm::Gone => drop(harmed.files.remove(index)),
    }
    harmed.lay_out(&folder);
    // All that go wrong are of interest, not only the first.
    if std::panic::catch_unwind(AssertUnwindSafe(|| look(&folder, players, outcomes))).is_err() {
        outcomes.bad.lock().unwrap().push(format!("{harm:?} of {name}"));
    }
}

fn look(folder: &Path, players: &[Player], outcomes: &Outcomes) {
    let mut house = match House::try_open(plan(folder)) {
        Ok(house) => house,
        Err(ended) => {
            ended.one_sentence();
            outcomes.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
    };
    let url = house.ws_url();
    let mut told = false;
    for mut player in players.iter().cloned() {
        match player.is_told_of_damage(&url) {
            Some(_) => told = true,
            None => player.settle(&url),
        }
    }
    house.terminate().no_panic();
    if told { &outcomes.told } else { &outcomes.whole }.fetch_add(1, Ordering::Relaxed);
}

fn plan(folder: &Path) -> Plan {
    let flags = EAGER.iter().map(|flag| (*flag).to_owned()).collect();
    Plan { folder: Some(folder.to_owned()), flags, ..Plan::default() }
}
