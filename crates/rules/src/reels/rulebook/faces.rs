//! Names and pictures: whose they are, who may change them, and that nobody's change undoes another's.

use super::script::{Evening, SEATED, check, check_game};
use crate::reels::evening::{FRIDAY, credential, seat_of};
use crate::reels::{Class, PlayerId};
use crate::room::Room;

#[test]
fn a_name_is_changed_by_who_has_the_seat_or_the_master_and_the_senders_goes_with_it() {
    check(
        "ana takes p1            => ok
         bo  takes p2            => ok
         bo  renames p1 to Annie => NotYours
         eve renames p3 to Zed   => NotYours
         eve renames p9 to Zed   => PlayerNotFound
         ana renames p1 to Annie => ok
         ana renames p1 to Annie => same
         players                 => p1:Annie p2:Bo p3:Cy p4:Di
         senders                 => s1:Annie s2:Bo s3:Cy s4:Di
         master renames p4 to Dee => ok
         senders                 => s1:Annie s2:Bo s3:Cy s4:Dee
         master adds Zoe         => ok
         master renames p5 to Zo => ok
         senders                 => s1:Annie s2:Bo s3:Cy s4:Dee",
    );
}

#[test]
fn two_who_look_alike_are_not_called_alike() {
    check(
        "ana takes p1             => ok
         ana renames p1 to bo     => NameTaken
         ana renames p1 to ＢＯ   => NameTaken
         ana renames p1 to Di     => NameTaken
         ana renames p1 to ANA    => ok
         players                  => p1:ANA p2:Bo p3:Cy p4:Di",
    );
}

#[test]
fn h115_a_name_cannot_hide_or_turn_text_around_or_be_long() {
    check(
        r"ana takes p1                        => ok
          ana renames p1 to \u{202e}ana       => Unreadable
          ana renames p1 to a\u{0}b           => Unreadable
          ana renames p1 to \u{200b}          => Unreadable
          ana renames p1 to \u{200d}          => Unreadable
          ana renames p1 to                   => Unreadable
          master adds a\u{2066}b              => Unreadable
          ana renames p1 to <b>Ana</b>        => ok
          players                             => p1:<b>Ana</b> p2:Bo p3:Cy p4:Di",
    );
    let mut evening = Evening::new(FRIDAY);
    let long = "x".repeat(1 << 20);
    evening.play(&format!("ana takes p1 => ok\n ana renames p1 to {long} => Unreadable\n master adds {long} => Unreadable"));
    evening.play(&format!("ana renames p1 to {} => ok", "x".repeat(40)));
    evening.play(&format!("ana renames p1 to {} => Unreadable", "y".repeat(41)));
}

#[test]
fn h79_edits_of_different_players_at_the_same_time_are_all_kept() {
    // Each is decided on the game as all of them saw it, and all are taken in, in both orders: an edit says what it changes and
    // nothing of the others, so none undoes another.
    let edits = [
        ("ana", "renames p1 to Annie"),
        ("bo", "renames p2 to Bob"),
        ("cy", "draws p3 7"),
        ("ana", "draws p1 8"),
        ("master", "renames p4 to Dee"),
        ("master", "adds Zoe"),
        ("master", "draws p4 9"),
    ];
    for backwards in [false, true] {
        let mut evening = Evening::new(FRIDAY);
        evening.play(SEATED);
        let seen = evening.game().clone();
        let mut all: Vec<_> = edits
            .iter()
            .map(|(who, words)| {
                use crate::reels::evening::{BEGAN, credential};
                use crate::room::{Act, Room};
                let command = super::script::command(&words.split_whitespace().collect::<Vec<_>>()).unwrap();
                let by = seen.recognise(&credential(who)).unwrap();
                seen.decide(&Act { by, at: BEGAN, dice: 0, command }).unwrap()
            })
            .collect();
        if backwards {
            all.reverse();
        }
        let mut game = seen;
        for event in all.iter().flatten() {
            use crate::room::{Room, When};
            game.apply(When { at: crate::reels::evening::BEGAN, seq: 2 }, event);
        }
        let names: Vec<_> = game.players.iter().map(|player| player.name.to_string()).collect();
        assert_eq!(names, ["Annie", "Bob", "Cy", "Dee", "Zoe"]);
        assert_eq!(game.avatars.keys().map(ToString::to_string).collect::<Vec<_>>(), ["p1", "p3", "p4"]);
        assert_eq!(game.senders.iter().map(|sender| sender.name.to_string()).collect::<Vec<_>>(), ["Annie", "Bob", "Cy", "Dee"]);
        assert!(seat_of(&game.players, "p5").sender.is_none());
    }
}

#[test]
fn a_face_is_drawn_and_wiped_by_who_has_the_seat_or_the_master() {
    check_game(
        "ana draws p1 7     => ok
         ana draws p1 7     => same
         ana draws p1 8     => ok
         bo  draws p1 9     => NotYours
         bo  wipes p1       => NotYours
         nobody draws p1 9  => NotYours
         ana draws p9 7     => PlayerNotFound
         master draws p2 7  => ok
         master draws p4 7  => ok
         faces              => p1 p2 p4
         ana wipes p1       => ok
         ana wipes p1       => same
         master wipes p2    => ok
         faces              => p4",
    );
}

#[test]
fn a_face_stays_with_the_seat() {
    check(
        "ana takes p1      => ok
         ana draws p1 7    => ok
         ana gives up p1   => ok
         faces             => p1
         ana draws p1 8    => NotYours
         bo takes p1       => ok
         bo wipes p1       => ok
         faces             =>",
    );
}

#[test]
fn the_picture_of_who_is_left_out_is_for_the_master_and_for_whoever_was_told_its_tag() {
    let mut evening = Evening::new(FRIDAY);
    evening.play("master draws p1 7 => ok\n master draws p4 8 => ok");
    let game = evening.game();
    let [ana, di, nobody] = ["p1", "p4", "p9"].map(|id| id.parse::<PlayerId>().unwrap());
    let tag = |player| game.avatars.get(player).unwrap().tag();
    let shown = |who, player, tag| game.face(&game.recognise(&credential(who)).unwrap(), player, tag).is_some();
    for who in ["nobody", "eve"] {
        assert!(shown(who, &ana, None) && shown(who, &ana, Some("another")));
        for not in [None, Some(""), Some("another"), Some(tag(&ana)), Some(&tag(&di)[..11])] {
            assert!(!shown(who, &di, not), "{who} {not:?}");
        }
        assert!(shown(who, &di, Some(tag(&di))));
        assert!(!shown(who, &nobody, Some(tag(&di))));
    }
    assert!(shown("master", &di, None));
    let told = |class| game.shared(class, &std::iter::empty().collect()).seats.into_iter().filter_map(|seat| seat.avatar);
    assert!(told(Class::Master).any(|told| told == tag(&di)));
    assert!(!told(Class::Phone).any(|told| told == tag(&di)), "a phone is told the tag of who is left out");
}

#[test]
fn nothing_is_drawn_or_renamed_when_all_is_over() {
    super::claims::over().play(
        "ana draws p1 7         => NotInPhase
         ana renames p1 to Z    => NotInPhase
         master wipes p1        => NotInPhase
         master adds Zoe        => NotInPhase
         eve draws p1 7         => NotYours",
    );
}
