//! What simulated clients write, and decks whose cards give away whoever shows them too early.

use crate::dice::Dice;
use parlor_rules::Place;
use parlor_wire::poker::{Patch, Table};
use serde_json::{Value, json};

/// Cards of one person in one deck.
const CARDS_EACH: u64 = 3;
/// Every card starts with this, has `CARD_CHARS` characters, and is drawn anew for each deck.
pub const CARD_START: &str = "zq";
pub const CARD_CHARS: usize = 10;

pub fn ask(id: u64, verb: &str, room: Option<&str>, number: Option<u64>, with: Option<&Value>) -> String {
    let mut frame = json!({ "id": id, "do": verb });
    if let Some(room) = room {
        frame["room"] = room.into();
    }
    if let Some(number) = number {
        frame["n"] = number.into();
    }
    if let Some(with) = with {
        frame["with"] = with.clone();
    }
    frame.to_string()
}

/// What one says to be let in.
pub fn entrance(host_key: Option<&str>, place: Option<Place>, patch: bool) -> Value {
    let mut with = if patch { json!({ "patch": true }) } else { json!({}) };
    if let Some(key) = host_key {
        with["host_key"] = key.into();
    }
    if let Some(place) = place {
        with["at"] = place.position.to_string().into();
        with["mark"] = place.mark.to_string().into();
    }
    with
}

/// Some cards for each of so many people, no two alike in any deck of a run.
pub fn deck(people: usize, dice: &Dice) -> Vec<String> {
    let cards = (0..people as u64).flat_map(|slot| (0..CARDS_EACH).map(move |_| slot));
    cards.map(|slot| format!("{CARD_START}{slot:02x}{:06x}", dice.bits() & 0xff_ffff)).collect()
}

pub fn is_of(card: &str, slot: usize) -> bool {
    card.strip_prefix(CARD_START).is_some_and(|rest| rest.starts_with(&format!("{slot:02x}")))
}

/// The view after a patch; nothing when the patch cannot be one of that view.
pub fn patched(view: &Value, patch: &Value) -> Option<Value> {
    let table: Table = serde_json::from_value(view.clone()).ok()?;
    let patch: Patch = serde_json::from_value(patch.clone()).ok()?;
    serde_json::to_value(patch.apply(&table)?).ok()
}

/// The place a reply or a push names.
pub fn place(said: &Value) -> Option<Place> {
    Some(Place { position: said["at"].as_str()?.parse().ok()?, mark: said["mark"].as_str()?.parse().ok()? })
}
