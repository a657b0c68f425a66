//! The promise as the kernel saw it: before a vote is answered or shown, its bytes are in the journal and a sync of the
//! journal has returned. A crash test on a running machine cannot show this; a list of system calls can.

use crate::support::house::{House, Plan};
use crate::support::player::{EAGER, Part, Player, Table, card};
use crate::support::strace::{self, Call};
use serde_json::json;
use std::path::Path;

const VOTES: usize = 200;
const WATCHED: &str = "trace=write,pwrite64,writev,pwritev,pwritev2,fdatasync,fsync,sync_file_range,sendto,sendmsg,sendmmsg";

/// One vote: what the journal must hold of it, and the position that tells of it on the wire.
struct Told {
    card: String,
    at: String,
}

#[test]
fn a_sync_returns_before_each_ack_and_each_view() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace");
    let flags = EAGER.iter().map(|flag| (*flag).to_owned()).collect();
    let under = strace::under(&output, &["-f", "--seccomp-bpf", "-e", WATCHED]);
    let mut house = House::open(Plan { flags, under, ..Plan::default() });
    let (url, pid) = (house.ws_url(), house.pid());
    let table = Table::new(&url);
    let (mut ana, watcher) = (Player::new("ana", &table, Part::Voter), Player::new("watcher", &table, Part::Voter));
    let mut eyes = watcher.sit(&url).unwrap();
    let mut line = ana.sit(&url).unwrap();
    ana.act(&mut line).unwrap();
    let mut votes = Vec::new();
    for _ in 0..VOTES {
        let reply = ana.act(&mut line).unwrap();
        votes.push(Told { card: card(ana.sent), at: reply["ok"]["at"].as_str().unwrap().to_owned() });
    }
    // The watcher has heard at least the last view before the trace ends.
    let last = &votes.last().unwrap().at;
    while eyes.hear().unwrap()["at"] != json!(last) {}
    assert_eq!(house.terminate().code, Some(0));

    let calls = strace::seen(&output, pid);
    let journal = house.folder().join("db/0.jnl");
    let frames = check(&calls, &journal, &votes).unwrap_or_else(|complaint| panic!("{complaint}"));
    assert!(frames > VOTES, "{frames} frames: the acks, and at least one view");
    eprintln!("{VOTES} votes: each of {frames} frames that tell of one began after the sync of its bytes had returned");

    for (doctor, what) in DOCTORS {
        let complaint = check(&doctor(&calls, &journal), &journal, &votes).expect_err(what);
        eprintln!("{what}: {complaint}");
    }
}

/// A trace made worse, to see that it is noticed.
type Doctor = fn(&[Call], &Path) -> Vec<Call>;
const DOCTORS: [(Doctor, &str); 4] = [
    (|calls, journal| without(calls, |index, call| index == nth_sync(calls, journal, 100) && call.is_sync()), "one sync left out"),
    (late, "one sync that returns after the ack began"),
    (|calls, journal| failed(calls, journal), "one sync that failed"),
    (|calls, journal| without(calls, |_, call| call.writes_to(journal) && call.text.contains("card-")), "votes not written"),
];

/// Checks every frame that tells of a vote; gives how many there were.
fn check(calls: &[Call], journal: &Path, votes: &[Told]) -> Result<usize, String> {
    let mut frames = 0;
    let mut from = 0;
    for (number, vote) in votes.iter().enumerate() {
        let told = format!("\\\"at\\\":\\\"{}\\\"", vote.at);
        let telling: Vec<&Call> = calls.iter().filter(|call| call.is_on_tcp() && call.text.contains(&told)).collect();
        let Some(first) = telling.iter().map(|call| call.began).min() else {
            return Err(format!("vote {number} was acked, but no frame tells of it"));
        };
        frames += telling.len();
        let before = |call: &&Call| call.began >= from && call.ended.is_some_and(|ended| ended < first);
        let written = calls.iter().filter(before).filter(|call| call.writes_to(journal) && call.succeeded());
        let Some(written) = written.filter(|call| call.text.contains(&vote.card)).filter_map(|call| call.ended).max() else {
            return Err(format!("vote {number} was told of before it was in the journal"));
        };
        let mut syncs = calls.iter().filter(before).filter(|call| call.is_sync() && call.is_of(journal) && call.succeeded());
        if !syncs.any(|sync| sync.began > written) {
            return Err(format!("vote {number} was told of before a sync of its bytes had returned"));
        }
        from = first;
    }
    Ok(frames)
}

impl Call {
    fn is_of(&self, file: &Path) -> bool {
        self.path() == file.to_str()
    }

    fn is_sync(&self) -> bool {
        self.name == "fdatasync" || self.name == "fsync"
    }

    fn writes_to(&self, file: &Path) -> bool {
        self.is_of(file) && self.name.contains("write")
    }
}

fn nth_sync(calls: &[Call], journal: &Path, nth: usize) -> usize {
    let mut syncs = calls.iter().enumerate().filter(|(_, call)| call.is_sync() && call.is_of(journal));
    syncs.nth(nth).expect("there are more syncs than that").0
}

fn without(calls: &[Call], gone: impl Fn(usize, &Call) -> bool) -> Vec<Call> {
    calls.iter().enumerate().filter(|(index, call)| !gone(*index, call)).map(|(_, call)| call.clone()).collect()
}

fn late(calls: &[Call], journal: &Path) -> Vec<Call> {
    let mut calls = calls.to_vec();
    let index = nth_sync(&calls, journal, 100);
    let next_ack = calls[index..].iter().find(|call| call.is_on_tcp()).expect("an ack follows").began;
    calls[index].ended = Some(next_ack + 1);
    calls
}

fn failed(calls: &[Call], journal: &Path) -> Vec<Call> {
    let mut calls = calls.to_vec();
    let index = nth_sync(&calls, journal, 100);
    calls[index].text = calls[index].text.replace(" = 0", " = -1 EIO (Input/output error)");
    calls
}
