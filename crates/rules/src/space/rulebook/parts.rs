//! Parts, their names, and presences.

use super::script::{Board, check, credential};
use crate::space::limits::PRESENCE_SECONDS_MAX;
use crate::space::{Command, EntryKey, ItemId, Op, PartName};
use proptest::prelude::*;

#[test]
fn a_presence_that_is_made_says_how_long_a_value_holds() {
    check(
        "ana creates presence cursors for 30 => ok
         bo  creates presence cursors for 60 => same
         parts                               => presence:cursors(30)
         ana deletes presence cursors        => ok
         parts                               => empty",
    );
}

#[test]
fn a_presence_that_nobody_made_can_be_deleted_because_somebody_may_be_in_it() {
    check("ana deletes presence cursors => ok");
}

#[test]
fn h61_a_part_is_called_by_a_plain_name() {
    check(
        "ana sets a#b k 1      => Unreadable
         ana sets a/b k 1      => Unreadable
         ana sets a:b k 1      => Unreadable
         ana sets a[0] k 1     => Unreadable
         ana sets {a} k 1      => Unreadable
         ana sets a.b-c_D9 k 1 => ok
         ana sets ROOM k#.[0]:/{} 1 => ok
         ana inserts l i.1     => Unreadable
         ana inserts l i-_1    => ok
         map ROOM              => k#.[0]:/{}=1@3",
    );
}

proptest! {
    #[test]
    fn h52_a_presence_holds_for_a_second_to_an_hour(seconds in prop_oneof![any::<u64>(), 0u64..4000]) {
        let op = Op::PresenceCreate { presence: "cursors".parse().unwrap(), seconds };
        let answer = Board::new().act(&credential("ana"), Command::Edit(vec![op]));
        let fits = (1..=PRESENCE_SECONDS_MAX).contains(&seconds);
        prop_assert_eq!(answer, if fits { "ok" } else { "Seconds" });
    }

    #[test]
    fn h61_a_name_is_taken_as_it_is_or_not_at_all(text in "[a-zA-Z0-9._-]{0,66}|\\PC{0,70}|.{0,260}") {
        let plain = |more: &str| !text.is_empty() && text.len() <= 64 && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
        let part = text.parse::<PartName>();
        prop_assert_eq!(part.as_ref().map(PartName::as_str).ok(), plain("-_.").then_some(&*text));
        let item = text.parse::<ItemId>();
        prop_assert_eq!(item.as_ref().map(ItemId::as_str).ok(), plain("-_").then_some(&*text));
        let key = text.parse::<EntryKey>();
        let fits = !text.is_empty() && text.len() <= 256 && !text.contains(char::is_control);
        prop_assert_eq!(key.as_ref().map(EntryKey::as_str).ok(), fits.then_some(&*text));
    }
}
