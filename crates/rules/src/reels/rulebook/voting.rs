//! Who votes, on what, and what a vote may name.

use super::script::{Evening, SEATED, check, check_game};
use crate::reels::evening::{FRIDAY, which};
use crate::reels::{Command, Guess};

#[test]
fn a_vote_is_counted_when_everyone_who_is_waited_for_has_voted() {
    check_game(
        "master opens r1 i1    => ok
         stage                 => Vote
         expected              => p1 p2 p3
         ana votes r1 i1 s1    => ok
         bo  votes r1 i1 s2    => ok
         voted                 => p1 p2
         stage                 => Vote
         cy  votes r1 i1       => ok
         stage                 => RevealWait
         scores                => p1:1 p2:0 p3:0 p4:0
         master sees results   => s1: p1[s1/]1 p2[/s2]0 p3[/]0",
    );
}

#[test]
fn a_vote_may_be_changed_until_the_vote_is_closed() {
    check_game(
        "master opens r1 i1 => ok
         ana votes r1 i1 s2 => ok
         ana named          => s2
         ana votes r1 i1 s2 => same
         ana votes r1 i1    => ok
         ana named          =>
         ana votes r1 i1 s1 => ok
         bo  votes r1 i1 s1 => ok
         cy  votes r1 i1 s1 => ok
         scores             => p1:1 p2:1 p3:1 p4:0",
    );
}

#[test]
fn h96_nobody_changes_a_vote_that_is_counted() {
    check_game(
        "master opens r1 i1     => ok
         ana votes r1 i1 s2     => ok
         bo  votes r1 i1 s2     => ok
         cy  votes r1 i1 s2     => ok
         stage                  => RevealWait
         ana votes r1 i1 s1     => Late
         ana votes r1 i1 s2     => Late
         ana votes r1 i1        => Late
         master sees results    => s1: p1[/s2]0 p2[/s2]0 p3[/s2]0
         scores                 => p1:0 p2:0 p3:0 p4:0
         master ends r1 i1      => ok
         ana votes r1 i1 s1     => Late
         scores                 => p1:0 p2:0 p3:0 p4:0",
    );
}

#[test]
fn h97_a_vote_that_comes_late_is_late_and_counts_for_nothing_else() {
    check_game(
        "ana votes r1 i1 s1     => NotInVote
         ana votes r1 i2 s1     => NotInVote
         ana votes r1 i9 s1     => NoSuchItem
         ana votes r9 i1 s1     => NoSuchItem
         master opens r1 i1     => ok
         ana votes r1 i2 s1     => NotInVote
         ana votes r2 i1 s1     => NotInVote
         master forces r1 i1 0s => ok
         ana votes r1 i1 s1     => Late
         master ends r1 i1      => ok
         voted                  =>
         ana votes r1 i1 s1     => Late
         voted                  =>
         master opens r1 i2     => ok
         ana votes r1 i1 s1     => Late
         voted                  =>
         master forces r1 i2 0s => ok
         master ends r1 i2      => ok
         stage                  => RoundRecap
         ana votes r1 i2 s1     => Late
         ana votes r2 i1 s1     => NotInVote
         master goes on after r1 => ok
         ana votes r1 i2 s1     => Late
         scores                 => p1:0 p2:0 p3:0 p4:0",
    );
    super::claims::over().play("ana votes r2 i1 s1 => Late\n ana votes r1 i1 s1 => Late");
    check("ana takes p1 => ok\n ana votes r1 i1 s1 => NotInVote");
}

#[test]
fn h87_nobody_votes_for_another() {
    check_game(
        "master opens r1 i1        => ok
         eve votes r1 i1 s1        => NotClaimed
         nobody votes r1 i1 s1     => NotClaimed
         master votes r1 i1 s1     => NotClaimed
         eve votes r1 i1 as p1 s1  => NotClaimed
         bo  votes r1 i1 as p1 s1  => NotClaimed
         bo+key votes r1 i1 as p1 s1 => NotClaimed
         bo  votes r1 i1 as p9 s1  => NotClaimed
         ana+wrong votes r1 i1 s1  => BadKey
         voted                     =>
         bo  votes r1 i1 as p2 s1  => ok
         voted                     => p2",
    );
}

