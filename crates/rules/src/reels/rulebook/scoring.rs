//! What votes are worth: a point for each right sender, once.

use super::script::{Evening, SEATED, check_game};
use crate::reels::evening::{BEGAN, FRIDAY, Setup, chosen, credential, take, which};
use crate::reels::sound::sound;
use crate::reels::{Command, Event, Reels, Stage};
use crate::room::{Act, Room, When};

#[test]
fn a_point_for_each_right_sender_and_none_taken_away() {
    check_game(
        "master opens r1 i1     => ok
         ana votes r1 i1 s2     => ok
         bo  votes r1 i1 s1     => ok
         cy  votes r1 i1        => ok
         scores                 => p1:0 p2:1 p3:0 p4:0
         master ends r1 i1      => ok
         master opens r1 i2     => ok
         ana votes r1 i2 s2 s1  => ok
         bo  votes r1 i2 s3 s2  => ok
         cy  votes r1 i2 s1     => ok
         scores                 => p1:1 p2:3 p3:0 p4:0
         deltas r1              => p1:1 p2:3 p3:0 p4:0
         master ends r1 i2      => ok
         stage                  => RoundRecap
         master sees ranking    => 1.p2:3+3 2.p1:1+1 3.p3:0+0
         master goes on after r1 => ok
         deltas r1              => p1:1 p2:3 p3:0 p4:0
         deltas r2              => p1:0 p2:0 p3:0 p4:0
         master opens r2 i1     => ok
         ana votes r2 i1 s3     => ok
         bo  votes r2 i1 s1     => ok
         cy  votes r2 i1 s1     => ok
         deltas r1              => p1:1 p2:3 p3:0 p4:0
         deltas r2              => p1:1 p2:0 p3:0 p4:0
         scores                 => p1:2 p2:3 p3:0 p4:0",
    );
}

#[test]
fn whoever_did_not_vote_named_nobody() {
    check_game(
        "master opens r1 i1     => ok
         ana votes r1 i1 s1     => ok
         master forces r1 i1 0s => ok
         master sees results    => s1: p1[s1/]1 p2[/]0 p3[/]0
         scores                 => p1:1 p2:0 p3:0 p4:0",
    );
}

#[test]
fn awards_are_given_at_the_end_and_not_before() {
    check_game(
        "master opens r1 i1      => ok
         after 2s                =>
         ana votes r1 i1 s2      => ok
         bo  votes r1 i1 s1      => ok
         after 4s                =>
         cy  votes r1 i1 s2      => ok
         master ends r1 i1       => ok
         master opens r1 i2      => ok
         after 1s                =>
         bo votes r1 i2 s2 s3    => ok
         ana votes r1 i2 s3      => ok
         cy votes r1 i2 s3       => ok
         master ends r1 i2       => ok
         master sees awards      =>
         master goes on after r1 => ok
         master opens r2 i1      => ok
         master forces r2 i1 0s  => ok
         master ends r2 i1       => ok
         master sees awards      =>
         master goes on after r2 => ok
         master sees awards      => best_guesser:p2=75 fastest:p1=1500 most_mysterious:s2=0 open_book:s3=100 usual_suspect:s2=2
         ana sees awards         => best_guesser:p2=75 fastest:p1=1500 most_mysterious:s2=0 open_book:s3=100 usual_suspect:s2=2
         ana sees ranking        => 1.p2:3+0 2.p1:1+0 2.p3:1+0",
    );
}

#[test]
fn h95_points_of_a_count_stand_in_one_event_with_the_end_of_the_vote() {
    // There is no moment between the scores, the points of the round and the stage at which a crash could come: one event says all
    // three, each as it is and not by how much it grew, so taking it again after a crash adds nothing.
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    evening.play("master starts => ok\n master opens r1 i1 => ok\n ana votes r1 i1 s1 => ok\n bo votes r1 i1 s1 => ok");
    let before = evening.game().clone();
    let by = before.recognise(&credential("cy")).unwrap();
    let command = Command::SubmitVote { item: which("r1", "i1"), player: None, selections: chosen("s1") };
    let events = before.decide(&Act { by, at: BEGAN, dice: 0, command }).unwrap();
    assert!(matches!(events.as_slice(), [Event::Voted { .. }, Event::Scored(_)]), "{events:?}");
    let mut once = before.clone();
    events.iter().for_each(|event| once.apply(When { at: BEGAN, seq: 9 }, event));
    let sum = |game: &Reels| game.scores.values().sum::<u64>();
    assert_eq!((sum(&once), once.stage, sound(&once)), (3, Stage::RevealWait, Ok(())));
    let mut again = once.clone();
    for _ in 0..3 {
        events.iter().for_each(|event| again.apply(When { at: BEGAN, seq: 9 }, event));
        assert!(again == once, "points were given twice");
    }
}

#[test]
fn h94_two_to_six_voters_in_every_order_are_counted_exactly_once() {
    for people in 2..=6 {
        let setup = Setup { people, benched: 0, vote_seconds: None, rounds: &[&["s1"]] };
        let mut opened = setup.game();
        let act = |game: &mut Reels, who: &str, command: Command| {
            let by = game.recognise(&credential(who)).unwrap();
            let events = game.decide(&Act { by, at: BEGAN, dice: 0, command }).unwrap();
            events.iter().for_each(|event| game.apply(When { at: BEGAN, seq: 2 }, event));
            assert_eq!(sound(game), Ok(()));
            events.iter().filter(|event| matches!(event, Event::Scored(_))).count()
        };
        let device = |n: usize| format!("device {n}");
        for n in 1..=people {
            act(&mut opened, &device(n), take(&format!("p{n}")));
        }
        act(&mut opened, "master", Command::StartGame);
        act(&mut opened, "master", Command::ReelOpened(which("r1", "i1")));
        let mut orders = 0;
        permutations(&mut (1..=people).collect::<Vec<_>>(), 0, &mut |order| {
            let mut game = opened.clone();
            let counts: Vec<usize> = order
                .iter()
                .map(|n| {
                    let selections = chosen(if n % 2 == 0 { "s1" } else { "s2" });
                    act(&mut game, &device(*n), Command::SubmitVote { item: which("r1", "i1"), player: None, selections })
                })
                .collect();
            let (last, others) = counts.split_last().unwrap();
            assert!(*last == 1 && others.iter().all(|count| *count == 0), "{order:?}: counted {counts:?}");
            assert_eq!(game.stage, Stage::RevealWait);
            assert_eq!(game.scores.values().sum::<u64>(), people as u64 / 2);
            orders += 1;
        });
        assert_eq!(orders, (1..=people).product::<usize>());
    }
}

fn permutations(order: &mut Vec<usize>, from: usize, each: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        return each(order);
    }
    for swap in from..order.len() {
        order.swap(from, swap);
        permutations(order, from + 1, each);
        order.swap(from, swap);
    }
}
