//! Whoever leaves, by themselves or by the Master's hand, in every stage of the game: nobody waits for them.

use super::script::{Evening, SEATED, check, check_game};
use crate::reels::evening::{FRIDAY, credential};
use crate::reels::{PlayerId, Stage};
use crate::room::Room;

#[test]
fn h113_a_seat_is_given_up_by_who_has_it_or_taken_back_by_the_master_and_by_nobody_else() {
    check(
        "ana takes p1               => ok
         bo  takes p2               => ok
         bo  releases p1            => NotYours
         eve releases p1            => NotYours
         nobody releases p1         => NotYours
         eve releases p3            => NotYours
         eve releases p9            => PlayerNotFound
         ana+wrong releases p1      => BadKey
         ana gives up p1            => ok
         ana gives up p1            => NotYours
         ana lost                   => nothing
         cy  takes p1               => ok
         master releases p1         => ok
         master releases p1         => same
         cy  lost                   => p1 released
         eve takes p1               => ok
         claims                     => p1:eve p2:bo",
    );
}

#[test]
fn the_master_releases_a_seat_from_a_certain_device() {
    check(
        "ana takes p1               => ok
         master releases p1 from bo => same
         ana has                    => p1
         master releases p1 from ana => ok
         bo takes p1                => ok
         master releases p1 from ana => same
         bo has                     => p1
         bo releases p1 from bo     => ok
         bo lost                    => nothing",
    );
}

#[test]
fn the_host_who_plays_gives_up_their_own_seat_like_anyone() {
    check("ana+key takes p1 => ok\n ana+key gives up p1 => ok\n ana lost => nothing");
}

#[test]
fn h113_a_lost_phone_does_not_lock_its_seat() {
    check_game(
        "master opens r1 i1     => ok
         ana votes r1 i1 s1     => ok
         master releases p1     => ok
         newphone takes p1      => ok
         newphone may vote      => false
         newphone named         => no vote
         newphone votes r1 i1 s3 => NotExpectedVoter
         bo votes r1 i1 s1      => ok
         cy votes r1 i1 s1      => ok
         scores                 => p1:1 p2:1 p3:1 p4:0
         ana lost               => p1 released
         ana takes p1           => TakenNow",
    );
}

/// Scripts that lead to each stage of a game in which somebody may leave.
const STAGES: [(&str, Stage); 6] = [
    ("", Stage::Lobby),
    ("master starts => ok", Stage::Idle),
    ("master starts => ok\n master opens r1 i1 => ok", Stage::Vote),
    ("master starts => ok\n master opens r1 i1 => ok\n bo votes r1 i1 s1 => ok", Stage::Vote),
    ("master starts => ok\n master opens r1 i1 => ok\n master forces r1 i1 0s => ok", Stage::RevealWait),
    (
        "master starts => ok
         master opens r1 i1 => ok\n master forces r1 i1 0s => ok\n master ends r1 i1 => ok
         master opens r1 i2 => ok\n master forces r1 i2 0s => ok\n master ends r1 i2 => ok",
        Stage::RoundRecap,
    ),
];

#[test]
fn in_every_stage_a_seat_can_be_released_and_taken_by_another_device() {
    for (script, stage) in STAGES {
        for release in ["bo gives up p2", "master releases p2", "master releases p2 from bo"] {
            let mut evening = Evening::new(FRIDAY);
            evening.play(SEATED);
            evening.play(script);
            assert_eq!(evening.game().stage, stage);
            evening.play(&format!("{release} => ok\n bo has => nothing\n eve takes p2 => ok\n bo takes p2 => TakenNow"));
            assert_eq!(evening.game().stage, stage, "one who leaves ended more than they should");
            evening.play("claims => p1:ana p2:eve p3:cy");
        }
    }
    super::claims::over().play("bo gives up p2 => NotInPhase\n master releases p2 => NotInPhase");
}

