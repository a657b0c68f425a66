//! The state machine: every command in every stage, from the Master, from somebody with a seat and from a stranger.

use super::script::{Evening, SEATED, word};
use crate::reels::avatar::tests::jpeg;
use crate::reels::evening::{FRIDAY, chosen, which};
use crate::reels::{Avatar, Command, Reels, Refusal, Stage, Which};

/// Every command, by its name and where it stands to the game, with an example that has something to do. A variant without a
/// line here does not compile; a line here without a row in the tables below fails.
macro_rules! every_command {
    ($($pattern:pat => $($name:literal $example:expr),+;)*) => {
        fn is_listed(command: &Command) -> bool {
            match command { $($pattern => true),* }
        }
        pub(crate) fn every_command() -> Vec<(&'static str, fn(&Reels) -> Command)> {
            vec![$($(($name, $example as fn(&Reels) -> Command)),+),*]
        }
    };
}

every_command! {
    Command::TakePlayer(_) => "TAKE_PLAYER" |_| Command::TakePlayer("p5".parse().unwrap());
    Command::ReleasePlayer { .. } => "RELEASE_PLAYER" |_| Command::ReleasePlayer { player: "p1".parse().unwrap(), user: None };
    Command::RenamePlayer { .. } => "RENAME_PLAYER" |_| {
        Command::RenamePlayer { player: "p1".parse().unwrap(), name: "Annie".parse().unwrap() }
    };
    Command::UpdateAvatar { .. } => "UPDATE_AVATAR" |_| {
        Command::UpdateAvatar { player: "p1".parse().unwrap(), avatar: Avatar::new(&jpeg(300, 300, 7)).unwrap() }
    };
    Command::DeleteAvatar(_) => "DELETE_AVATAR" |_| Command::DeleteAvatar("p1".parse().unwrap());
    Command::TogglePlayer { .. } =>
        "TOGGLE_PLAYER out" |_| Command::TogglePlayer { player: "p1".parse().unwrap(), active: false },
        "TOGGLE_PLAYER in" |_| Command::TogglePlayer { player: "p4".parse().unwrap(), active: true };
    Command::AddPlayer(_) => "ADD_PLAYER" |_| Command::AddPlayer("Yan".parse().unwrap());
    Command::DeletePlayer(_) => "DELETE_PLAYER" |_| Command::DeletePlayer("p1".parse().unwrap());
    Command::ResetClaims => "RESET_CLAIMS" |_| Command::ResetClaims;
    Command::StartGame => "START_GAME" |_| Command::StartGame;
    Command::ReelOpened(_) =>
        "REEL_OPENED here" |game| Command::ReelOpened(here(game)),
        "REEL_OPENED past" |_| Command::ReelOpened(which("r1", "i1")),
        "REEL_OPENED ahead" |_| Command::ReelOpened(which("r2", "i1"));
    Command::SubmitVote { .. } =>
        "SUBMIT_VOTE here" |game| vote(here(game)),
        "SUBMIT_VOTE past" |_| vote(which("r1", "i1")),
        "SUBMIT_VOTE ahead" |_| vote(which("r2", "i1"));
    Command::ForceCloseVote { .. } =>
        "FORCE_CLOSE_VOTE here" |game| Command::ForceCloseVote { item: here(game), seconds: 10 },
        "FORCE_CLOSE_VOTE past" |_| Command::ForceCloseVote { item: which("r1", "i1"), seconds: 10 },
        "FORCE_CLOSE_VOTE ahead" |_| Command::ForceCloseVote { item: which("r2", "i1"), seconds: 10 };
    Command::EndItem(_) =>
        "END_ITEM here" |game| Command::EndItem(here(game)),
        "END_ITEM past" |_| Command::EndItem(which("r1", "i1")),
        "END_ITEM ahead" |_| Command::EndItem(which("r2", "i1"));
    Command::StartNextRound(_) =>
        "START_NEXT_ROUND here" |game| Command::StartNextRound(here(game).round),
        "START_NEXT_ROUND r1" |_| Command::StartNextRound("r1".parse().unwrap()),
        "START_NEXT_ROUND r2" |_| Command::StartNextRound("r2".parse().unwrap());
    Command::RoomClosed => "ROOM_CLOSED" |_| Command::RoomClosed;
}

/// The item that is played; after a round its last, before the game the first.
fn here(game: &Reels) -> Which {
    let Some(at) = game.at else { return which("r1", "i1") };
    let round = &game.rounds[at.round];
    Which { round: round.id.clone(), item: round.items[at.item.min(round.items.len() - 1)].id.clone() }
}

fn vote(item: Which) -> Command {
    Command::SubmitVote { item, player: None, selections: chosen("s1") }
}

