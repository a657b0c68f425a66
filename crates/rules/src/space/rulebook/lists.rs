//! Lists: where things go, and what becomes of places that are gone.

use super::script::check;

#[test]
fn an_item_goes_to_the_end_unless_it_is_said_where() {
    check(
        "ana inserts todo b            => ok
         ana inserts todo c            => ok
         ana inserts todo a first      => ok
         ana inserts todo d at 1       => ok
         ana inserts todo e after b    => ok
         ana inserts todo f at 99      => ok
         list todo                     => a=1@4 d=1@5 b=1@2 e=1@6 c=1@3 f=1@7",
    );
}

#[test]
fn an_id_is_there_once() {
    check(
        "ana inserts todo a       => ok
         bo  inserts todo a first => ItemExists
         bo  inserts done a       => ok
         ana takes todo a         => ok
         bo  inserts todo a       => ok",
    );
}

#[test]
fn who_brings_no_id_is_given_one() {
    let mut board = super::script::Board::new();
    board.play("ana inserts todo _ ; inserts todo _ ; inserts todo _ => ok");
    board.play("ana inserts todo _ => ok");
    assert_eq!(board.space.lists.values().next().unwrap().len(), 4);
}

#[test]
fn a_moved_item_is_where_it_was_moved_to_and_keeps_its_version() {
    check(
        "ana inserts todo a ; inserts todo b ; inserts todo c ; inserts todo d => ok
         ana moves todo a at 2    => ok
         list todo                => b=1@2 c=1@2 a=1@2 d=1@2
         ana moves todo a at 0    => ok
         list todo                => a=1@2 b=1@2 c=1@2 d=1@2
         ana moves todo a last    => ok
         list todo                => b=1@2 c=1@2 d=1@2 a=1@2
         ana moves todo d first   => ok
         list todo                => d=1@2 b=1@2 c=1@2 a=1@2
         ana moves todo d after c => ok
         list todo                => b=1@2 c=1@2 d=1@2 a=1@2
         ana moves todo b at 99   => ok
         list todo                => c=1@2 d=1@2 a=1@2 b=1@2",
    );
}

#[test]
fn who_stands_there_already_is_not_moved() {
    check(
        "ana inserts todo a ; inserts todo b ; inserts todo c => ok
         ana moves todo b at 1    => same
         ana moves todo b after a => same
         ana moves todo b after b => same
         ana moves todo a first   => same
         ana moves todo c last    => same
         ana moves todo x last    => NoItem
         ana moves none x last    => NoItem",
    );
}

#[test]
fn h65_what_goes_after_an_item_that_is_gone_goes_where_it_was() {
    check(
        "ana inserts todo a ; inserts todo b ; inserts todo c => ok
         order todo b                          => V000001
         bo  takes todo b                      => ok
         ana inserts todo d after b            => NoItem
         ana inserts todo d after b seen V000001 => ok
         list todo                             => a=1@2 d=1@4 c=1@2
         ana inserts todo e after b or at 1    => ok
         list todo                             => a=1@2 e=1@5 d=1@4 c=1@2
         ana moves todo a after b seen V000001 => ok
         ana inserts new f after x             => NoItem
         ana inserts new f after x seen V000005 => ok
         list new                              => f=1@7",
    );
}

#[test]
fn h65_an_order_that_was_seen_does_not_matter_while_the_item_stands() {
    check(
        "ana inserts todo a ; inserts todo b ; inserts todo c => ok
         ana inserts todo d after a seen zzzzzzz              => ok
         list todo                                            => a=1@2 d=1@3 b=1@2 c=1@2",
    );
}

#[test]
fn h47_an_item_that_is_not_there_is_taken_without_a_change_but_not_filled() {
    check(
        "ana takes todo a        => same
         ana fills todo a 1      => NoItem
         ana inserts todo a      => ok
         ana takes todo a        => ok
         ana takes todo a        => same
         list todo               => empty
         ana clears list todo    => same
         ana deletes list todo   => ok
         ana deletes list todo   => same",
    );
}

#[test]
fn h62_an_item_is_filled_at_the_version_that_was_seen() {
    check(
        "ana inserts todo a       => ok
         bo  fills todo a 2 if 2  => ok
         ana fills todo a 3 if 2  => Version { expected: 2, is: 3 }
         ana moves todo a last    => same
         ana fills todo a 3 if 0  => Version { expected: 0, is: 3 }
         ana fills todo a 3 if 3  => ok
         ana fills todo b 3 if 0  => NoItem
         list todo                => a=3@4",
    );
}

#[test]
fn maps_and_lists_of_one_name_are_two_parts() {
    check(
        "ana sets x k 1                  => ok
         ana inserts x k                 => ok
         ana creates presence x for 9    => ok
         parts                           => map:x list:x presence:x(9)
         ana deletes map x               => ok
         parts                           => list:x presence:x(9)",
    );
}
