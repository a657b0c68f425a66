//! Why a game says no: a sentence that says what to do, and the document's word for it.

use super::FORCE_SECONDS_MAX;
use super::stage::Stage;
use super::wish::PLAYERS_MAX;
use crate::code::Code;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("this master key does not open this room; check it, or send none")]
    BadKey,
    #[error("taking a seat needs a session or a user key; log in, or ask for a key first (hello on the socket, POST /v1/users)")]
    NoKey,
    #[error("{0} is for the Master; show the master key when you enter")]
    MasterOnly(&'static str),
    #[error("{0} is for whoever has that seat, and for the Master")]
    NotYours(&'static str),
    #[error("{command} is not possible now, in phase {} ({})", stage.phase(), stage.status())]
    NotInPhase { command: &'static str, stage: Stage },
    #[error("that is not the item or round the game is at; look again")]
    NotCurrent,
    #[error("this game has no such item or round")]
    NoSuchItem,
    #[error("somebody else has just taken that seat; take another")]
    TakenNow,
    #[error("that seat is not in the game; ask at the big screen")]
    Inactive,
    #[error("this device has a seat already; give it up before you take another")]
    DeviceAlreadyHasPlayer,
    #[error("there is no such player")]
    PlayerNotFound,
    #[error("a game has at most {PLAYERS_MAX} players")]
    Full,
    #[error("somebody in this game has that name; take another")]
    NameTaken,
    #[error("a game needs at least two active players")]
    TooFewPlayers,
    #[error("not every active player has been claimed; wait for {0}, or deactivate them")]
    Unclaimed(String),
    #[error("nobody has a seat who could vote; let somebody take one first")]
    NobodyToVote,
    #[error("a countdown is at most {FORCE_SECONDS_MAX} seconds")]
    Countdown,
    #[error("take a seat before you vote")]
    NotClaimed,
    #[error("you took your seat after this reel was opened; you vote from the next one")]
    NotExpectedVoter,
    #[error("no vote is open; wait for the next reel")]
    NotInVote,
    #[error("that vote is closed")]
    Late,
    #[error("name at most {0} for this reel")]
    TooManySelections(usize),
    #[error("a vote names senders of this game, each once")]
    InvalidSelection,
    #[error("a game is shown, not taken home")]
    NoExport,
}

impl Refusal {
    /// As the document calls it.
    pub fn reason(&self) -> &'static str {
        match self {
            Refusal::BadKey | Refusal::NoKey | Refusal::MasterOnly(_) | Refusal::NotYours(_) => "forbidden",
            Refusal::NotInPhase { .. } => "not_in_phase",
            Refusal::NotCurrent | Refusal::Full | Refusal::NameTaken | Refusal::TooFewPlayers => "conflict",
            Refusal::TakenNow => "taken_now",
            Refusal::Inactive => "inactive",
            Refusal::DeviceAlreadyHasPlayer => "device_already_has_player",
            Refusal::PlayerNotFound => "player_not_found",
            Refusal::NotClaimed | Refusal::Unclaimed(_) | Refusal::NobodyToVote => "not_claimed",
            Refusal::NotExpectedVoter => "not_expected_voter",
            Refusal::NotInVote => "not_in_vote",
            Refusal::Late => "late",
            Refusal::TooManySelections(_) => "too_many",
            Refusal::InvalidSelection => "invalid_selection",
            Refusal::NoSuchItem | Refusal::Countdown | Refusal::NoExport => "bad_request",
        }
    }
}

impl From<Refusal> for Code {
    fn from(refusal: Refusal) -> Code {
        match refusal {
            Refusal::BadKey => Code::BadKey,
            Refusal::NoKey => Code::Unauthenticated,
            Refusal::MasterOnly(_) | Refusal::NotYours(_) | Refusal::NotExpectedVoter => Code::Forbidden,
            Refusal::NotInPhase { .. }
            | Refusal::NotInVote
            | Refusal::Late
            | Refusal::Inactive
            | Refusal::TooFewPlayers
            | Refusal::Unclaimed(_)
            | Refusal::NobodyToVote => Code::WrongPhase,
            Refusal::NotCurrent => Code::VersionMismatch,
            Refusal::TakenNow | Refusal::DeviceAlreadyHasPlayer => Code::Exists,
            Refusal::PlayerNotFound | Refusal::NoSuchItem => Code::NotFound,
            Refusal::Full => Code::RoomFull,
            Refusal::NameTaken => Code::NameTaken,
            Refusal::NotClaimed => Code::NotSeated,
            Refusal::Countdown | Refusal::TooManySelections(_) | Refusal::InvalidSelection => Code::BadRequest,
            Refusal::NoExport => Code::Unsupported,
        }
    }
}
