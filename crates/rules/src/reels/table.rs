//! The state machine, as a table: who may send a command, and what it meets in each stage.

use super::PlayerId;
use super::command::Command;
use super::stage::Stage;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who<'a> {
    Anyone,
    /// Whoever has a seat.
    Claimant,
    /// Whoever has this seat, or the Master.
    HolderOrMaster(&'a PlayerId),
    Master,
}

/// What a command meets that names where the game is. One that names what is behind is done already, whatever the stage;
/// one that names what lies ahead is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Goes,
    /// It has happened: accepted, and nothing changes.
    Done,
    NotInPhase,
    /// A vote's own words for it.
    NotInVote,
    Late,
}

use Answer::{Done, Goes, Late, NotInPhase as No, NotInVote as Early};

pub(super) struct Row<'a> {
    pub(super) who: Who<'a>,
    answers: [Answer; 6],
}

impl Row<'_> {
    pub(super) fn answer(&self, stage: Stage) -> Answer {
        self.answers[stage as usize]
    }
}

#[rustfmt::skip]
pub(super) fn row(command: &Command) -> Row<'_> {
    use Who::{Anyone, Claimant, HolderOrMaster, Master};
    let (who, answers) = match command {
        //                                                                 Lobby   Idle    Vote    Reveal  Recap   Over
        Command::TakePlayer(_)                => (Anyone,                 [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::ReleasePlayer { player, .. } => (HolderOrMaster(player), [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::RenamePlayer { player, .. }  => (HolderOrMaster(player), [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::UpdateAvatar { player, .. }  => (HolderOrMaster(player), [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::DeleteAvatar(player)         => (HolderOrMaster(player), [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::TogglePlayer { active: true, .. }  => (Master,           [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::TogglePlayer { active: false, .. } => (Master,           [Goes,   No,     No,     No,     No,     No]),
        Command::AddPlayer(_)                 => (Master,                 [Goes,   Goes,   Goes,   Goes,   Goes,   No]),
        Command::DeletePlayer(_)              => (Master,                 [Goes,   No,     No,     No,     No,     No]),
        Command::ResetClaims                  => (Master,                 [Goes,   No,     No,     No,     No,     No]),
        Command::StartGame                    => (Master,                 [Goes,   Done,   Done,   Done,   Done,   No]),
        Command::ReelOpened(_)                => (Master,                 [No,     Goes,   Done,   Done,   No,     No]),
        Command::SubmitVote { .. }            => (Claimant,               [Early,  Early,  Goes,   Late,   Late,   Late]),
        Command::ForceCloseVote { .. }        => (Master,                 [No,     No,     Goes,   Done,   No,     No]),
        Command::EndItem(_)                   => (Master,                 [No,     No,     No,     Goes,   No,     No]),
        Command::StartNextRound(_)            => (Master,                 [No,     No,     No,     No,     Goes,   Done]),
        Command::RoomClosed                   => (Master,                 [Goes,   Goes,   Goes,   Goes,   Goes,   Goes]),
    };
    Row { who, answers }
}
