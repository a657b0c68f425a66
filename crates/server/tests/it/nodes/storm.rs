//! Two nodes in bad weather: each has a proxy of its own between itself and one Redis, which cuts, delays, freezes and loses
//! replies by seed, while people use the same room through both. Whatever happens, one order must explain it all.

use super::game::play;
use super::node::node;
use super::shelf::{all_ends, entries, spine};
use crate::support::dice::Dice;
use parlor_testbed::{Proxy, Redis};
use std::time::{Duration, Instant};

const FAULTS: u64 = 30;
/// Longer than a node waits for one answer, and longer than it tries in all before it says so.
const FROZEN: Duration = Duration::from_millis(3500);
const AWAY: Duration = Duration::from_millis(8500);

#[derive(Clone, Copy, Debug)]
enum Weather {
    Cut,
    Delay,
    Freeze,
    DropReplies,
    LoseReply,
}
use Weather::{Cut, Delay, DropReplies, Freeze, LoseReply};

/// One hardship for one node, and its end.
fn strike(proxy: &Proxy, weather: Weather, time: Duration) {
    match weather {
        Cut => proxy.cut(),
        Delay => proxy.delay(time / 10),
        Freeze => proxy.freeze(),
        DropReplies => proxy.drop_replies(true),
        LoseReply => proxy.lose_next_reply_to("EVALSHA"),
    }
    // The weather lasts; nothing is waited for.
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
    match weather {
        Cut => proxy.mend(),
        Delay => proxy.delay(Duration::ZERO),
        Freeze => proxy.thaw(),
        DropReplies => proxy.drop_replies(false),
        LoseReply => {}
    }
}

/// Weather by seed, with this in the middle of it.
fn storm(name: &str, middle: (Weather, Duration)) {
    let mut dice = Dice::new(name);
    let redis = Redis::start();
    let proxies = [Proxy::before(redis.addr()), Proxy::before(redis.addr())];
    let houses = proxies.each_ref().map(|proxy| node(&proxy.url()));
    let mut played = play(
        &houses,
        &mut dice,
        |room, from| entries(&redis, &spine(room), from),
        |dice, progress| {
            for fault in 0..FAULTS {
                let kinds = [Cut, Delay, Freeze, DropReplies, LoseReply, LoseReply];
                let (weather, time) = match fault == FAULTS / 2 {
                    true => middle,
                    false => (kinds[dice.below(6) as usize], Duration::from_millis(10 + dice.below(300))),
                };
                strike(&proxies[dice.below(2) as usize], weather, time);
                // Some sun in between.
                progress.more(fault % 3 * 5);
            }
        },
    );
    played.judge(name);
    eprintln!("{name}: {} replies lost on request", proxies.iter().map(Proxy::lost).sum::<usize>());
    all_ends(&redis);
}

#[test]
fn h01_h08_x41_x44_x56_in_any_weather_one_order_explains_what_everyone_was_told() {
    storm("lost replies", (DropReplies, FROZEN));
}

#[test]
fn x46_after_a_frost_longer_than_an_answer_may_take_one_order_explains_it_all() {
    storm("a long frost", (Freeze, FROZEN));
}

#[test]
fn x46_a_node_cut_off_longer_than_its_patience_says_so_and_one_order_explains_it_all() {
    storm("a long cut", (Cut, AWAY));
}
