//! SIGTERM: acks out, everybody told to come back, nothing lost, and those who come back go on where they were.

use crate::support::house::{House, Plan};
use crate::support::line::Gone;
use crate::support::load::Load;
use crate::support::player::{EAGER, Table};
use crate::support::strace;
use parlor_client::{Client, Options};
use parlor_rules::{Command, poker};
use parlor_wire::Secret;
use std::net::TcpStream;

/// RFC 6455: going away.
const GOING_AWAY: u16 = 1001;

#[test]
fn told_to_go_under_load_it_says_goodbye_and_keeps_every_ack() {
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let mut load = Load::new(&url);
    for _ in 0..3 {
        // Somebody who never says a word must not hold it back.
        let silent = TcpStream::connect(house.address()).unwrap();
        let (ended, endings) = load.play(&url, |progress| {
            progress.until(200);
            house.terminate()
        });
        drop(silent);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.no_panic();
        assert!(!ended.stderr.contains("still under way"), "it ran out of time: {ended:?}");
        for (player, gone) in load.players.iter().zip(endings) {
            assert!(matches!(gone, Gone::Closed(GOING_AWAY)), "{gone:?}");
            let bye = player.bye.as_ref().expect("a farewell comes before the end");
            assert!(bye["retry_ms_max"].as_u64().is_some_and(|ms| ms > 0), "{bye}");
        }
        house.restart();
        load.settle(&url);
    }
}

#[test]
fn told_to_go_as_soon_as_it_listens_it_goes_gently() {
    // Under strace everything is slow, so that the signal comes between any two steps of the start.
    let folder = tempfile::tempdir().unwrap();
    let under = strace::under(&folder.path().join("trace"), &["-f"]);
    let mut house = House::open(Plan { under, ..Plan::default() });
    let ended = house.terminate();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// A client that only resets: the room's round counts what was done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_goes_on_after_a_restart_and_a_kill_and_everything_is_done_once() {
    const RESETS: u64 = 500;
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let table = tokio::task::block_in_place(|| Table::new(&url));
    let client = Client::connect(url, Options { retries_max: 100, ..Options::default() }).await.unwrap();
    let room = client.enter(&table.room.parse().unwrap(), Some(&Secret::new(table.host_key))).await.unwrap();
    for number in 1..=RESETS {
        let reset = Command::Poker(poker::Command::Reset);
        let acting = room.act(&reset);
        if number % 150 == 0 {
            let (acted, ()) = tokio::join!(acting, async {
                tokio::task::block_in_place(|| {
                    let _ = if number == 300 { house.kill9() } else { house.terminate() };
                    house.restart();
                });
            });
            acted.unwrap();
        } else {
            acting.await.unwrap();
        }
    }
    let seen = client.look(&table.room.parse().unwrap()).await.unwrap();
    assert_eq!(seen.table.round, 1 + RESETS, "each reset was done once");
}
