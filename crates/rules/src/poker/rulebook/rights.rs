//! Who may do what, and how the table knows who is asking.

use super::script::{Table, check};
use crate::identity::{Credential, Proof};
use crate::poker::command::StoryEdit;
use crate::poker::{BANNED_MAX, Card, Change, Command, Deck, Event, NewStory, Poker, Refusal, StoryId};
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;
use crate::time::Millis;

#[test]
fn h137_the_host_key_makes_host_without_a_seat() {
    check(
        "host is      => host
         host shows   => ok
         host resets  => ok
         host votes 5 => NotSeated
         ana joins    => ok
         bo+key is    => host
         bo+key joins => ok
         bo+key is    => seated host
         bo  is       => seated
         admin        => ana",
    );
}

#[test]
fn a_wrong_host_key_is_refused_and_not_overlooked() {
    check(
        "ana joins         => ok
         ana+wrong is      => BadKey
         ana+wrong sees    => BadKey
         ana+wrong votes 5 => BadKey
         ana+wrong shows   => BadKey
         nobody+wrong sees => BadKey
         bo+wrong joins    => BadKey
         host sees         => ana:_",
    );
}

#[test]
fn who_sits_or_hosts_may_speak_to_the_room() {
    check(
        "ana joins        => ok
         bo  joins        => ok
         bo  speaks       => ok
         host speaks      => ok
         nobody speaks    => NotSeated
         stranger speaks  => NotSeated
         ana kicks bo     => ok, bo out
         bo  speaks       => NotSeated
         ana+wrong speaks => BadKey",
    );
}

#[test]
fn h23_h132_nobody_acts_for_another() {
    // A command has no field for its author: who acts is who the credential proves.
    check(
        "ana joins         => ok
         bo  joins         => ok
         stranger votes 5  => NotSeated
         nobody votes 5    => NotSeated
         stranger leaves   => NotSeated
         stranger is       => watching
         bo  votes 5       => ok
         ana sees          => ana:_ bo:?",
    );
    let mut table = Table::new();
    table.play("ana joins => ok");
    let public = table.id("ana").to_string();
    // Whoever presents a public id as if it were a key becomes somebody else.
    table.play(&format!("{public} is => watching\n {public} votes 5 => NotSeated\n ana sees => ana:_"));
}

#[test]
fn a_seat_belongs_to_a_key_and_not_to_an_id() {
    // Two keys with one id are not to be had by trying; so the table is told that they met.
    let mut room = Poker::new("12345".parse().unwrap(), SecretHash::of(b"host key"), Deck::default());
    let (owner, card) = (Credential::guest(b"ana"), "8".parse::<Card>().unwrap());
    let user = owner.user_id(&room.id).unwrap();
    let proof = Proof::Key(SecretHash::of(b"a key with the same id"));
    room.apply(
        When { at: Millis(0), seq: 2 },
        &Event::Joined { user: user.clone(), proof, name: "Ana".parse().unwrap(), observer: false },
    );
    room.apply(When { at: Millis(0), seq: 2 }, &Event::Voted { user, card });
    let by = room.recognise(&owner).unwrap();
    assert!(!by.seated && !by.host, "the id alone opened a seat");
    assert_eq!(room.mine(&by).vote, None);
    let attempt = |command| room.decide(&Act { by: by.clone(), at: Millis(0), dice: 0, command });
    assert_eq!(attempt(Command::Join { name: "Ana".parse().ok(), observer: None }), Err(Refusal::IdTaken));
    assert_eq!(attempt(Command::TakeBack), Err(Refusal::NotSeated));
    assert_eq!(attempt(Command::Show), Err(Refusal::HostOnly));
}

