//! The promise as the kernel saw it: before a vote is answered or shown, its bytes are written and a sync of that
//! file has returned. A crash test on a running machine cannot show this; a list of system calls can.

use crate::support::house::{House, Plan};
use crate::support::player::{EAGER, Part, Player, Table, card};
use crate::support::strace::{self, Call};
use serde_json::json;
use std::path::Path;

const VOTES: usize = 200;
const WATCHED: &str = "trace=write,pwrite64,writev,pwritev,pwritev2,fdatasync,fsync,sync_file_range,sendto,sendmsg,sendmmsg";

/// One vote: what must be written of it, and the position that tells of it on the wire.
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
    let frames = check(&calls, house.folder(), &votes).unwrap_or_else(|complaint| panic!("{complaint}"));
    assert!(frames > VOTES, "{frames} frames: the acks, and at least one view");
    eprintln!("{VOTES} votes: each of {frames} frames that tell of one began after the sync of its bytes had returned");

    for (doctor, what) in DOCTORS {
        let complaint = check(&doctor(&calls, house.folder(), &votes), house.folder(), &votes).expect_err(what);
        eprintln!("{what}: {complaint}");
    }
}

/// A trace made worse, to see that it is noticed.
type Doctor = fn(&[Call], &Path, &[Told]) -> Vec<Call>;
const DOCTORS: [(Doctor, &str); 4] = [
    (left_out, "one vote's syncs left out"),
    (late, "one vote's syncs return after its ack began"),
    (failed, "one vote's syncs failed"),
    (unwritten, "votes that were never written"),
];

/// Checks every frame that tells of a vote; gives how many there were. Which file of the folder the bytes go to is the
/// store's affair, as long as that very file is synced.
fn check(calls: &[Call], folder: &Path, votes: &[Told]) -> Result<usize, String> {
    let mut frames = 0;
    let mut from = 0;
    for (number, vote) in votes.iter().enumerate() {
        let Some(first) = telling(calls, vote).map(|call| call.began).min() else {
            return Err(format!("vote {number} was acked, but no frame tells of it"));
        };
        frames += telling(calls, vote).count();
        let before = || calls.iter().filter(|call| call.began >= from && call.ended.is_some_and(|ended| ended < first));
        let written = before().filter(|call| call.writes_in(folder) && call.succeeded() && call.text.contains(&vote.card));
        let Some(written) = written.max_by_key(|call| call.ended) else {
            return Err(format!("vote {number} was told of before it was written"));
        };
        let mut syncs = before().filter(|call| call.syncs_in(folder) && call.path() == written.path() && call.succeeded());
        if !syncs.any(|sync| Some(sync.began) > written.ended) {
            return Err(format!("vote {number} was told of before a sync of its bytes had returned"));
        }
        from = first;
    }
    Ok(frames)
}

/// The calls that put a frame with the vote's position on the wire.
fn telling<'a>(calls: &'a [Call], vote: &Told) -> impl Iterator<Item = &'a Call> {
    let told = format!("\\\"at\\\":\\\"{}\\\"", vote.at);
    calls.iter().filter(move |call| call.is_on_tcp() && call.text.contains(&told))
}

impl Call {
    fn syncs_in(&self, folder: &Path) -> bool {
        (self.name == "fdatasync" || self.name == "fsync") && self.is_in(folder)
    }

    fn writes_in(&self, folder: &Path) -> bool {
        self.name.contains("write") && self.is_in(folder)
    }
}

/// Changes the syncs between what tells of one vote and what tells of the next, in the middle of the trace.
fn operate(calls: &[Call], folder: &Path, votes: &[Told], each: impl Fn(&mut Call, usize)) -> Vec<Call> {
    let first = |vote: &Told| telling(calls, vote).map(|call| call.began).min().expect("it was told of");
    let (before, told) = (first(&votes[votes.len() / 2 - 1]), first(&votes[votes.len() / 2]));
    let mut calls = calls.to_vec();
    for call in calls.iter_mut().filter(|call| call.syncs_in(folder) && (before..told).contains(&call.began)) {
        each(call, told);
    }
    calls
}

fn left_out(calls: &[Call], folder: &Path, votes: &[Told]) -> Vec<Call> {
    operate(calls, folder, votes, |call, _| call.name = "nothing".to_owned())
}

fn late(calls: &[Call], folder: &Path, votes: &[Told]) -> Vec<Call> {
    operate(calls, folder, votes, |call, ack| call.ended = Some(ack + 1))
}

fn failed(calls: &[Call], folder: &Path, votes: &[Told]) -> Vec<Call> {
    operate(calls, folder, votes, |call, _| call.text = call.text.replace(" = 0", " = -1 EIO (Input/output error)"))
}

fn unwritten(calls: &[Call], folder: &Path, _: &[Told]) -> Vec<Call> {
    calls.iter().filter(|call| !(call.writes_in(folder) && call.text.contains("card-"))).cloned().collect()
}
