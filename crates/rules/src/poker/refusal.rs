//! Why a table says no; each sentence says what to do next.

use super::stories::STORIES_MAX;
use super::{SEATS_MAX, TIMER_SECONDS_MAX};
use crate::code::Code;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("this host key does not open this room; check it, or send none")]
    BadKey,
    #[error("joining needs a session or a user key; log in, or ask for a key first (hello on the socket, POST /v1/users)")]
    NoKey,
    #[error("joining as a guest needs a user_name")]
    NoName,
    #[error("you are logged in under another name; join without a user_name, or log in under that one")]
    OtherName,
    #[error("only people at the table may do that; join first")]
    NotSeated,
    #[error("only the host may do that; the host is whoever holds the host key, or the first at the table")]
    HostOnly,
    #[error("someone else at the table has your user id; ask for a new user key")]
    IdTaken,
    #[error("the host has sent you away for good; you may watch")]
    Banned,
    #[error("the table has {SEATS_MAX} seats and all are taken")]
    Full,
    #[error("observers do not vote; become a voter first (set_observer)")]
    Observing,
    #[error("the cards are open; wait for the host to reset before voting again")]
    AlreadyShown,
    #[error("the cards of this round have been seen; wait for the host to reset before voting again")]
    Sealed,
    #[error("that card is not in this room's deck")]
    NotInDeck,
    #[error("a timer runs from 1 to {TIMER_SECONDS_MAX} seconds")]
    TimerRange,
    #[error("nobody with that user id is known here")]
    NoSuchUser,
    #[error("to go yourself, leave; kick is for others")]
    KickSelf,
    #[error("say what is to be different")]
    NoChange,
    #[error("the list has {STORIES_MAX} stories at most; remove some first")]
    TooManyStories,
    #[error("no story with that story id is in the list")]
    NoSuchStory,
}

impl From<Refusal> for Code {
    fn from(refusal: Refusal) -> Code {
        match refusal {
            Refusal::BadKey => Code::BadKey,
            Refusal::NoKey | Refusal::IdTaken => Code::Unauthenticated,
            Refusal::NotSeated => Code::NotSeated,
            Refusal::HostOnly | Refusal::Banned | Refusal::Observing => Code::Forbidden,
            Refusal::Full | Refusal::TooManyStories => Code::RoomFull,
            Refusal::AlreadyShown | Refusal::Sealed => Code::WrongPhase,
            Refusal::NotInDeck => Code::NotInDeck,
            Refusal::NoName | Refusal::OtherName | Refusal::TimerRange | Refusal::KickSelf | Refusal::NoChange => {
                Code::BadRequest
            }
            Refusal::NoSuchUser | Refusal::NoSuchStory => Code::NotFound,
        }
    }
}
