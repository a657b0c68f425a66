//! What can be asked of a game, under the document's names.

use super::{Avatar, ItemId, PlayerId, RoundId, SenderId};
use crate::ids::UserId;
use crate::names::Name;
use std::fmt;

#[derive(Clone, PartialEq)]
pub enum Command {
    TakePlayer(PlayerId),
    /// With a user id only if that is who has the seat.
    ReleasePlayer {
        player: PlayerId,
        user: Option<UserId>,
    },
    RenamePlayer {
        player: PlayerId,
        name: Name,
    },
    UpdateAvatar {
        player: PlayerId,
        avatar: Avatar,
    },
    DeleteAvatar(PlayerId),
    TogglePlayer {
        player: PlayerId,
        active: bool,
    },
    AddPlayer(Name),
    DeletePlayer(PlayerId),
    ResetClaims,
    StartGame,
    ReelOpened(Which),
    SubmitVote {
        item: Which,
        /// Whose vote the sender takes it for; it is the claim that counts.
        player: Option<PlayerId>,
        selections: Vec<SenderId>,
    },
    ForceCloseVote {
        item: Which,
        seconds: u64,
    },
    EndItem(Which),
    /// Names the round that is finished.
    StartNextRound(RoundId),
    RoomClosed,
}

/// The item a command is about: one that comes late or twice is known by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Which {
    pub round: RoundId,
    pub item: ItemId,
}

impl Command {
    pub fn name(&self) -> &'static str {
        match self {
            Command::TakePlayer(_) => "TAKE_PLAYER",
            Command::ReleasePlayer { .. } => "RELEASE_PLAYER",
            Command::RenamePlayer { .. } => "RENAME_PLAYER",
            Command::UpdateAvatar { .. } => "UPDATE_AVATAR",
            Command::DeleteAvatar(_) => "DELETE_AVATAR",
            Command::TogglePlayer { .. } => "TOGGLE_PLAYER",
            Command::AddPlayer(_) => "ADD_PLAYER",
            Command::DeletePlayer(_) => "DELETE_PLAYER",
            Command::ResetClaims => "RESET_CLAIMS",
            Command::StartGame => "START_GAME",
            Command::ReelOpened(_) => "REEL_OPENED",
            Command::SubmitVote { .. } => "SUBMIT_VOTE",
            Command::ForceCloseVote { .. } => "FORCE_CLOSE_VOTE",
            Command::EndItem(_) => "END_ITEM",
            Command::StartNextRound(_) => "START_NEXT_ROUND",
            Command::RoomClosed => "ROOM_CLOSED",
        }
    }
}

/// A command can be printed; a vote and a face in it cannot.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
