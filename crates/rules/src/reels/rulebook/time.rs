//! Votes that close by themselves, the Master's countdown, and the end of the evening.

use super::script::{Evening, SEATED, check_game};
use crate::reels::evening::{FRIDAY, Setup};

fn timed() -> Evening {
    let mut evening = Evening::new(Setup { vote_seconds: Some(30), ..FRIDAY });
    evening.play(SEATED);
    evening.play("master starts => ok\n closes => never\n master opens r1 i1 => ok");
    evening
}

#[test]
fn a_vote_with_a_timer_closes_by_itself() {
    timed().play(
        "closes               => 30s
         ana votes r1 i1 s1   => ok
         after 29s            =>
         tick                 => same
         stage                => Vote
         after 1s             =>
         tick                 => ok
         stage                => RevealWait
         closes               => never
         tick                 => same
         scores               => p1:1 p2:0 p3:0 p4:0
         bo votes r1 i1 s1    => Late",
    );
}

#[test]
fn a_vote_that_everyone_has_cast_closes_before_its_timer_and_the_timer_then_does_nothing() {
    timed().play(
        "ana votes r1 i1 s1  => ok
         bo  votes r1 i1 s1  => ok
         cy  votes r1 i1 s1  => ok
         stage               => RevealWait
         closes              => never
         after 30s           =>
         tick                => same
         tick at 30s         => same
         scores              => p1:1 p2:1 p3:1 p4:0
         master ends r1 i1   => ok
         tick at 30s         => same
         master opens r1 i2  => ok
         tick at 30s         => same
         closes              => 30s
         stage               => Vote",
    );
}

#[test]
fn the_master_counts_down_once() {
    check_game(
        "master opens r1 i1      => ok
         closes                  => never
         ana forces r1 i1 10s    => MasterOnly
         master forces r1 i1 61s => Countdown
         master forces r1 i1 10s => ok
         closes                  => 10s
         after 4s                =>
         master forces r1 i1 10s => same
         master forces r1 i1 60s => same
         closes                  => 6s
         ana votes r1 i1 s1      => ok
         ana votes r1 i1 s2      => ok
         after 6s                =>
         tick                    => ok
         stage                   => RevealWait
         master forces r1 i1 10s => same
         master sees results     => s1: p1[/s2]0 p2[/]0 p3[/]0",
    );
}

#[test]
fn a_countdown_never_gives_more_time_than_there_was() {
    let mut evening = timed();
    evening.play(
        "after 25s               =>
         master forces r1 i1 10s => ok
         closes                  => 5s
         after 5s                =>
         tick                    => ok
         stage                   => RevealWait",
    );
    timed().play("master forces r1 i1 10s => ok\n closes => 10s\n tick at 30s => same\n stage => Vote");
}

#[test]
fn without_seconds_the_vote_is_counted_now_also_during_a_countdown() {
    check_game(
        "master opens r1 i1      => ok
         master forces r1 i1 0s  => ok
         stage                   => RevealWait
         master forces r1 i1 0s  => same
         master ends r1 i1       => ok
         master opens r1 i2      => ok
         master forces r1 i1 0s  => same
         stage                   => Vote
         master forces r1 i2 20s => ok
         master forces r1 i2 0s  => ok
         stage                   => RevealWait
         after 20s               =>
         tick                    => same",
    );
}

#[test]
fn during_the_countdown_the_last_voter_still_ends_the_vote() {
    check_game(
        "master opens r1 i1      => ok
         master forces r1 i1 10s => ok
         ana votes r1 i1 s1      => ok
         bo  votes r1 i1 s1      => ok
         cy  gives up p3         => ok
         stage                   => RevealWait
         after 10s               =>
         tick                    => same
         scores                  => p1:1 p2:1 p3:0 p4:0",
    );
}

#[test]
fn h116_when_a_vote_was_cast_is_the_servers_word() {
    // A vote has no place for a time of its own; what counts is when it was taken in.
    let mut evening = timed();
    evening.play("after 7s =>\n ana votes r1 i1 s1 => ok\n after 3s =>\n ana votes r1 i1 s1 => same");
    let game = evening.game();
    let ballot = game.ballots.values().next().unwrap();
    assert_eq!(ballot.at.since(game.vote.as_ref().unwrap().opened).0, 7000);
    evening.play("ana votes r1 i1 s2 => ok");
    assert_eq!(evening.game().ballots.values().next().unwrap().at.since(game_opened(&evening)).0, 10_000);
}

fn game_opened(evening: &Evening) -> crate::time::Millis {
    evening.game().vote.as_ref().unwrap().opened
}

#[test]
fn an_evening_lasts_twelve_hours_whatever_happens() {
    check_game(
        "lives              => 720min
         after 600min       =>
         master opens r1 i1 => ok
         ana votes r1 i1 s1 => ok
         lives              => 120min
         after 119min       =>
         bo votes r1 i1 s1  => ok
         lives              => 1min
         after 1min         =>
         lives              => no more",
    );
}
