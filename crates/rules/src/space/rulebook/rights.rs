//! Who may do what: the table of rights, and where they come from.

use super::script::{Board, check, credential};
use crate::json::Json;
use crate::rights::Right;
use crate::room::{Act, Room};
use crate::space::{Change, Command, Op, Refusal, Space, Spot};
use crate::time::Millis;

#[test]
fn rights_come_from_the_host_key_a_token_a_session_or_a_user_key_in_this_order() {
    check(
        "host lets members presence => ok
         host lets guests read      => ok
         host       may => admin
         ana+key    may => admin
         ana        may => read
         @mia       may => presence
         @mia~write may => write
         ana~none   may => Needs(Read)
         ana~admin  may => admin
         nobody     may => Needs(Read)
         ana+wrong  may => BadKey
         host lets guests none      => ok
         ana        may => Needs(Read)",
    );
}

#[test]
fn a_space_that_nobody_opened_is_for_members() {
    let settings = crate::space::Settings::default();
    assert_eq!((settings.guests, settings.members), (Right::None, Right::Write));
}

#[test]
fn only_an_admin_changes_settings_or_takes_the_space_away() {
    check(
        "ana  lets guests admin     => Needs(Admin)
         ana  names the space Board => Needs(Admin)
         ana  deletes the space     => Needs(Admin)
         @mia~write changes nothing => Needs(Admin)
         host changes nothing       => NothingToChange
         host names the space Board => ok
         host names the space Board => same
         host unnames the space     => ok
         host unnames the space     => same
         host lets guests write     => same
         ana~admin deletes the space => ok, over",
    );
}

#[test]
fn who_is_there_may_speak_and_who_only_reads_may_not() {
    check(
        "ana~read     speaks => Needs(Presence)
         ana~presence speaks => ok
         ana~write    speaks => ok
         nobody       speaks => Needs(Read)",
    );
}

#[test]
fn who_may_not_write_is_told_that_and_nothing_about_what_is_there() {
    check(
        "host sets board k 1           => ok
         ana~read sets board k 2 if 9  => Needs(Write)
         ana~presence removes board k  => Needs(Write)
         ana~read fills todo i1 1      => Needs(Write)
         ana~read does nothing         => Needs(Write)
         host does nothing             => Batch",
    );
}

/// What each command needs; a new one has to be put here.
fn needs(command: &Command) -> Right {
    match command {
        Command::Edit(ops) => {
            for op in ops {
                match op {
                    Op::MapCreate { .. }
                    | Op::MapSet { .. }
                    | Op::MapRemove { .. }
                    | Op::MapClear { .. }
                    | Op::MapDelete { .. }
                    | Op::ListCreate { .. }
                    | Op::ListInsert { .. }
                    | Op::ListSet { .. }
                    | Op::ListMove { .. }
                    | Op::ListRemove { .. }
                    | Op::ListClear { .. }
                    | Op::ListDelete { .. }
                    | Op::PresenceCreate { .. }
                    | Op::PresenceDelete { .. } => {}
                }
            }
            Right::Write
        }
        Command::Update(_) | Command::Delete => Right::Admin,
    }
}

fn commands() -> Vec<Command> {
    let part = || "x".parse().unwrap();
    let (key, id, value) = ("k".parse().unwrap(), "i".parse().unwrap(), Json::read("1", 9).unwrap());
    let (key, id, value) = (|| Clone::clone(&key), || Clone::clone(&id), || value.clone());
    let ops = vec![
        Op::MapCreate { map: part() },
        Op::MapSet { map: part(), key: key(), value: value(), if_version: None },
        Op::MapRemove { map: part(), key: key(), if_version: None },
        Op::MapClear { map: part() },
        Op::MapDelete { map: part() },
        Op::ListCreate { list: part() },
        Op::ListInsert { list: part(), id: Some(id()), value: value(), to: Spot::Last },
        Op::ListSet { list: part(), id: id(), value: value(), if_version: None },
        Op::ListMove { list: part(), id: id(), to: Spot::Last },
        Op::ListRemove { list: part(), id: id() },
        Op::ListClear { list: part() },
        Op::ListDelete { list: part() },
        Op::PresenceCreate { presence: part(), seconds: 1 },
        Op::PresenceDelete { presence: part() },
    ];
    let edits = ops.into_iter().map(|op| Command::Edit(vec![op]));
    let change = Change { guests: Some(Right::Read), ..Change::default() };
    edits.chain([Command::Update(change), Command::Delete]).collect()
}

#[test]
fn every_command_needs_its_right_and_no_more() {
    for command in commands() {
        for right in Right::ALL {
            let answer = Board::new().act(&credential(&format!("ana~{right}")), command.clone());
            let refused = format!("{:?}", Refusal::Needs(needs(&command)));
            assert_eq!(answer == refused, right < needs(&command), "{right} {command:?}: {answer}");
        }
    }
}

/// A command has no place for an author, and an event none for one either: who did it stands beside, put there by the engine.
#[test]
fn h57_h60_what_comes_of_a_command_does_not_depend_on_who_sent_it() {
    let mut board = Board::new();
    board.play("host sets x j 1 ; inserts x h => ok");
    for command in commands() {
        let decide = |who: &str| {
            let by = board.space.recognise(&credential(who)).unwrap();
            Space::decide(&board.space, &Act { by, at: Millis(1), dice: 1, command: command.clone() })
        };
        assert_eq!(decide("ana+key"), decide("bo+key"), "{command:?}");
        assert_eq!(decide("ana+key"), decide("@mia~admin"), "{command:?}");
    }
}
