//! `parlor backup`: a copy that opens as any other folder, with everything that was acked before the command began.

use crate::support::house::{House, Plan, parlor, run};
use crate::support::line::Line;
use crate::support::load::Load;
use crate::support::player::{EAGER, Table};
use crate::support::strace;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Copies; gives the sentence when that is refused.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let ended = parlor(&["backup", "--from", from.to_str().unwrap(), to.to_str().unwrap()]);
    if ended.code == Some(0) {
        assert!(ended.stdout.contains(&format!("parlor serve --store embedded:{}", to.display())), "{ended:?}");
        return Ok(());
    }
    Err(ended.one_sentence().to_owned())
}

#[test]
fn a_copy_made_while_people_vote_holds_all_that_was_acked_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let mut load = Load::new(&url);
    let (copies, _) = load.play(&url, |progress| {
        let mut copies = Vec::new();
        for number in 1..=3 {
            progress.until(progress.acks() + 200);
            let (books, copied) = (progress.books(), folder.path().join(number.to_string()));
            copy(house.folder(), &copied).unwrap();
            copies.push((books, copied));
        }
        let after = progress.acks();
        progress.until(after + 10); // They went on voting.
        house.kill9();
        copies
    });
    for (books, copied) in copies {
        let mut copy = House::start_in(&copied, EAGER);
        for player in books {
            player.is_kept(&copy.ws_url());
        }
        assert_eq!(copy.terminate().code, Some(0));
    }
    house.restart();
    load.settle(&url);
}

#[test]
fn a_stopped_folder_is_copied_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let mut load = Load::new(&url);
    for (number, gently) in [(1, false), (2, true)] {
        load.play(&url, |progress| {
            progress.until(100);
            if gently { house.terminate() } else { house.kill9() }
        });
        let copied = folder.path().join(number.to_string());
        copy(house.folder(), &copied).unwrap();
        let copy = House::start_in(&copied, EAGER);
        Load { players: load.players.clone() }.settle(&copy.ws_url());
        house.restart();
        load.settle(&url);
    }
}

#[test]
fn what_is_in_the_way_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start(EAGER);
    let letter = folder.path().join("letter.txt");
    std::fs::write(&letter, "dear").unwrap();
    let is_untouched = || std::fs::read_dir(folder.path()).unwrap().count() == 1 && std::fs::read(&letter).unwrap() == b"dear";
    assert!(copy(house.folder(), folder.path()).unwrap_err().contains("is not empty"));
    assert!(is_untouched());
    assert!(copy(house.folder(), &letter).is_err());
    assert!(copy(house.folder(), &letter.join("below")).is_err());
    assert!(copy(house.folder(), house.folder()).unwrap_err().contains("is not empty"));
    house.terminate();
    assert!(copy(house.folder(), folder.path()).unwrap_err().contains("is not empty"));
    assert!(is_untouched());
    assert!(copy(&folder.path().join("nothing"), &folder.path().join("copy")).unwrap_err().contains("there is no store"));
    assert!(copy(folder.path(), &folder.path().join("copy")).unwrap_err().contains("holds something else"));
    house.restart();
}

#[test]
fn an_empty_folder_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::start(EAGER);
    copy(house.folder(), folder.path()).unwrap();
    let mut copy = House::start_in(folder.path(), EAGER);
    assert_eq!(copy.terminate().code, Some(0));
}

/// More than one batch of the copy.
const ROOMS: usize = 2000;

#[test]
fn a_copy_that_was_cut_short_is_not_taken_for_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start(EAGER);
    let mut line = Line::open(&house.ws_url(), "a-guest-who-only-opens-rooms", "opener").unwrap();
    let rooms: Vec<String> = (0..ROOMS).map(|_| Table::ask(&mut line).unwrap().unwrap().room).collect();
    house.terminate();
    let mut nth = 1;
    loop {
        let (copied, output) = (folder.path().join(nth.to_string()), folder.path().join(format!("{nth}.trace")));
        let (journal, inject) = (copied.join("db/0.jnl"), format!("inject=write:signal=SIGKILL:when={nth}"));
        let mut words = strace::under(&output, &["-f", "-e", "trace=write", "-e", &inject, "-P", journal.to_str().unwrap()]);
        let (from, to) = (house.folder().to_str().unwrap(), copied.to_str().unwrap());
        words.extend([env!("CARGO_BIN_EXE_parlor"), "backup", "--from", from, to].map(str::to_owned));
        let ended = run(&words);
        let opened = House::try_open(plan(copied));
        match opened {
            Err(refused) => drop(refused.one_sentence()),
            Ok(copy) => {
                let missing = missing(&copy, &rooms);
                assert!(missing == 0, "killed at write {nth}, the copy opens, and {missing} of {ROOMS} rooms are missing");
            }
        }
        if ended.code == Some(0) {
            assert!(nth > 2, "there should be more writes than {nth} to strike at");
            return;
        }
        assert_eq!(ended.signal, Some(9), "{ended:?}");
        nth += 1 + nth / 2; // The first writes make the folder; among the many that fill it, some stand for all.
    }
}

fn plan(folder: PathBuf) -> Plan {
    Plan { folder: Some(folder), flags: EAGER.iter().map(|flag| (*flag).to_owned()).collect(), ..Plan::default() }
}

fn missing(house: &House, rooms: &[String]) -> usize {
    let mut line = Line::open(&house.ws_url(), "a-guest-who-only-opens-rooms", "opener").unwrap();
    let mut is_there = |room: &String| line.ask(json!({ "do": "look", "room": room })).unwrap()["ok"].is_object();
    rooms.iter().filter(|room| !is_there(room)).count()
}