#[test]
fn h20_the_host_kicks_others_who_are_here_and_not_themselves() {
    check(
        "ana joins       => ok
         bo  joins       => ok
         bo+key joins    => same
         bo  kicks ana   => HostOnly
         ana kicks ana   => KickSelf
         ana+key kicks ana => KickSelf
         ana kicks cy    => NoSuchUser
         ana kicks bo    => ok, bo out
         ana kicks bo    => NoSuchUser
         host kicks ana  => ok, ana out
         host kicks ana  => NoSuchUser
         admin           => nobody",
    );
}

#[test]
fn h20_nobody_is_kicked_from_a_room_they_are_not_in() {
    // The same guest has another id in every room, so an id from elsewhere names nobody here.
    let mut table = Table::new();
    table.play("ana joins => ok\n bo joins => ok");
    let elsewhere = Credential::guest(b"bo").user_id(&"54321".parse().unwrap()).unwrap();
    assert_ne!(elsewhere, table.id("bo"));
    let host = table.credential("host");
    assert_eq!(table.act(&host, &Command::Kick { user: elsewhere, ban: false }), "NoSuchUser");
    table.play("host sees => ana:_ bo:_");
}

#[test]
fn the_host_key_outranks_the_admin() {
    check(
        "ana joins        => ok
         bo  joins        => ok
         bo+key kicks ana => ok, ana out
         admin            => bo
         ana shows        => HostOnly
         ana joins        => ok
         admin            => bo",
    );
}

#[test]
fn h129_who_is_kicked_loses_the_card_and_does_not_count() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 8 => ok
         ana kicks bo => ok, bo out
         bo  votes 8 => NotSeated
         ana shows   => ok
         ana sees    => ana:_
         ana resets  => ok
         bo  joins   => ok
         bo  sees    => ana:_ bo:_",
    );
}

#[test]
fn who_is_kicked_after_the_show_leaves_the_total_too() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  votes 8 => ok
         ana shows   => ok
         ana kicks bo => ok, bo out
         ana sees    => ana:_",
    );
}

#[test]
fn who_may_reveal_is_the_hosts_choice() {
    check(
        "ana joins                        => ok
         bo  joins                        => ok
         bo  may                          => wait
         bo  shows                        => HostOnly
         bo  allows reveal by everyone    => HostOnly
         ana allows reveal by everyone    => ok
         ana allows reveal by everyone    => same
         bo  may                          => reveal
         cy  may                          => wait
         host may                         => reveal
         bo  shows                        => ok
         bo  hides                        => ok
         bo  resets                       => ok
         cy  shows                        => NotSeated
         cy  resets                       => NotSeated
         bo  deals S M L                  => HostOnly
         ana allows reveal by host        => ok
         bo  resets                       => HostOnly",
    );
}

#[test]
fn the_host_hands_over_to_somebody_at_the_table() {
    check(
        "ana joins             => ok
         bo  joins             => ok
         cy  joins             => ok
         bo  hands over to bo  => HostOnly
         ana hands over to di  => NoSuchUser
         ana hands over to cy  => ok
         admin                 => cy
         ana is                => seated
         ana hands over to ana => HostOnly
         cy  hands over to cy  => same
         cy  leaves            => ok
         admin                 => ana
         host hands over to bo => ok
         admin                 => bo",
    );
}

#[test]
fn who_is_banned_may_watch_and_not_come_back() {
    check(
        "ana joins     => ok
         bo  joins     => ok
         cy  joins     => ok
         ana bans bo   => ok, bo out
         bo  joins     => Banned
         bo  sees      => ana:_ cy:_
         bo+key joins  => Banned
         ana kicks cy  => ok, cy out
         cy  joins     => ok
         ana bans bo   => NoSuchUser
         ana bans ana  => KickSelf",
    );
}

#[test]
fn the_newest_bans_are_remembered() {
    let mut table = Table::new();
    table.play("ana joins => ok");
    for n in 0..=BANNED_MAX {
        table.play(&format!("p{n} joins => ok\n ana bans p{n} => ok, p{n} out"));
    }
    assert_eq!(table.room().banned.len(), BANNED_MAX);
    table.play("p0 joins => ok\n p1 joins => Banned");
}

