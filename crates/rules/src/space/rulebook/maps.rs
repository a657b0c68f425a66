//! Maps.

use super::script::check;

#[test]
fn h46_the_first_write_makes_the_map() {
    check(
        "map board             => none
         ana sets board k 1    => ok
         bo  sets board j [2]  => ok
         map board             => j=[2]@3 k=1@2",
    );
}

#[test]
fn h46_a_map_that_is_there_is_made_by_nobody_again() {
    check(
        "ana creates map board => ok
         map board             => empty
         bo  creates map board => same
         bo  sets board k 1    => ok
         bo  creates map board => same
         map board             => k=1@3",
    );
}

#[test]
fn the_last_who_sets_a_key_wins_and_its_version_says_so() {
    check(
        "ana sets board k 1 => ok
         bo  sets board k 2 => ok
         map board          => k=2@3
         bo  sets board k 2 => ok
         map board          => k=2@4",
    );
}

#[test]
fn h47_what_is_not_there_is_removed_without_a_change() {
    check(
        "ana removes board k    => same
         ana sets board k 1     => ok
         ana removes board k    => ok
         bo  removes board k    => same
         map board              => empty
         ana clears map board   => same
         ana clears map other   => same
         ana deletes map board  => ok
         ana deletes map board  => same
         map board              => none",
    );
}

#[test]
fn clearing_a_map_keeps_it_and_deleting_it_does_not() {
    check(
        "ana sets board k 1 ; sets board j 2 => ok
         ana clears map board                => ok
         map board                           => empty
         parts                               => map:board
         ana sets board k 3                  => ok
         ana deletes map board               => ok
         parts                               => empty
         bytes                               => 0",
    );
}

#[test]
fn h43_h45_what_follows_a_deletion_finds_nothing_of_before() {
    check(
        "ana sets board k 1 ; sets board j 2   => ok
         bo  deletes map board                 => ok
         ana removes board k                   => same
         ana sets board k 3 if 2               => Version { expected: 2, is: 0 }
         ana sets board k 3                    => ok
         map board                             => k=3@4
         ana inserts todo i1                   => ok
         bo  deletes list todo                 => ok
         ana fills todo i1 2                   => NoItem
         ana moves todo i1 first               => NoItem
         ana takes todo i1                     => same
         list todo                             => none",
    );
}

#[test]
fn h62_a_set_with_a_version_happens_only_at_that_version() {
    check(
        "ana sets board k 1 if 5 => Version { expected: 5, is: 0 }
         ana sets board k 1 if 0 => ok
         bo  sets board k 2 if 0 => Version { expected: 0, is: 2 }
         bo  sets board k 2 if 2 => ok
         ana sets board k 3 if 2 => Version { expected: 2, is: 3 }
         ana removes board k if 2 => Version { expected: 2, is: 3 }
         ana removes board k if 3 => ok
         ana removes board k if 3 => Version { expected: 3, is: 0 }
         ana removes board k if 0 => same
         map board                => empty",
    );
}

#[test]
fn h62_of_two_who_saw_the_same_version_one_writes() {
    check(
        "host sets board k 0     => ok
         ana  sets board k 1 if 2 => ok
         bo   sets board k 2 if 2 => Version { expected: 2, is: 3 }
         map board                => k=1@3",
    );
}

#[test]
fn a_batch_happens_whole_or_not_at_all() {
    check(
        "ana sets board k 1 ; sets other k 2 ; fills todo i1 3  => NoItem
         parts                                                  => empty
         ana sets board k 1 ; inserts todo i1 ; fills todo i1 3 => ok
         map board                                              => k=1@2
         list todo                                              => i1=3@2
         ana sets board k 9 if 2 ; sets board j 1 if 2          => Version { expected: 2, is: 0 }
         map board                                              => k=1@2
         ana removes board k ; sets board k 5 if 0              => ok
         map board                                              => k=5@3",
    );
}

#[test]
fn what_a_batch_sets_has_no_version_that_it_could_name() {
    check(
        "ana sets board k 1 ; sets board k 2 if 2 => Version { expected: 2, is: 18446744073709551615 }
         ana sets board k 1 ; sets board k 2      => ok
         map board                                => k=2@2",
    );
}

#[test]
fn h63_the_bytes_of_a_space_are_those_of_its_keys_and_values() {
    check(
        "ana sets board key 123        => ok
         bytes                         => 22
         ana sets board key 12         => ok
         bytes                         => 21
         ana inserts todo i1           => ok
         bytes                         => 40
         ana fills todo i1 [1,2]       => ok
         bytes                         => 44
         ana moves todo i1 first       => same
         ana removes board key         => ok
         bytes                         => 23
         ana clears list todo          => ok
         bytes                         => 0",
    );
}
