//! What a new room is to be: `{"kind":"poker", …}`, where each kind has words of its own.

use crate::ask::{Fault, words};
use crate::{poker, reels, space};
use parlor_rules::{Kind, Wish};
use serde::Deserialize;
use serde_json::Value;

pub fn read(with: Option<&str>) -> Result<Wish, Fault> {
    #[derive(Deserialize)]
    struct OfKind {
        kind: Option<String>,
    }
    let OfKind { kind } = words(with)?;
    of(kind.as_deref().map_or(Ok(Kind::Poker), str::parse).map_err(Fault::bad)?, with)
}

/// The same where the kind is known already.
pub fn of(kind: Kind, with: Option<&str>) -> Result<Wish, Fault> {
    match kind {
        Kind::Poker => poker::wish::read(with).map(Wish::Poker),
        Kind::Space => space::wish::read(with).map(Wish::Space),
        Kind::Reels => reels::wish::read(with).map(Wish::Reels),
    }
}

/// What whoever made the room is told of it.
pub fn said(wish: &Wish) -> Value {
    match wish {
        Wish::Poker(wish) => poker::wish::said(&wish.deck.to_string()),
        Wish::Space(_) => Value::Null,
        Wish::Reels(wish) => reels::wish::said(wish),
    }
}

/// The same of a room that is already there, from a view of it.
pub fn said_in(kind: Kind, frame: &[u8]) -> Value {
    match kind {
        Kind::Poker => {
            #[derive(Deserialize)]
            struct Frame {
                view: poker::Table,
            }
            let deck = serde_json::from_slice::<Frame>(frame).map(|frame| frame.view.valid_sizes);
            poker::wish::said(&deck.unwrap_or_default())
        }
        Kind::Space => Value::Null,
        Kind::Reels => {
            #[derive(Deserialize)]
            struct Frame {
                view: reels::Screen,
            }
            serde_json::from_slice::<Frame>(frame).map_or(Value::Null, |frame| reels::wish::said_in(&frame.view))
        }
    }
}
