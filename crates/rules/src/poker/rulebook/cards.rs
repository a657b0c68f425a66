//! What a card may be, who sees it and when.

use super::script::{Table, check};
use proptest::prelude::*;

#[test]
fn cards_stay_face_down_until_the_host_shows() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 5 => ok
         ana sees    => ana:_ bo:?
         bo  shows   => HostOnly
         ana sees    => ana:_ bo:?
         ana shows   => ok
         ana sees    => ana:_ bo:5
         bo  sees    => ana:_ bo:5",
    );
}

#[test]
fn h13_a_face_down_card_is_seen_by_its_owner_only_on_all_their_devices() {
    check(
        "ana joins    => ok
         bo  joins    => ok
         bo  votes 13 => ok
         bo  sees     => ana:_ bo:(13)
         bo+key sees  => ana:_ bo:(13)
         ana sees     => ana:_ bo:?
         ana+key sees => ana:_ bo:?
         host sees    => ana:_ bo:?
         cy  sees     => ana:_ bo:?
         nobody sees  => ana:_ bo:?",
    );
}

#[test]
fn a_vote_may_be_changed_and_taken_back_while_cards_are_down() {
    check(
        "ana joins      => ok
         ana votes 5    => ok
         ana votes 5    => same
         ana votes 8    => ok
         ana sees       => ana:(8)
         ana takes back => ok
         ana sees       => ana:_
         ana takes back => same",
    );
}

#[test]
fn h24_only_cards_of_the_deck_count() {
    check(
        r"ana joins           => ok
          ana votes ?         => ok
          ana votes ∞         => ok
          ana votes 4         => NotInDeck
          ana votes -5        => NotInDeck
          ana votes 5.0       => NotInDeck
          ana votes 05        => NotInDeck
          ana votes NaN       => NotInDeck
          ana votes ５        => NotInDeck
          ana votes 9223372036854775808 => Unreadable
          ana votes 5\u{200b} => Unreadable
          ana votes 5\u{20}   => Unreadable
          ana votes \u{200d}  => Unreadable
          ana sees            => ana:(∞)",
    );
}

#[test]
fn cards_that_look_alike_are_one_card() {
    check(
        r"ana joins                => ok
          ana deals é e\u{301}     => Unreadable
          ana deals ok? é          => ok
          ana votes e\u{301}       => ok
          ana sees                 => ana:(é)
          ana deals 5 5\u{200d}    => Unreadable
          ana deals ☕ ☕\u{fe0f}   => Unreadable",
    );
}

#[test]
fn h16_nobody_votes_after_the_show_until_the_reset() {
    check(
        "ana joins      => ok
         bo  joins      => ok
         ana votes 5    => ok
         ana shows      => ok
         bo  votes 5    => AlreadyShown
         ana votes 8    => AlreadyShown
         ana votes 4    => AlreadyShown
         ana takes back => AlreadyShown
         cy  joins      => ok
         cy  votes 5    => AlreadyShown
         bo  sees       => ana:5 bo:_ cy:_
         ana resets     => ok
         bo  votes 5    => ok",
    );
}

#[test]
fn a_reset_hides_clears_and_begins_the_next_round() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 5 => ok
         ana shows   => ok
         round       => 1
         ana resets  => ok
         round       => 2
         cards       => down
         ana sees    => ana:_ bo:_
         bo  sees    => ana:_ bo:_",
    );
}

#[test]
fn h15_a_reset_before_the_show_shows_nothing() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 5 => ok
         ana resets  => ok
         ana shows   => ok
         ana sees    => ana:_ bo:_",
    );
}

#[test]
fn showing_twice_is_showing_once() {
    check(
        "ana joins => ok
         ana shows => ok
         ana shows => same
         round     => 1",
    );
}

#[test]
fn h126_a_new_deck_hides_clears_and_begins_the_next_round() {
    check(
        "ana joins        => ok
         bo  joins        => ok
         bo  votes 5      => ok
         ana shows        => ok
         ana deals XS S M => ok
         deck             => XS S M
         round            => 2
         cards            => down
         ana sees         => ana:_ bo:_
         bo  votes 5      => NotInDeck
         bo  votes S      => ok
         ana deals XS S M => ok
         bo  sees         => ana:_ bo:_",
    );
}

#[test]
fn a_deck_has_cards_and_none_of_them_twice() {
    check(
        "ana joins          => ok
         ana deals          => Unreadable
         ana deals 1 2 1    => Unreadable
         deck               => 1 2 3 5 8 13 20 ? ∞",
    );
}

proptest! {
    #[test]
    fn h24_whatever_is_voted_what_lies_on_the_table_is_of_the_deck(
        cards in prop::collection::vec("[^\\\\\\p{C} ]{1,6}|-?[0-9]{1,20}|NaN|[1-9]|\\?|∞", 1..30)
    ) {
        let mut table = Table::new();
        table.play("ana joins => ok");
        for card in &cards {
            let answer = table.line(&["ana", "votes", card]);
            let room = table.room();
            prop_assert!(["ok", "same", "NotInDeck", "Unreadable"].contains(&answer.as_str()), "{} => {}", card, answer);
            let votes: Vec<_> = room.seats.values().filter_map(|seat| seat.vote.as_ref()).collect();
            prop_assert!(votes.iter().all(|vote| room.deck.holds(vote)), "{} lies on the table", card);
        }
    }
}
