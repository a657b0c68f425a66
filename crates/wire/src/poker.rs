//! Poker's words: its commands and its views. The documents' names where they have one.

use crate::ask::{Fault, words};
use crate::commands::{Verb, unknown};
use parlor_rules::poker::{Command, Hand, Mine, Shared};
use parlor_rules::{Kind, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub const VERBS: &[Verb] = &[
    Verb {
        name: "join",
        help: "Sit down at the table; the first to sit is the admin. A guest says a name, who is logged in has one; an observer does not vote.",
        example: r#"{"user_name":"Ana","observer":false}"#,
        optional: &["user_name", "observer"],
    },
    Verb { name: "vote", help: "Lay a card of the deck face down.", example: r#"{"card":"5"}"#, optional: &[] },
    Verb { name: "take_back", help: "Take your card back.", example: "{}", optional: &[] },
    Verb { name: "show", help: "Turn all cards over (host).", example: "{}", optional: &[] },
    Verb { name: "reset", help: "Clear the table for the next round (host).", example: "{}", optional: &[] },
    Verb {
        name: "set_valid_sizes",
        help: "Play with another deck; hides and clears (host).",
        example: r#"{"valid_sizes":"XS S M L XL"}"#,
        optional: &[],
    },
    Verb {
        name: "start_timer",
        help: "Show the cards after so many seconds (host).",
        example: r#"{"seconds":60}"#,
        optional: &[],
    },
    Verb { name: "stop_timer", help: "Stop the timer (host).", example: "{}", optional: &[] },
    Verb { name: "kick", help: "Send somebody away (host).", example: r#"{"user_id":"user_id_1"}"#, optional: &[] },
    Verb { name: "leave", help: "Stand up from the table; you may go on watching.", example: "{}", optional: &[] },
    Verb { name: "delete", help: "End the room for everyone (host).", example: "{}", optional: &[] },
];

pub(crate) fn read(verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    Ok(match verb {
        "join" => {
            let Join { user_name, observer } = words(with)?;
            Command::Join { name: user_name.map(|name| name.parse().map_err(Fault::bad)).transpose()?, observer }
        }
        "vote" => Command::Vote(words::<Vote>(with)?.card.parse().map_err(Fault::bad)?),
        "take_back" => nothing(with, Command::TakeBack)?,
        "show" => nothing(with, Command::Show)?,
        "reset" => nothing(with, Command::Reset)?,
        "set_valid_sizes" => Command::SetDeck(words::<Sizes>(with)?.valid_sizes.parse().map_err(Fault::bad)?),
        "start_timer" => Command::StartTimer { seconds: words::<Timer>(with)?.seconds },
        "stop_timer" => nothing(with, Command::StopTimer)?,
        "kick" => Command::Kick(words::<Kick>(with)?.user_id.parse().map_err(Fault::bad)?),
        "leave" => nothing(with, Command::Leave)?,
        "delete" => nothing(with, Command::Delete)?,
        other => return Err(unknown(Kind::Poker, other)),
    })
}

/// The name and the words of a command, as a client writes them.
pub fn write(command: &Command) -> (&'static str, serde_json::Value) {
    use serde_json::json;
    match command {
        Command::Join { name, observer } => {
            let mut with = json!({});
            name.iter().for_each(|name| with["user_name"] = name.as_str().into());
            observer.iter().for_each(|observer| with["observer"] = (*observer).into());
            ("join", with)
        }
        Command::Vote(card) => ("vote", json!({ "card": card.as_str() })),
        Command::TakeBack => ("take_back", json!({})),
        Command::Show => ("show", json!({})),
        Command::Reset => ("reset", json!({})),
        Command::SetDeck(deck) => ("set_valid_sizes", json!({ "valid_sizes": deck.to_string() })),
        Command::StartTimer { seconds } => ("start_timer", json!({ "seconds": seconds })),
        Command::StopTimer => ("stop_timer", json!({})),
        Command::Kick(user) => ("kick", json!({ "user_id": user.as_str() })),
        Command::Leave => ("leave", json!({})),
        Command::Delete => ("delete", json!({})),
    }
}

fn nothing(with: Option<&str>, command: Command) -> Result<Command, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    words::<Nothing>(with).map(|Nothing {}| command)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    user_name: Option<String>,
    observer: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vote {
    card: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    valid_sizes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Timer {
    seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kick {
    user_id: String,
}

/// The table as everyone sees it.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Table {
    pub room_id: String,
    pub valid_sizes: String,
    pub admin_user_id: String,
    pub is_revealed: bool,
    pub round: u64,
    /// When the timer turns the cards over, in milliseconds since the epoch.
    pub timer_ends: Option<u64>,
    /// In the order people came.
    pub users: Vec<User>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct User {
    pub user_id: String,
    pub user_name: String,
    pub has_vote: bool,
    /// Only when the cards are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
}

/// The part that only you see.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Me {
    pub user_id: Option<String>,
    pub seated: bool,
    pub host: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
}

impl From<&Shared> for Table {
    fn from(shared: &Shared) -> Table {
        let users = shared.seats.iter().map(|seat| User {
            user_id: seat.user.to_string(),
            user_name: seat.name.to_string(),
            has_vote: seat.hand != Hand::Empty,
            vote: match &seat.hand {
                Hand::FaceUp(card) => Some(card.to_string()),
                Hand::FaceDown | Hand::Empty => None,
            },
        });
        Table {
            room_id: shared.room.to_string(),
            valid_sizes: shared.deck.to_string(),
            admin_user_id: shared.admin.as_ref().map_or_else(String::new, UserId::to_string),
            is_revealed: shared.revealed,
            round: shared.round,
            timer_ends: shared.timer_ends.map(|ends| ends.0),
            users: users.collect(),
        }
    }
}

impl From<&Mine> for Me {
    fn from(mine: &Mine) -> Me {
        Me {
            user_id: mine.user.as_ref().map(UserId::to_string),
            seated: mine.seated,
            host: mine.host,
            vote: mine.vote.as_ref().map(ToString::to_string),
        }
    }
}
