//! Small games, played in every way there is: two to four voters, a device more than seats, and every order of taking seats,
//! voting, changing votes, leaving, being benched, countdowns that run out, counts, ends and next rounds.
//!
//! Every act may be cut off by a crash: before its commit, so that it did not happen and is sent again, or after it, so that
//! only its reply is lost and it is sent again. Late commands need no line of their own: in every state every command is tried
//! that names any item or round.

mod acts;
mod explore;
mod planted;

use super::evening::Setup;
use explore::{Explored, explore};
use planted::Planted;

/// Two voters, a round of two reels and one of one.
const TWO: Setup<'_> = Setup { people: 2, benched: 0, vote_seconds: None, rounds: &[&["s1", "s2"], &["s1"]] };
/// Two voters whose votes close by themselves.
const TIMED: Setup<'_> = Setup { people: 2, benched: 1, vote_seconds: Some(30), rounds: &[&["s1"], &["s2"]] };
const THREE: Setup<'_> = Setup { people: 3, benched: 0, vote_seconds: None, rounds: &[&["s1"], &["s2"]] };
const FOUR: Setup<'_> = Setup { people: 4, benched: 0, vote_seconds: None, rounds: &[&["s1"]] };

fn all_is_well(name: &str, setup: &Setup<'_>) {
    match explore(setup, Planted::Nothing) {
        Ok(Explored { states, transitions, depth, ended }) => {
            println!(
                "{name}: {states} states, {transitions} transitions, {depth} acts deep, {ended} states at the end of the game"
            );
            assert!(ended > 0, "no game came to its end");
        }
        Err(broken) => panic!("{name}: {broken}"),
    }
}

#[test]
fn h94_h95_h98_two_voters_in_every_order_are_scored_once_and_never_stuck() {
    all_is_well("two voters, three reels", &TWO);
}

#[test]
fn h94_h95_h98_two_voters_against_the_clock_are_scored_once_and_never_stuck() {
    all_is_well("two voters with a timer and one on the bench", &TIMED);
}

#[test]
fn h94_h95_h98_three_voters_in_every_order_are_scored_once_and_never_stuck() {
    all_is_well("three voters, two reels", &THREE);
}

#[test]
fn h94_h95_h98_four_voters_in_every_order_are_scored_once_and_never_stuck() {
    all_is_well("four voters, one reel", &FOUR);
}

/// A search that finds nothing must be one that would have found something.
#[test]
fn the_search_finds_every_bug_that_is_planted() {
    for planted in Planted::ALL {
        let found = [&TWO, &TIMED].into_iter().find_map(|setup| explore(setup, planted).err());
        let found = found.unwrap_or_else(|| panic!("{planted:?} was not found"));
        println!("{planted:?}: {found}");
    }
}
