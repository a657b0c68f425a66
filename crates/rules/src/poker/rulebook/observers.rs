//! Sitting at the table without voting, and cards that open by themselves.

use super::script::check;

#[test]
fn an_observer_sits_and_does_not_vote() {
    check(
        "ana joins             => ok
         bo  joins as observer => ok
         observers             => bo
         bo  votes 5           => Observing
         bo  takes back        => Observing
         bo  speaks            => ok
         bo  plays             => ok
         bo  votes 5           => ok
         observers             =>",
    );
}

#[test]
fn becoming_an_observer_drops_the_card() {
    check(
        "ana joins    => ok
         bo  joins    => ok
         bo  votes 5  => ok
         bo  observes => ok
         bo  observes => same
         ana sees     => ana:_ bo:_
         bo  plays    => ok
         ana sees     => ana:_ bo:_",
    );
}

#[test]
fn joining_again_changes_the_part_only_when_asked_to() {
    check(
        "ana joins as observer => ok
         ana joins             => same
         observers             => ana
         ana joins as voter    => ok
         observers             =>
         ana votes 5           => ok
         ana joins as observer => ok
         ana sees              => ana:_",
    );
}

#[test]
fn the_host_chooses_for_others_and_everyone_for_themselves() {
    check(
        "ana joins            => ok
         bo  joins            => ok
         cy  joins            => ok
         bo  lets cy observe  => HostOnly
         bo  lets bo observe  => ok
         ana lets cy observe  => ok
         observers            => bo cy
         host lets cy play    => ok
         ana lets di observe  => NoSuchUser
         di  observes         => NotSeated
         host observes        => NotSeated
         di+key lets bo play  => ok
         observers            =>",
    );
}

#[test]
fn cards_open_by_themselves_when_every_voter_has_voted() {
    check(
        "ana joins             => ok
         bo  joins             => ok
         cy  joins as observer => ok
         ana turns auto on     => ok
         ana turns auto on     => same
         ana votes 5           => ok
         cards                 => down
         bo  votes 8           => ok
         cards                 => up
         cy  sees              => ana:5 bo:8 cy:_
         history               => 1 ana:5 bo:8
         ana resets            => ok
         bo  votes 3           => ok
         cards                 => down",
    );
}

#[test]
fn one_vote_alone_opens_nothing() {
    check(
        "ana joins         => ok
         ana turns auto on => ok
         ana votes 5       => ok
         cards             => down
         bo  joins         => ok
         bo  votes 5       => ok
         cards             => up",
    );
}

#[test]
fn whoever_was_waited_for_and_goes_opens_the_cards() {
    for (go, answer) in [
        ("cy leaves", "ok"),
        ("ana kicks cy", "ok, cy out"),
        ("ana bans cy", "ok, cy out"),
        ("cy forgets", "ok"),
        ("ana forgets cy", "ok, cy out"),
        ("cy observes", "ok"),
        ("ana lets cy observe", "ok"),
        ("cy joins as observer", "ok"),
    ] {
        check(&format!(
            "ana joins         => ok
             bo  joins         => ok
             cy  joins         => ok
             ana turns auto on => ok
             ana votes 5       => ok
             bo  votes 5       => ok
             cards             => down
             {go}              => {answer}
             cards             => up"
        ));
    }
}

#[test]
fn turning_it_on_when_all_have_voted_opens_the_cards() {
    check(
        "ana joins          => ok
         bo  joins          => ok
         ana votes 5        => ok
         bo  votes 5        => ok
         ana turns auto on  => ok
         cards              => up
         ana turns auto off => ok
         cards              => up",
    );
}

#[test]
fn the_host_shows_although_somebody_is_stuck() {
    check(
        "ana joins         => ok
         bo  joins         => ok
         ana turns auto on => ok
         ana votes 5       => ok
         ana shows         => ok
         ana sees          => ana:5 bo:_",
    );
}

#[test]
fn hidden_cards_do_not_open_again_by_themselves() {
    check(
        "ana joins         => ok
         bo  joins         => ok
         cy  joins         => ok
         ana turns auto on => ok
         ana votes 5       => ok
         bo  votes 5       => ok
         ana shows         => ok
         ana hides         => ok
         cy  leaves        => ok
         cards             => down",
    );
}
