//! A full disk: refused with a code, nothing changed, still readable, and taken up again when there is space.

use crate::support::house::{House, Plan, until};
use crate::support::line::Line;
use crate::support::player::{EAGER, Part, Player, Table};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const MIB: u64 = 1024 * 1024;
/// A journal is this long from the beginning, as a hole, and must fit.
const SMALL_DISK: u64 = 96 * MIB;

#[test]
fn below_the_reserve_nothing_is_taken_until_there_is_space_again() {
    let disk = Disk::small();
    let mut house = disk.house(disk.reserve);
    let url = house.ws_url();
    let table = Table::new(&url);
    let mut ana = Player::new("ana", &table, Part::Voter);
    let mut line = ana.sit(&url).unwrap();
    for _ in 0..3 {
        ana.act(&mut line).unwrap();
    }
    assert_eq!(ana.acked, 3);

    let filler = disk.fill(disk.filler);
    refused(&ana.act(&mut line).unwrap());
    refused(&Table::ask(&mut line).unwrap().err().expect("no new room on a full disk"));
    let seen = line.ask(serde_json::json!({ "do": "look", "room": table.room })).unwrap();
    assert_eq!(
        seen["ok"]["me"]["vote"],
        crate::support::player::card(3),
        "what is there can be read, and nothing changed: {seen}"
    );
    let mut another = Line::open(&url, "somebody-who-comes-meanwhile", "other").unwrap();
    let seen = another.ask(serde_json::json!({ "do": "look", "room": table.room })).unwrap();
    assert_eq!(seen["ok"]["view"]["users"][0]["has_vote"], true, "{seen}");

    std::fs::remove_file(filler).unwrap();
    ana.settle(&url);
    assert_eq!(ana.acked, 4, "what was refused was done when sent again, by the same process");
    Table::new(&url);
    assert_eq!(house.terminate().code, Some(0));
    house.restart();
    ana.settle(&url);
}

#[test]
fn a_disk_without_a_byte_left_costs_nothing_that_was_acked() {
    let disk = Disk::small();
    let mut house = disk.house(0);
    let url = house.ws_url();
    let mut ana = Player::new("ana", &Table::new(&url), Part::Voter);
    let mut line = ana.sit(&url).unwrap();
    let filler = disk.fill(u64::MAX);
    // The block that the journal has begun still takes some; at last none.
    let refusal = loop {
        match ana.act(&mut line) {
            Ok(reply) if reply["ok"].is_object() => assert!(ana.acked < 100_000, "the disk is never full"),
            other => break other,
        }
    };
    if let Ok(refusal) = refusal {
        refused(&refusal);
    }
    // A write that failed ends the process: what is on the disk now is learnt by opening it again.
    let ended = house.wait();
    assert!(ended.one_sentence().contains("No space left on device"), "{ended:?}");
    std::fs::remove_file(filler).unwrap();
    house.restart();
    ana.settle(&url);
    eprintln!("{} commands before the disk was full", ana.acked);
}

#[test]
fn a_reserve_that_no_disk_has_refuses_and_does_not_stop() {
    let house = House::start(&[EAGER, &["--free-bytes-min", &u64::MAX.to_string()]].concat());
    let mut line = Line::open(&house.ws_url(), "somebody-who-comes-meanwhile", "other").unwrap();
    for _ in 0..3 {
        refused(&Table::ask(&mut line).unwrap().err().expect("no new room on a full disk"));
    }
    until("the operator is told", || house.logs().contains("the disk is full"));
}

#[track_caller]
fn refused(reply: &Value) {
    assert_eq!(reply["error"]["code"], "unavailable", "{reply}");
    assert_eq!(reply["error"]["retry"], true, "{reply}");
}

/// Where the store rests: a small disk of its own, so that filling it harms nobody.
struct Disk {
    folder: TempDir,
    /// Free bytes that the store is to leave, and how much more must be taken to get below.
    reserve: u64,
    filler: u64,
}

impl Disk {
    fn small() -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={SMALL_DISK}"), "tmpfs"]).arg(folder.path());
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        assert!(
            mounted,
            "a small disk (tmpfs) cannot be mounted here: run the tests as root, or under `unshare --map-root-user --mount`"
        );
        Disk { folder, reserve: SMALL_DISK / 2, filler: SMALL_DISK / 2 }
    }

    fn house(&self, reserve: u64) -> House {
        let mut flags: Vec<String> = EAGER.iter().map(|flag| (*flag).to_owned()).collect();
        flags.extend(["--free-bytes-min".to_owned(), reserve.to_string()]);
        House::open(Plan { folder: Some(self.folder.path().join("store")), flags, ..Plan::default() })
    }

    /// Takes so many bytes, or all there are.
    fn fill(&self, bytes: u64) -> PathBuf {
        let path = self.folder.path().join("filler");
        let file = File::create(&path).unwrap();
        let mut size = bytes.min(free(self.folder.path()));
        let mut at = 0;
        while size > 0 {
            match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), at, size) {
                Ok(()) => at += size,
                Err(rustix::io::Errno::NOSPC) => size /= 2,
                Err(error) => panic!("the disk cannot be filled: {error}"),
            }
            size = size.min(bytes - at);
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).status(); // The folder goes next and would complain.
    }
}

fn free(folder: &Path) -> u64 {
    let stat = rustix::fs::statvfs(folder).unwrap();
    stat.f_bavail * stat.f_frsize
}
