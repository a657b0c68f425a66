//! How many acks a failover loses, counted per setting; what Redis does not promise is not claimed.
//!
//! A primary is killed under load, or cut off from its replica for a second before. Nothing may be done twice, every client
//! must come back, and what was acked only after a replica confirmed it must be there.

use super::game::Over;
use super::game::client::Client;
use super::node::{comes_back, node_with};
use super::shelf::{all_ends, collect, entries, spine};
use crate::support::dice::Dice;
use crate::support::house::until;
use crate::support::player::Table;
use parlor_testbed::Sentinels;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TABLES: usize = 10;
const VOTERS: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// SIGKILL: what the kernel has to send, it still sends.
    Killed,
    /// For a second nothing reaches the replica any more, as when a machine's network goes before it does.
    CutOffFirst,
}

struct Lost {
    acked: usize,
    lost: usize,
}

/// Fifty people vote at ten tables through two nodes while the primary ends and the replica takes its part.
fn fail_over(name: &str, redis_args: &[&str], node_flags: &[&str], end: End) -> Lost {
    let mut dice = Dice::new(name);
    let servers = Sentinels::start_with(redis_args);
    let houses = [node_with(&servers.url(), node_flags), node_with(&servers.url(), node_flags)];
    let tables: Vec<Table> = (0..TABLES).map(|_| Table::new(&houses[0].ws_url())).collect();
    let (over, collected) = (AtomicBool::new(false), AtomicBool::new(false));
    let acked: Vec<AtomicU64> = (0..VOTERS).map(|_| AtomicU64::new(0)).collect();
    let clock = Instant::now();
    let new = servers.replica();
    let (clients, survived) = std::thread::scope(|scope| {
        let (over, collected) = (&over, &collected);
        let mut playing = Vec::new();
        for (voter, acked) in acked.iter().enumerate() {
            let table = &tables[voter % TABLES];
            let url = houses[voter / TABLES % 2].ws_url();
            let mut client = Client::new(&format!("voter-{voter}"), &url, table, false);
            let dice = dice.child();
            playing.push(scope.spawn(move || {
                client.vote(dice, clock, acked, over);
                client
            }));
        }
        // What the one has that is promoted is what survives; it is read all the time, because streams are trimmed.
        let collect = |table: &Table| {
            let key = spine(&table.room);
            scope.spawn(move || collect(|from| entries(new, &key, from), collected))
        };
        let collecting: Vec<_> = tables.iter().map(collect).collect();
        let (playing_on, reading_on) = (Over(over), Over(collected));
        let all_go_on = || {
            let then: Vec<u64> = acked.iter().map(|acked| acked.load(Ordering::Relaxed)).collect();
            let now = |voter: usize| acked[voter].load(Ordering::Relaxed);
            until("everyone is answered", || (0..VOTERS).all(|voter| now(voter) > then[voter]));
        };
        // A new replica is sent nothing before it has reported for the first time; until then all would be lost.
        until("the replica has every room", || {
            tables.iter().all(|table| entries(new, &spine(&table.room), "-").is_ok_and(|entries| !entries.is_empty()))
        });
        all_go_on();
        if end == End::CutOffFirst {
            servers.stop_replication();
            let until = Instant::now() + Duration::from_secs(1);
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                std::thread::park_timeout(left); // The cut lasts; nothing is waited for.
            }
        }
        servers.kill_primary();
        if end == End::CutOffFirst {
            new.resume();
        }
        servers.wait_for_failover();
        // Who waits for a replica needs one again.
        comes_back(&servers);
        all_go_on();
        drop(playing_on);
        let clients: Vec<Client> = playing.into_iter().map(|client| client.join().unwrap()).collect();
        drop(reading_on);
        (clients, collecting.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>())
    });

    let (mut count, mut lost) = (0, 0);
    for (place, survived) in survived.iter().enumerate() {
        assert!(survived.windows(2).all(|pair| pair[0].at.next() == pair[1].at), "{name}: not all was read");
        let survived: BTreeMap<_, _> = survived.iter().map(|entry| (entry.at, entry.tickets())).collect();
        let mut seen = BTreeSet::new();
        for ticket in survived.values().flatten() {
            assert!(seen.insert(ticket), "{name}: {ticket:?} was done twice");
        }
        let of_this_table = clients.iter().enumerate().filter(|(voter, _)| voter % TABLES == place);
        for ack in of_this_table.flat_map(|(_, client)| &client.acks) {
            count += 1;
            let is_there = survived.get(&ack.at).is_some_and(|tickets| tickets.contains(&(ack.client.clone(), ack.n)));
            lost += usize::from(!is_there);
        }
    }
    eprintln!("{name}, {end:?}: {lost} of {count} acks lost");
    all_ends(new);
    Lost { acked: count, lost }
}

fn count(name: &str, redis_args: &[&str], node_flags: &[&str]) -> Lost {
    let killed = fail_over(name, redis_args, node_flags, End::Killed);
    let cut = fail_over(name, redis_args, node_flags, End::CutOffFirst);
    Lost { acked: killed.acked + cut.acked, lost: killed.lost + cut.lost }
}

#[test]
fn x38_acks_lost_without_a_log() {
    let counted = count("no append-only file", &[], &[]);
    assert!(counted.acked > 0);
}

#[test]
fn x38_acks_lost_with_a_log_that_is_synced_every_second() {
    let counted = count("appendfsync everysec", &["--appendonly", "yes", "--appendfsync", "everysec"], &[]);
    assert!(counted.acked > 0);
}

#[test]
fn x38_an_ack_that_a_replica_confirmed_survives_the_primary() {
    let args = ["--appendonly", "yes", "--appendfsync", "always"];
    let counted = count("appendfsync always, redis-wait-replicas 1", &args, &["--redis-wait-replicas", "1"]);
    // The only replica there is confirmed each of them, and it is the one that was promoted.
    assert_eq!(counted.lost, 0);
}