#[test]
fn who_asks_to_be_forgotten_leaves_no_name_behind() {
    check(
        "ana joins       => ok
         bo  joins       => ok
         ana votes 5     => ok
         bo  votes 8     => ok
         ana shows       => ok
         bo  forgets ana => HostOnly
         bo  forgets     => ok
         ana sees        => ana:5
         history         => 1 ana:5 somebody:8
         bo  forgets     => NoSuchUser
         ana forgets bo  => NoSuchUser
         admin           => ana",
    );
}

#[test]
fn who_has_left_can_still_be_forgotten() {
    check(
        "ana joins      => ok
         bo  joins      => ok
         cy  joins      => ok
         bo  votes 8    => ok
         cy  votes 3    => ok
         ana shows      => ok
         bo  leaves     => ok
         cy  leaves     => ok
         bo  forgets    => ok
         ana forgets cy => ok, cy out
         history        => 1 somebody:8 somebody:3
         nobody forgets => NotSeated",
    );
}

#[test]
fn nobody_is_forgotten_by_whoever_shares_their_id() {
    let mut table = Table::new();
    let public = table.id("ana");
    table.play(&format!("ana joins => ok\n @{public} forgets => NotSeated\n @{public} forgets ana => HostOnly"));
}

#[test]
fn the_past_is_for_those_who_play() {
    check(
        "ana joins      => ok
         ana votes 5    => ok
         ana exports    => 0 stories, 0 rounds
         ana shows      => ok
         ana adds A B   => ok
         ana exports    => 2 stories, 1 rounds
         host exports   => 2 stories, 1 rounds
         bo  exports    => NotSeated
         nobody exports => NotSeated
         ana+wrong exports => BadKey",
    );
}

#[test]
fn the_room_has_a_name_if_the_host_gives_one() {
    check(
        "ana joins                    => ok
         bo  joins                    => ok
         bo  names the room Sprint 42 => HostOnly
         ana names the room Sprint 42 => ok
         ana names the room Sprint 42 => same
         ana unnames the room         => ok
         ana unnames the room         => same
         ana changes nothing          => NoChange",
    );
}

#[test]
fn deleting_ends_the_room() {
    check(
        "ana joins   => ok
         bo  joins   => ok
         bo  deletes => HostOnly
         ana deletes => ok, over",
    );
}

/// Every command: how it is recognised, an example that has something to do. A variant without a line here
/// does not compile; a line here without a row in the table below fails.
macro_rules! every_command {
    ($($pattern:pat => $name:literal $example:expr;)*) => {
        fn name_of(command: &Command) -> &'static str {
            match command { $($pattern => $name),* }
        }
        fn every_command(table: &mut Table) -> Vec<Command> {
            vec![$(($example as fn(&mut Table) -> Command)(table)),*]
        }
    };
}

