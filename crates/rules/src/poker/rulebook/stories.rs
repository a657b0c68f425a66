//! The list of stories.

use super::script::{Table, check};
use crate::poker::stories::STORIES_MAX;

#[test]
fn stories_are_added_moved_edited_and_removed_by_the_host() {
    check(
        "ana joins                       => ok
         bo  joins                       => ok
         bo  adds Login                  => HostOnly
         ana adds Login Search           => ok
         ana adds Export at 0            => ok
         ana adds Last at 99             => ok
         ana adds                        => same
         stories                         => s3:Export s1:Login s2:Search s4:Last
         ana moves s3 to 2               => ok
         ana moves s3 to 2               => same
         ana moves s1 to 99              => ok
         stories                         => s2:Search s3:Export s4:Last s1:Login
         ana retitles s2 Find things     => ok
         ana retitles s2 Find things     => same
         ana links s2 https://a.example  => ok
         ana estimates s2 5              => ok
         ana removes s3                  => ok
         ana removes s3                  => NoSuchStory
         stories                         => s2:Find things=5 s4:Last s1:Login
         ana estimates s2 nothing        => ok
         ana edits s2                    => NoChange
         ana edits s9                    => NoSuchStory
         ana moves s9 to 0               => NoSuchStory
         ana adds New                    => ok
         stories                         => s2:Find things s4:Last s1:Login s5:New",
    );
}

#[test]
fn picking_a_story_hides_and_clears() {
    check(
        "ana joins         => ok
         ana adds A B      => ok
         ana votes 5       => ok
         ana picks s1      => ok
         stories           => *s1:A s2:B
         ana sees          => ana:_
         round             => 2
         ana votes 5       => ok
         ana picks s1      => same
         ana sees          => ana:(5)
         ana shows         => ok
         ana picks s2      => ok
         cards             => down
         sealed            => false
         history           => 2 [A] ana:5
         ana picks s9      => NoSuchStory
         ana picks nothing => ok
         ana picks nothing => same
         stories           => s1:A s2:B",
    );
}

#[test]
fn what_all_agree_on_becomes_the_estimate_and_nothing_else_does() {
    for (ana, bo, stories) in [("5", "5", "*s1:A=5"), ("5", "8", "*s1:A"), ("?", "?", "*s1:A"), ("∞", "∞", "*s1:A")] {
        check(&format!(
            "ana joins       => ok
             bo  joins       => ok
             ana adds A      => ok
             ana picks s1    => ok
             ana votes {ana} => ok
             bo  votes {bo}  => ok
             ana shows       => ok
             stories         => {stories}"
        ));
    }
}

#[test]
fn one_voter_alone_does_not_agree() {
    check(
        "ana joins    => ok
         ana adds A   => ok
         ana picks s1 => ok
         ana votes 5  => ok
         ana shows    => ok
         result       => 1 votes, 100%, 5
         stories      => *s1:A",
    );
}

#[test]
fn showing_again_does_not_undo_the_hosts_estimate() {
    check(
        "ana joins          => ok
         bo  joins          => ok
         ana adds A         => ok
         ana picks s1       => ok
         ana votes 5        => ok
         bo  votes 5        => ok
         ana shows          => ok
         ana estimates s1 8 => ok
         ana hides          => ok
         ana shows          => ok
         stories            => *s1:A=8",
    );
}

#[test]
fn a_removed_story_is_no_longer_estimated_and_stays_in_the_history() {
    check(
        "ana joins      => ok
         ana adds A     => ok
         ana picks s1   => ok
         ana votes 5    => ok
         ana removes s1 => ok
         ana sees       => ana:(5)
         stories        =>
         ana shows      => ok
         history        => 2 ana:5",
    );
    check(
        "ana joins      => ok
         ana adds A     => ok
         ana picks s1   => ok
         ana votes 5    => ok
         ana shows      => ok
         ana removes s1 => ok
         history        => 2 [A] ana:5",
    );
}

#[test]
fn the_list_has_an_end() {
    let mut table = Table::new();
    table.play("ana joins => ok");
    let titles: Vec<_> = (0..STORIES_MAX).map(|n| format!("T{n}")).collect();
    table.play(&format!("ana adds {} => ok", titles.join(" ")));
    table.play("ana adds More => TooManyStories\n ana removes s1 => ok\n ana adds More => ok");
    assert_eq!(table.room().stories.list.len(), STORIES_MAX);
}
