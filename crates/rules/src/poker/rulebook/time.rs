//! The timer, and how long a table stands.

use super::script::check;

#[test]
fn the_timer_shows_the_cards_when_it_ends_and_not_before() {
    check(
        "ana joins      => ok
         bo  joins      => ok
         bo  votes 5    => ok
         ana starts 30s => ok
         timer          => 30s
         after 29999ms
         tick           => same
         ana sees       => ana:_ bo:?
         after 1ms
         tick           => ok
         ana sees       => ana:_ bo:5
         timer          => none
         tick           => same",
    );
}

#[test]
fn whoever_stays_away_too_long_has_left() {
    check(
        "ana joins       => ok
         bo  joins       => ok
         bo  votes 5     => ok
         after 10m
         ana stays away  => ok
         admin           => bo
         ana is          => watching
         bo  sees        => bo:(5)
         lives           => 50m
         ana stays away  => same
         cy  stays away  => same
         bo  stays away  => ok
         admin           => nobody
         bo  joins       => ok
         bo  sees        => bo:_",
    );
}

#[test]
fn nobody_waits_for_the_card_of_somebody_who_stays_away() {
    check(
        "ana joins               => ok
         ana turns auto on       => ok
         bo  joins               => ok
         cy  joins               => ok
         ana votes 5             => ok
         bo  votes 5             => ok
         cards                   => down
         cy  stays away          => ok
         cards                   => up",
    );
}

#[test]
fn a_stale_tick_does_nothing() {
    check(
        "ana joins      => ok
         ana starts 30s => ok
         after 10s
         ana starts 30s => ok
         after 20s
         tick at 30s    => same
         cards          => down
         timer          => 10s
         ana resets     => ok
         after 10s
         tick at 40s    => same
         cards          => down",
    );
}

#[test]
fn showing_resetting_stopping_and_a_new_deck_end_the_timer() {
    for end in ["shows", "resets", "stops", "deals S M L"] {
        check(&format!(
            "ana joins      => ok
             ana starts 30s => ok
             ana {end}      => ok
             timer          => none
             after 30s
             tick           => same
             tick at 30s    => same"
        ));
    }
}

#[test]
fn the_timer_outlives_whoever_started_it() {
    check(
        "ana joins      => ok
         bo  joins      => ok
         ana starts 30s => ok
         ana leaves     => ok
         after 30s
         tick           => ok
         cards          => up",
    );
}

#[test]
fn a_timer_runs_from_a_second_to_an_hour_and_only_over_closed_cards() {
    check(
        "ana joins        => ok
         ana starts 0s    => TimerRange
         ana starts 3601s => TimerRange
         ana starts 1s    => ok
         ana starts 3600s => ok
         ana stops        => ok
         ana stops        => same
         ana shows        => ok
         ana starts 30s   => AlreadyShown",
    );
}

#[test]
fn a_quiet_timer_ends_and_shows_nothing() {
    check(
        "ana joins              => ok
         ana votes 5            => ok
         ana starts 30s quietly => ok
         timer                  => 30s
         after 30s
         tick                   => ok
         timer                  => none
         cards                  => down
         tick                   => same
         ana votes 8            => ok",
    );
}

#[test]
fn a_room_lives_an_hour_after_the_last_accepted_command() {
    check(
        "lives       => 60m
         after 59m
         lives       => 1m
         ana joins   => ok
         lives       => 60m
         after 60m
         lives       => no more",
    );
}

#[test]
fn leaving_watching_ticks_and_refusals_do_not_keep_a_room_alive() {
    check(
        "ana joins      => ok
         bo  joins      => ok
         ana starts 30s => ok
         after 10m
         tick           => ok
         lives          => 50m
         bo  sees       => ana:_ bo:_
         bo  votes 5    => AlreadyShown
         bo  shows      => HostOnly
         lives          => 50m
         bo  leaves     => ok
         lives          => 50m
         ana resets     => ok
         lives          => 60m",
    );
}

#[test]
fn a_command_that_changes_nothing_renews_once_a_hundredth_of_the_life_has_passed() {
    check(
        "ana joins => ok
         after 35s
         ana joins => same
         lives     => 59m 25s
         after 1s
         ana joins => same
         lives     => 60m",
    );
}
