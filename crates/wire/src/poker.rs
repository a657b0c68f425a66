//! Poker's words: its commands and its views. The documents' names where they have one.

mod export;
mod import;
mod patch;
mod view;
pub mod wish;
mod words;

use crate::commands::Verb;
pub use export::{Played, PlayedRound, PlayedVote};
pub(crate) use export::{csv, json};
pub use patch::{Listed, Patch};
pub use view::{Count, Me, Outcome, Round, Story, Table, User};
pub(crate) use words::read;
pub use words::write;

pub const VERBS: &[Verb] = &[
    Verb {
        name: "join",
        help: "Sit down at the table; the first to sit is the admin. A guest says a name, who is logged in has one; an observer does not vote.",
        example: r#"{"user_name":"Ana","observer":false}"#,
        optional: &["user_name", "observer"],
        nullable: &[],
    },
    plain("vote", "Lay a card of the deck face down.", r#"{"card":"5"}"#),
    plain("take_back", "Take your card back.", "{}"),
    plain("show", "Turn all cards over (host, or everyone at the table if the room says so).", "{}"),
    plain(
        "set_revealed",
        "True is the same as show; false hides the cards again without clearing them, and nobody may vote until the reset (as show).",
        r#"{"is_revealed":false}"#,
    ),
    plain("reset", "Clear the table for the next round (as show).", "{}"),
    plain("set_valid_sizes", "Play with another deck; hides and clears (host).", r#"{"valid_sizes":"XS S M L XL"}"#),
    Verb {
        name: "set_observer",
        help: "Sit at the table without voting, or vote again; becoming an observer drops the card. With a user_id for somebody else (host).",
        example: r#"{"observer":true,"user_id":"user_id_1"}"#,
        optional: &["user_id"],
        nullable: &[],
    },
    Verb {
        name: "update_room",
        help: "Change how the table is run; at least one of them. A name that is null takes it away (host).",
        example: r#"{"name":"Sprint 42","auto_reveal":true,"reveal_by":"everyone"}"#,
        optional: &["name", "auto_reveal", "reveal_by"],
        nullable: &["name"],
    },
    Verb {
        name: "start_timer",
        help: "After so many seconds show the cards, or with reveal false only end (host).",
        example: r#"{"seconds":60,"reveal":true}"#,
        optional: &["reveal"],
        nullable: &[],
    },
    plain("stop_timer", "Stop the timer (host).", "{}"),
    plain("hand_over", "Make somebody at the table the admin (host).", r#"{"user_id":"user_id_1"}"#),
    Verb {
        name: "kick",
        help: "Send somebody away; with ban, for good (host).",
        example: r#"{"user_id":"user_id_1","ban":false}"#,
        optional: &["ban"],
        nullable: &[],
    },
    plain("leave", "Stand up from the table; you may go on watching.", "{}"),
    Verb {
        name: "delete_user",
        help: "Forget you: your seat goes, and your id and name are struck from the history. With a user_id somebody else, who is also sent away (host).",
        example: r#"{"user_id":"user_id_1"}"#,
        optional: &["user_id"],
        nullable: &[],
    },
    plain("delete", "End the room for everyone (host).", "{}"),
    Verb {
        name: "add_stories",
        help: "Add stories to the list, at its end or at a place counted from 0 (host).",
        example: r#"{"stories":[{"title":"Log in","link":"https://example.org/1","estimate":"5"}],"at":0}"#,
        optional: &["at", "link", "estimate"],
        nullable: &[],
    },
    plain(
        "import_stories",
        "Add the stories of a CSV: with a header (title, link, estimate, or Jira's), or else the first cell of each row (host).",
        r#"{"csv":"title,link\nLog in,https://example.org/1\n"}"#,
    ),
    Verb {
        name: "edit_story",
        help: "Change a story; null takes a link or an estimate away (host).",
        example: r#"{"story_id":"s1","title":"Log in","link":"https://example.org/1","estimate":"5"}"#,
        optional: &["title", "link", "estimate"],
        nullable: &["link", "estimate"],
    },
    plain("move_story", "Put a story at another place of the list, counted from 0 (host).", r#"{"story_id":"s1","to":0}"#),
    plain("remove_story", "Take a story from the list; rounds it was estimated in stay (host).", r#"{"story_id":"s1"}"#),
    Verb {
        name: "pick_story",
        help: "Estimate this story now, or none; hides and clears (host).",
        example: r#"{"story_id":"s1"}"#,
        optional: &[],
        nullable: &["story_id"],
    },
];

/// A command all of whose words must be said.
const fn plain(name: &'static str, help: &'static str, example: &'static str) -> Verb {
    Verb { name, help, example, optional: &[], nullable: &[] }
}
