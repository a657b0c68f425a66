//! Two nodes, one hot room: everybody votes at once, half of them through each node.

use super::guest::{Guest, position, shared};
use super::node::node;
use super::shelf::{all_ends, collect, entries, spine};
use crate::support::player::{Table, card};
use parlor_testbed::Redis;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

const VOTERS: usize = 200;

#[test]
fn h05_x56_two_hundred_voters_on_two_nodes_are_all_acknowledged_and_see_one_order() {
    let redis = Redis::start();
    let houses = [node(&redis.url()), node(&redis.url())];
    let table = Table::new(&houses[0].ws_url());
    let (ready, voted) = (Barrier::new(VOTERS), Barrier::new(VOTERS));
    let end = Mutex::new(Vec::new());
    let plays = |voter: usize| {
        let mut guest = Guest::seated(&houses[voter % 2], &table, &format!("voter-{voter}"));
        ready.wait();
        let began = Instant::now();
        let at = guest.does("vote", json!({ "card": card(voter as u64) }));
        let waited = began.elapsed();
        end.lock().unwrap().push(at);
        voted.wait();
        // Nothing follows the last vote, so this is the room as it stays.
        let end = *end.lock().unwrap().iter().max().unwrap();
        let seen = guest.sees(end);
        (guest, at, waited, seen)
    };
    let (key, over) = (spine(&table.room), AtomicBool::new(false));
    let (mut all, stream) = std::thread::scope(|scope| {
        let plays = &plays;
        let collecting = scope.spawn(|| collect(|from| entries(&redis, &key, from), &over));
        let voters: Vec<_> = (0..VOTERS).map(|voter| scope.spawn(move || plays(voter))).collect();
        let all: Vec<_> = voters.into_iter().map(|voter| voter.join().unwrap()).collect();
        over.store(true, Ordering::SeqCst);
        (all, collecting.join().unwrap())
    });

    // None lost: each vote is in the commit that its ack names, and on the table at the end.
    let stream: BTreeMap<_, _> = stream.into_iter().map(|one| (one.at, one)).collect();
    let end = all[0].3.clone();
    for (guest, at, _, seen) in &all {
        assert!(stream[at].tickets().contains(&(guest.name.clone(), 2)), "{} was acked at {at}", guest.name);
        assert_eq!(seen["me"]["vote"], card(guest.name["voter-".len()..].parse().unwrap()), "{}", guest.name);
        assert_eq!((&seen["at"], &seen["mark"], shared(seen)), (&end["at"], &end["mark"], shared(&end)), "{}", guest.name);
    }
    assert_eq!(end["view"]["users"].as_array().unwrap().iter().filter(|user| user["has_vote"] == true).count(), VOTERS);

    // One order: no listener of either node ever goes back, and at one position all see the same.
    let mut seen: BTreeMap<_, (&Value, Value)> = BTreeMap::new();
    for (guest, ..) in &all {
        let mut before = None;
        for view in guest.views() {
            let at = position(&view["at"]);
            assert!(before <= Some(at), "{} saw {at} after {before:?}", guest.name);
            before = Some(at);
            let (mark, table) = seen.entry(at).or_insert_with(|| (&view["mark"], shared(view)));
            assert_eq!((&*mark, &*table), (&&view["mark"], &shared(view)), "{} at {at}", guest.name);
            assert_eq!(view["mark"], *stream[&at].mark, "{} at {at}", guest.name);
        }
    }
    all.sort_by_key(|(_, _, waited, _)| *waited);
    let wait = |place: usize| -> Duration { all[place].2 };
    let ratio = wait(VOTERS - 1).as_secs_f64() / wait(VOTERS / 2).as_secs_f64();
    let commits = all.iter().map(|(_, at, ..)| at).collect::<std::collections::BTreeSet<_>>().len();
    eprintln!(
        "{VOTERS} voters on two nodes: median wait {:?}, slowest {:?} ({ratio:.1} times), in {commits} commits",
        wait(VOTERS / 2),
        wait(VOTERS - 1)
    );
    all_ends(&redis);
}
