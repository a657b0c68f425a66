//! Bugs as the document would have them, planted around the rules and not in them, so that the search can be seen to find them.

use super::acts::What;
use crate::identity::Viewer;
use crate::reels::evening::BEGAN;
use crate::reels::{Command, Event, Reels, Refusal, Spot, Stage, Which};
use crate::room::{Act, Room, When};
use crate::time::Millis;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Planted {
    Nothing,
    /// Completeness is tested and points are given whatever the status is.
    ScoresWithoutGuard,
    /// The last two voters each see the other's vote missing.
    NobodySeesThatAllVoted,
    /// Whoever leaves is waited for all the same.
    ExpectedNotRecomputed,
    /// A crash between the scores and the status.
    ScoresBeforeStatus,
    /// Any vote counts towards completeness.
    CountsAnyVote,
    /// Opening the reel again deletes the votes.
    OpeningWipesVotes,
    /// An item is ended without saying which, in any status.
    EndsWhateverIsThere,
    /// The next round is begun without saying after which.
    NextWhateverWas,
    /// Only the seat is looked at, not what else the device has.
    DeviceTakesTwo,
    /// The script reads the claims and nothing else.
    TakesWhatIsInactive,
    /// The claim is deleted in a second step that never came.
    BenchedKeepsTheSeat,
    /// Whoever is taken into the game is waited for in the vote that is open.
    WaitsForWhoComesIn,
    /// The players were looked at before somebody left.
    StartsUnlooked,
    /// An old timer fires.
    AlarmWithoutGuard,
    /// The time is up, and nobody counts.
    TicksButDoesNotScore,
}

impl Planted {
    pub(super) const ALL: [Planted; 15] = [
        Planted::ScoresWithoutGuard,
        Planted::NobodySeesThatAllVoted,
        Planted::ExpectedNotRecomputed,
        Planted::ScoresBeforeStatus,
        Planted::CountsAnyVote,
        Planted::OpeningWipesVotes,
        Planted::EndsWhateverIsThere,
        Planted::NextWhateverWas,
        Planted::DeviceTakesTwo,
        Planted::TakesWhatIsInactive,
        Planted::BenchedKeepsTheSeat,
        Planted::WaitsForWhoComesIn,
        Planted::StartsUnlooked,
        Planted::AlarmWithoutGuard,
        Planted::TicksButDoesNotScore,
    ];

    pub(super) fn attempt(self, game: &Reels, by: &Viewer, what: &What) -> Result<Vec<Event>, Refusal> {
        match what {
            What::Command(command) => {
                let act = Act { by: by.clone(), at: BEGAN, dice: 0, command: command.clone() };
                self.decide(game, &act)
            }
            What::TimeIsUp if self == Planted::TicksButDoesNotScore => Ok(vec![]),
            What::TimeIsUp => Ok(game.deadline().map(|due| game.tick(due)).unwrap_or_default()),
            What::StaleTick if self == Planted::AlarmWithoutGuard => Ok(count(game)),
            What::StaleTick => Ok(game.tick(Millis(7))),
        }
    }

    fn decide(self, game: &Reels, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
        let decided = game.decide(act);
        let without_count = |events: Vec<Event>| events.into_iter().filter(|event| !matches!(event, Event::Scored(_))).collect();
        match (self, &act.command) {
            (Planted::ScoresWithoutGuard, Command::SubmitVote { .. }) if game.stage == Stage::RevealWait => {
                let open = Reels { stage: Stage::Vote, ..game.clone() };
                open.decide(act)
            }
            (Planted::NobodySeesThatAllVoted, Command::SubmitVote { .. }) => decided.map(without_count),
            (Planted::ExpectedNotRecomputed, Command::ReleasePlayer { .. }) => decided.map(without_count),
            (Planted::CountsAnyVote, Command::SubmitVote { selections, .. }) if decided == Err(Refusal::NotExpectedVoter) => {
                let player = game.seat_of(&act.by).expect("whoever is not expected has a seat").clone();
                Ok(vec![Event::Voted { player, selections: selections.clone() }])
            }
            (Planted::OpeningWipesVotes, Command::ReelOpened(item)) if game.stage == Stage::Vote && decided == Ok(vec![]) => {
                let expected = game.vote.iter().flat_map(|vote| vote.expected.iter().cloned()).collect();
                Ok(vec![Event::Opened { item: item.clone(), expected, closes: None }])
            }
            (Planted::EndsWhateverIsThere, Command::EndItem(_)) => match game.current() {
                Some((round, item)) => {
                    Ok(vec![Event::ItemEnded { item: Which { round: round.id.clone(), item: item.id.clone() } }])
                }
                None => decided,
            },
            (Planted::NextWhateverWas, Command::StartNextRound(_)) => match game.at {
                Some(Spot { round, .. }) if round + 1 < game.rounds.len() => {
                    Ok(vec![Event::RoundStarted { round: game.rounds[round + 1].id.clone() }])
                }
                Some(_) | None => decided,
            },
            (Planted::DeviceTakesTwo, Command::TakePlayer(_)) if decided == Err(Refusal::DeviceAlreadyHasPlayer) => taken(act),
            (Planted::TakesWhatIsInactive, Command::TakePlayer(_)) if decided == Err(Refusal::Inactive) => taken(act),
            (Planted::StartsUnlooked, Command::StartGame) if matches!(decided, Err(Refusal::Unclaimed(_))) => {
                Ok(vec![Event::Started])
            }
            (_, _) => decided,
        }
    }

    pub(super) fn apply(self, game: &mut Reels, when: When, event: &Event) {
        let before = game.clone();
        game.apply(when, event);
        match (self, event) {
            (Planted::ExpectedNotRecomputed, Event::Released { .. }) => game.vote = before.vote,
            (Planted::BenchedKeepsTheSeat, Event::Toggled { .. }) => game.claims = before.claims,
            (Planted::WaitsForWhoComesIn, Event::Toggled { player, active: true }) => {
                if let Some(vote) = &mut game.vote {
                    vote.expected.insert(player.clone());
                }
            }
            (Planted::ScoresBeforeStatus, Event::Scored(_)) => game.stage = before.stage,
            (_, _) => {}
        }
    }
}

fn taken(act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    match (&act.command, &act.by.user, act.by.proof) {
        (Command::TakePlayer(player), Some(user), Some(proof)) => {
            Ok(vec![Event::Taken { player: player.clone(), user: user.clone(), proof }])
        }
        (_, _, _) => Err(Refusal::NoKey),
    }
}

/// What would be counted if a vote were open.
fn count(game: &Reels) -> Vec<Event> {
    crate::reels::score::scored(game).map(Event::Scored).into_iter().collect()
}
