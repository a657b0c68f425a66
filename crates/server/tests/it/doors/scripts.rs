//! The games every door and every store must play alike.

use super::script::check;

#[tokio::test]
async fn a_hand_from_the_first_join_to_the_reset() {
    check(
        "nobody sees   => an empty table
         ana joins     => ok
         bo  joins     => ok
         ana is        => seated host
         bo  is        => seated
         nobody is     => watching
         bo  votes 5   => ok
         ana sees      => ana:_ bo:?
         bo  sees      => ana:_ bo:(5)
         bo  shows     => forbidden
         ana votes 4   => not_in_deck
         ana votes ∞   => ok
         nobody sees   => ana:? bo:?
         bo takes back => ok
         ana sees      => ana:(∞) bo:_
         bo  votes 13  => ok
         ana shows     => ok
         nobody sees   => ana:∞ bo:13
         bo  votes 3   => wrong_phase
         bo takes back => wrong_phase
         ana resets    => ok
         bo  sees      => ana:_ bo:_
         bo  votes 3   => ok
         ana sees      => ana:_ bo:?",
    )
    .await;
}

#[tokio::test]
async fn hosts_with_a_key_without_one_and_with_a_wrong_one() {
    check(
        "host is        => host
         host shows     => ok
         host votes 5   => not_seated
         host resets    => ok
         ana joins      => ok
         ana+wrong is   => bad_key
         ana+wrong sees => bad_key
         ana+wrong votes 5 => bad_key
         bo  joins      => ok
         bo  kicks ana  => forbidden
         bo+key kicks ana => ok
         ana is         => watching
         ana votes 5    => not_seated
         bo  is         => seated host
         bo  kicks bo   => bad_request
         bo  kicks ana  => not_found
         ana joins      => ok
         bo  sees       => bo:_ ana:_
         bo  leaves     => ok
         ana is         => seated host",
    )
    .await;
}

#[tokio::test]
async fn decks_and_names_are_read_alike() {
    check(
        "ana joins as  Ana Lucía   => ok
         ana joins as \u{202e}evil => bad_request
         ana deals XS S M L XL     => ok
         ana votes M               => ok
         ana votes m               => not_in_deck
         ana sees                  => Ana Lucía:(M)
         ana deals                 => bad_request
         ana votes 5               => not_in_deck
         ana deals 1 2             => ok
         ana sees                  => Ana Lucía:_
         bo  deals 1 2             => forbidden",
    )
    .await;
}

#[tokio::test]
async fn timers_run_out_by_the_rooms_clock() {
    check(
        "ana joins        => ok
         ana votes 8      => ok
         ana starts 0     => bad_request
         ana starts 3601  => bad_request
         ana starts 60    => ok
         after 59s
         ana votes 5      => ok
         nobody sees      => ana:?
         after 1s
         ana votes 3      => wrong_phase
         nobody sees      => ana:5
         ana starts 60    => wrong_phase
         ana resets       => ok
         ana starts 60    => ok
         ana stops        => ok
         after 61s
         ana votes 3      => ok
         nobody sees      => ana:?",
    )
    .await;
}

#[tokio::test]
async fn what_is_sent_twice_is_done_once_also_after_a_restart() {
    check(
        "ana joins    #1 => ok
         ana joins    #1 => ok again
         ana votes 5  #2 => ok
         ana resets   #3 => ok
         ana resets   #3 => ok again
         ana votes 8  #4 => ok
         restart
         ana votes 8  #4 => ok again
         ana sees        => ana:(8)
         bo  votes 5  #1 => not_seated
         bo  joins    #1 => ok
         bo  joins    #1 => ok again
         nobody sees     => ana:? bo:_",
    )
    .await;
}

#[tokio::test]
async fn a_restart_keeps_seats_cards_hosts_and_timers() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 5 => ok
         ana starts 60 => ok
         restart
         bo  sees    => ana:_ bo:(5)
         ana sees    => ana:_ bo:?
         ana is      => seated host
         host is     => host
         after 60s
         ana votes 5 => wrong_phase
         ana sees    => ana:_ bo:5",
    )
    .await;
}

#[tokio::test]
async fn a_room_lives_an_hour_from_its_last_use_and_leaving_is_no_use() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         after 59m
         ana votes 5 => ok
         after 59m
         bo  leaves  => ok
         bo  shows   => forbidden
         nobody sees => ana:?
         after 59s
         ana sees    => ana:(5)
         after 1s
         ana sees    => room_not_found
         ana votes 8 => room_not_found
         ana joins   => room_not_found
         restart
         ana+key sees => room_not_found",
    )
    .await;
}

#[tokio::test]
async fn h131_a_deleted_room_is_gone_for_everyone() {
    check(
        "ana joins    => ok
         bo  joins    => ok
         bo  deletes  => forbidden
         host deletes => ok
         ana sees     => room_not_found
         bo  votes 5  => room_not_found
         ana says hi  => room_not_found
         host deletes => room_not_found
         restart
         ana sees     => room_not_found",
    )
    .await;
}

#[tokio::test]
async fn who_sits_or_hosts_may_speak() {
    check(
        "ana joins      => ok
         ana says hello => ok
         host says hush => ok
         bo  says psst  => not_seated
         bo  joins      => ok
         bo  says psst  => ok
         ana kicks bo   => ok
         bo  says psst  => not_seated
         ana+wrong says hi => bad_key",
    )
    .await;
}
