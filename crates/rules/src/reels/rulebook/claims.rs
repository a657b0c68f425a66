//! One device, one seat: the document's script for TAKE_PLAYER, and what it forgot.

use super::script::{Evening, SEATED, check, check_game};
use crate::identity::Proof;
use crate::reels::evening::{BEGAN, FRIDAY, credential, take, user};
use crate::reels::{Event, Refusal};
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;

#[test]
fn a_seat_is_taken_once_and_a_device_takes_one() {
    check(
        "ana takes p1 => ok
         bo  takes p1 => TakenNow
         ana takes p2 => DeviceAlreadyHasPlayer
         bo  takes p2 => ok
         ana takes p2 => TakenNow
         claims       => p1:ana p2:bo
         ana has      => p1
         cy  has      => nothing",
    );
}

#[test]
fn taking_ones_own_seat_again_is_a_reconnect_in_every_stage_but_the_last() {
    for stage in ["", "master starts => ok", "master starts => ok\n master opens r1 i1 => ok"] {
        let mut evening = Evening::new(FRIDAY);
        evening.play(SEATED);
        evening.play(stage);
        evening.play("ana takes p1 => same\n ana+key takes p1 => same\n claims => p1:ana p2:bo p3:cy");
    }
}

#[test]
fn h82_a_seat_must_be_there_and_in_the_game_and_the_game_not_be_over() {
    check(
        "ana takes p9     => PlayerNotFound
         ana takes p4     => Inactive
         master takes p1  => NoKey
         nobody takes p1  => NoKey
         ana+wrong takes p1 => BadKey
         claims           =>
         ana takes p1     => ok
         ana takes p9     => PlayerNotFound
         ana takes p4     => Inactive
         bo  takes p2     => ok
         master benches p3 => ok
         master starts    => ok
         cy  takes p3     => Inactive
         master closes the room => ok, over",
    );
    let mut evening = over();
    evening.play("eve takes p1 => NotInPhase\n ana takes p1 => NotInPhase");
}

#[test]
fn h81_whoever_is_made_inactive_has_no_seat_whichever_came_first() {
    check(
        "ana takes p1        => ok
         master benches p1   => ok
         claims              =>
         ana lost            => p1 deactivated
         ana takes p1        => Inactive
         master unbenches p1 => ok
         ana lost            => p1 deactivated
         ana takes p1        => ok
         ana lost            => nothing
         claims              => p1:ana",
    );
}

#[test]
fn the_document_asks_first_whose_the_seat_is_then_whether_the_device_has_one() {
    check(
        "ana takes p1 => ok
         bo  takes p2 => ok
         bo  takes p1 => TakenNow
         bo  takes p3 => DeviceAlreadyHasPlayer",
    );
}

#[test]
fn h83_a_device_is_known_by_its_key_and_not_by_its_id() {
    // Two keys with one id are not to be had by trying; so the game is told that they met.
    let mut game = FRIDAY.game();
    let proof = Proof::Key(SecretHash::of(b"a key with the same id"));
    game.apply(When { at: BEGAN, seq: 2 }, &Event::Taken { player: "p1".parse().unwrap(), user: user("ana"), proof });
    let by = game.recognise(&credential("ana")).unwrap();
    assert!(!by.seated && game.mine(&by).player.is_none(), "the id alone opened a seat");
    let attempt = |player| game.decide(&Act { by: by.clone(), at: BEGAN, dice: 0, command: take(player) });
    assert_eq!(attempt("p1"), Err(Refusal::TakenNow));
    assert_eq!(attempt("p2"), Err(Refusal::TakenNow), "one id in two seats");
}

#[test]
fn somebody_with_a_session_has_a_seat_on_all_their_devices() {
    check(
        "@mia takes p1 => ok
         @mia takes p1 => same
         @mia takes p2 => DeviceAlreadyHasPlayer
         mia  takes p1 => TakenNow
         mia  takes p2 => ok
         @mia has      => p1
         mia  has      => p2",
    );
}

#[test]
fn a_claim_outlives_everything_but_being_released() {
    check_game(
        "after 300min            =>
         ana has                 => p1
         master opens r1 i1      => ok
         ana votes r1 i1 s1      => ok
         master forces r1 i1 0s  => ok
         master ends r1 i1       => ok
         ana has                 => p1
         claims                  => p1:ana p2:bo p3:cy",
    );
}

