//! What can be played at all: the checks a game passes before it is made.

use crate::reels::evening::{FRIDAY, chosen};
use crate::reels::wish::{ITEMS_MAX, ITEMS_PER_ROUND_MAX, PLAYERS_MAX, ROUNDS_MAX, SENDERS_MAX};
use crate::reels::{NotAGame, Player, Round, Sender, Wish};

/// Friday's game with one thing changed.
fn with(change: impl Fn(&mut Wish)) -> Result<Wish, NotAGame> {
    let mut wish = FRIDAY.wish();
    change(&mut wish);
    Wish::new(wish.settings, wish.senders, Some(wish.players), wish.rounds)
}

#[test]
fn without_players_there_is_a_seat_for_each_sender() {
    let wish = FRIDAY.wish();
    let seats: Vec<_> = wish.players.iter().map(|player| (player.id.as_str(), player.name.as_str(), player.active)).collect();
    assert_eq!(seats, [("p1", "Ana", true), ("p2", "Bo", true), ("p3", "Cy", true), ("p4", "Di", false)]);
    assert!(wish.players.iter().zip(&wish.senders).all(|(player, sender)| player.sender.as_ref() == Some(&sender.id)));
}

#[test]
fn a_game_that_makes_no_sense_is_refused_whole() {
    let answer = |words: &'static str| move |wish: &mut Wish| wish.rounds[0].items[0].true_senders = chosen(words);
    for words in ["", "s9", "s4", "s1 s1", "s1 s4", "p1"] {
        assert_eq!(with(answer(words)), Err(NotAGame::Answer("i1".into())), "{words}");
    }
    assert!(with(answer("s3 s1 s2")).is_ok());
    assert_eq!(with(|wish| wish.senders.clear()), Err(NotAGame::Senders));
    assert_eq!(with(|wish| wish.rounds.clear()), Err(NotAGame::Rounds));
    assert_eq!(with(|wish| wish.rounds[1].items.clear()), Err(NotAGame::Rounds));
    for seconds in [0, 4, 601, u64::MAX] {
        assert_eq!(with(|wish| wish.settings.vote_seconds = Some(seconds)), Err(NotAGame::VoteSeconds));
    }
    assert!(with(|wish| wish.settings.vote_seconds = Some(5)).is_ok());
    assert_eq!(with(|wish| wish.senders[1].id = "s1".parse().unwrap()), Err(NotAGame::Twice("s1".into())));
    assert_eq!(with(|wish| wish.players[1].id = "p1".parse().unwrap()), Err(NotAGame::Twice("p1".into())));
    assert_eq!(with(|wish| wish.rounds[1].id = "r1".parse().unwrap()), Err(NotAGame::Twice("r1".into())));
    assert_eq!(with(|wish| wish.rounds[0].items[1].id = "i1".parse().unwrap()), Err(NotAGame::Twice("i1".into())));
    let same = |what| Err(NotAGame::SameName { what, name: "ana".into() });
    assert_eq!(with(|wish| wish.senders[1].name = "ANA".parse().unwrap()), same("senders"));
    assert_eq!(with(|wish| wish.players[3].name = "ａｎａ".parse().unwrap()), same("players"));
    assert_eq!(with(|wish| wish.players[1].sender = "s9".parse().ok()), Err(NotAGame::StrangeSender("p2".parse().unwrap())));
    assert_eq!(with(|wish| wish.players[1].sender = "s1".parse().ok()), Err(NotAGame::SharedSender("s1".parse().unwrap())));
    assert!(with(|wish| wish.players.clear()).is_ok(), "seats may all be added by hand");
}

#[test]
fn a_game_has_bounds() {
    let sender = |n: usize| Sender { id: id("s", n), name: name("S", n), active: true, reels_count: 0 };
    let player = |n: usize| Player { id: id("p", n), name: name("P", n), active: true, sender: None };
    let round = |n: usize, items: usize| {
        let item = &FRIDAY.wish().rounds[0].items[0];
        let items = (1..=items).map(|n| crate::reels::Item { id: id("i", n), ..item.clone() });
        Round { id: id("r", n), items: items.collect() }
    };
    let rounds = |count: usize, items: usize| move |wish: &mut Wish| wish.rounds = (1..=count).map(|n| round(n, items)).collect();
    let senders = |count: usize| {
        move |wish: &mut Wish| {
            wish.senders = (1..=count).map(sender).collect();
            wish.players.clear();
        }
    };
    let players = |count: usize| move |wish: &mut Wish| wish.players = (1..=count).map(player).collect();
    assert!(with(senders(SENDERS_MAX)).is_ok() && with(senders(SENDERS_MAX + 1)) == Err(NotAGame::Senders));
    assert!(with(players(PLAYERS_MAX)).is_ok() && with(players(PLAYERS_MAX + 1)) == Err(NotAGame::Players));
    assert!(with(rounds(ROUNDS_MAX, 1)).is_ok() && with(rounds(ROUNDS_MAX + 1, 1)) == Err(NotAGame::Rounds));
    assert!(with(rounds(1, ITEMS_PER_ROUND_MAX)).is_ok() && with(rounds(1, ITEMS_PER_ROUND_MAX + 1)) == Err(NotAGame::Rounds));
    assert!(with(rounds(10, ITEMS_MAX / 10)).is_ok() && with(rounds(11, ITEMS_MAX / 10)) == Err(NotAGame::Rounds));
}

fn id<T: std::str::FromStr>(letter: &str, number: usize) -> T
where
    T::Err: std::fmt::Debug,
{
    format!("{letter}{number}").parse().unwrap()
}

fn name(letter: &str, number: usize) -> crate::names::Name {
    format!("{letter} {number}").parse().unwrap()
}
