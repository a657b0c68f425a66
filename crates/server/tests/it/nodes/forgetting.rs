//! A Redis that forgets its scripts, and one that dies and comes back with all it had: nothing fails that need not, nothing
//! is lost, nothing is done twice.

use super::game::play;
use super::node::{get, node};
use super::shelf::{all_ends, entries, spine};
use crate::support::dice::Dice;
use crate::support::house::until;
use parlor_testbed::{Redis, Reply};

#[test]
fn h85_scripts_that_are_forgotten_under_votes_fail_nobody_and_double_nothing() {
    let mut dice = Dice::new("forgotten scripts");
    let redis = Redis::start();
    let houses = [node(&redis.url()), node(&redis.url())];
    let mut played = play(
        &houses,
        &mut dice,
        |room, from| entries(&redis, &spine(room), from),
        |dice, progress| {
            for _ in 0..60 {
                assert_eq!(redis.ask(&["SCRIPT", "FLUSH", "SYNC"]), Reply::Simple("OK".into()));
                progress.more(dice.below(20));
            }
        },
    );
    assert_eq!(played.retries(), 0, "nobody had to ask again");
    played.judge("forgotten scripts");
    all_ends(&redis);
}

#[test]
fn x32_h85_a_redis_that_syncs_every_write_is_killed_under_two_nodes_and_loses_nothing() {
    let mut dice = Dice::new("killed and back");
    let redis = Redis::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let houses = [node(&redis.url()), node(&redis.url())];
    let is_ready = |status: u16| houses.iter().all(|house| get(house, "/readyz").0 == status);
    assert!(is_ready(200));
    let mut played = play(
        &houses,
        &mut dice,
        |room, from| entries(&redis, &spine(room), from),
        |dice, progress| {
            for _ in 0..3 {
                progress.more(100 + dice.below(100));
                redis.kill();
                until("no node is ready", || is_ready(503));
                redis.restart();
                until("both nodes are ready again", || is_ready(200));
                // Everyone's next command comes through.
                progress.more(100);
            }
        },
    );
    played.judge("killed and back");
    for house in &houses {
        let (status, metrics) = get(house, "/metrics");
        assert_eq!(status, 200);
        let names =
            ["parlor_store_seconds", "parlor_store_retries_total", "parlor_store_reconnects_total", "parlor_conflicts_total"];
        for name in names {
            let counted = metrics.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}:\n{metrics}"));
            assert!(!counted.ends_with(" 0"), "{counted}");
        }
    }
    all_ends(&redis);
}
