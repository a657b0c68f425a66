//! Before the game: who is in it, what they are called, and when it may begin.

use super::script::{Evening, SEATED, check, check_game};
use crate::reels::evening::{BEGAN, FRIDAY, MASTER_KEY, Setup, code, credential};
use crate::reels::sound::sound;
use crate::reels::wish::PLAYERS_MAX;
use crate::reels::{Command, Player, Reels, Wish};
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;

#[test]
fn h107_a_game_begins_with_two_or_more_active_players_all_claimed() {
    check(
        "master starts       => Unclaimed
         ana takes p1        => ok
         bo  takes p2        => ok
         master starts       => Unclaimed
         master benches p3   => ok
         master benches p2   => ok
         master starts       => TooFewPlayers
         master unbenches p2 => ok
         master starts       => Unclaimed
         bo  takes p2        => ok
         bo  gives up p2     => ok
         master starts       => Unclaimed
         bo  takes p2        => ok
         ana starts          => MasterOnly
         stage               => Lobby
         master starts       => ok
         stage               => Idle
         at                  => r1 i1
         deltas r1           => p1:0 p2:0 p3:0 p4:0",
    );
}

#[test]
fn h107_between_the_last_claim_and_the_start_nobody_slips_out_of_the_game() {
    // Each of these may come just before the start; the start is then decided on what it left.
    for (before, answer) in [
        ("bo gives up p2 => ok", "Unclaimed"),
        ("master releases p2 => ok", "Unclaimed"),
        ("master resets => ok", "Unclaimed"),
        ("master adds Zoe => ok", "Unclaimed"),
        ("master unbenches p4 => ok", "Unclaimed"),
        ("master benches p2 => ok", "ok"),
        ("master deletes p2 => ok", "ok"),
        ("master deletes p2 => ok\n master deletes p3 => ok", "TooFewPlayers"),
    ] {
        let mut evening = Evening::new(FRIDAY);
        evening.play(SEATED);
        evening.play(before);
        evening.play(&format!("master starts => {answer}"));
        let (game, started) = (evening.game(), answer == "ok");
        assert_eq!(game.at.is_some(), started);
        let held = |player: &&crate::reels::Player| player.active == game.claims.contains_key(&player.id);
        assert!(!started || game.players.iter().all(|player| held(&player)), "after {before}");
    }
}

#[test]
fn nobody_is_taken_out_of_a_game_that_has_begun_but_people_come_into_it() {
    check_game(
        "master benches p1   => NotInPhase
         master deletes p4   => NotInPhase
         master benches p4   => NotInPhase
         master unbenches p4 => ok
         master unbenches p4 => same
         master benches p4   => NotInPhase
         master unbenches p9 => PlayerNotFound
         master resets       => NotInPhase
         master adds Zoe     => ok
         claims              => p1:ana p2:bo p3:cy",
    );
}

#[test]
fn a_deleted_seat_is_gone_with_its_face_its_points_and_its_claim() {
    check(
        "ana takes p1      => ok
         ana draws p1 7    => ok
         ana deletes p1    => MasterOnly
         master deletes p1 => ok
         master deletes p1 => PlayerNotFound
         players           => p2:Bo p3:Cy p4:Di
         scores            => p2:0 p3:0 p4:0
         faces             =>
         ana lost          => p1 deleted
         ana takes p1      => PlayerNotFound
         ana takes p2      => ok
         ana lost          => nothing",
    );
}

#[test]
fn resetting_the_claims_tells_every_device() {
    check(
        "master resets => same
         ana takes p1  => ok
         bo  takes p2  => ok
         bo  resets    => MasterOnly
         master resets => ok
         master resets => same
         claims        =>
         ana lost      => p1 reset
         bo  lost      => p2 reset
         cy  lost      => nothing
         bo  takes p1  => ok
         bo  lost      => nothing
         ana takes p1  => TakenNow",
    );
}

