//! The party game's words: document 002's messages, its broadcasts as parts of a view, its reasons.

mod view;
pub mod wish;
mod words;

use crate::commands::Verb;
pub use view::{
    Award, Broadcasts, GameOver, GameStart, Guess, MasterSeat, Named, NewItem, PlayerVoted, Points, Ranked, Reel, ReelsMe,
    RoundFinished, RoundRecap, Screen, SeatWords, SenderWords, SlotInvalidated, StartVote, VoteResults, schemas,
};
pub use words::write;
pub(crate) use words::{read, reasoned};

pub const VERBS: &[Verb] = &[
    plain(
        "TAKE_PLAYER",
        "Take a seat that is free; one device has one. Refused with taken_now, inactive, device_already_has_player or player_not_found.",
        r#"{"player_id":"p12"}"#,
    ),
    Verb {
        name: "RELEASE_PLAYER",
        help: "Give a seat up (whoever has it), or free it (Master): with a user_id, only if that is who has it. Who has not voted yet is no longer waited for.",
        example: r#"{"player_id":"p12","user_id":"user_id_1"}"#,
        optional: &["user_id"],
        nullable: &[],
    },
    plain(
        "RENAME_PLAYER",
        "Call a player something else, and with them the sender they play for (whoever has the seat, Master).",
        r#"{"player_id":"p12","name":"Camille"}"#,
    ),
    plain(
        "UPDATE_AVATAR",
        "Give a player a face: a JPEG of 300 × 300 pixels and at most 40000 bytes, in base64 (whoever has the seat, Master).",
        r#"{"player_id":"p12","jpeg":"/9j/wAALCAEsASwBAREA/9k="}"#,
    ),
    plain("DELETE_AVATAR", "Take a player's face away (whoever has the seat, Master).", r#"{"player_id":"p12"}"#),
    plain(
        "TOGGLE_PLAYER",
        "Take a player out of the game, in the lobby: whoever had the seat loses it and is told. Or back in, also during the game (Master).",
        r#"{"player_id":"p12","active":false}"#,
    ),
    plain("ADD_PLAYER", "Add a seat for somebody who sent nothing; also during the game (Master).", r#"{"name":"Zoé"}"#),
    plain("DELETE_PLAYER", "Take a seat away for good, in the lobby (Master).", r#"{"player_id":"p12"}"#),
    plain("RESET_CLAIMS", "Free all seats, in the lobby (Master).", "{}"),
    plain("START_GAME", "Begin: at least two active players, and all of them claimed (Master).", "{}"),
    plain(
        "REEL_OPENED",
        "The reel is shown: everybody with a seat may vote on it from now (Master). Again: nothing changes, no vote is lost.",
        r#"{"round_id":"r1","item_id":"i1"}"#,
    ),
    Verb {
        name: "SUBMIT_VOTE",
        help: "Name up to k senders; again, until the vote closes. Refused with not_claimed, not_in_vote, late, not_expected_voter, invalid_selection or too_many.",
        example: r#"{"round_id":"r1","item_id":"i1","selections":["s12"],"player_id":"p12"}"#,
        optional: &["player_id"],
        nullable: &[],
    },
    Verb {
        name: "FORCE_CLOSE_VOTE",
        help: "Wait no longer: after so many seconds, 10 if none are said, the vote is counted; who has not voted named nobody (Master).",
        example: r#"{"round_id":"r1","item_id":"i1","seconds":10}"#,
        optional: &["seconds"],
        nullable: &[],
    },
    plain(
        "END_ITEM",
        "The reveal is over: on to the next reel, or to the round's recap (Master).",
        r#"{"round_id":"r1","item_id":"i1"}"#,
    ),
    plain(
        "START_NEXT_ROUND",
        "After the recap of this round: the next one, or the end of the game (Master).",
        r#"{"round_id":"r1"}"#,
    ),
    plain("ROOM_CLOSED", "End the room for everyone; all its keys are gone at once (Master).", "{}"),
];

const fn plain(name: &'static str, help: &'static str, example: &'static str) -> Verb {
    Verb { name, help, example, optional: &[], nullable: &[] }
}