#[test]
fn late_joiners_take_a_free_or_a_new_seat_and_vote_from_the_next_item() {
    check_game(
        "master opens r1 i1     => ok
         expected               => p1 p2 p3
         master adds Zoe        => ok
         players                => p1:Ana p2:Bo p3:Cy p4:Di p5:Zoe
         zoe takes p5           => ok
         zoe may vote           => false
         zoe votes r1 i1 s1     => NotExpectedVoter
         cy  gives up p3        => ok
         eve takes p3           => ok
         eve votes r1 i1 s1     => NotExpectedVoter
         ana votes r1 i1 s1     => ok
         bo  votes r1 i1 s2     => ok
         stage                  => RevealWait
         master ends r1 i1      => ok
         master opens r1 i2     => ok
         expected               => p1 p2 p3 p5
         zoe may vote           => true
         zoe votes r1 i2 s2 s3  => ok
         eve votes r1 i2 s2     => ok
         master forces r1 i2 0s => ok
         scores                 => p1:1 p2:0 p3:1 p4:0 p5:2
         deltas r1              => p1:1 p2:0 p3:1 p4:0 p5:2",
    );
}

#[test]
fn who_was_left_out_at_the_start_comes_late_under_their_own_name() {
    check(
        "ana takes p1           => ok
         bo  takes p2           => ok
         master benches p3      => ok
         master starts          => ok
         cy  takes p3           => Inactive
         master adds Cy         => NameTaken
         master opens r1 i1     => ok
         cy  unbenches p3       => MasterOnly
         master unbenches p3    => ok
         cy sees seats          => p1* p2* p3
         expected               => p1 p2
         cy  takes p3           => ok
         cy  may vote           => false
         cy  votes r1 i1 s1     => NotExpectedVoter
         ana votes r1 i1 s1     => ok
         bo  votes r1 i1 s2     => ok
         stage                  => RevealWait
         master ends r1 i1      => ok
         master opens r1 i2     => ok
         expected               => p1 p2 p3
         cy  votes r1 i2 s2 s3  => ok
         master forces r1 i2 0s => ok
         deltas r1              => p1:1 p2:0 p3:2 p4:0
         scores                 => p1:1 p2:0 p3:2 p4:0",
    );
}

#[test]
fn a_seat_that_is_taken_into_the_game_in_the_middle_of_a_vote_is_not_waited_for() {
    check_game(
        "master opens r1 i1   => ok
         ana votes r1 i1 s1   => ok
         bo  votes r1 i1 s1   => ok
         master unbenches p4  => ok
         di  takes p4         => ok
         di  gives up p4      => ok
         stage                => Vote
         expected             => p1 p2 p3
         cy  votes r1 i1 s1   => ok
         stage                => RevealWait
         master unbenches p4  => same
         master sees results  => s1: p1[s1/]1 p2[s1/]1 p3[s1/]1",
    );
}

#[test]
fn the_host_may_play() {
    check(
        "master is              => master
         ana+key takes p1       => ok
         ana+key is             => player and master
         ana is                 => player
         bo takes p2            => ok
         ana starts             => MasterOnly
         ana+key benches p3     => ok
         ana+key starts         => ok
         ana+key opens r1 i1    => ok
         ana+key may vote       => true
         ana+key votes r1 i1 s1 => ok
         ana named              => s1
         bo votes r1 i1         => ok
         scores                 => p1:1 p2:0 p3:0 p4:0",
    );
}

#[test]
fn who_has_a_seat_or_is_the_master_may_speak() {
    check(
        "ana speaks        => NotClaimed
         nobody speaks     => NotClaimed
         master speaks     => ok
         ana takes p1      => ok
         ana speaks        => ok
         ana+wrong speaks  => BadKey
         ana gives up p1   => ok
         ana speaks        => NotClaimed",
    );
}

/// A game that was played to its end.
pub(crate) fn over() -> Evening {
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    evening.play("master starts => ok");
    for item in ["r1 i1", "r1 i2", "r2 i1"] {
        if item == "r2 i1" {
            evening.play("master goes on after r1 => ok");
        }
        evening.play(&format!("master opens {item} => ok\n master forces {item} 0s => ok\n master ends {item} => ok"));
    }
    evening.play("master goes on after r2 => ok\n stage => Over");
    evening
}
