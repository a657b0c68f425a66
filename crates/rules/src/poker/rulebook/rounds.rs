//! Showing, hiding, and what is remembered of a round.

use super::script::{Table, check};
use crate::poker::history::ROUNDS_MAX;

#[test]
fn h125_cards_once_seen_are_sealed_until_the_reset() {
    // HAZARDS, H125: hiding must not let anyone change a card after seeing the others'.
    check(
        "ana joins      => ok
         bo  joins      => ok
         bo  votes 5    => ok
         sealed         => false
         ana shows      => ok
         sealed         => true
         bo  votes 8    => AlreadyShown
         ana hides      => ok
         ana hides      => same
         sealed         => true
         ana sees       => ana:_ bo:?
         bo  votes 8    => Sealed
         ana votes 8    => Sealed
         bo  takes back => Sealed
         ana shows      => ok
         ana sees       => ana:_ bo:5
         ana hides      => ok
         ana resets     => ok
         sealed         => false
         bo  votes 8    => ok",
    );
}

#[test]
fn who_comes_after_the_cards_were_seen_waits_for_the_reset() {
    check(
        "ana joins   => ok
         ana votes 5 => ok
         ana shows   => ok
         ana hides   => ok
         bo  joins   => ok
         bo  votes 5 => Sealed",
    );
}

#[test]
fn a_round_is_remembered_once_when_it_is_shown() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         ana votes 5 => ok
         history     =>
         ana shows   => ok
         history     => 1 ana:5
         ana hides   => ok
         ana shows   => ok
         history     => 1 ana:5
         ana resets  => ok
         bo  votes 8 => ok
         ana resets  => ok
         history     => 1 ana:5
         ana votes 3 => ok
         ana shows   => ok
         history     => 1 ana:5; 3 ana:3",
    );
}

#[test]
fn a_round_without_votes_is_not_worth_remembering() {
    check(
        "ana joins  => ok
         ana shows  => ok
         result     => 0 votes, 0%,
         ana resets => ok
         history    =>",
    );
}

#[test]
fn the_timer_remembers_too() {
    check(
        "ana joins      => ok
         ana votes 5    => ok
         ana starts 30s => ok
         after 30s
         tick           => ok
         history        => 1 ana:5",
    );
}

#[test]
fn who_goes_after_the_show_stays_in_the_history_and_leaves_the_result() {
    // HAZARDS, H129: totals are of those who are here.
    check(
        "ana joins    => ok
         bo  joins    => ok
         ana votes 5  => ok
         bo  votes 8  => ok
         ana shows    => ok
         result       => 2 votes, 50%, 5 8
         bo  leaves   => ok
         result       => 1 votes, 100%, 5
         history      => 1 ana:5 bo:8
         ana hides    => ok
         result       => none",
    );
}

#[test]
fn a_round_keeps_the_names_and_the_deck_it_was_played_with() {
    let mut table = Table::new();
    table.play(
        "ana joins          => ok
         bo  joins          => ok
         ana votes 8        => ok
         bo  votes 5        => ok
         ana shows          => ok
         ana deals S M L    => ok
         ana joins as Anna  => ok",
    );
    let round = &table.room().history.0[0];
    assert_eq!(round.ballots[0].by.as_ref().map(|voter| voter.name.as_str()), Some("ana"));
    let order: Vec<_> = round.tally.distribution.iter().map(|(card, _)| card.as_str()).collect();
    assert_eq!(order, ["5", "8"]);
}

#[test]
fn a_hundred_rounds_are_remembered() {
    let mut table = Table::new();
    table.play("ana joins => ok");
    for _ in 0..ROUNDS_MAX + 5 {
        table.play("ana votes 5 => ok\n ana shows => ok\n ana resets => ok");
    }
    assert_eq!(table.room().history.0.len(), ROUNDS_MAX);
    assert_eq!(table.room().history.0.front().map(|round| round.number), Some(6));
}
