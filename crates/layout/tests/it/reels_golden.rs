//! Document 002, section 10, message by message: what each writes, as a file, like those of tables and spaces.
//!
//! JOIN_ROOM and STATE_SYNC only read, so they have no file. CREATE_ROOM deletes no claims: a room is made only where no room is.

use crate::reels_histories::{face, item};
use crate::support::{self, Desk, done, word};
use parlor_rules::reels::{Command, Event, Player, PlayerId, Round, Sender, SenderId, Settings, Which, Wish};
use parlor_rules::{Address, Credential, Done, SecretHash, State};
use std::collections::BTreeSet;

pub(crate) enum Who {
    Master,
    Device(u8),
    /// What has to happen at its time.
    Nobody,
}

use Who::{Device, Master, Nobody};

fn wish() -> Wish {
    let sender = |id: &str, name: &str, active, reels_count| Sender { id: word(id), name: word(name), active, reels_count };
    let player = |id: &str, sender: Option<&str>, name: &str, active| Player {
        id: word(id),
        sender: sender.map(word),
        active,
        name: word(name),
    };
    let senders = vec![sender("s12", "Camille", true, 37), sender("s44", "Nico", true, 5), sender("s77", "Zed", false, 0)];
    let players = vec![
        player("p12", Some("s12"), "Camille", true),
        player("p44", Some("s44"), "Nico", false),
        player("p99", None, "Guest", true),
    ];
    let rounds = vec![
        Round { id: word("r1"), items: vec![item("i1", &["s12", "s44"]), item("i2", &["s44"])] },
        Round { id: word("r2"), items: vec![item("i1", &["s12"])] },
    ];
    Wish::new(Settings { title: Some(word("Friday")), vote_seconds: None }, senders, Some(players), rounds).unwrap()
}

fn which(round: &str, item: &str) -> Which {
    Which { round: word(round), item: word(item) }
}

fn vote(round: &str, item: &str, selections: &[&str]) -> Command {
    let selections: Vec<SenderId> = selections.iter().map(|id| word(id)).collect();
    Command::SubmitVote { item: which(round, item), player: None, selections }
}

/// A whole evening: the message as its golden file is called (nothing: it has one already), who sends it, and what.
fn evening() -> Vec<(&'static str, Who, Option<Command>)> {
    let p = |id: &str| -> PlayerId { word(id) };
    let take = |id: &str| Some(Command::TakePlayer(p(id)));
    let toggle = |id: &str, active| Some(Command::TogglePlayer { player: p(id), active });
    let rename = |id: &str, name: &str| Some(Command::RenamePlayer { player: p(id), name: word(name) });
    let draw = |filling| Some(Command::UpdateAvatar { player: p("p12"), avatar: face(filling) });
    vec![
        ("take_player", Device(1), take("p12")),
        ("", Device(2), take("p99")),
        ("rename_player", Device(1), rename("p12", "Zoë O'Neill")),
        ("rename_player_who_is_no_sender", Master, rename("p99", "Ben")),
        ("update_avatar", Device(1), draw(1)),
        ("delete_avatar", Master, Some(Command::DeleteAvatar(p("p12")))),
        ("", Device(1), draw(2)),
        ("toggle_player_on", Master, toggle("p44", true)),
        ("", Master, toggle("p44", false)),
        ("toggle_player_off", Master, toggle("p99", false)),
        ("", Master, toggle("p99", true)),
        ("take_player_after_a_loss", Device(2), take("p99")),
        ("add_player", Master, Some(Command::AddPlayer(word("Nina")))),
        ("", Device(3), take("p100")),
        ("delete_player", Master, Some(Command::DeletePlayer(p("p100")))),
        ("reset_claims", Master, Some(Command::ResetClaims)),
        ("", Device(1), take("p12")),
        ("", Device(2), take("p99")),
        ("start_game", Master, Some(Command::StartGame)),
        ("add_player_in_the_game", Master, Some(Command::AddPlayer(word("Late")))),
        ("reel_opened", Master, Some(Command::ReelOpened(which("r1", "i1")))),
        ("submit_vote", Device(1), Some(vote("r1", "i1", &["s12"]))),
        ("submit_vote_complete", Device(2), Some(vote("r1", "i1", &["s44", "s12"]))),
        ("end_item", Master, Some(Command::EndItem(which("r1", "i1")))),
        ("", Master, Some(Command::ReelOpened(which("r1", "i2")))),
        (VOTING, Device(1), Some(vote("r1", "i2", &["s44"]))),
        ("force_close_vote", Master, Some(Command::ForceCloseVote { item: which("r1", "i2"), seconds: 10 })),
        ("countdown_ran_out", Nobody, None),
        ("end_item_of_the_round", Master, Some(Command::EndItem(which("r1", "i2")))),
        ("start_next_round", Master, Some(Command::StartNextRound(word("r1")))),
        ("", Master, Some(Command::ReelOpened(which("r2", "i1")))),
        ("release_player", Master, Some(Command::ReleasePlayer { player: p("p99"), user: None })),
        ("toggle_player_on_in_the_game", Master, toggle("p44", true)),
        ("", Device(1), Some(vote("r2", "i1", &[]))),
        ("", Master, Some(Command::EndItem(which("r2", "i1")))),
        ("start_next_round_over", Master, Some(Command::StartNextRound(word("r2")))),
        ("room_closed", Master, Some(Command::RoomClosed)),
    ]
}

