//! Coming, going, and who inherits.

use super::script::{Table, check};
use crate::poker::SEATS_MAX;

#[test]
fn the_first_to_join_is_admin() {
    check(
        "admin     => nobody
         ana joins => ok
         bo  joins => ok
         admin     => ana
         ana is    => seated host
         bo  is    => seated",
    );
}

#[test]
fn h137_who_has_been_here_longest_inherits() {
    check(
        "ana joins  => ok
         bo  joins  => ok
         cy  joins  => ok
         ana leaves => ok
         admin      => bo
         bo  is     => seated host
         ana is     => watching",
    );
}

#[test]
fn who_leaves_and_returns_goes_to_the_end_of_the_line() {
    check(
        "ana joins  => ok
         bo  joins  => ok
         cy  joins  => ok
         bo  leaves => ok
         bo  joins  => ok
         ana leaves => ok
         admin      => cy
         ana joins  => ok
         cy  leaves => ok
         admin      => bo",
    );
}

#[test]
fn a_newcomer_never_takes_the_admins_place() {
    check(
        "ana joins  => ok
         bo  joins  => ok
         bo  leaves => ok
         bo  joins  => ok
         admin      => ana
         ana joins  => same
         admin      => ana",
    );
}

#[test]
fn h19_in_every_order_of_leaving_the_longest_present_is_admin() {
    let people = ["ana", "bo", "cy", "di", "ed"];
    for order in orders(&people) {
        let mut table = Table::new();
        people.iter().for_each(|who| table.play(&format!("{who} joins => ok")));
        let mut present = people.to_vec();
        for who in &order {
            table.play(&format!("admin => {}", present[0]));
            // Going is going, whether by oneself or not; a kick by the host key follows the same succession.
            let go = if present.len().is_multiple_of(2) {
                format!("{who} leaves => ok")
            } else {
                format!("host kicks {who} => ok, {who} out")
            };
            table.play(&go);
            present.retain(|left| left != who);
        }
        table.play("admin => nobody");
    }
}

#[test]
fn an_empty_table_takes_the_next_to_join_as_admin() {
    check(
        "ana joins  => ok
         ana leaves => ok
         admin      => nobody
         host sees  => an empty table
         bo  joins  => ok
         admin      => bo",
    );
}

#[test]
fn h22_joining_twice_keeps_the_seat_the_card_and_the_rank() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         ana votes 5 => ok
         ana joins   => same
         ana sees    => ana:(5) bo:_
         admin       => ana",
    );
}

#[test]
fn joining_under_another_name_renames_and_keeps_the_card() {
    check(
        "ana joins            => ok
         ana votes 5          => ok
         ana joins as Ann Lee => ok
         names                => Ann Lee
         ana sees             => ana:(5)
         admin                => ana",
    );
}

#[test]
fn h133_people_may_share_a_name_and_stay_two() {
    check(
        "ana joins as Sam => ok
         bo  joins as Sam => ok
         names            => Sam, Sam
         bo  votes 8      => ok
         ana sees         => ana:_ bo:?",
    );
}

#[test]
fn names_are_made_of_what_can_be_seen() {
    check(
        r"ana joins as                    => Unreadable
          ana joins as \u{202e}ana        => Unreadable
          ana joins as \u{200d}           => Unreadable
          ana joins as \u{200d} \u{fe0f}  => Unreadable
          ana joins as \u{fe00}           => Unreadable
          ana joins as Zoe\u{308}         => ok
          ana joins as Zoë                => same
          ana sees                        => ana:_",
    );
}

#[test]
fn joining_needs_a_user_key_even_with_the_host_key() {
    check(
        "nobody joins => NoKey
         host   joins => NoKey
         ana+key joins => ok",
    );
}

#[test]
fn a_member_sits_under_the_sessions_name_and_no_other() {
    check(
        "@mia joins            => ok
         names                 => mia
         @mia is               => seated host
         @mia joins as Zoe     => OtherName
         @mia joins as mia     => same
         @mia joins nameless   => same
         @bo joins as ana      => OtherName",
    );
}

#[test]
fn a_guest_says_a_name_once() {
    check(
        "ana joins nameless => NoName
         ana joins as Ann   => ok
         ana joins nameless => same
         names              => Ann",
    );
}

#[test]
fn a_guest_with_a_members_id_is_not_that_member() {
    let mut table = Table::new();
    let public = table.id("ana");
    table.play(&format!("@{public} joins => ok\n @{public} votes 5 => ok"));
    table.play("ana is => watching\n ana joins => IdTaken\n ana takes back => NotSeated");
    // And the other way round: a session does not open a guest's seat.
    let mut table = Table::new();
    let public = table.id("ana");
    table.play(&format!("ana joins => ok\n @{public} is => watching\n @{public} joins => IdTaken"));
}

#[test]
fn h129_who_leaves_takes_seat_and_card_along_and_may_keep_watching() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 8 => ok
         bo  leaves  => ok
         ana shows   => ok
         bo  sees    => ana:_
         bo  leaves  => NotSeated
         bo  joins   => ok
         bo  sees    => ana:_ bo:_",
    );
}

#[test]
fn a_full_table_takes_nobody_new_and_everybody_old() {
    let mut table = Table::new();
    (0..SEATS_MAX).for_each(|n| table.play(&format!("p{n} joins => ok")));
    table.play(
        "late joins        => Full
         late+key joins    => Full
         p7 joins          => same
         p7 joins as Seven => ok
         p7 leaves         => ok
         late joins        => ok
         p7 joins          => Full",
    );
    assert_eq!(table.room().seats.len(), SEATS_MAX);
}

/// All orders of a few things.
fn orders<T: Clone>(things: &[T]) -> Vec<Vec<T>> {
    if things.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for index in 0..things.len() {
        let mut rest = things.to_vec();
        let first = rest.remove(index);
        all.extend(orders(&rest).into_iter().map(|order| [vec![first.clone()], order].concat()));
    }
    all
}
