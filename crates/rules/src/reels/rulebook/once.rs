//! What the Master asks twice happens once: each command names what it expects, so one that comes again, late, finds it done.

use super::matrix::{at, every_command};
use super::script::check_game;
use crate::reels::{Command, Stage};

/// What moves the game along; each names where it expects the game to be, or can happen once only.
const FLOW: [&str; 5] = ["START_GAME", "REEL_OPENED here", "FORCE_CLOSE_VOTE here", "END_ITEM here", "START_NEXT_ROUND here"];

/// Who sends a command in these tests: whoever may, if anyone.
fn sender(command: &Command) -> &'static str {
    match command {
        Command::SubmitVote { .. } => "ana",
        Command::TakePlayer(_) => "eve",
        _ => "master",
    }
}

#[test]
fn h101_h102_every_command_sent_twice_has_the_effect_of_once() {
    for stage in Stage::ALL {
        for (name, example) in every_command() {
            let mut evening = at(stage, name != "START_GAME");
            let command = example(evening.game());
            let first = evening.act(sender(&command), &command);
            let once = evening.game().clone();
            let second = evening.act(sender(&command), &command);
            assert!(*evening.game() == once, "{name} in {stage:?}: {first}, then {second}");
            let done = |answer: &str| answer == "ok" || answer == "same";
            if FLOW.contains(&name) && done(&first) {
                assert_eq!(second, "same", "{name} in {stage:?}");
            }
        }
    }
}

#[test]
fn h101_h102_what_moves_the_game_comes_twice_with_anything_in_between_and_happens_once() {
    let mut pairs = 0;
    for stage in Stage::ALL {
        for (name, example) in every_command().into_iter().filter(|(name, _)| FLOW.contains(name)) {
            for (between, other) in every_command() {
                for device in ["master", "ana", "eve", "bo+key"] {
                    let mut evening = at(stage, false);
                    let command = example(evening.game());
                    if evening.act("master", &command) != "ok" {
                        continue;
                    }
                    let other = other(evening.game());
                    let _ = evening.act(device, &other);
                    let left = evening.game().clone();
                    let again = evening.act("master", &command);
                    assert!(*evening.game() == left, "{name}, {device} {between}, {name} again in {stage:?}: {again}");
                    assert!(!again.starts_with("ok"), "{name} again in {stage:?}: {again}");
                    pairs += 1;
                }
            }
        }
    }
    // START_GAME, REEL_OPENED, FORCE_CLOSE_VOTE, END_ITEM and START_NEXT_ROUND each go in one stage.
    assert_eq!(pairs, 5 * every_command().len() * 4);
}

#[test]
fn h101_opening_a_reel_again_wipes_no_vote() {
    check_game(
        "master opens r1 i1      => ok
         ana votes r1 i1 s1      => ok
         master opens r1 i1      => same
         voted                   => p1
         master forces r1 i1 10s => ok
         after 3s                =>
         master opens r1 i1      => same
         closes                  => 7s
         eve takes p9            => PlayerNotFound
         expected                => p1 p2 p3
         bo votes r1 i1 s1       => ok
         cy votes r1 i1 s1       => ok
         master opens r1 i1      => same
         stage                   => RevealWait
         voted                   => p1 p2 p3",
    );
}

#[test]
fn h102_ending_an_item_or_a_round_twice_skips_nothing() {
    check_game(
        "master opens r1 i1      => ok
         master forces r1 i1 0s  => ok
         master ends r1 i1       => ok
         master ends r1 i1       => same
         at                      => r1 i2
         master opens r1 i2      => ok
         master forces r1 i2 0s  => ok
         master ends r1 i1       => same
         stage                   => RevealWait
         master ends r1 i2       => ok
         master ends r1 i2       => same
         master goes on after r1 => ok
         master goes on after r1 => same
         at                      => r2 i1
         master opens r2 i1      => ok
         master goes on after r1 => same
         master forces r2 i1 0s  => ok
         master ends r2 i1       => ok
         master goes on after r1 => same
         stage                   => RoundRecap
         master goes on after r2 => ok
         master goes on after r2 => same
         stage                   => Over
         master goes on after r1 => same
         master ends r2 i1       => same",
    );
}