every_command! {
    Command::Join { .. } => "Join" |_| Command::Join { name: "Someone else".parse().ok(), observer: None };
    Command::Vote(_) => "Vote" |_| Command::Vote("8".parse().unwrap());
    Command::TakeBack => "TakeBack" |_| Command::TakeBack;
    Command::Leave => "Leave" |_| Command::Leave;
    Command::Show => "Show" |_| Command::Show;
    Command::Hide => "Hide" |_| Command::Hide;
    Command::Reset => "Reset" |_| Command::Reset;
    Command::SetDeck(_) => "SetDeck" |_| Command::SetDeck("S M L".parse().unwrap());
    Command::SetObserver { user: None, .. } => "Observe" |_| Command::SetObserver { observer: true, user: None };
    Command::SetObserver { .. } => "LetObserve" |table| Command::SetObserver { observer: true, user: Some(table.id("cy")) };
    Command::Update(_) => "Update" |_| Command::Update(Change { auto_reveal: Some(true), ..Change::default() });
    Command::StartTimer { .. } => "StartTimer" |_| Command::StartTimer { seconds: 60, reveal: true };
    Command::StopTimer => "StopTimer" |_| Command::StopTimer;
    Command::HandOver(_) => "HandOver" |table| Command::HandOver(table.id("cy"));
    Command::Kick { .. } => "Kick" |table| Command::Kick { user: table.id("cy"), ban: false };
    Command::Forget(None) => "ForgetMe" |_| Command::Forget(None);
    Command::Forget(_) => "Forget" |table| Command::Forget(Some(table.id("cy")));
    Command::Delete => "Delete" |_| Command::Delete;
    Command::AddStories { .. } => "AddStories" |_| {
        Command::AddStories { stories: vec![NewStory { title: "A".parse().unwrap(), link: None, estimate: None }], at: None }
    };
    Command::EditStory(_) => "EditStory" |_| {
        Command::EditStory(StoryEdit { story: StoryId(1), title: "B".parse().ok(), link: None, estimate: None })
    };
    Command::MoveStory { .. } => "MoveStory" |_| Command::MoveStory { story: StoryId(1), to: 1 };
    Command::RemoveStory(_) => "RemoveStory" |_| Command::RemoveStory(StoryId(1));
    Command::PickStory(_) => "PickStory" |_| Command::PickStory(Some(StoryId(1)));
}

#[test]
fn h17_h121_every_command_knows_who_may_give_it() {
    let roles = ["nobody", "cyd", "bo", "ana", "host", "cyd+key", "bo+key", "ana+wrong"];
    let mut rows = vec![format!("{:11} {}", "", roles.map(|role| format!("{role:12}")).concat()).trim_end().to_string()];
    for index in 0..every_command(&mut Table::new()).len() {
        let answers = roles.map(|role| {
            let mut table = Table::new();
            for line in ["ana joins", "bo joins", "cy joins", "ana adds One Two", "ana votes 5", "bo votes 5", "ana starts 30s"] {
                table.play(&format!("{line} => ok"));
            }
            let command = every_command(&mut table).swap_remove(index);
            if command == Command::Hide {
                table.play("host shows => ok"); // Only open cards can be hidden.
            }
            let credential = table.credential(role);
            let before = table.room().clone();
            let answer = table.act(&credential, &command);
            let changed = *table.room() != before;
            let accepted = answer.starts_with("ok");
            assert_eq!(changed, accepted && command != Command::Delete, "{role} {command:?} => {answer}");
            (name_of(&command), answer)
        });
        let cells = answers.each_ref().map(|(_, answer)| format!("{:12}", answer.split(',').next().unwrap_or_default()));
        rows.push(format!("{:11} {}", answers[0].0, cells.concat()).trim_end().to_string());
    }
    let expected = "
            nobody      cyd         bo          ana         host        cyd+key     bo+key      ana+wrong
Join        NoKey       ok          ok          ok          NoKey       ok          ok          BadKey
Vote        NotSeated   NotSeated   ok          ok          NotSeated   NotSeated   ok          BadKey
TakeBack    NotSeated   NotSeated   ok          ok          NotSeated   NotSeated   ok          BadKey
Leave       NotSeated   NotSeated   ok          ok          NotSeated   NotSeated   ok          BadKey
Show        HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Hide        HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Reset       HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
SetDeck     HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Observe     NotSeated   NotSeated   ok          ok          NotSeated   NotSeated   ok          BadKey
LetObserve  HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Update      HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
StartTimer  HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
StopTimer   HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
HandOver    HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Kick        HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
ForgetMe    NotSeated   NoSuchUser  ok          ok          NotSeated   NoSuchUser  ok          BadKey
Forget      HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
Delete      HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
AddStories  HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
EditStory   HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
MoveStory   HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
RemoveStory HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey
PickStory   HostOnly    HostOnly    HostOnly    ok          ok          ok          ok          BadKey";
    assert_eq!(rows.join("\n"), expected.trim_start_matches('\n'));
}
