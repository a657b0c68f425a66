//! Everything anyone could try in a small game.

use crate::identity::Credential;
use crate::reels::evening::{chosen, credential, take};
use crate::reels::{Command, PlayerId, Reels, Which};

pub(super) struct Try {
    pub(super) who: String,
    pub(super) by: Credential,
    pub(super) what: What,
}

pub(super) enum What {
    Command(Command),
    /// The time that a vote has is up, now or for one that is long closed.
    TimeIsUp,
    StaleTick,
}

/// The device that voter n has; one more is spare, and takes any seat.
fn device(n: usize) -> String {
    format!("phone{n}")
}

pub(super) const SPARE: &str = "spare";

pub(super) fn every_try(game: &Reels) -> Vec<Try> {
    let (mut tries, seats) = (Vec::new(), game.players.len());
    let mut add = |who: &str, command: Command| {
        tries.push(Try { who: who.to_owned(), by: credential(who), what: What::Command(command) });
    };
    let id = |n: usize| format!("p{n}").parse::<PlayerId>().unwrap();
    let release = |n: usize| Command::ReleasePlayer { player: id(n), user: None };
    let items: Vec<Which> = game
        .rounds
        .iter()
        .flat_map(|round| round.items.iter().map(|item| Which { round: round.id.clone(), item: item.id.clone() }))
        .collect();
    let votes = |item: &Which| {
        ["s1", "s2"].map(|named| Command::SubmitVote { item: item.clone(), player: None, selections: chosen(named) })
    };
    for n in 1..=seats {
        add(&device(n), take(&format!("p{n}")));
        add(SPARE, take(&format!("p{n}")));
        add(&device(n), release(n));
        add(SPARE, release(n));
        add("master", release(n));
    }
    for n in 1..=seats {
        items.iter().flat_map(votes).for_each(|vote| add(&device(n), vote));
    }
    items.iter().flat_map(votes).for_each(|vote| add(SPARE, vote));
    // Those in the middle are no different from the first and the last.
    for n in [1, seats] {
        add("master", Command::TogglePlayer { player: id(n), active: false });
        add("master", Command::TogglePlayer { player: id(n), active: true });
    }
    add("master", Command::ResetClaims);
    add("master", Command::StartGame);
    for item in &items {
        add("master", Command::ReelOpened(item.clone()));
        add("master", Command::ForceCloseVote { item: item.clone(), seconds: 0 });
        add("master", Command::ForceCloseVote { item: item.clone(), seconds: 10 });
        add("master", Command::EndItem(item.clone()));
    }
    for round in &game.rounds {
        add("master", Command::StartNextRound(round.id.clone()));
    }
    let tick = |what| Try { who: "the clock".into(), by: Credential::anonymous(), what };
    tries.extend([tick(What::TimeIsUp), tick(What::StaleTick)]);
    tries
}

impl std::fmt::Display for Try {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let who = &self.who;
        match &self.what {
            What::TimeIsUp => write!(f, "{who}: time is up"),
            What::StaleTick => write!(f, "{who}: an old alarm"),
            What::Command(Command::TakePlayer(player)) => write!(f, "{who}: TAKE_PLAYER {player}"),
            What::Command(Command::ReleasePlayer { player, .. }) => write!(f, "{who}: RELEASE_PLAYER {player}"),
            What::Command(Command::TogglePlayer { player, active }) => write!(f, "{who}: TOGGLE_PLAYER {player} {active}"),
            What::Command(Command::SubmitVote { item, selections, .. }) => {
                write!(f, "{who}: SUBMIT_VOTE {} {} {}", item.round, item.item, selections[0])
            }
            What::Command(Command::ForceCloseVote { item, seconds }) => {
                write!(f, "{who}: FORCE_CLOSE_VOTE {} {} {seconds}", item.round, item.item)
            }
            What::Command(command @ (Command::ReelOpened(item) | Command::EndItem(item))) => {
                write!(f, "{who}: {} {} {}", command.name(), item.round, item.item)
            }
            What::Command(command) => write!(f, "{who}: {}", command.name()),
        }
    }
}