/// A game in each stage: in the first round at its second item where there is one, with a face on p1 and p5 free to take.
pub(crate) fn at(stage: Stage, seat_to_take: bool) -> Evening {
    let mut evening = Evening::new(FRIDAY);
    evening.play(SEATED);
    evening.play("ana draws p1 1 => ok");
    let to_second = "master starts => ok
        master opens r1 i1 => ok\n master forces r1 i1 0s => ok\n master ends r1 i1 => ok";
    let to_recap = "master opens r1 i2 => ok\n master forces r1 i2 0s => ok\n master ends r1 i2 => ok";
    let to_over = "master goes on after r1 => ok\n master opens r2 i1 => ok\n master forces r2 i1 0s => ok
        master ends r2 i1 => ok\n master goes on after r2 => ok";
    let add = if seat_to_take { "master adds Zoe => ok" } else { "" };
    match stage {
        Stage::Lobby => evening.play(add),
        Stage::Idle => evening.play(&[to_second, add].join("\n")),
        Stage::Vote => evening.play(&[to_second, add, "master opens r1 i2 => ok"].join("\n")),
        Stage::RevealWait => {
            evening.play(&[to_second, add, "master opens r1 i2 => ok\n master forces r1 i2 0s => ok"].join("\n"));
        }
        Stage::RoundRecap => evening.play(&[to_second, add, to_recap].join("\n")),
        Stage::Over => evening.play(&[to_second, add, to_recap, to_over].join("\n")),
    }
    assert_eq!(evening.game().stage, stage);
    evening
}