#[test]
fn h87_a_seat_that_was_given_up_votes_for_nobody_who_had_it() {
    check_game(
        "master opens r1 i1      => ok
         ana votes r1 i1 s2      => ok
         master releases p1      => ok
         ana votes r1 i1 s1      => NotClaimed
         ana named               => no vote
         eve takes p1            => ok
         ana votes r1 i1 s1      => NotClaimed
         eve named               => no vote
         eve votes r1 i1 s1      => NotExpectedVoter
         voted                   => p1",
    );
}

#[test]
fn h99_a_vote_names_up_to_k_active_senders_each_once() {
    check_game(
        "master opens r1 i1           => ok
         ana votes r1 i1 s1 s2        => TooManySelections
         ana votes r1 i1 s9           => InvalidSelection
         ana votes r1 i1 s4           => InvalidSelection
         ana votes r1 i1 p1           => InvalidSelection
         ana votes r1 i1 s1 s1        => InvalidSelection
         voted                        =>
         ana votes r1 i1 s1           => ok
         master forces r1 i1 0s       => ok
         master ends r1 i1            => ok
         master opens r1 i2           => ok
         ana votes r1 i2 s1 s2 s3     => TooManySelections
         ana votes r1 i2 s3 s3        => InvalidSelection
         ana votes r1 i2 s3 s3 s3     => InvalidSelection
         bo  votes r1 i2              => ok
         cy  votes r1 i2 s2           => ok
         ana votes r1 i2 s3 s2        => ok
         master sees results          => s2 s3: p1[s3 s2/]3 p2[/]0 p3[s2/]1",
    );
}

#[test]
fn one_may_name_oneself_and_that_is_worth_a_point_like_any_other() {
    check_game(
        "master opens r1 i1  => ok
         ana votes r1 i1 s1  => ok
         bo  votes r1 i1 s2  => ok
         cy  votes r1 i1 s3  => ok
         scores              => p1:1 p2:0 p3:0 p4:0",
    );
}

#[test]
fn h100_a_vote_is_seen_by_whoever_cast_it_and_others_see_that_it_was_cast() {
    check_game(
        "master opens r1 i1   => ok
         ana votes r1 i1 s2   => ok
         voted                => p1
         ana named            => s2
         ana+key named        => s2
         bo  named            => no vote
         master named         => no vote
         eve named            => no vote
         master sees results  => nothing
         bo sees results      => nothing
         bo  votes r1 i1      => ok
         cy  votes r1 i1 s1   => ok
         bo sees results      => nothing
         bo named             =>
         cy named             => s1
         master sees results  => s1: p1[/s2]0 p2[/]0 p3[s1/]1",
    );
}

#[test]
fn h92_a_phone_sees_a_reel_once_it_is_open_and_never_whose_it_is() {
    check_game(
        "ana sees item          => r1 i1 closed
         nobody sees item       => r1 i1 closed
         master sees item       => r1 i1 k=1 of s1 s2 s3
         master opens r1 i1     => ok
         ana sees item          => r1 i1 k=1 of s1 s2 s3
         nobody sees item       => r1 i1 k=1 of s1 s2 s3
         master sees results    => nothing
         bo  votes r1 i1 s1     => ok
         master forces r1 i1 0s => ok
         ana sees item          => r1 i1 k=1 of s1 s2 s3
         ana sees results       => nothing
         master sees results    => s1: p1[/]0 p2[s1/]1 p3[/]0
         ana sees points        => p1:0 p2:0 p3:0
         bo  sees points        => p1:0 p2:0 p3:0
         master sees points     => p1:0 p2:1 p3:0 p4:0
         ana sees ranking       =>
         master ends r1 i1      => ok
         ana sees points        => p1:0 p2:1 p3:0
         ana sees item          => r1 i2 closed
         master sees results    => nothing",
    );
}

#[test]
fn nothing_that_is_printed_says_what_somebody_voted() {
    let command = Command::SubmitVote { item: which("r1", "i1"), player: None, selections: vec!["s2".parse().unwrap()] };
    assert_eq!(format!("{command:?}"), "SUBMIT_VOTE");
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    let round = evening.game().rounds.front().cloned().unwrap();
    assert!(!format!("{round:?}").contains("s1"), "a round says its answers");
    let guess = Guess {
        player: "p1".parse().unwrap(),
        selections: vec!["s2".parse().unwrap()],
        correct: vec![],
        incorrect: vec!["s2".parse().unwrap()],
    };
    assert!(!format!("{guess:?}").contains("s2"), "a guess says whom it names");
}