const VOTING: &str = "submit_vote_second_item";

/// Plays the evening, and hands over the room after each message.
fn play(mut each: impl FnMut(&str, &Desk, &str)) {
    let wish = parlor_rules::Wish::Reels(wish());
    let state = |address: &Address| State::create(address.id.clone(), SecretHash::of(b"the master key"), wish);
    let (mut desk, writes) = Desk::created("reels/ABCD1234", state);
    each("create_room", &desk, &writes);
    for (name, who, command) in evening() {
        let credential = match who {
            Master | Nobody => Credential { host: Some(SecretHash::of(b"the master key")), ..Credential::default() },
            Device(number) => Credential::guest(format!("device {number}").as_bytes()),
        };
        let kept = &desk.last.kept;
        let one = match command {
            Some(command) => {
                let command = parlor_rules::Command::Reels(command);
                done(kept, desk.now(), 0, &credential, Some("tab"), &command)
                    .unwrap_or_else(|| panic!("{name} {command:?} is refused"))
            }
            None => Done { by: None, ticket: None, events: kept.state.tick(kept.state.deadline().unwrap()) },
        };
        let writes = desk.commit(false, vec![one]);
        each(name, &desk, &writes);
    }
}

/// In the vote on the second item: with points, a face, a vote, and somebody who lost a seat.
pub(crate) fn voting() -> parlor_layout::shelf::Shelf {
    let mut found = None;
    play(|name, desk, _| found = found.take().or_else(|| (name == VOTING).then(|| desk.last.shelf.clone())));
    found.unwrap()
}

/// The compiler asks for a word for each event; the test below asks that a message with a golden file makes it.
fn named(event: &Event) -> &'static str {
    match event {
        Event::Taken { .. } => "taken",
        Event::Released { .. } => "released",
        Event::Renamed { .. } => "renamed",
        Event::AvatarSet { .. } => "avatar_set",
        Event::AvatarDeleted { .. } => "avatar_deleted",
        Event::Toggled { .. } => "toggled",
        Event::PlayerAdded { .. } => "player_added",
        Event::PlayerDeleted { .. } => "player_deleted",
        Event::ClaimsReset => "claims_reset",
        Event::Started => "started",
        Event::Opened { .. } => "opened",
        Event::Voted { .. } => "voted",
        Event::Hurried { .. } => "hurried",
        Event::Scored(_) => "scored",
        Event::ItemEnded { .. } => "item_ended",
        Event::RoundStarted { .. } => "round_started",
        Event::GameEnded => "game_ended",
        Event::Closed => "closed",
    }
}

const NAMES: usize = 18;

#[test]
fn each_message_of_section_10_writes_what_its_golden_file_says() {
    let mut shown = BTreeSet::new();
    play(|name, desk, writes| {
        if !name.is_empty() {
            support::golden(&format!("reels_{name}"), writes);
            shown.extend(desk.last.commit.done.iter().flat_map(|done| &done.events).map(|event| {
                let parlor_rules::Event::Reels(event) = event else { unreachable!("a game's") };
                named(event)
            }));
        }
    });
    assert_eq!(shown.len(), NAMES);
}

/// Section 10, as a table: which of the document's keys each message writes. Beside them are the stream and `stats`, nothing else.
#[test]
fn each_message_writes_the_keys_that_section_10_lists() {
    let mut table = String::new();
    play(|name, desk, _| {
        let keys: BTreeSet<&str> = desk.last.writes.iter().map(|write| &write.key()["room:ABCD1234:".len()..]).collect();
        let keys: Vec<&str> = keys.into_iter().filter(|key| *key != "stats").collect();
        if !name.is_empty() {
            table.push_str(&format!("{name}: {}\n", keys.join(" ")));
        }
    });
    let expected = "\
create_room: game meta players round:r1 round:r2 scores senders
take_player: claims
rename_player: players senders
rename_player_who_is_no_sender: players
update_avatar: avatar:p12 players
delete_avatar: avatar:p12 players
toggle_player_on: players
toggle_player_off: claims players
take_player_after_a_loss: claims
add_player: players scores
delete_player: claims players scores
reset_claims: claims
start_game: game meta round_delta:r1
add_player_in_the_game: players round_delta:r1 scores
reel_opened: game votes:r1:i1
submit_vote: votes:r1:i1
submit_vote_complete: game round_delta:r1 scores votes:r1:i1
end_item: game votes:r1:i1
submit_vote_second_item: votes:r1:i2
force_close_vote: game
countdown_ran_out: game round_delta:r1 scores
end_item_of_the_round: game votes:r1:i2
start_next_round: game round_delta:r2
release_player: claims game
toggle_player_on_in_the_game: players
start_next_round_over: game meta
room_closed: 
";
    assert_eq!(table, expected);
}
