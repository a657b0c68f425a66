//! What a new table is to be.

use crate::ask::{Fault, words};
use parlor_rules::poker::{Deck, Life, Settings, Wish};
use serde::Deserialize;
use serde_json::{Value, json};

/// `{"kind":"poker","deck":"fibonacci","name":"Sprint 42","auto_reveal":true,"reveal_by":"everyone","life_minutes":1440}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(rename = "kind")]
    _kind: Option<String>,
    deck: Option<String>,
    valid_sizes: Option<String>,
    name: Option<String>,
    auto_reveal: Option<bool>,
    reveal_by: Option<String>,
    life_minutes: Option<u64>,
}

pub(crate) fn read(with: Option<&str>) -> Result<Wish, Fault> {
    let words: Words = words(with)?;
    let deck = match (&words.deck, &words.valid_sizes) {
        (Some(_), Some(_)) => return Err(Fault::bad("say \"deck\" or \"valid_sizes\", not both")),
        (Some(preset), None) => Deck::preset(preset).map_err(Fault::bad)?,
        (None, Some(cards)) => cards.parse().map_err(Fault::bad)?,
        (None, None) => Deck::default(),
    };
    let settings = Settings {
        name: words.name.map(|name| name.parse().map_err(Fault::bad)).transpose()?,
        auto_reveal: words.auto_reveal.unwrap_or_default(),
        reveal_by: words.reveal_by.map(|by| by.parse().map_err(Fault::bad)).transpose()?.unwrap_or_default(),
        life: words.life_minutes.map(Life::minutes).transpose().map_err(Fault::bad)?.unwrap_or_default(),
    };
    Ok(Wish { deck, settings })
}

pub(crate) fn said(valid_sizes: &str) -> Value {
    json!({ "valid_sizes": valid_sizes })
}

/// Every deck that has a name.
pub fn decks() -> Value {
    let decks = Deck::PRESETS.iter().map(|(name, cards)| json!({ "deck": name, "valid_sizes": cards }));
    json!({ "decks": decks.collect::<Vec<_>>() })
}
