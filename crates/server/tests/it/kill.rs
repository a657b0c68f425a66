//! SIGKILL under load, again and again on the same folder: what was acked is there, once.
//!
//! The kernel keeps what a killed process wrote, so this cannot show a missing sync; `trace` does.

use crate::support::dice::Dice;
use crate::support::house::House;
use crate::support::load::Load;
use crate::support::player::{EAGER, Part, Player, Table};
use std::time::{Duration, Instant};

const KILLS: u64 = 50;
/// A kill comes after up to so many acks of its run.
const ACKS_MAX: u64 = 400;

#[test]
fn fifty_kills_under_load_lose_and_double_nothing() {
    let mut dice = Dice::new("kills");
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let mut load = Load::new(&url);
    let lobby = Table::new(&url);
    for kill in 0..KILLS {
        // Somebody new is always just joining.
        load.players.push(Player::new(&format!("newcomer-{kill}"), &lobby, Part::Voter));
        let (after, longer) = (dice.below(ACKS_MAX), Duration::from_micros(dice.below(2000)));
        load.play(&url, |progress| {
            progress.until(after);
            let then = Instant::now();
            while then.elapsed() < longer {
                std::hint::spin_loop(); // So that a kill finds every stage of a commit, not only its end.
            }
            let ended = house.kill9();
            assert_eq!(ended.signal, Some(9), "it ended before it was killed: {ended:?}");
            ended.no_panic();
        });
        house.restart();
        load.settle(&url);
        load.players.pop();
    }
    eprintln!("{KILLS} kills, {} commands acked by the regulars, none lost, none doubled", load.acked());
}