/// What each command meets in each stage when `who` sends it.
fn answers(who: &str) -> String {
    let mut rows = vec![format!("{:24}{}", "", Stage::ALL.map(|stage| format!("{:13}", format!("{stage:?}"))).concat())];
    for (name, example) in every_command() {
        let cells = Stage::ALL.map(|stage| {
            // In the lobby a seat that nobody has would keep the game from starting.
            let mut evening = at(stage, name != "START_GAME");
            let command = example(evening.game());
            assert!(is_listed(&command) && name.split(' ').next() == Some(command.name()));
            let before = evening.game().clone();
            let answer = evening.act(who, &command);
            let changed = *evening.game() != before;
            assert_eq!(changed, answer == "ok", "{who} {name} in {stage:?} => {answer}");
            format!("{:12} ", answer.split(',').next().unwrap_or_default())
        });
        rows.push(format!("{name:24}{}", cells.concat()));
    }
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check_answers(who: &str, expected: &str) {
    let found = answers(who);
    let expected: Vec<_> = expected.trim_matches('\n').lines().map(str::trim_end).collect();
    assert_eq!(found, expected.join("\n"), "\n{found}");
}

#[test]
fn h88_h103_every_command_of_the_master_has_an_answer_in_every_stage() {
    check_answers(
        "master",
        "
                        Lobby        Idle         Vote         RevealWait   RoundRecap   Over
TAKE_PLAYER             NoKey        NoKey        NoKey        NoKey        NoKey        NotInPhase
RELEASE_PLAYER          ok           ok           ok           ok           ok           NotInPhase
RENAME_PLAYER           ok           ok           ok           ok           ok           NotInPhase
UPDATE_AVATAR           ok           ok           ok           ok           ok           NotInPhase
DELETE_AVATAR           ok           ok           ok           ok           ok           NotInPhase
TOGGLE_PLAYER out       ok           NotInPhase   NotInPhase   NotInPhase   NotInPhase   NotInPhase
TOGGLE_PLAYER in        ok           ok           ok           ok           ok           NotInPhase
ADD_PLAYER              ok           ok           ok           ok           ok           NotInPhase
DELETE_PLAYER           ok           NotInPhase   NotInPhase   NotInPhase   NotInPhase   NotInPhase
RESET_CLAIMS            ok           NotInPhase   NotInPhase   NotInPhase   NotInPhase   NotInPhase
START_GAME              ok           same         same         same         same         NotInPhase
REEL_OPENED here        NotInPhase   ok           same         same         same         same
REEL_OPENED past        NotInPhase   same         same         same         same         same
REEL_OPENED ahead       NotInPhase   NotCurrent   NotCurrent   NotCurrent   NotCurrent   same
SUBMIT_VOTE here        NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
SUBMIT_VOTE past        NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
SUBMIT_VOTE ahead       NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
FORCE_CLOSE_VOTE here   NotInPhase   NotInPhase   ok           same         same         same
FORCE_CLOSE_VOTE past   NotInPhase   same         same         same         same         same
FORCE_CLOSE_VOTE ahead  NotInPhase   NotCurrent   NotCurrent   NotCurrent   NotCurrent   same
END_ITEM here           NotInPhase   NotInPhase   NotInPhase   ok           same         same
END_ITEM past           NotInPhase   same         same         same         same         same
END_ITEM ahead          NotInPhase   NotCurrent   NotCurrent   NotCurrent   NotCurrent   same
START_NEXT_ROUND here   NotInPhase   NotInPhase   NotInPhase   NotInPhase   ok           same
START_NEXT_ROUND r1     NotInPhase   NotInPhase   NotInPhase   NotInPhase   ok           same
START_NEXT_ROUND r2     NotInPhase   NotCurrent   NotCurrent   NotCurrent   NotCurrent   same
ROOM_CLOSED             ok           ok           ok           ok           ok           ok",
    );
}

#[test]
fn h88_h103_every_command_of_somebody_with_a_seat_has_an_answer_in_every_stage() {
    check_answers(
        "ana",
        "
                        Lobby        Idle         Vote         RevealWait   RoundRecap   Over
TAKE_PLAYER             DeviceAlreadyHasPlayer DeviceAlreadyHasPlayer DeviceAlreadyHasPlayer DeviceAlreadyHasPlayer DeviceAlreadyHasPlayer NotInPhase
RELEASE_PLAYER          ok           ok           ok           ok           ok           NotInPhase
RENAME_PLAYER           ok           ok           ok           ok           ok           NotInPhase
UPDATE_AVATAR           ok           ok           ok           ok           ok           NotInPhase
DELETE_AVATAR           ok           ok           ok           ok           ok           NotInPhase
TOGGLE_PLAYER out       MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
TOGGLE_PLAYER in        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
ADD_PLAYER              MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
DELETE_PLAYER           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
RESET_CLAIMS            MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_GAME              MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED here        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED past        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED ahead       MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
SUBMIT_VOTE here        NotInVote    NotInVote    ok           Late         Late         Late
SUBMIT_VOTE past        NotInVote    Late         Late         Late         Late         Late
SUBMIT_VOTE ahead       NotInVote    NotInVote    NotInVote    NotInVote    NotInVote    Late
FORCE_CLOSE_VOTE here   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
FORCE_CLOSE_VOTE past   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
FORCE_CLOSE_VOTE ahead  MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM here           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM past           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM ahead          MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND here   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND r1     MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND r2     MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
ROOM_CLOSED             MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly",
    );
}

#[test]
fn h88_h103_every_command_of_a_stranger_has_an_answer_in_every_stage() {
    check_answers(
        "eve",
        "
                        Lobby        Idle         Vote         RevealWait   RoundRecap   Over
TAKE_PLAYER             ok           ok           ok           ok           ok           NotInPhase
RELEASE_PLAYER          NotYours     NotYours     NotYours     NotYours     NotYours     NotYours
RENAME_PLAYER           NotYours     NotYours     NotYours     NotYours     NotYours     NotYours
UPDATE_AVATAR           NotYours     NotYours     NotYours     NotYours     NotYours     NotYours
DELETE_AVATAR           NotYours     NotYours     NotYours     NotYours     NotYours     NotYours
TOGGLE_PLAYER out       MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
TOGGLE_PLAYER in        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
ADD_PLAYER              MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
DELETE_PLAYER           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
RESET_CLAIMS            MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_GAME              MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED here        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED past        MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
REEL_OPENED ahead       MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
SUBMIT_VOTE here        NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
SUBMIT_VOTE past        NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
SUBMIT_VOTE ahead       NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed   NotClaimed
FORCE_CLOSE_VOTE here   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
FORCE_CLOSE_VOTE past   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
FORCE_CLOSE_VOTE ahead  MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM here           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM past           MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
END_ITEM ahead          MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND here   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND r1     MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
START_NEXT_ROUND r2     MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly
ROOM_CLOSED             MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly   MasterOnly",
    );
}

#[test]
fn h88_who_shows_a_wrong_key_is_told_so_whatever_they_ask() {
    for stage in Stage::ALL {
        for (name, example) in every_command() {
            for who in ["ana+wrong", "eve+wrong", "nobody+wrong"] {
                let mut evening = at(stage, true);
                let command = example(evening.game());
                assert_eq!(evening.act(who, &command), "BadKey", "{who} {name} in {stage:?}");
            }
        }
    }
}

#[test]
fn h88_the_master_key_and_nothing_else_makes_master() {
    let master_only = ["TOGGLE_PLAYER", "ADD_PLAYER", "DELETE_PLAYER", "RESET_CLAIMS", "START_GAME", "REEL_OPENED"];
    let master_only = master_only.into_iter().chain(["FORCE_CLOSE_VOTE", "END_ITEM", "START_NEXT_ROUND", "ROOM_CLOSED"]);
    for name in master_only {
        let commands = every_command().into_iter().filter(|(full, _)| full.split(' ').next() == Some(name));
        for ((full, example), stage) in commands.flat_map(|command| Stage::ALL.map(|stage| (command, stage))) {
            for who in ["ana", "eve", "nobody", "@mia"] {
                let mut evening = at(stage, false);
                let command = example(evening.game());
                assert_eq!(evening.act(who, &command), word(&Refusal::MasterOnly("")), "{who} {full} in {stage:?}");
            }
            // Somebody with a seat and the key is asked no more than the big screen is.
            let (mut alone, mut seated) = (at(stage, false), at(stage, false));
            let command = example(alone.game());
            assert_eq!(alone.act("master", &command), seated.act("ana+key", &command), "{full} in {stage:?}");
        }
    }
}