#[test]
fn seats_are_added_under_new_names_up_to_a_hundred() {
    check(
        "ana adds Zoe      => MasterOnly
         master adds Zoe   => ok
         master adds zoë   => ok
         master adds ZOE   => NameTaken
         master adds Ana   => NameTaken
         master adds Di    => NameTaken
         players           => p1:Ana p2:Bo p3:Cy p4:Di p5:Zoe p6:zoë",
    );
    let mut evening = Evening::new(FRIDAY);
    for n in 0..PLAYERS_MAX - 4 {
        evening.play(&format!("master adds Guest {n} => ok"));
    }
    evening.play("master adds One more => Full\n master deletes p4 => ok\n master adds One more => ok");
    assert_eq!(evening.game().players.len(), PLAYERS_MAX);
}

#[test]
fn a_seat_that_is_added_is_never_one_that_is_there_however_high_they_count() {
    for ids in
        [["p1", "p999999999"], ["p999999999", "p1000000000"], ["p1000000001", "p999999999"], ["p5", "p18446744073709551615"]]
    {
        let seats = ids.into_iter().zip(["Uma", "Vic"]).map(|(id, name)| seat(id, name));
        let wish = Wish { players: seats.collect(), ..FRIDAY.wish() };
        let mut game = Reels::create(code(), SecretHash::of(MASTER_KEY), wish);
        let mut asks = |command: Command| {
            let by = game.recognise(&credential("master")).unwrap();
            let events = game.decide(&Act { by, at: BEGAN, dice: 0, command }).unwrap();
            events.iter().for_each(|event| game.apply(When { at: BEGAN, seq: 2 }, event));
            assert_eq!(sound(&game), Ok(()), "{ids:?}");
            game.players.iter().map(|player| format!("{} {}", player.id, player.name)).collect::<Vec<_>>()
        };
        let add = |name: &str| Command::AddPlayer(name.parse().unwrap());
        asks(add("Alice"));
        let seats = asks(add("Bob"));
        let names: Vec<_> = seats.iter().map(|seat| seat.split(' ').nth(1).unwrap()).collect();
        assert_eq!(names, ["Uma", "Vic", "Alice", "Bob"], "{ids:?}");
        // A number that was given is not given again, so that whoever names Bob's seat late does not mean Carol's.
        let bob = seats[3].split(' ').next().unwrap();
        asks(Command::DeletePlayer(bob.parse().unwrap()));
        assert!(!asks(add("Carol"))[3].starts_with(&format!("{bob} ")), "{ids:?}");
    }
}

fn seat(id: &str, name: &str) -> Player {
    Player { id: id.parse().unwrap(), sender: None, active: true, name: name.parse().unwrap() }
}

#[test]
fn h93_phones_see_who_is_in_the_game_and_the_master_sees_everyone() {
    check(
        "ana takes p1          => ok
         ana sees seats        => p1* p2 p3
         nobody sees seats     => p1* p2 p3
         master sees seats     => p1* p2 p3 p4
         ana+key sees seats    => p1* p2 p3 p4
         ana sees senders      => nothing
         master sees senders   => s1 s2 s3 s4
         ana+wrong sees seats  => BadKey
         master unbenches p4   => ok
         ana sees seats        => p1* p2 p3 p4
         ana sees item         => nothing
         master sees item      => nothing",
    );
}

#[test]
fn two_rounds_for_two_people_are_enough() {
    Evening::new(Setup { people: 2, benched: 0, vote_seconds: None, rounds: &[&["s1"], &["s2"]] }).play(
        "ana takes p1           => ok
         bo  takes p2           => ok
         master starts          => ok
         master opens r1 i1     => ok
         ana votes r1 i1 s1     => ok
         bo  votes r1 i1 s2     => ok
         master ends r1 i1      => ok
         stage                  => RoundRecap
         ana sees ranking       => 1.p1:1+1 2.p2:0+0
         master goes on after r1 => ok
         master opens r2 i1     => ok
         ana votes r2 i1 s1     => ok
         bo  votes r2 i1 s2     => ok
         master ends r2 i1      => ok
         master goes on after r2 => ok
         stage                  => Over
         ana sees ranking       => 1.p1:1+0 1.p2:1+1",
    );
}
