//! From one reel to the next, from one round to the next, and to the end.

use super::script::{check, check_game};

#[test]
fn a_game_goes_from_reel_to_reel_and_from_round_to_round_to_its_end() {
    check_game(
        "stage                   => Idle
         at                      => r1 i1
         master opens r1 i1      => ok
         version                 => true
         master forces r1 i1 0s  => ok
         stage                   => RevealWait
         master ends r1 i1       => ok
         stage                   => Idle
         at                      => r1 i2
         master opens r1 i2      => ok
         master forces r1 i2 0s  => ok
         master ends r1 i2       => ok
         stage                   => RoundRecap
         at                      => r1 done
         master goes on after r1 => ok
         version                 => true
         stage                   => Idle
         at                      => r2 i1
         master opens r2 i1      => ok
         master forces r2 i1 0s  => ok
         master ends r2 i1       => ok
         stage                   => RoundRecap
         master goes on after r2 => ok
         stage                   => Over
         ana sees ranking        => 1.p1:0+0 1.p2:0+0 1.p3:0+0
         master closes the room  => ok, over",
    );
}

#[test]
fn h103_an_item_does_not_end_before_its_vote_is_counted() {
    check_game(
        "master ends r1 i1      => NotInPhase
         master opens r1 i1     => ok
         ana votes r1 i1 s1     => ok
         master ends r1 i1      => NotInPhase
         voted                  => p1
         stage                  => Vote
         master goes on after r1 => NotInPhase
         master forces r1 i1 0s => ok
         scores                 => p1:1 p2:0 p3:0 p4:0
         master goes on after r1 => NotInPhase
         master ends r1 i1      => ok",
    );
}

#[test]
fn h104_a_master_who_is_behind_or_ahead_changes_nothing() {
    // Two big screens, or one that slept: what it names is not where the game is.
    check_game(
        "master opens r1 i2      => NotCurrent
         master opens r2 i1      => NotCurrent
         master opens r1 i9      => NoSuchItem
         master opens r9 i1      => NoSuchItem
         master forces r1 i2 0s  => NotCurrent
         master ends r2 i1       => NotCurrent
         master goes on after r2 => NotCurrent
         master goes on after r9 => NoSuchItem
         stage                   => Idle
         master opens r1 i1      => ok
         master forces r1 i1 0s  => ok
         master ends r1 i1       => ok
         master opens r1 i1      => same
         master forces r1 i1 0s  => same
         master ends r1 i1       => same
         stage                   => Idle
         at                      => r1 i2
         master opens r1 i2      => ok
         master opens r1 i1      => same
         master forces r1 i1 0s  => same
         master ends r1 i1       => same
         stage                   => Vote",
    );
}

#[test]
fn h105_phase_and_status_are_two_words_for_one_thing() {
    use crate::reels::Stage;
    let words: Vec<_> = Stage::ALL.iter().map(|stage| (stage.phase(), stage.status())).collect();
    let expected = [
        ("lobby", "idle"),
        ("game", "idle"),
        ("game", "vote"),
        ("game", "reveal_wait"),
        ("game", "round_recap"),
        ("over", "idle"),
    ];
    assert_eq!(words, expected);
    assert!(Stage::ALL.iter().all(|stage| Stage::of(stage.phase(), stage.status()) == Some(*stage)));
    for (phase, status) in [("lobby", "vote"), ("over", "vote"), ("over", "round_recap"), ("lobby", "reveal_wait"), ("", "")] {
        assert_eq!(Stage::of(phase, status), None, "{phase} {status}");
    }
}

#[test]
fn the_room_can_be_closed_by_the_master_at_any_time() {
    for script in ["", "master starts => ok", "master starts => ok\n master opens r1 i1 => ok"] {
        check(&format!(
            "ana takes p1 => ok\n bo takes p2 => ok\n cy takes p3 => ok
             {script}
             ana closes the room    => MasterOnly
             nobody closes the room => MasterOnly
             master closes the room => ok, over"
        ));
    }
}

#[test]
fn equals_share_a_rank_and_stand_in_the_order_of_the_seats() {
    check_game(
        "master opens r1 i1     => ok
         ana votes r1 i1 s2     => ok
         bo  votes r1 i1 s1     => ok
         cy  votes r1 i1 s1     => ok
         master ends r1 i1      => ok
         master opens r1 i2     => ok
         master forces r1 i2 0s => ok
         master ends r1 i2      => ok
         ana sees ranking       => 1.p2:1+1 1.p3:1+1 3.p1:0+0",
    );
}
