//! Two nodes, one hot room: everybody votes at once, half of them through each node.

use super::guest::{Guest, position, shared};
use super::node::node;
use super::shelf::{all_ends, id_of, last, spine};
use crate::support::player::{Table, card};
use parlor_testbed::{Redis, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let plays = &plays;
        let voters: Vec<_> = (0..VOTERS).map(|voter| scope.spawn(move || plays(voter))).collect();
        voters.into_iter().map(|voter| voter.join().unwrap()).collect()
    });

    // None lost: Redis has each vote as part of the commit that its ack names, and it is on the table at the end.
    let receipts = redis.ask(&["HGETALL", &format!("room_clients:{}", id_of(&table.room))]);
    let receipt = |pair: &[Reply]| (pair[0].text(), serde_json::from_str::<Value>(&pair[1].text()).unwrap());
    let receipts: BTreeMap<String, Value> = receipts.many().chunks(2).map(receipt).collect();
    let end = all[0].3.clone();
    for (guest, at, _, seen) in &all {
        let kept = &receipts[&format!("{}/{}", seen["me"]["user_id"].as_str().unwrap(), guest.name)];
        assert_eq!((&kept["n"], &kept["seq"]), (&json!(2), &json!(at.seq)), "{} was acked at {at}", guest.name);
        assert_eq!(seen["me"]["vote"], card(guest.name["voter-".len()..].parse().unwrap()), "{}", guest.name);
        assert_eq!((&seen["at"], &seen["mark"], shared(seen)), (&end["at"], &end["mark"], shared(&end)), "{}", guest.name);
    }
    assert_eq!(end["mark"], *last(&redis, &spine(&table.room)).mark);
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