#[test]
fn h98_whoever_goes_before_voting_is_not_waited_for() {
    check_game(
        "master opens r1 i1  => ok
         ana votes r1 i1 s1  => ok
         cy  gives up p3     => ok
         expected            => p1 p2
         stage               => Vote
         bo  gives up p2     => ok
         expected            => p1
         stage               => RevealWait
         master sees results => s1: p1[s1/]1
         scores              => p1:1 p2:0 p3:0 p4:0",
    );
}

#[test]
fn h98_a_vote_that_was_cast_stays_when_its_voter_goes() {
    check_game(
        "master opens r1 i1  => ok
         ana votes r1 i1 s1  => ok
         ana gives up p1     => ok
         expected            => p1 p2 p3
         bo  votes r1 i1 s1  => ok
         master releases p3  => ok
         stage               => RevealWait
         scores              => p1:1 p2:1 p3:0 p4:0",
    );
}

#[test]
fn h98_when_everyone_goes_the_vote_ends_and_nobody_is_scored() {
    check_game(
        "master opens r1 i1  => ok
         ana gives up p1     => ok
         bo  gives up p2     => ok
         stage               => Vote
         cy  gives up p3     => ok
         stage               => RevealWait
         expected            =>
         master sees results => s1:
         master ends r1 i1   => ok
         master opens r1 i2  => NobodyToVote
         eve takes p1        => ok
         master opens r1 i2  => ok
         expected            => p1",
    );
}

#[test]
fn h98_each_voter_leaves_at_each_moment_and_the_round_ends() {
    let (devices, seats) = (["ana", "bo", "cy"], ["p1", "p2", "p3"]);
    let mut evenings = 0;
    // Who has voted before somebody leaves, who leaves, and how: then the others vote.
    for voted in 0..8_usize {
        for leaver in 0..3 {
            for by_master in [false, true] {
                let has_voted = |n: usize| voted >> n & 1 == 1;
                if (0..3).all(has_voted) {
                    continue;
                }
                let mut evening = Evening::new(FRIDAY);
                evening.play(SEATED);
                evening.play("master starts => ok\n master opens r1 i1 => ok");
                for n in (0..3).filter(|n| has_voted(*n)) {
                    evening.play(&format!("{} votes r1 i1 s1 => ok", devices[n]));
                }
                let who = if by_master { "master" } else { devices[leaver] };
                evening.play(&format!("{who} releases {} => ok", seats[leaver]));
                for n in (0..3).filter(|n| *n != leaver && !has_voted(*n)) {
                    evening.play(&format!("{} votes r1 i1 s1 => ok", devices[n]));
                }
                evening.play("stage => RevealWait\n master ends r1 i1 => ok\n stage => Idle");
                let counted = (0..3).filter(|n| *n != leaver || has_voted(*n)).count();
                assert_eq!(evening.game().scores.values().sum::<u64>(), counted as u64);
                evenings += 1;
            }
        }
    }
    assert_eq!(evenings, 7 * 3 * 2);
}

#[test]
fn whoever_was_released_and_comes_back_votes_from_the_next_item() {
    check_game(
        "master opens r1 i1  => ok
         ana gives up p1     => ok
         ana takes p1        => ok
         ana may vote        => false
         ana votes r1 i1 s1  => NotExpectedVoter
         bo votes r1 i1 s1   => ok
         cy votes r1 i1 s1   => ok
         master ends r1 i1   => ok
         master opens r1 i2  => ok
         ana may vote        => true",
    );
}

#[test]
fn a_phone_that_sleeps_keeps_its_seat() {
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    let game = evening.game();
    assert!(game.seated().is_empty());
    let user = credential("ana").user_id(&game.code).unwrap();
    assert!(game.away_too_long(&user, crate::time::Millis(u64::MAX)).is_empty());
    assert!(game.sits(&user));
    let p1: PlayerId = "p1".parse().unwrap();
    assert!(game.claims.contains_key(&p1));
}
